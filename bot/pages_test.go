package bot_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"hostbot/locale"
)

// TestPagesLeadSomewhere follows the links between the Markdown pages of the repository, and
// the pictures in them: the file is there, and so is the heading that an anchor names.
func TestPagesLeadSomewhere(t *testing.T) {
	t.Parallel()
	pages := markdownPages(t)
	links := regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"`)
	followed := 0
	for page, text := range pages {
		for _, match := range links.FindAllStringSubmatch(withoutCode(text), -1) {
			link := match[1] + match[2]
			if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") || ofTheHost(page, link) {
				continue
			}
			followed++
			path, anchor, _ := strings.Cut(link, "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(filepath.Join("..", target)); err != nil {
				t.Errorf("%s leads to %s, which is not there", page, link)
			} else if anchor != "" && !slices.Contains(anchors(pages[target]), anchor) {
				t.Errorf("%s leads to %s, and there is no such heading", page, link)
			}
		}
	}
	if followed < 50 {
		t.Errorf("%d links were followed", followed)
	}
}

// ofTheHost reports whether a link of the page at the top leads above the files, to what the
// host of the repository shows beside them: ../../actions is its list of CI runs.
func ofTheHost(page, link string) bool {
	return page == "README.md" && strings.HasPrefix(link, "../../actions/")
}

// markdownPages returns the repository's pages by their paths.
func markdownPages(t *testing.T) map[string]string {
	t.Helper()
	pages := make(map[string]string)
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		pages[strings.TrimPrefix(filepath.ToSlash(path), "../")] = string(text)
		return err
	})
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	return pages
}

var fenced = regexp.MustCompile("(?ms)^ *```.*?^ *```")

// withoutCode leaves out blocks of code, in which nothing is a link or a heading.
func withoutCode(page string) string { return fenced.ReplaceAllString(page, "") }

// anchors returns the names by which GitHub's links reach a page's headings: in lower case,
// without punctuation, with hyphens for spaces.
func anchors(page string) (names []string) {
	for line := range strings.Lines(withoutCode(page)) {
		title, isHeading := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !isHeading || !strings.HasPrefix(line, "#") {
			continue
		}
		names = append(names, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(title)))
	}
	return names
}

// TestEachRoomIsOnThePage compares the rooms with those that README.md describes.
func TestEachRoomIsOnThePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var described []string
	for _, row := range regexp.MustCompile("(?m)^\\| `((?:bot|cmd|commands)[a-z/]*)` \\|").FindAllSubmatch(page, -1) {
		described = append(described, string(row[1]))
	}
	known := append(slices.Concat(rooms...), "bot/testing")
	slices.Sort(described)
	slices.Sort(known)
	if !slices.Equal(described, known) {
		t.Errorf("the page describes %q, and the rooms are %q", described, known)
	}
}

// TestBadgesAreTrue compares what the first page's badges say with what is so.
func TestBadgesAreTrue(t *testing.T) {
	t.Parallel()
	read := func(path string) string {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	release := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read("../go.mod"))[1]
	license, _, _ := strings.Cut(read("../LICENSE"), " License\n")
	languages := strconv.Itoa(len(locale.DiscordLocales()))
	var said []string
	for _, badge := range regexp.MustCompile(`img\.shields\.io/badge/([^)]*)-[0-9a-f]{6}\)`).FindAllStringSubmatch(read("../README.md"), -1) {
		said = append(said, badge[1])
	}
	if want := []string{"languages-" + languages, "Go-" + release, "license-" + license}; !slices.Equal(said, want) {
		t.Errorf("the badges say %q, want %q", said, want)
	}
}
