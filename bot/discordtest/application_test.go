package discordtest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"hostbot/bot/discordtest"
)

// readApplication returns the members of the application that a bot reads.
func readApplication(t *testing.T, c *client) map[string]any {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(c.do("GET", "/applications/@me", "").text), &members); err != nil {
		t.Fatal(err)
	}
	return members
}

func TestApplicationSettings(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{Clock: still()})
	c := newClient(t, discord)
	fresh := readApplication(t, c)
	if config, _ := fresh["integration_types_config"].(map[string]any); len(config) != 2 || fresh["interactions_endpoint_url"] != nil {
		t.Errorf("a new application is %v", fresh)
	}

	discord.SetApplication(discordtest.ApplicationSettings{InteractionsEndpointURL: "https://example.com/i", Activities: true})
	changed := readApplication(t, c)
	if _, there := changed["integration_types_config"]; there || changed["interactions_endpoint_url"] != "https://example.com/i" || changed["flags"] != 131072.0 {
		t.Errorf("the changed application is %v", changed)
	}
}

func TestIntegrationTypesThatTheApplicationLacks(t *testing.T) {
	const both = `[{"name":"a","description":"d","integration_types":[0,1]}]`
	for name, tc := range map[string]struct {
		installs []int
		body     string
		path     string // of the mistake; empty for none
	}{
		"both":                    {[]int{0, 1}, both, ""},
		"guilds alone":            {[]int{0}, both, "0.integration_types.1"},
		"users alone":             {[]int{1}, both, "0.integration_types.0"},
		"not said":                {nil, both, "0.integration_types.1"},
		"not said, none demanded": {nil, `[{"name":"a","description":"d"}]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			discord := discordtest.RunT(t, discordtest.Config{Clock: still()})
			discord.SetApplication(discordtest.ApplicationSettings{Installs: tc.installs})
			c := newClient(t, discord)
			if tc.path == "" {
				c.register(tc.body).want(t, 200, 0)
				return
			}
			discord.ExpectFailures()
			refused := c.register(tc.body)
			refused.want(t, 400, discordtest.CodeInvalidForm)
			if refused.at(tc.path) == nil {
				t.Errorf("no mistake at %s: %s", tc.path, refused.text)
			}
			one := strings.TrimSuffix(strings.TrimPrefix(tc.body, "["), "]")
			c.do("POST", "/applications/"+discord.ApplicationID()+"/commands", one).want(t, 400, discordtest.CodeInvalidForm)
			// A guild's commands have no integration types.
			c.do("PUT", "/applications/"+discord.ApplicationID()+"/guilds/"+discord.GuildID()+"/commands", tc.body).want(t, 200, 0)
		})
	}
}

// Where the application has an endpoint, the gateway delivers nothing.
func TestInteractionsEndpoint(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	s.register(`[{"name":"lost","description":"d"},{"name":"bot","description":"d"}]`).want(t, 200, 0)
	start := func(command string) {
		t.Helper()
		if _, err := s.anna.Start(command, nil); err != nil {
			t.Fatal(err)
		}
	}
	s.discord.SetApplication(discordtest.ApplicationSettings{InteractionsEndpointURL: "https://example.com/i"})
	start("/lost")
	s.discord.SetApplication(discordtest.ApplicationSettings{})
	start("/bot")
	if first := s.wire.interaction(); first.Data.Name != "bot" {
		t.Errorf("the gateway delivered /%s", first.Data.Name)
	}
}
