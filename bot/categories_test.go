package bot_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hostbot/bot/interaction"
	"hostbot/bot/staff/incident"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/staff/stafflog"
	"hostbot/configs"
	"hostbot/locale"
)

// declared returns the values of the constants of type Category that a file declares.
func declared(t *testing.T, path string) (categories []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != "Category" {
			return false
		}
		for _, value := range spec.Values {
			if literal, ok := value.(*ast.BasicLit); ok {
				text, _ := strconv.Unquote(literal.Value)
				categories = append(categories, text)
			}
		}
		return false
	})
	slices.Sort(categories)
	return categories
}

// TestEachPlaceHasEachLogCategory compares the places that cannot be derived from the settings.
func TestEachPlaceHasEachLogCategory(t *testing.T) {
	const example, constants = "../configs/hostbot.example.yaml", "staff/logchannel/entry.go"
	want := slices.Sorted(maps.Keys(new(configs.LogChannels).ByCategory()))
	if got := declared(t, constants); !slices.Equal(got, want) {
		t.Errorf("%s has the categories %q, configs.LogChannels has %q", constants, got, want)
	}

	texts, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	tested := make(map[string]bool)
	post := func(e logchannel.Entry) { tested[string(e.Category)] = true }
	log := stafflog.New(post, nothingKept{}, texts.For(locale.Default))
	log.Test(&interaction.Request{ID: "1", UserID: "2", CustomerID: "2"})
	if got := slices.Sorted(maps.Keys(tested)); !slices.Equal(got, want) {
		t.Errorf("stafflog.Log.Test, for /admin logs test, writes %q, configs.LogChannels has %q", got, want)
	}

	content, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	for field := range reflect.TypeFor[configs.LogChannels]().Fields() {
		key, variable := field.Tag.Get("yaml"), field.Tag.Get("env")
		if !strings.Contains(string(content), "\n  "+key+":") || !strings.Contains(string(content), variable) {
			t.Errorf("%s: the key %s or its variable %s is missing under log_channels", example, key, variable)
		}
	}
}

// nothingKept keeps nothing.
type nothingKept struct{}

func (nothingKept) Keep(incident.Incident)      {}
func (nothingKept) Note(string, incident.Event) {}
