//go:build integration

package discordtest_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"hostbot/bot/testing/discordtest"
)

const tinyOpenAPI = `{"components":{"schemas":{
	"MessageCreateRequest":{"type":"object","properties":{"poll":{"$ref":"#/components/schemas/Poll"},"when":{"type":"string","format":"date-time"}}},
	"Poll":{"type":"object"},
	"SnowflakeType":{"type":"string","pattern":"^[0-9]+$"},
	"CreatePrivateChannelRequest":{"type":"object","properties":{"recipient_id":{"$ref":"#/components/schemas/SnowflakeType"}}},
	"ApplicationCommandUpdateRequest":{"type":"object","properties":{"nsfw":{"type":"boolean"},"handler":{"type":"integer"},"default_member_permissions":{"type":"integer"}}}
}}}`

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What the rules let pass, the description may still refuse.
func TestOpenAPI(t *testing.T) {
	t.Setenv(discordtest.EnvOpenAPI, writeFile(t, tinyOpenAPI))
	c := start(t, discordtest.Config{})
	c.discord.ExpectFailures()
	c.do("POST", c.general(), `{"content":"x","poll":{}}`).want(t, 200, 0)
	c.do("POST", c.general(), `{"content":"x","poll":7}`).want(t, 400, discordtest.CodeInvalidForm)
	c.do("POST", c.general(), `{"content":"x","when":"today"}`).want(t, 400, discordtest.CodeInvalidForm)
	c.register(`[{"name":"a","description":"d","default_member_permissions":"8"}]`).want(t, 200, 0)
	c.register(`[{"name":"a","description":"d","handler":"x"}]`).want(t, 400, discordtest.CodeInvalidForm)
	if f := c.discord.Failures(); len(f) != 3 || !strings.Contains(f[0].Reason, "poll") {
		t.Errorf("failures %v, want the three refusals", f)
	}
}

func TestEventSchema(t *testing.T) {
	t.Setenv(discordtest.EnvEventSchema, writeFile(t, `{"properties":{"d":{"required":["never"]}}}`))
	c := start(t, discordtest.Config{})
	c.register(rawCommands).want(t, 200, 0)
	if _, err := c.discord.User("anna").Start("/bot", nil); err == nil || !strings.Contains(err.Error(), "never") {
		t.Errorf("got %v, want what the schema misses", err)
	}
}

func TestSchemaFilesThatCannotBeUsed(t *testing.T) {
	for name, path := range map[string]string{
		"missing": filepath.Join(t.TempDir(), "none.json"),
		"no JSON": writeFile(t, `{`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(discordtest.EnvEventSchema, path)
			if s, err := discordtest.Start(discordtest.Config{}); err == nil {
				_ = s.Close()
				t.Error("the server started")
			}
		})
	}
}

// What the server answers is what Discord's own description says.
func TestAnswersAreAsDescribed(t *testing.T) {
	path := os.Getenv(discordtest.EnvOpenAPI)
	if path == "" {
		t.Skipf("%s names no description of Discord's API", discordtest.EnvOpenAPI)
	}
	compiler := jsonschema.NewCompiler()
	described := func(component string, answered answer) {
		t.Helper()
		answered.want(t, 200, 0)
		schema, err := compiler.Compile(path + "#/components/schemas/" + component)
		if err != nil {
			t.Fatal(err)
		}
		values, err := jsonschema.UnmarshalJSON(strings.NewReader(answered.text))
		if err != nil {
			t.Fatal(err)
		}
		list, many := values.([]any)
		if !many {
			list = []any{values}
		}
		if len(list) == 0 {
			t.Errorf("nothing was answered: %s", answered.text)
		}
		for _, value := range list {
			if err := schema.Validate(value); err != nil {
				text, _ := json.Marshal(value)
				t.Errorf("%s: %v", text, err)
			}
		}
	}

	c := start(t, discordtest.Config{NoRateLimits: true})
	described("ApplicationCommandResponse", c.register(`[{"type":2,"name":"Hosted Bots","name_localizations":{"de":"Gehostete Bots"}},`+rawCommands[1:]))
	described("ApplicationCommandResponse", c.do("GET", c.commands(""), ""))

	c.discord.User("anna").Say("hello")
	posted := c.do("POST", c.general(), `{"content":"x","nonce":"n","enforce_nonce":true,"embeds":[{"title":"t"}],`+
		`"allowed_mentions":{"parse":[]},"components":`+oneButton+`}`)
	described("MessageResponse", posted)
	described("MessageResponse", c.do("GET", c.general(), ""))
	described("MessageResponse", c.do("GET", c.general()+"/"+posted.body.ID, ""))
	described("MessageResponse", c.do("PATCH", c.general()+"/"+posted.body.ID, `{"content":"y"}`))
}
