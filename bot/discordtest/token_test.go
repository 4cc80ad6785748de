package discordtest_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"hostbot/bot/discordtest"
)

func TestTokenNamesTheBot(t *testing.T) {
	discord := discordtest.RunT(t)
	first, _, _ := strings.Cut(discord.Token(), ".")
	id, err := base64.RawStdEncoding.DecodeString(first)
	if err != nil || string(id) != discord.ApplicationID() {
		t.Errorf("the token %q names %q (%v), want %s", discord.Token(), id, err, discord.ApplicationID())
	}
	chosen := discordtest.RunT(t, discordtest.Config{Token: "chosen"})
	if chosen.Token() != "chosen" {
		t.Errorf("the token is %q", chosen.Token())
	}
}
