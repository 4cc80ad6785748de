package locale_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

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

func TestLoad(t *testing.T) {
	b := embedded(t)
	for asked, want := range map[string]string{
		"en-US": "Your bots", "en-GB": "Your bots", "fr": "Your bots", "de": "Deine Bots", "tr": "Botların",
		"": "Your bots", "xx-YY": "Your bots", strings.Repeat("é\x00", 5000): "Your bots",
	} {
		if got := b.For(asked).Text("list.title"); got != want {
			t.Errorf("For(%.10q): %q, want %q", asked, got, want)
		}
	}
	if unique := slices.Compact(slices.Sorted(slices.Values(locale.DiscordLocales()))); len(unique) != 32 {
		t.Errorf("%d different Discord locales, want 32", len(unique))
	}
}

func TestForTheClosestLanguage(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"en-US", "es-ES", "pt-BR", "zh-CN", "zh-TW", "ru", "sv-SE", "no"} {
		files[name+".yaml"] = fmt.Sprintf("where: %q\n", name)
	}
	b := bundleOf(t, files)
	for asked, want := range map[string]string{
		"en-US": "en-US", "en-GB": "en-US", "es-ES": "es-ES", "es-419": "es-ES", "pt-BR": "pt-BR",
		"zh-CN": "zh-CN", "zh-TW": "zh-TW", "sv-SE": "sv-SE", "no": "no", "da": "en-US", "ru": "ru", "uk": "en-US",
	} {
		if got := b.For(asked).Text("where"); got != want {
			t.Errorf("For(%q): texts of %s, want %s", asked, got, want)
		}
	}
}

func TestLoadRefusesDefectiveFiles(t *testing.T) {
	const good = `command.hello: "Hello"` + "\n"
	tests := map[string]struct {
		files map[string]string
		want  string
	}{
		"no default":      {map[string]string{"de.yaml": good}, "en-US.yaml"},
		"unknown locale":  {map[string]string{"en-US.yaml": good, "xx.yaml": good}, "xx.yaml"},
		"language only":   {map[string]string{"en-US.yaml": good, "sv.yaml": good}, "sv.yaml"},
		"no text":         {map[string]string{"en-US.yaml": good + "command.b: [\n"}, "en-US.yaml: line 2"},
		"no quotes":       {map[string]string{"en-US.yaml": "command.a: 3\n"}, "en-US.yaml: line 1"},
		"other quotes":    {map[string]string{"en-US.yaml": "command.a: 'Hello'\n"}, "en-US.yaml: line 1"},
		"open quotes":     {map[string]string{"en-US.yaml": "command.a: \"Hello\n"}, "en-US.yaml: line 1"},
		"more after it":   {map[string]string{"en-US.yaml": "command.a: \"Hello\" you\n"}, "en-US.yaml: line 1"},
		"no space":        {map[string]string{"en-US.yaml": "command.a:\"Hello\"\n"}, "en-US.yaml: line 1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := load(test.files); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("load: %v, want an error with %q", err, test.want)
			}
		})
	}
}
