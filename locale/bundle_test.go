package locale_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"hostbot/locale"
)

// bundleOf loads texts from files given as name and content.
func bundleOf(t *testing.T, files map[string]string) *locale.Bundle {
	t.Helper()
	b, err := load(files)
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return b
}

func load(files map[string]string) (*locale.Bundle, error) {
	fsys := fstest.MapFS{}
	for name, content := range files {
		fsys["texts/"+name] = &fstest.MapFile{Data: []byte(content)}
	}
	return locale.LoadFrom(fsys)
}

func embedded(t *testing.T) *locale.Bundle {
	t.Helper()
	b, err := locale.Load()
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return b
}

func TestEveryLocaleOfDiscordHasAFile(t *testing.T) {
	b := embedded(t)
	for _, name := range locale.DiscordLocales() {
		if own := b.For(name).Text("list.title"); own == "Your bots" && !strings.HasPrefix(name, "en-") {
			t.Errorf("%s reads English", name)
		}
	}
	if unique := slices.Compact(slices.Sorted(slices.Values(locale.DiscordLocales()))); len(unique) != 32 {
		t.Errorf("%d different Discord locales, want 32", len(unique))
	}
}

func TestLanguageThatStandsIn(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"en-US", "es-ES", "pt-BR", "zh-CN", "ru", "sv-SE", "no"} {
		files[name+".yaml"] = fmt.Sprintf("where: %q\n", name)
	}
	files["en-US.yaml"] += "english: \"English\"\n"
	files["en-GB.yaml"] = "other: \"Other\"\n"
	without := bundleOf(t, files)
	files["es-419.yaml"] = "other: \"Otro\"\n"
	with := bundleOf(t, files)
	for asked, want := range map[string]string{
		"en-US": "en-US", "en-GB": "en-US", "es-ES": "es-ES", "es-419": "es-ES", "pt-BR": "pt-BR", "pt": "en-US",
		"zh-CN": "zh-CN", "zh-TW": "en-US", "sv-SE": "sv-SE", "no": "no", "da": "en-US", "ru": "ru", "uk": "en-US",
		"": "en-US", "xx-YY": "en-US", strings.Repeat("é\x00", 5000): "en-US",
	} {
		for _, b := range []*locale.Bundle{without, with} {
			if got := b.For(asked).Text("where"); got != want {
				t.Errorf("For(%.10q): texts of %s, want %s", asked, got, want)
			}
			if got := b.For(asked).Text("english"); got != "English" {
				t.Errorf("For(%.10q): %q where only English has a text", asked, got)
			}
		}
	}
	if got := with.For("es-419").Text("other"); got != "Otro" {
		t.Errorf("es-419 says %q", got)
	}
}

func TestLocalized(t *testing.T) {
	b := bundleOf(t, map[string]string{
		"en-US.yaml":  "command.a: \"a\"\ncommand.b: \"b\"\nlist.title: \"Bots\"\ncommand.late: \"late\"\n",
		"es-ES.yaml":  "command.a: \"á\"\ncommand.b: \"bé\"\n",
		"es-419.yaml": "command.b: \"be\"\n",
		"en-GB.yaml":  "command.b: \"bee\"\n",
		"de.yaml":     "command.a: \"ä\"\ncommand.b: \"b\"\n",
	})
	got := b.Localized()
	wanted := locale.Localized{
		"command.a": {"en-US": "a", "es-ES": "á", "es-419": "á", "en-GB": "a", "de": "ä"},
		"command.b": {"en-US": "b", "es-ES": "bé", "es-419": "be", "en-GB": "bee", "de": "b"},
	}
	for key, want := range wanted {
		if diff := cmp.Diff(want, got[key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
	if len(got["command.late"]) > 0 {
		t.Error("a whole file was read")
	}
}

func TestLoadRefusesFilesOfNoLocale(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"en-US.yaml": {"de.yaml": ""}, "xx.yaml": {"en-US.yaml": "", "xx.yaml": ""}, "sv.yaml": {"en-US.yaml": "", "sv.yaml": ""},
	} {
		if _, err := load(files); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("load: %v, want an error with %q", err, want)
		}
	}
}

func TestReadRefusesDefectiveLines(t *testing.T) {
	for _, line := range []string{
		"a: [", "a: 3", "a: Hello", "a: 'Hello'", `a: "Hello`, `a: Hello"`, `a: "Hello" you`, `a: "Hello"# you`, `a:"Hello"`, `a`, ":", `  one: "without a key"`,
		"a: `Hello`", `a: "\y"`,
	} {
		files := fstest.MapFS{"de.yaml": {Data: []byte("# first\nb: \"B\" # good\n" + line + "\n")}}
		got := ""
		err := locale.Read(files, "de.yaml", func(key, form, text string) bool { got += key + form + text; return true })
		if err == nil || !strings.Contains(err.Error(), "line 3") || got != "bB" {
			t.Errorf("%s: read %q, error %v", line, got, err)
		}
	}
}
