package locale_test

import (
	"archive/zip"
	"bytes"
	"flag"
	"io"
	"io/fs"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "pack the texts anew")

// packedFile has the folder texts as programs carry it.
const packedFile = "texts.zip"

// TestPackedTextsAreThoseOfTheFolder packs them with -update. Not the bytes are compared, as another
// release of Go may pack them otherwise.
func TestPackedTextsAreThoseOfTheFolder(t *testing.T) {
	if *update {
		packTexts(t)
	}
	packed, err := zip.OpenReader(packedFile)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = packed.Close() }()
	names, _ := fs.Glob(os.DirFS("."), "texts/*.yaml")
	if len(packed.File) != len(names) {
		t.Errorf("%d files are packed, of %d", len(packed.File), len(names))
	}
	for _, name := range names {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := fs.ReadFile(packed, name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is packed otherwise, %v; run: go test ./locale -run Packed -update", name, err)
		}
	}
}

// packTexts packs the texts. The files have no times, so that the same texts make the same file.
func packTexts(t *testing.T) {
	t.Helper()
	var file bytes.Buffer
	pack := zip.NewWriter(&file)
	names, _ := fs.Glob(os.DirFS("."), "texts/*.yaml")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		into, err := pack.Create(name)
		if err == nil {
			_, err = io.Copy(into, bytes.NewReader(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := pack.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(packedFile, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
