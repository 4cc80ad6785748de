package e2e_test

import (
	"net/http"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
)

// once is a fault that meets one call.
func once(f discordtest.Fault) discordtest.Fault {
	f.Times = 1
	return f
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
			card := showShop(t, anna)
			w.discord.Inject(once(discordtest.Refused(http.MethodPatch, discordtest.RouteOriginal, discordtest.CodeBlockedMessage)))
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
	card := showShop(t, anna)
	w.discord.Inject(once(discordtest.Refused(http.MethodPost, discordtest.RouteCallback, discordtest.CodeBlockedMessage)))
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
	card := showShop(t, anna)
	w.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteCallback, After: true, Delay: 900 * time.Millisecond})
	w.restartOnce(t, card)
}

// Discord is overloaded for a moment, and says so in plain text.
func TestAnAnswerComesOnceDiscordIsWellAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	w.start(t)
	overloaded := discordtest.Overloaded(http.MethodPost, discordtest.RouteCallback)
	overloaded.Times = 3
	w.discord.Inject(overloaded)
	anna.Types(t, "/bot list").WaitFor(t, "🟢 Shop")
}

// Discord does not know the token of an interaction that it has let us defer, for
// some seconds (discord-api-docs#7220).
func TestATokenThatIsNotKnownYet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	anna := w.addAnna(t, "Shop")
	w.start(t)
	card := showShop(t, anna)
	unknown := discordtest.Refused(http.MethodPatch, discordtest.RouteOriginal, discordtest.CodeUnknownWebhook)
	unknown.Times = 2
	w.discord.Inject(unknown)
	card = card.Press(t, "Restart")
	w.clock.BlockUntil(t, 1)
	w.clock.Advance(4 * time.Second)
	card.WaitFor(t, "**Shop** was restarted")
}
