package interaction_test

import (
	"context"
	"testing"

	"github.com/valyala/fastjson"

	"hostbot/bot/interaction"
)

// FuzzEvents reads and routes any event: without a crash, and to a handler
// only where Discord has attested who is asking.
func FuzzEvents(f *testing.F) {
	for _, event := range []string{
		`{"id":"1","type":2,"token":"t","member":{"user":{"id":"42"},"roles":["7"]},"data":{"name":"bot","options":[{"name":"show","type":1,"options":[{"name":"bot","type":3,"value":"Shop"}]}]}}`,
		`{"id":"1","type":4,"token":"t","user":{"id":"42"},"data":{"name":"bot","options":[{"name":"show","type":1,"options":[{"name":"bot","type":3,"value":"S","focused":true}]}]}}`,
		`{"id":"1","type":3,"token":"t","user":{"id":"42"},"message":{"id":"9","interaction_metadata":{"id":"8"}},"data":{"custom_id":"open","values":["x"]}}`,
		`{"id":"1","type":5,"token":"t","user":{"id":"42"},"data":{"custom_id":"rest/x/y","components":[{"components":[{"custom_id":"name","value":"Shop"}]}]}}`,
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
		routed(t, r)
	})
}

// routed routes a request among patterns of each kind.
func routed(t *testing.T, r *interaction.Request) {
	t.Helper()
	router := interaction.NewRouter()
	served := func(context.Context, *interaction.Request) (interaction.Response, error) {
		return interaction.Response{}, nil
	}
	router.Command("bot show", served)
	router.Autocomplete("bot show", "bot", served)
	for _, add := range []func(string, interaction.Handler){router.Component, router.Modal} {
		add("open", served)
		add("page/{page}", served)
		add("rest/{bot...}", served)
	}
	_, err := router.Route(r)(t.Context(), r)
	if (r.Route == "none") != (err != nil) || err == nil && (r.Name == "" || r.Kind == "") {
		t.Errorf("routed to %q, error %v", r.Route, err)
	}
	// What a pattern matched is what was sent.
	switch r.Route {
	case "page/{page}":
		if "page/"+r.Params["page"] != r.Name {
			t.Errorf("%q has the page %q", r.Name, r.Params["page"])
		}
	case "rest/{bot...}":
		if "rest/"+r.Params["bot"] != r.Name {
			t.Errorf("%q has the bot %q", r.Name, r.Params["bot"])
		}
	}
}
