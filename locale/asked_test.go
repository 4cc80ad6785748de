package locale_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"hostbot/locale"
)

// TestEveryTextThatIsAskedForExists looks through the program for keys that stand there whole: of one
// that no file has, a reader would see the key. It finds few of those that are put together.
func TestEveryTextThatIsAskedForExists(t *testing.T) {
	asked := regexp.MustCompile(`\.(?:Text|Format|Count|say|field|link|button)\((?:discordgo\.\w+, )?"([a-z_]+(?:\.[a-z_]+)+)"`)
	texts, found := textFiles(t)[locale.Default].texts, 0
	source := os.DirFS("..")
	err := fs.WalkDir(source, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		content, err := fs.ReadFile(source, path)
		for _, match := range asked.FindAllSubmatch(content, -1) {
			found++
			if key := string(match[1]); texts[key] == nil {
				t.Errorf("%s asks for the text %s, which texts/%s.yaml does not have", path, key, locale.Default)
			}
		}
		return err
	})
	if err != nil || found < 300 {
		t.Errorf("%d texts are asked for, %v", found, err)
	}
}
