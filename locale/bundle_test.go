package locale_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"hostbot/locale"
)

// bundleOf loads texts from files given as name and content.
func bundleOf(t *testing.T, files map[string]string) *locale.Bundle {
	t.Helper()
	b, err := locale.LoadFrom(mapFS(files))
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return b
}

func mapFS(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, content := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return fsys
}

func embedded(t testing.TB) *locale.Bundle {
	t.Helper()
	b, err := locale.Load()
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	return b
}

func TestEmbeddedLanguages(t *testing.T) {
	b := embedded(t)
	want := map[string]string{
		"en-US": "Your bots", "en-GB": "Your bots", "fr": "Your bots",
		"de": "Deine Bots", "de-AT": "Deine Bots", "tr": "Botların",
		"": "Your bots", "xx-YY": "Your bots", strings.Repeat("é\x00", 5000): "Your bots",
	}
	for asked, text := range want {
		if got := b.For(asked).Text("list.title"); got != text {
			t.Errorf("For(%.10q): %q, want %q", asked, got, text)
		}
	}
	if diff := cmp.Diff([]string{"en-US", "de", "tr"}, b.Locales()); diff != "" {
		t.Errorf("Locales (-want +got):\n%s", diff)
	}
}

func TestEveryDiscordLocaleHasTexts(t *testing.T) {
	locales := locale.DiscordLocales()
	unique := slices.Compact(slices.Sorted(slices.Values(locales)))
	if len(unique) != 32 {
		t.Fatalf("%d different Discord locales, want 32", len(unique))
	}
	b := embedded(t)
	for _, name := range locales {
		texts := b.For(name)
		if texts.Locale() != name {
			t.Errorf("For(%q).Locale() = %q", name, texts.Locale())
		}
		if got := texts.Text("button.restart"); got == "" || got == "button.restart" {
			t.Errorf("%s: Restart button reads %q", name, got)
		}
	}
}

func TestClosestLanguage(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"en-US", "es-ES", "pt-BR", "zh-CN", "zh-TW", "ru", "sv-SE", "no"} {
		files[name+".yaml"] = fmt.Sprintf("where: %s\ncounted:\n  one: %[1]s one\n  few: %[1]s few\n  many: %[1]s many\n  other: %[1]s other\n", name)
	}
	b := bundleOf(t, files)
	want := map[string]string{
		"en-US": "en-US", "en-GB": "en-US", "es-ES": "es-ES", "es-419": "es-ES", "pt-BR": "pt-BR",
		"zh-CN": "zh-CN", "zh-TW": "zh-TW", "sv-SE": "sv-SE", "no": "no", "da": "en-US", "ru": "ru", "uk": "en-US",
	}
	for asked, from := range want {
		texts := b.For(asked)
		if got := texts.Text("where"); got != from {
			t.Errorf("For(%q): texts of %s, want %s", asked, got, from)
		}
		if got := texts.Count("counted", 7, nil); !strings.HasPrefix(got, from+" ") {
			t.Errorf("For(%q): counts with %q, want the texts of %s", asked, got, from)
		}
	}
}

func TestLoadRefusesDefectiveFiles(t *testing.T) {
	const good = "hello: Hello\n"
	tests := map[string]struct {
		files map[string]string
		want  string
	}{
		"no default":      {map[string]string{"de.yaml": good}, "en-US.yaml"},
		"unknown locale":  {map[string]string{"en-US.yaml": good, "xx.yaml": good}, "xx.yaml"},
		"language only":   {map[string]string{"en-US.yaml": good, "sv.yaml": good}, "sv.yaml"},
		"not YAML":        {map[string]string{"en-US.yaml": "hello: [\n"}, "en-US.yaml"},
		"not texts":       {map[string]string{"en-US.yaml": "hello: 3\n"}, "en-US.yaml"},
		"same key twice":  {map[string]string{"en-US.yaml": good + good}, "en-US.yaml"},
		"empty text":      {map[string]string{"en-US.yaml": good, "de.yaml": "hello: ''\n"}, "key hello: no text"},
		"no form other":   {map[string]string{"en-US.yaml": "hello:\n  one: a\n"}, "key hello: no text"},
		"open template":   {map[string]string{"en-US.yaml": "hello: 'a {{.B'\n"}, "key hello"},
		"template logic":  {map[string]string{"en-US.yaml": "hello: '{{if .A}}b{{end}}'\n"}, "key hello"},
		"template lookup": {map[string]string{"en-US.yaml": "hello: '{{.A.B}}'\n"}, "key hello"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b, err := locale.LoadFrom(mapFS(test.files))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("load: %v, want an error with %q", err, test.want)
			}
			if b != nil {
				t.Error("a bundle beside the error")
			}
		})
	}
}

func TestLocalizations(t *testing.T) {
	b := bundleOf(t, map[string]string{
		"en-US.yaml": "name: list\nenglish: only\n",
		"de.yaml":    "name: liste\n",
		"es-ES.yaml": "name: lista\nspanish: solo\n",
	})
	tests := map[string]map[string]string{
		"name":    {"de": "liste", "es-ES": "lista"},
		"english": nil,
		"spanish": {"es-ES": "solo"},
		"nowhere": nil,
	}
	for key, want := range tests {
		if diff := cmp.Diff(want, b.Localizations(key)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
	var none *locale.Bundle
	if got := none.Localizations("name"); got != nil {
		t.Errorf("nil bundle: %v", got)
	}
}

func TestHas(t *testing.T) {
	b := bundleOf(t, map[string]string{"en-US.yaml": "a: A\n", "de.yaml": "b: B\n"})
	for key, want := range map[string]bool{"a": true, "b": false, "c": false, "": false} {
		if b.Has(key) != want {
			t.Errorf("Has(%q) = %t", key, !want)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	b := embedded(t)
	var wg sync.WaitGroup
	args := locale.Args{"Bot": "shop"} // shared, so a write to it is a race
	for _, name := range locale.DiscordLocales() {
		wg.Go(func() {
			texts := b.For(name)
			for n := range 20 {
				if got := texts.Count("list.count", n, args); !strings.HasPrefix(got, fmt.Sprint(n)) {
					t.Errorf("%s: %d bots read %q", name, n, got)
				}
				if got := texts.Format("action.restart.done_status", args); !strings.Contains(got, "**shop**") {
					t.Errorf("%s: %q", name, got)
				}
				b.Localizations("command.plan.name")
			}
		})
	}
	wg.Wait()
}
