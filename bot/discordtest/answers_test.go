package discordtest_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"hostbot/bot/discordtest"
)

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
