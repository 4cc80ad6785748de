package interaction_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hostbot/bot/interaction"
)

// named returns a handler that answers with its own name, so that a test sees
// which one was found.
func named(name string) interaction.Handler {
	return func(context.Context, *interaction.Request) (interaction.Response, error) {
		return interaction.Reply(interaction.Message{Content: name}), nil
	}
}

func TestRouterFindsTheHandler(t *testing.T) {
	r := interaction.NewRouter()
	all := r.Group(interaction.Everybody)
	all.Command("bot list", named("list"))
	all.Command("plan", named("plan"))
	all.Autocomplete("bot show", "bot", named("complete"))
	all.Component("list/{page}", named("page"))
	all.Component("bot/restart/{bot...}", named("restart"))
	all.Component("open", named("open"))
	all.Modal("bot/delete/{bot...}", named("delete"))
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(r.Patterns(interaction.Component), " "); got != "list/{page} bot/restart/{bot...} open" {
		t.Errorf("the patterns of components are %s", got)
	}

	tests := []struct {
		kind          interaction.Kind
		name, focused string
		want          string
		params        map[string]string
	}{
		{kind: interaction.Command, name: "bot list", want: "list"},
		{kind: interaction.Command, name: "plan", want: "plan"},
		{kind: interaction.Command, name: "bot"},
		{kind: interaction.Command, name: "list/1"},
		{kind: interaction.Autocomplete, name: "bot show", focused: "bot", want: "complete"},
		{kind: interaction.Autocomplete, name: "bot show", focused: "other"},
		{kind: interaction.Component, name: "open", want: "open"},
		{kind: interaction.Component, name: "open/"},
		{kind: interaction.Component, name: "list/3", want: "page", params: map[string]string{"page": "3"}},
		{kind: interaction.Component, name: "list"},
		{kind: interaction.Component, name: "list/3/4"},
		{kind: interaction.Component, name: "bot/restart/a/b?c%2F..", want: "restart", params: map[string]string{"bot": "a/b?c%2F.."}},
		{kind: interaction.Component, name: "bot/restart/", want: "restart", params: map[string]string{"bot": ""}},
		{kind: interaction.Component, name: "bot/restart"},
		{kind: interaction.Component, name: "bot/delete/x"},
		{kind: interaction.Modal, name: "bot/delete/x", want: "delete", params: map[string]string{"bot": "x"}},
		{kind: interaction.Kind("else"), name: "open"},
	}
	for _, test := range tests {
		t.Run(string(test.kind)+" "+test.name, func(t *testing.T) {
			req := &interaction.Request{Kind: test.kind, Name: test.name, Focused: test.focused}
			got, err := r.Route(req)(t.Context(), req)
			if test.want == "" {
				if !errors.Is(err, interaction.ErrNoRoute) {
					t.Fatalf("answer %q, error %v; want no route", got.Message.Content, err)
				}
				return
			}
			if err != nil || got.Message.Content != test.want {
				t.Fatalf("answer %q, error %v; want %q", got.Message.Content, err, test.want)
			}
			if diff := cmp.Diff(test.params, req.Params, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("params (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAGroupSaysWhoMayUseItsRoutes has a group let in the user 1 alone.
func TestAGroupSaysWhoMayUseItsRoutes(t *testing.T) {
	denied := errors.New("denied")
	r := interaction.NewRouter()
	few := r.Group(func(h interaction.Handler) interaction.Handler {
		return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
			if r.UserID != "1" {
				return interaction.Response{}, denied
			}
			return h(ctx, r)
		}
	})
	addEachKind(few)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	for _, req := range eachKind() {
		req.UserID = "1"
		if got, err := r.Route(&req)(t.Context(), &req); err != nil || got.Message.Content != "done" {
			t.Errorf("%s of somebody who may: %q, %v", req.Kind, got.Message.Content, err)
		}
		req.UserID = "2"
		if got, err := r.Route(&req)(t.Context(), &req); !errors.Is(err, denied) || got.Message.Content != "" {
			t.Errorf("%s of somebody who may not: %q, %v", req.Kind, got.Message.Content, err)
		}
	}
}

// TestRoutesAreClosedUntilSomethingSaysWhoMayUseThem leaves that out.
func TestRoutesAreClosedUntilSomethingSaysWhoMayUseThem(t *testing.T) {
	r := interaction.NewRouter()
	addEachKind(r.Group(nil))
	for _, req := range eachKind() {
		req.UserID = "1"
		got, err := r.Route(&req)(t.Context(), &req)
		if !errors.Is(err, interaction.ErrClosed) || got.Message.Content != "" {
			t.Errorf("%s: %q, %v", req.Kind, got.Message.Content, err)
		}
	}
	err := r.Err()
	for _, want := range []string{`command "do"`, `autocomplete "do bot"`, `component "do"`, `modal "do"`} {
		if !errors.Is(err, interaction.ErrClosed) || !strings.Contains(err.Error(), want) {
			t.Errorf("the start is not refused for %s: %v", want, err)
		}
	}
}

func addEachKind(g interaction.Group) {
	g.Command("do", named("done"))
	g.Autocomplete("do", "bot", named("done"))
	g.Component("do", named("done"))
	g.Modal("do", named("done"))
}

// eachKind returns a request for each route of addEachKind.
func eachKind() []interaction.Request {
	return []interaction.Request{
		{Kind: interaction.Command, Name: "do"}, {Kind: interaction.Autocomplete, Name: "do", Focused: "bot"},
		{Kind: interaction.Component, Name: "do"}, {Kind: interaction.Modal, Name: "do"},
	}
}

func TestRouterReportsMistakes(t *testing.T) {
	for name, test := range map[string]struct {
		patterns []string
		want     string
	}{
		"the same twice":            {[]string{"open", "open"}, "overlap"},
		"wildcard beside a literal": {[]string{"list/{page}", "list/first"}, "overlap"},
		"rest beside anything":      {[]string{"bot/{rest...}", "bot/show/{bot}"}, "overlap"},
		"wildcards crosswise":       {[]string{"{kind}/open", "bot/{do}"}, "overlap"},
		"unclosed":                  {[]string{"list/{page"}, "malformed"},
		"one name twice":            {[]string{"list/{page}/{page}"}, "malformed"},
		"nameless":                  {[]string{"list/{...}"}, "malformed"},
		"a part of a part":          {[]string{"list/page{page}"}, "malformed"},
		"more after the rest":       {[]string{"list/{page...}/x"}, "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			r := interaction.NewRouter()
			for _, pattern := range test.patterns {
				r.Group(interaction.Everybody).Modal(pattern, named("a"))
			}
			if err := r.Err(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}
