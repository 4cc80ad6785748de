package interaction_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
	"github.com/google/go-cmp/cmp"
	"github.com/valyala/fastjson"

	"hostbot/bot/interaction"
)

const head = `"id":"1100","application_id":"1","token":"t","version":1,"channel_id":"7","locale":"de",`

func read(t *testing.T, event string) *interaction.Event {
	t.Helper()
	d, err := fastjson.Parse(event)
	if err != nil {
		t.Fatal(err)
	}
	return interaction.ReadEvent(d)
}

func TestReadEvent(t *testing.T) {
	tests := map[string]struct {
		event string
		want  interaction.Request
	}{
		"subcommand in a guild": {
			event: `{` + head + `"type":2,"guild_id":"5","member":{"user":{"id":"42"}},"data":{"id":"9","name":"bot","type":1,
				"options":[{"name":"show","type":1,"options":[{"name":"bot","type":3,"value":"shop"}]}]}}`,
			want: interaction.Request{Kind: interaction.Command, GuildID: "5", Name: "bot show", Options: map[string]string{"bot": "shop"}},
		},
		"permissions in a channel": {
			event: `{` + head + `"type":2,"guild_id":"5","app_permissions":"3072","member":{"user":{"id":"42"},"permissions":"8192"},"data":{"id":"9","name":"panel","type":1}}`,
			want: interaction.Request{
				Kind: interaction.Command, GuildID: "5", Name: "panel", Options: map[string]string{}, Permissions: 8192, AppPermissions: 3072,
			},
		},
		"where the guild has not installed the application": {
			event: `{` + head + `"type":2,"guild_id":"5","authorizing_integration_owners":{"1":"42"},"member":{"user":{"id":"42"}},"data":{"id":"9","name":"panel","type":1}}`,
			want:  interaction.Request{Kind: interaction.Command, GuildID: "5", BotAbsent: true, Name: "panel", Options: map[string]string{}},
		},
		"where both guild and user have installed it": {
			event: `{` + head + `"type":2,"guild_id":"5","authorizing_integration_owners":{"0":"5","1":"42"},"member":{"user":{"id":"42"}},"data":{"id":"9","name":"panel","type":1}}`,
			want:  interaction.Request{Kind: interaction.Command, GuildID: "5", Name: "panel", Options: map[string]string{}},
		},
		"where nobody is said to have installed it": {
			event: `{` + head + `"type":2,"guild_id":"5","authorizing_integration_owners":{},"member":{"user":{"id":"42"}},"data":{"id":"9","name":"panel","type":1}}`,
			want:  interaction.Request{Kind: interaction.Command, GuildID: "5", Name: "panel", Options: map[string]string{}},
		},
		"in the DM with the bot": {
			event: `{` + head + `"type":2,"context":1,"authorizing_integration_owners":{"0":"0"},"user":{"id":"42"},"data":{"id":"9","name":"alerts","type":1}}`,
			want:  interaction.Request{Kind: interaction.Command, InBotDM: true, Name: "alerts", Options: map[string]string{}},
		},
		"in the DM with somebody else": {
			event: `{` + head + `"type":2,"context":2,"authorizing_integration_owners":{"1":"42"},"user":{"id":"42"},"data":{"id":"9","name":"alerts","type":1}}`,
			want:  interaction.Request{Kind: interaction.Command, Name: "alerts", Options: map[string]string{}},
		},
		"context menu on a user, by a member with roles": {
			event: `{` + head + `"type":2,"guild_id":"5","member":{"user":{"id":"42"},"roles":["8","9"]},"data":{"id":"9","name":"Hosted bots","type":2,"target_id":"77"}}`,
			want:  interaction.Request{Kind: interaction.Command, GuildID: "5", Name: "Hosted bots", RoleIDs: []string{"8", "9"}, TargetID: "77", Options: map[string]string{}},
		},
		"user as an option": {
			event: `{` + head + `"type":2,"user":{"id":"42"},"data":{"id":"9","name":"admin","type":1,
				"options":[{"name":"lookup","type":1,"options":[{"name":"user","type":6,"value":"77"}]}]}}`,
			want: interaction.Request{Kind: interaction.Command, Name: "admin lookup", Options: map[string]string{"user": "77"}},
		},
		"command in a direct message": {
			event: `{` + head + `"type":2,"user":{"id":"42"},"data":{"id":"9","name":"plan","type":1}}`,
			want:  interaction.Request{Kind: interaction.Command, Name: "plan", Options: map[string]string{}},
		},
		"options of other types": {
			event: `{` + head + `"type":2,"user":{"id":"42"},"data":{"id":"9","name":"x","type":1,
				"options":[{"name":"n","type":4,"value":12},{"name":"b","type":5,"value":true},{"name":"o","type":3,"value":{"a":1}}]}}`,
			want: interaction.Request{Kind: interaction.Command, Name: "x", Options: map[string]string{"n": "12", "b": "true", "o": ""}},
		},
		"autocomplete": {
			event: `{` + head + `"type":4,"user":{"id":"42"},"data":{"id":"9","name":"bot","type":1,
				"options":[{"name":"show","type":1,"options":[{"name":"bot","type":3,"value":"sh","focused":true}]}]}}`,
			want: interaction.Request{Kind: interaction.Autocomplete, Name: "bot show", Options: map[string]string{"bot": "sh"}, Focused: "bot"},
		},
		"select": {
			event: `{` + head + `"type":3,"user":{"id":"42"},"data":{"custom_id":"open","component_type":3,"values":["a"]}}`,
			want:  interaction.Request{Kind: interaction.Component, Name: "open", Values: []string{"a"}},
		},
		"select of a role that may be mentioned": {
			event: `{` + head + `"type":3,"user":{"id":"42"},"data":{"custom_id":"role","component_type":6,"values":["7"],"resolved":{"roles":{"7":{"id":"7","name":"Players","mentionable":true}}}}}`,
			want:  interaction.Request{Kind: interaction.Component, Name: "role", Values: []string{"7"}, Mentionable: true},
		},
		"select of a role that may not": {
			event: `{` + head + `"type":3,"user":{"id":"42"},"data":{"custom_id":"role","component_type":6,"values":["8"],"resolved":{"roles":{"8":{"id":"8","mentionable":false},"7":{"id":"7","mentionable":true}}}}}`,
			want:  interaction.Request{Kind: interaction.Component, Name: "role", Values: []string{"8"}},
		},
		"button of a message that another interaction made": {
			event: `{` + head + `"type":3,"user":{"id":"42"},"message":{"id":"77","interaction_metadata":{"id":"900"}},"data":{"custom_id":"list/1","component_type":2}}`,
			want:  interaction.Request{Kind: interaction.Component, Name: "list/1", Message: "900"},
		},
		"button of a further message of that interaction": {
			event: `{` + head + `"type":3,"user":{"id":"42"},"message":{"id":"78","interaction_metadata":{"id":"900","original_response_message_id":"77"}},"data":{"custom_id":"list/1","component_type":2}}`,
			want:  interaction.Request{Kind: interaction.Component, Name: "list/1", Message: "78"},
		},
		"button of another message": {
			event: `{` + head + `"type":3,"user":{"id":"42"},"message":{"id":"77"},"data":{"custom_id":"list/1","component_type":2}}`,
			want:  interaction.Request{Kind: interaction.Component, Name: "list/1", Message: "77"},
		},
		"modal": {
			event: `{` + head + `"type":5,"user":{"id":"42"},"data":{"custom_id":"m","components":[
				{"type":1,"components":[{"type":4,"custom_id":"name","value":"Shop"}]}]}}`,
			want: interaction.Request{Kind: interaction.Modal, Name: "m", Fields: map[string]string{"name": "Shop"}},
		},
		"modal with labels": {
			event: `{` + head + `"type":5,"user":{"id":"42"},"data":{"custom_id":"m","components":[
				{"type":10,"id":1},
				{"type":18,"component":{"type":4,"custom_id":"name","value":"Shop"}},
				{"type":18,"component":{"type":3,"custom_id":"size","values":["512"]}},
				{"type":18,"component":{"type":3,"custom_id":"none","values":[]}},
				{"type":18,"component":{"type":22,"custom_id":"several","values":["a","b"]}},
				{"type":18,"component":{"type":21,"custom_id":"language","value":"NODE"}},
				{"type":18,"component":{"type":21,"custom_id":"other","value":null}},
				{"type":18,"component":{"type":23,"custom_id":"start","value":true}},
				{"type":18,"component":{"type":23,"custom_id":"stop","value":false}}]}}`,
			want: interaction.Request{Kind: interaction.Modal, Name: "m", Fields: map[string]string{
				"name": "Shop", "size": "512", "none": "", "several": "a,b", "language": "NODE", "other": "", "start": interaction.Ticked, "stop": "false",
			}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := read(t, test.event)
			if !got.Answerable() || len(got.Reference) != 7 {
				t.Errorf("answerable: %t, reference %q, want seven characters", got.Answerable(), got.Reference)
			}
			test.want.ID, test.want.ChannelID, test.want.Locale, test.want.UserID = "1100", "7", "de", "42"
			test.want.CustomerID, test.want.ApplicationID, test.want.Token = "42", "1", "t"
			test.want.Reference = got.Reference
			if test.want.Message == "" {
				test.want.Message = "1100"
			}
			if diff := cmp.Diff(test.want, got.Request); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			if kept, err := json.Marshal(got.Request); err != nil || strings.Contains(string(kept), "Token") {
				t.Errorf("error %v; kept is %s", err, kept)
			}
		})
	}
}

func TestAnEventThatCannotBeServed(t *testing.T) {
	const unanswerable = "nobody can be answered"
	tests := map[string]struct{ event, want string }{
		"empty":             {`{}`, unanswerable},
		"no user":           {`{` + head + `"type":3,"data":{"custom_id":"x"}}`, unanswerable},
		"member sans user":  {`{` + head + `"type":3,"member":{"roles":["1"]},"data":{"custom_id":"x"}}`, unanswerable},
		"user not a number": {`{` + head + `"type":3,"user":{"id":"42&chatUserId=1"},"data":{"custom_id":"x"}}`, unanswerable},
		"no token":          {`{"id":"1","type":3,"user":{"id":"42"},"data":{"custom_id":"x"}}`, unanswerable},
		"other types":       {`{` + head + `"type":"3","user":"42","member":[],"message":7,"data":"x"}`, unanswerable},
		"no data":           {`{` + head + `"type":3,"user":{"id":"42"}}`, interaction.ErrIncomplete.Error()},
		"data of no object": {`{` + head + `"type":2,"user":{"id":"42"},"data":[]}`, interaction.ErrIncomplete.Error()},
		"no custom id":      {`{` + head + `"type":3,"user":{"id":"42"},"data":{}}`, interaction.ErrIncomplete.Error()},
		"no command":        {`{` + head + `"type":2,"user":{"id":"42"},"data":{"options":[null]}}`, interaction.ErrIncomplete.Error()},
		"unknown type":      {`{` + head + `"type":99,"user":{"id":"42"},"data":{"custom_id":"x"}}`, interaction.ErrUnsupported.Error()},
		"ping":              {`{` + head + `"type":1,"user":{"id":"42"}}`, interaction.ErrUnsupported.Error()},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			event, got := read(t, test.event), unanswerable
			if event.Answerable() {
				_, err := interaction.NewRouter().Route(&event.Request)(t.Context(), &event.Request)
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

func TestReferenceIsTheSameEverywhereAndDiffers(t *testing.T) {
	first, again, other := read(t, `{"id":"1"}`), read(t, `{"id":"1"}`), read(t, `{"id":"2"}`)
	if first.Reference != again.Reference {
		t.Error("one interaction has two references")
	}
	if first.Reference == other.Reference {
		t.Error("two interactions share a reference")
	}
}

// TestReadNames reads what people are called, from wherever Discord says it.
func TestReadNames(t *testing.T) {
	const lookup = `"type":2,"guild_id":"5","member":{"nick":"Sam at work","user":{"id":"42","username":"sam"}},"data":{"name":"admin","type":1,
		"options":[{"name":"lookup","type":1,"options":[{"name":"user","type":6,"value":"77"}]}],"resolved":`
	for name, test := range map[string]struct{ event, user, target string }{
		"by a nickname":            {lookup + `{"users":{"77":{"username":"anna","global_name":"Anna"}},"members":{"77":{"nick":"Ann"}}}}`, "Sam at work", "Ann"},
		"by a name":                {lookup + `{"users":{"77":{"username":"anna","global_name":"Anna"}},"members":{"77":{"nick":null}}}}`, "Sam at work", "Anna"},
		"by an account":            {lookup + `{"users":{"77":{"username":"anna","global_name":null}}}}`, "Sam at work", "anna"},
		"somebody else's":          {lookup + `{"users":{"78":{"username":"ben"}}}}`, "Sam at work", ""},
		"in a direct message":      {`"type":2,"user":{"id":"42","username":"sam"},"data":{"name":"Hosted bots","target_id":"77","resolved":{"users":{"77":{"username":"anna"}}}}`, "sam", "anna"},
		"on a page of theirs":      {`"type":3,"user":{"id":"42"},"data":{"custom_id":"for/77/list/0"},"message":{"id":"1","embeds":[{"author":{"name":"Anna"}}]}`, "", "Anna"},
		"on a page without theirs": {`"type":3,"user":{"id":"42"},"data":{"custom_id":"list/0"},"message":{"id":"1","embeds":[]}`, "", ""},
	} {
		got := read(t, `{`+head+test.event+`}`)
		if got.UserName != test.user || got.TargetName != test.target {
			t.Errorf("%s: the caller is %q and the other %q, want %q and %q", name, got.UserName, got.TargetName, test.user, test.target)
		}
	}
}

// What is pressed in a message that others read is answered beside it.
func TestReadAside(t *testing.T) {
	got := read(t, `{`+head+`"type":3,"user":{"id":"42"},"data":{"custom_id":"aside/lookup/77/"},"message":{"id":"1","embeds":[{"author":{"name":"x"}}]}}`)
	if got.InMessage() || got.TargetName != "" {
		t.Errorf("it is taken for a page of the caller's: %+v", got.Request)
	}
}

// TestTypeThatDiscordHasNotIsNone, also where it would be another one in 8 bits.
func TestTypeThatDiscordHasNotIsNone(t *testing.T) {
	for body, want := range map[string]discordgo.InteractionType{
		`{"type":1}`: 1, `{"type":257}`: 0, `{"type":-1}`: 0, `{"type":"1"}`: 0, `{"type":1e99}`: 0, `{}`: 0,
	} {
		if got := interaction.TypeOf(fastjson.MustParse(body)); got != want {
			t.Errorf("%s is of the type %d, want %d", body, got, want)
		}
	}
}
