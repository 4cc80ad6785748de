package discordtest_test

import (
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
)

// TestEmbedsWithoutThePermission: Discord drops embeds without a word where something else is
// left of the message, and has to be asked what became of it.
func TestEmbedsWithoutThePermission(t *testing.T) {
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	log := s.discord.AddChannel("log")
	path := messages(log.ID)
	const embeds = `"embeds":[{"title":"Uptime"}]`
	const buttons = `"components":[{"type":1,"components":[{"type":2,"style":2,"label":"Look up","custom_id":"x"}]}]`
	card := s.do("POST", path, `{`+embeds+`}`).body.ID
	panel := s.do("POST", path, `{`+embeds+`,`+buttons+`}`).body.ID

	log.Deny(discordtest.EmbedLinks)
	s.do("POST", path, `{`+embeds+`}`).want(t, 403, discordtest.CodeMissingPermissions)
	for _, tc := range []struct{ method, path, body string }{
		{"POST", path, `{` + embeds + `,"content":"Uptime"}`},
		{"POST", path, `{` + embeds + `,` + buttons + `}`},
		{"PATCH", path + "/" + panel, `{` + embeds + `}`},
	} {
		got := s.do(tc.method, tc.path, tc.body)
		got.want(t, 200, 0)
		if !strings.Contains(got.text, `"embeds": []`) && !strings.Contains(got.text, `"embeds":[]`) {
			t.Errorf("%s %s: %s", tc.method, tc.body, got.text)
		}
	}
	s.do("PATCH", path+"/"+card, `{`+embeds+`}`).want(t, 400, discordtest.CodeEmptyMessage) // only the embed would have been left
	if n := len(log.Embeds()); n != 1 {
		t.Errorf("%d embeds are shown, want the card's", n)
	}
	if f := s.discord.Failures(); len(f) != 1 { // the edit, of which a bot can know better
		t.Errorf("mistakes: %v", f)
	}
	s.discord.ExpectFailures()

	s.do("PATCH", path+"/"+panel, `{"content":"1",`+embeds+`}`).want(t, 200, 0)
	log.Grant(discordtest.EmbedLinks)
	s.do("PATCH", path+"/"+panel, `{"content":"1",`+embeds+`}`).want(t, 200, 0)
	if n := len(log.Embeds()); n != 2 {
		t.Errorf("%d embeds are shown once the bot may embed links again", n)
	}
}

// TestResponsesNeedNoPermissions: what answers an interaction shows embeds and files also
// where the bot may not, as does a DM.
func TestResponsesNeedNoPermissions(t *testing.T) {
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	general := s.discord.Channels()[0]
	general.Deny(discordtest.EmbedLinks | discordtest.AttachFiles)
	_, open := s.command()
	s.upload("POST", open.path(), `{"type":4,"data":{`+shown+`}}`, "files[0]", "one").want(t, 204, 0)
	s.upload("PATCH", open.original(s.discord), `{`+shown+`}`, "files[0]", "two").want(t, 200, 0)
	if n := len(general.Embeds()); n != 1 {
		t.Errorf("%d embeds are shown", n)
	}
	path := messages(s.anna.InDM().ChannelID())
	s.do("POST", path, `{"embeds":[{"title":"Uptime"}]}`).want(t, 200, 0)

	s.upload("POST", s.general(), `{"content":"x"}`, "files[0]", "one").want(t, 403, discordtest.CodeMissingPermissions)
	id := s.do("POST", s.general(), `{"content":"x"}`).body.ID
	s.upload("PATCH", s.general()+"/"+id, `{"content":"x"}`, "files[0]", "one").want(t, 403, discordtest.CodeMissingPermissions)
}
