package commands_test

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"hostbot/bot/store/keyspace"
	"hostbot/commands/draft"
	"hostbot/hostapi/redistest"
)

// FuzzDrafts has Redis hold anything in the place of a draft. What is no draft is none, and another
// user's is not touched.
func FuzzDrafts(f *testing.F) {
	for _, s := range []string{"", "{", "null", "[]", "7", `{"name":"Shop"}`, `{"name":7}`, `{"name":null}`, `{"name":{"a":[]}}`, "\xff", `{"n":"\ud800"}`, `{"a":"1","a":"2"}`} {
		f.Add([]byte(s), "create/")
	}
	client := redistest.Connect(f, redistest.StartMiniredis(f).URL())
	space := keyspace.Space("app")
	d := draft.New(client, space)
	f.Fuzz(func(t *testing.T, stored []byte, form string) {
		ctx := t.Context()
		client.FlushAll(ctx)
		others := map[string]string{"name": "Radio"}
		d.Keep(ctx, "43", form, others)
		key := space.Key("draft:{42}:" + form)
		if err := client.Set(ctx, key, stored, 0).Err(); err != nil {
			t.Fatal(err)
		}
		for name, value := range d.Fields(ctx, "42", form) {
			if !utf8.ValidString(name) || !utf8.ValidString(value) {
				t.Errorf("%q is %q", name, value)
			}
		}
		typed := map[string]string{"name": "Shop"}
		d.Keep(ctx, "42", form, typed)
		if diff := cmp.Diff(typed, d.Fields(ctx, "42", form)); diff != "" {
			t.Error(diff)
		}
		d.Forget(ctx, "42", form)
		if left := d.Fields(ctx, "42", form); left != nil {
			t.Errorf("left is %v", left)
		}
		client.RPush(ctx, key, stored) // of another type
		if left := d.Fields(ctx, "42", form); left != nil {
			t.Errorf("a list is %v", left)
		}
		if diff := cmp.Diff(others, d.Fields(ctx, "43", form)); diff != "" {
			t.Error(diff)
		}
	})
}
