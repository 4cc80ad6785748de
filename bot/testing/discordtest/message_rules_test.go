package discordtest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
)

func many(n int, element string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.ReplaceAll(element, "%", fmt.Sprint(i))
	}
	return "[" + strings.Join(list, ",") + "]"
}

func x(n int) string { return strings.Repeat("x", n) }

func inRow(components string) string {
	return `"components":[{"type":1,"components":[` + components + `]}]`
}

// refusedMessages are bodies of a message with where they are wrong.
var refusedMessages = map[string]struct{ body, path, code string }{
	"content too long":      {`"content":"` + x(2001) + `"`, "content", "BASE_TYPE_MAX_LENGTH"},
	"wrong type":            {`"content":{}`, "content", "BASE_TYPE_CONVERT"},
	"11 embeds":             {`"embeds":` + many(11, `{"title":"x"}`), "embeds", "BASE_TYPE_MAX_LENGTH"},
	"title":                 {`"embeds":[{"title":"` + x(257) + `"}]`, "embeds.0.title", "BASE_TYPE_MAX_LENGTH"},
	"description":           {`"embeds":[{"description":"` + x(4097) + `"}]`, "embeds.0.description", "BASE_TYPE_MAX_LENGTH"},
	"26 fields":             {`"embeds":[{"fields":` + many(26, `{"name":"n","value":"v"}`) + `}]`, "embeds.0.fields", "BASE_TYPE_MAX_LENGTH"},
	"field without value":   {`"embeds":[{"fields":[{"name":"n","value":""}]}]`, "embeds.0.fields.0.value", "BASE_TYPE_REQUIRED"},
	"blank field":           {`"embeds":[{"fields":[{"name":" ","value":"v"}]}]`, "embeds.0.fields.0.name", "BASE_TYPE_REQUIRED"},
	"long field name":       {`"embeds":[{"fields":[{"name":"` + x(257) + `","value":"v"}]}]`, "embeds.0.fields.0.name", "BASE_TYPE_BAD_LENGTH"},
	"long field value":      {`"embeds":[{"fields":[{"name":"n","value":"` + x(1025) + `"}]}]`, "embeds.0.fields.0.value", "BASE_TYPE_BAD_LENGTH"},
	"footer":                {`"embeds":[{"footer":{"text":"` + x(2049) + `"}}]`, "embeds.0.footer.text", "BASE_TYPE_BAD_LENGTH"},
	"author":                {`"embeds":[{"author":{"name":"` + x(257) + `"}}]`, "embeds.0.author.name", "BASE_TYPE_BAD_LENGTH"},
	"6001 in all embeds":    {`"embeds":[{"description":"` + x(3000) + `"},{"description":"` + x(3001) + `"}]`, "embeds", "MAX_EMBED_SIZE_EXCEEDED"},
	"empty embed":           {`"content":"x","embeds":[{}]`, "embeds.0.description", "BASE_TYPE_REQUIRED"},
	"colour":                {`"embeds":[{"title":"x","color":16777216}]`, "embeds.0.color", "NUMBER_TYPE_MAX"},
	"time":                  {`"embeds":[{"title":"x","timestamp":"today"}]`, "embeds.0.timestamp", "DATE_TIME_TYPE_PARSE"},
	"address":               {`"embeds":[{"title":"x","url":"shop"}]`, "embeds.0.url", "URL_TYPE_INVALID_URL"},
	"6 rows":                {`"components":` + many(6, `{"type":1,"components":[{"type":2,"style":1,"label":"x","custom_id":"%"}]}`), "components", "BASE_TYPE_MAX_LENGTH"},
	"no row":                {`"components":[{"type":2,"style":1,"label":"x","custom_id":"x"}]`, "components.0.type", "BASE_TYPE_CHOICES"},
	"empty row":             {inRow(``), "components.0.components", "BASE_TYPE_BAD_LENGTH"},
	"6 buttons":             {`"components":[{"type":1,"components":` + many(6, `{"type":2,"style":1,"label":"x","custom_id":"%"}`) + `}]`, "components.0.components", "BASE_TYPE_BAD_LENGTH"},
	"same custom id":        {inRow(`{"type":2,"style":1,"label":"x","custom_id":"a"},{"type":2,"style":1,"label":"y","custom_id":"a"}`), "components.0.components.1.custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED"},
	"long custom id":        {inRow(`{"type":2,"style":1,"label":"x","custom_id":"` + x(101) + `"}`), "components.0.components.0.custom_id", "BASE_TYPE_BAD_LENGTH"},
	"no custom id":          {inRow(`{"type":2,"style":1,"label":"x"}`), "components.0.components.0", "BUTTON_COMPONENT_CUSTOM_ID_REQUIRED"},
	"no label":              {inRow(`{"type":2,"style":1,"custom_id":"x"}`), "components.0.components.0", "BUTTON_COMPONENT_LABEL_OR_EMOJI_REQUIRED"},
	"label":                 {inRow(`{"type":2,"style":1,"custom_id":"x","label":"` + x(81) + `"}`), "components.0.components.0.label", "BASE_TYPE_MAX_LENGTH"},
	"style":                 {inRow(`{"type":2,"style":7,"custom_id":"x","label":"x"}`), "components.0.components.0.style", "BASE_TYPE_CHOICES"},
	"link with custom id":   {inRow(`{"type":2,"style":5,"custom_id":"x","label":"x","url":"https://x.example"}`), "components.0.components.0", "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE"},
	"link without address":  {inRow(`{"type":2,"style":5,"label":"x"}`), "components.0.components.0", "BUTTON_COMPONENT_URL_REQUIRED"},
	"no emoji":              {inRow(`{"type":2,"style":1,"custom_id":"x","emoji":{"name":"smile"}}`), "components.0.components.0.emoji.name", "COMPONENT_INVALID_EMOJI"},
	"select beside button":  {inRow(`{"type":2,"style":1,"label":"x","custom_id":"x"},{"type":3,"custom_id":"y","options":[{"label":"a","value":"a"}]}`), "components.0.components.1", "COMPONENT_LAYOUT_WIDTH_EXCEEDED"},
	"no options":            {inRow(`{"type":3,"custom_id":"y","options":[]}`), "components.0.components.0.options", "BASE_TYPE_BAD_LENGTH"},
	"26 options":            {inRow(`{"type":3,"custom_id":"y","options":` + many(26, `{"label":"a","value":"%"}`) + `}`), "components.0.components.0.options", "BASE_TYPE_BAD_LENGTH"},
	"same value":            {inRow(`{"type":3,"custom_id":"y","options":[{"label":"a","value":"a"},{"label":"b","value":"a"}]}`), "components.0.components.0.options.1.value", "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED"},
	"option's label":        {inRow(`{"type":3,"custom_id":"y","options":[{"label":"` + x(101) + `","value":"a"}]}`), "components.0.components.0.options.0.label", "BASE_TYPE_BAD_LENGTH"},
	"option's description":  {inRow(`{"type":3,"custom_id":"y","options":[{"label":"a","value":"a","description":"` + x(101) + `"}]}`), "components.0.components.0.options.0.description", "BASE_TYPE_MAX_LENGTH"},
	"placeholder":           {inRow(`{"type":3,"custom_id":"y","placeholder":"` + x(151) + `","options":[{"label":"a","value":"a"}]}`), "components.0.components.0.placeholder", "BASE_TYPE_MAX_LENGTH"},
	"more than the options": {inRow(`{"type":3,"custom_id":"y","max_values":2,"options":[{"label":"a","value":"a"}]}`), "components.0.components.0.max_values", "COMPONENT_MAX_VALUES_TOO_LARGE"},
	"two defaults":          {inRow(`{"type":3,"custom_id":"y","options":[{"label":"a","value":"a","default":true},{"label":"b","value":"b","default":true}]}`), "components.0.components.0.options", "SELECT_COMPONENT_TOO_MANY_DEFAULTS"},
	"mentions":              {`"content":"x","allowed_mentions":{"parse":["all"]}`, "allowed_mentions.parse.0", "BASE_TYPE_CHOICES"},
	"mentions twice":        {`"content":"x","allowed_mentions":{"parse":["users"],"users":["1"]}`, "allowed_mentions.parse", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE"},
}

// way is one to send a message, whose body stands between before and after.
type way struct{ method, path, before, after, prefix string }

// ways are all ways to send a message, of which one is in the channel.
func (s *stage) ways() map[string]way {
	_, open := s.command()
	_, answered := s.message(oneButton)
	posted := s.do("POST", s.general(), `{"content":"before"}`)
	return map[string]way{
		"callback":     {"POST", open.path(), `{"type":4,"data":{`, `}}`, "data"},
		"edit":         {"PATCH", answered.original(s.discord), `{`, `}`, ""},
		"follow-up":    {"POST", answered.hook(s.discord), `{`, `}`, ""},
		"channel":      {"POST", s.general(), `{`, `}`, ""},
		"channel edit": {"PATCH", s.general() + "/" + posted.body.ID, `{`, `}`, ""},
	}
}

// TestMessagesThatAreTooHeavy are refused in the words that Discord has, which say nothing.
func TestMessagesThatAreTooHeavy(t *testing.T) {
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	s.discord.ExpectFailures()
	diamonds := func(n int) string { return strings.Repeat("🔷", n) }
	options := inRow(`{"type":3,"custom_id":"y","options":` + many(25, `{"label":"%`+diamonds(90)+`","value":"%"}`) + `}`)
	for name, send := range s.ways() {
		status, code := 500, 0
		if name == "callback" {
			status, code = 404, discordtest.CodeUnknownInteraction
		}
		for _, heavy := range []string{
			`"embeds":[{"description":"` + diamonds(2501) + `"}]`,
			`"embeds":[{"description":"` + diamonds(300) + `"}],` + options,
		} {
			s.do(send.method, send.path, send.before+heavy+send.after).want(t, status, code)
		}
		light := `"content":"` + diamonds(2000) + `","embeds":[{"description":"` + diamonds(2490) + `"}]` // go-gitea/gitea#34084
		if got := s.do(send.method, send.path, send.before+light+send.after); got.status >= 300 {
			t.Errorf("%s: %s", name, got.text)
		}
	}
}

// Every way to send a message is held to the same rules.
func TestRefusedMessages(t *testing.T) {
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	s.discord.ExpectFailures()
	channel, ways := s.discord.Channels()[0], s.ways()
	for name, tc := range refusedMessages {
		for way, send := range ways {
			t.Run(name+"/"+way, func(t *testing.T) {
				got := s.do(send.method, send.path, send.before+tc.body+send.after)
				got.want(t, 400, discordtest.CodeInvalidForm)
				path := strings.Trim(send.prefix+"."+tc.path, ".")
				if !slices.Contains(got.at(path), tc.code) {
					t.Errorf("want %s at %s: %s", tc.code, path, got.text)
				}
			})
		}
	}
	if n := len(channel.Messages()); n != 1 {
		t.Errorf("%d messages in the channel, want only the one before", n)
	}
}

func TestMessagesThatAreNone(t *testing.T) {
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	s.discord.ExpectFailures()
	_, open := s.command()
	_, answered := s.message(`[]`)
	general := s.general()
	for _, tc := range []struct {
		method, path, body string
		code               int
	}{
		{"POST", open.path(), `{"type":4,"data":{"content":" "}}`, discordtest.CodeEmptyMessage},
		{"POST", general, `{}`, discordtest.CodeEmptyMessage},
		{"POST", answered.hook(s.discord), `{"embeds":[]}`, discordtest.CodeEmptyMessage},
		{"PATCH", answered.original(s.discord), `{"content":null}`, discordtest.CodeEmptyMessage},
		{"POST", general, `{"content":`, discordtest.CodeInvalidJSON},
		{"POST", open.path(), `{"type":4,"data":{"content":"x","flags":1}}`, discordtest.CodeInvalidForm},
		{"POST", general, `{"content":"x","flags":64}`, discordtest.CodeInvalidForm},
	} {
		s.do(tc.method, tc.path, tc.body).want(t, 400, tc.code)
	}
}
