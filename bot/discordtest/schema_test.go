package discordtest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hostbot/bot/discordtest"
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
