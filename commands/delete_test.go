package commands_test

import (
	"strings"
	"testing"
)

func TestDeleteWantsTheName(t *testing.T) {
	long := strings.Repeat("long ", 40)
	w := &world{list: account(server("a", "My Shop", "RUNNING"), server("b", long, "RUNNING"), server("c", "", "RUNNING"))}
	c := newCommands(t, w)
	named := func(name string) map[string]string { return map[string]string{"name": name} }
	for _, typed := range []string{"", "Shop", "my", long, "a", "yes"} {
		refused(t, c, submit("delete/a", named(typed)), "not the name of **My Shop**", "nothing was deleted")
	}
	shown := inputs(t, answer(t, c, press("delete/b")))[0].Placeholder // can be typed
	for _, right := range []struct{ id, typed string }{
		{"a", "  my shop "}, {"a", "MY  SHOP"}, {"b", shown}, {"b", long}, {"b", strings.ToUpper(long)}, {"c", "c"},
	} {
		first := answer(t, c, submit("delete/"+right.id, named(right.typed)))
		wantText(t, first.Message, "Deleting")
		last := must(t)(first.Then(t.Context()))
		wantText(t, last.Message, "was deleted")
		if b := buttons(last.Message); len(b) != 1 || b["All bots"].CustomID != "list/0" {
			t.Errorf("offered afterwards: %v", b)
		}
		if done := w.done[len(w.done)-1]; done != "delete 42 "+right.id || w.expired != len(w.done) {
			t.Errorf("done %q, expired %d of %d times", done, w.expired, len(w.done))
		}
	}
}
