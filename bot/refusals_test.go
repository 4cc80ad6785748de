package bot_test

import (
	"net/http"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
)

// moderated answers as Discord does where a guild's AutoMod blocks a message.
// https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
func moderated(method, route string) discordtest.Fault {
	return discordtest.Fault{
		Method: method, Route: route, Times: 1, Status: http.StatusBadRequest, Header: asJSON(),
		Body: `{"message": "Message was blocked by automatic moderation", "code": 200000}`,
	}
}

// AutoMod blocks how an action ended: it is said without the words of the service.
func TestAnEndThatIsModeratedIsSaidInShort(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault hostapitest.Fault
		want  string
		staff string
	}{
		"done":          {hostapitest.Fault{}, "**Restart**: done", "✅ Restart"},
		"failed":        {hostapitest.Fault{Status: http.StatusConflict}, "**Restart**: failed", "❌ Restart"},
		"not confirmed": {hostapitest.Fault{ResetAfter: true}, "**Restart**: not confirmed", "⚠️ Restart"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			anna := w.addAnna(t, "Shop")
			w.start(t)
			card := anna.Types(t, "/bot show", discordtest.Options{"bot": "Shop"})
			card.WaitFor(t, "Shop")
			w.discord.Inject(moderated(http.MethodPatch, discordtest.RouteOriginal))
			w.service.Fail(hostapitest.OpRestart, test.fault, 1)
			card = card.Press(t, "Restart")
			if test.fault.Status == 0 {
				w.clock.BlockUntil(t, 1)
				w.clock.Advance(4 * time.Second)
			}
			shown := card.WaitFor(t, test.want)
			if shown.Contains("Shop") {
				t.Errorf("it says what Discord has blocked:\n%s", shown.Text())
			}
			w.waitForLog(t, test.staff)
			w.waitForLog(t, "❗ Failure", referenceIn(t, shown), "200000", "blocked by automatic moderation")
			if n := w.service.Count(hostapitest.OpRestart); n != 1 {
				t.Errorf("restarted %d times", n)
			}
		})
	}
}

// AutoMod blocks that an action begins: it does not.
func TestABeginningThatIsModeratedDoesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	w.start(t)
	card := anna.Types(t, "/bot show", discordtest.Options{"bot": "Shop"})
	card.WaitFor(t, "Shop")
	w.discord.Inject(moderated(http.MethodPost, discordtest.RouteCallback))
	shown := card.Press(t, "Restart").WaitFor(t, "nothing was done")
	w.waitForLog(t, "❗ Failure", referenceIn(t, shown), "200000")
	if n := w.service.Count(hostapitest.OpRestart); n != 0 {
		t.Errorf("restarted %d times", n)
	}
}

// Discord takes a first response at once, and takes its time to say so.
func TestAnActionIsDoneThoughDiscordIsSlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	w.start(t)
	w.discord.ExpectFailures() // what is sent beside the one that is slow
	card := anna.Types(t, "/bot show", discordtest.Options{"bot": "Shop"})
	card.WaitFor(t, "Shop")
	w.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteCallback, After: true, Delay: 900 * time.Millisecond})
	card = card.Press(t, "Restart")
	w.clock.BlockUntil(t, 1)
	w.clock.Advance(4 * time.Second)
	card.WaitFor(t, "**Shop** was restarted")
	if n := w.service.Count(hostapitest.OpRestart); n != 1 {
		t.Errorf("restarted %d times", n)
	}
}

// Discord is overloaded for a moment, and says so in plain text (CSSS/wall_e#664).
func TestAnAnswerComesOnceDiscordIsWellAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	w.start(t)
	w.discord.Inject(discordtest.Fault{
		Method: http.MethodPost, Route: discordtest.RouteCallback, Times: 3, Status: http.StatusServiceUnavailable,
		Header: http.Header{"Content-Type": {"text/plain"}}, Body: "upstream connect error or disconnect/reset before headers. reset reason: overflow",
	})
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
}

// Discord does not know the token of an interaction that it has let us defer, for
// some seconds (discord-api-docs#7220).
func TestATokenThatIsNotKnownYet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	w.start(t)
	card := anna.Types(t, "/bot show", discordtest.Options{"bot": "Shop"})
	card.WaitFor(t, "Shop")
	w.discord.Inject(discordtest.Fault{
		Method: http.MethodPatch, Route: discordtest.RouteOriginal, Times: 2, Status: http.StatusNotFound, Header: asJSON(),
		Body: `{"message": "Unknown Webhook", "code": 10015}`,
	})
	card = card.Press(t, "Restart")
	w.clock.BlockUntil(t, 1)
	w.clock.Advance(4 * time.Second)
	card.WaitFor(t, "**Shop** was restarted")
}
