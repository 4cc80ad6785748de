package store_test

import (
	"strings"
	"testing"

	"hostbot/bot/store/keyspace"
	"hostbot/hostapi/secret"
)

func TestApplicationIsNamedByTheToken(t *testing.T) {
	for token, want := range map[secret.Text]keyspace.Space{
		"MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs": "198622483471925248", // Discord's example
		"MTIzNA==.x.y": "1234", // padded
		"MTIzNA.x.y":   "1234",
	} {
		if got := keyspace.Of(token); got != want {
			t.Errorf("%s: %q, want %q", token.Reveal(), got, want)
		}
	}
}

func TestTokenThatNamesNoApplication(t *testing.T) {
	seen := map[keyspace.Space]secret.Text{}
	for _, token := range []secret.Text{"", "token", "other", "a.b.c", "MTIzNAx.b.c", "Og.b.c", "LTE.b.c", "MA.b.c", "e30.b.c"} {
		space := keyspace.Of(token)
		if other, taken := seen[space]; taken {
			t.Errorf("%q and %q have one space", token.Reveal(), other.Reveal())
		}
		seen[space] = token
		if !strings.HasPrefix(string(space), "token-") || strings.ContainsAny(string(space), "{}:") || space != keyspace.Of(token) {
			t.Errorf("%q has the space %q", token.Reveal(), space)
		}
	}
}

func TestKeys(t *testing.T) {
	if got := keyspace.Space("42").Key("{panels}:due"); got != "hostbot:42:{panels}:due" {
		t.Errorf("got %q", got)
	}
	if got := keyspace.Space("").Key("draft:x"); got != "hostbot:draft:x" {
		t.Errorf("got %q", got)
	}
}
