package bot_test

import (
	"errors"
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

// TestPagesRunTestsThatAreThere compares what the pages have people run with the tests that there are.
func TestPagesRunTestsThatAreThere(t *testing.T) {
	t.Parallel()
	var names []string
	declared := regexp.MustCompile(`(?m)^func (?:Test|Benchmark|Fuzz)(\w+)\(`)
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range declared.FindAllStringSubmatch(string(text), -1) {
			names = append(names, found[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for page, text := range markdownPages(t) {
		for _, run := range regexp.MustCompile(`\s-(?:run|bench)[ =]('[^']+'|\w+)`).FindAllStringSubmatch(text, -1) {
			for name := range strings.SplitSeq(strings.Trim(run[1], "'"), "|") {
				name = strings.TrimSuffix(strings.TrimPrefix(strings.Trim(name, `\$`), "Benchmark"), `\`)
				if !slices.ContainsFunc(names, func(known string) bool { return strings.Contains(known, name) }) {
					t.Errorf("%s runs %s, and no test is called so", page, name)
				}
			}
		}
	}
}

// TestFailuresAreQuoted looks for each text that FAILURES.md says somebody reads.
func TestFailuresAreQuoted(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("FAILURES.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := everythingThatIsShown(t) + "This interaction failed. An error occurred." // Discord's apps say these
	quoted := 0
	for _, found := range regexp.MustCompile(`(?:^|[^*\\])\*([^*\s][^*\n]{11,})\*`).FindAllStringSubmatch(withoutCode(string(page)), -1) {
		quoted++
		for part := range strings.SplitSeq(found[1], "…") {
			if part = strings.Trim(part, " .,"); !strings.Contains(shown, part) && !everySentence(shown, part) {
				t.Errorf("nobody reads %q", found[1])
				break
			}
		}
	}
	if quoted < 20 {
		t.Errorf("%d texts were looked for", quoted)
	}
}

// everySentence reports whether each of a text's sentences is shown.
func everySentence(shown, text string) bool {
	for sentence := range strings.SplitSeq(text, ". ") {
		if !strings.Contains(shown, strings.TrimSpace(sentence)) {
			return false
		}
	}
	return true
}

// everythingThatIsShown returns the English texts, without what marks them up, and all that the program's
// source quotes.
func everythingThatIsShown(t *testing.T) string {
	t.Helper()
	var shown strings.Builder
	text, err := os.ReadFile("../locale/texts/en-US.yaml")
	shown.Write(text)
	err = errors.Join(err, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		shown.Write(source)
		return err
	}))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(shown.String(), "**", "")
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
