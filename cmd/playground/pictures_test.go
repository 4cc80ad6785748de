package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	// screenshotsDir has the pictures of the pages that show the bot. Beside each stand the words that are seen in it.
	screenshotsDir = "screenshots"
	// filmName is the picture with which the README begins: a bot crashes, its owner is told and
	// restarts it, and the panel in the channel is green again.
	filmName = "film"
)

// A film lasts as long as somebody looks who has just come, and is not too large for a phone.
const (
	filmLasts  = 12 * time.Second
	filmAtMost = 2 << 20 // bytes
)

// TestFilmIsShortAndSmall looks at the film as it is kept.
func TestFilmIsShortAndSmall(t *testing.T) {
	encoded := read(t, filepath.Join(screenshotsDir, filmName+".png"))
	chunks, err := readChunks([]byte(encoded))
	if err != nil {
		t.Fatal(err)
	}
	const control, at = 26, 20 // bytes of a frame, and where its time is among them
	var lasts time.Duration
	for frames := chunks["fcTL"]; len(frames) >= control; frames = frames[control:] {
		lasts += time.Duration(binary.BigEndian.Uint16(frames[at:])) * time.Millisecond
	}
	if lasts != filmLasts || len(encoded) > filmAtMost {
		t.Errorf("the film lasts %v and has %d bytes", lasts, len(encoded))
	}
}

// keptPictures returns the names of the files of a kind among the pictures.
func keptPictures(kind string) (names []string) {
	files, _ := filepath.Glob(filepath.Join(screenshotsDir, "*."+kind))
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), "."+kind))
	}
	return names
}

// TestScreenshotsAreShown compares the pictures that there are with those that the pages show, and with
// the files beside them.
func TestScreenshotsAreShown(t *testing.T) {
	var shown []string
	for _, page := range []string{"../../README.md", "../../commands/README.md"} {
		for _, match := range regexp.MustCompile(`cmd/playground/screenshots/(\w+)\.png`).FindAllStringSubmatch(read(t, page), -1) {
			shown = append(shown, match[1])
		}
	}
	slices.Sort(shown)
	kept := keptPictures("png")
	for what, names := range map[string][]string{"shown": slices.Compact(shown), "written down": keptPictures("txt")} {
		if !slices.Equal(names, kept) {
			t.Errorf("%s are %q, and there are %q", what, names, kept)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
