package interaction_test

import (
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"hostbot/bot/interaction"
)

// FuzzEvents reads any event: without a crash, and to be answered only where
// Discord has attested who is asking.
func FuzzEvents(f *testing.F) {
	for _, event := range []string{
		`{"id":"1","type":2,"token":"t","member":{"user":{"id":"42"},"roles":["7"]},"data":{"name":"bot","options":[{"name":"show","type":1,"options":[{"name":"bot","type":3,"value":"Shop"}]}]}}`,
		`{"id":"1","type":4,"token":"t","user":{"id":"42"},"data":{"name":"bot","options":[{"name":"show","type":1,"options":[{"name":"bot","type":3,"value":"S","focused":true}]}]}}`,
		`{"id":"1","type":3,"token":"t","user":{"id":"42"},"message":{"id":"9","interaction_metadata":{"id":"8"}},"data":{"custom_id":"open","values":["x"]}}`,
		`{"id":"1","type":5,"token":"t","user":{"id":"42"},"data":{"custom_id":"rest/x/y","components":[{"components":[{"custom_id":"name","value":"Shop"}]}]}}`,
		`{"id":"1","type":5,"token":"t","user":{"id":"42"},"data":{"custom_id":"create/1/2/3","components":[{"type":18,"component":{"type":21,"custom_id":"language","value":null}}]}}`,
		`{"id":"1","type":2,"token":"t","user":{"id":"../42"},"data":{"name":"plan"}}`,
		`{"id":"1","type":2,"token":"t","user":{"id":"42"},"data":{"name":"bot","options":[null,{"value":{}},{"value":[1]}]}}`,
		`{"id":1,"type":"2","token":[],"user":7,"data":{"options":{"name":[]}}}`, `null`, `[]`,
	} {
		f.Add([]byte(event))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := fastjson.ParseBytes(data)
		if err != nil {
			return // never handed on
		}
		event := interaction.ReadEvent(d)
		if !event.Answerable() {
			return
		}
		r := &event.Request
		if !interaction.IsSnowflake(r.UserID) || r.CustomerID != r.UserID {
			t.Errorf("the user is %q, the customer %q", r.UserID, r.CustomerID)
		}
		if r.ID == "" || len(r.Reference) != 7 || r.Message == "" {
			t.Errorf("request %+v", r)
		}
	})
}

// FuzzCustomIDs routes any custom ID by any patterns: a route that is found is the only one
// that fits, and its pattern with what its wildcards matched is the custom ID again.
func FuzzCustomIDs(f *testing.F) {
	for _, ids := range [][3]string{
		{"list/{page}", "open", "list/2"}, {"rest/{all...}", "list/{page}/{bot}", "rest/x/y//"}, {"{a}", "{a}/{b}", "/"},
		{"{}", "x", "x"}, {"{...}", "x", "x"}, {"{a", "a}", "{a"}, {"x/{rest...}/y", "", ""}, {"", "", ""}, {"{a}/{a}", "b", "1/2"}, {"{a...}", "x{b}", "\xff"},
	} {
		f.Add(ids[0], ids[1], ids[2])
	}
	f.Fuzz(func(t *testing.T, pattern, other, id string) {
		router := interaction.NewRouter()
		group := router.Group(interaction.Everybody)
		group.Component(pattern, named("one"))
		group.Component(other, named("other"))
		if router.Err() != nil {
			return // the program does not start
		}
		r := &interaction.Request{Kind: interaction.Component, Name: id}
		if router.Route(r) == nil {
			t.Fatal("no handler")
		}
		if r.Route == "none" {
			return
		}
		var parts []string
		for part := range strings.SplitSeq(r.Route, "/") {
			name, wildcard := strings.CutPrefix(part, "{")
			if value, found := r.Params[strings.TrimSuffix(strings.TrimSuffix(name, "}"), "...")]; wildcard && found {
				part = value
			}
			parts = append(parts, part)
		}
		if again := strings.Join(parts, "/"); again != id {
			t.Errorf("%q was found by %q with %q, which makes %q", id, r.Route, r.Params, again)
		}
	})
}
