package commands_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// becoming is an update of an old account to a new one.
func becoming(l hostapi.List) func(context.Context) (accounts.Snapshot, error) {
	return func(context.Context) (accounts.Snapshot, error) {
		return accounts.Snapshot{List: l, FetchedAt: time.Now()}, nil
	}
}

// failing is an update that the service does not answer.
func failing(context.Context) (accounts.Snapshot, error) {
	return accounts.Snapshot{}, &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpList}
}

func TestOldAccountIsShownAndThenUpdated(t *testing.T) {
	w := &world{list: account(server("a", "Shop", "STOPPED")), old: true, update: becoming(account(server("a", "Shop", "RUNNING")))}
	c := newCommands(t, w)
	for _, request := range []interaction.Request{command("bot list", nil), onBot("bot show", "a"), press("show/a")} {
		r := answer(t, c, request)
		wantText(t, r.Message, "<t:1700000000:R>", "Updating", "Stopped")
		next := must(t)(r.Then.Run(t.Context()))
		wantText(t, next.Message, "Running")
		if strings.Contains(text(next.Message), "<t:1700000000:R>") {
			t.Error("the new account is shown as old")
		}
	}

	w.update = failing
	next := ending(t, c, command("plan", nil))
	wantText(t, next.Message, "can't be reached", "<t:1700000000:R>", "REF1234", "4 GB")
	if next.Failure == nil {
		t.Error("staff are not told that the service did not answer")
	}

	w.update = nil
	wantText(t, answer(t, c, command("plan", nil)).Message, "slow right now", "<t:1700000000:R>")
}

// TestOldAccountSaysWhyItIsOld: only a service that takes long is slow.
func TestOldAccountSaysWhyItIsOld(t *testing.T) {
	const slow, away, broken = "is slow", "can't be reached", "isn't responding properly"
	for name, test := range map[string]struct {
		failure *hostapi.Error
		want    string
	}{
		"timeout":   {hostapi.Interrupted(expired(t), hostapi.OpList), slow},
		"reset":     {&hostapi.Error{Code: hostapi.CodeUnavailable, Detail: "connection reset by peer"}, away},
		"cut off":   {&hostapi.Error{Code: hostapi.CodeUnavailable, Status: 200}, away},
		"500":       {&hostapi.Error{Code: hostapi.CodeUnavailable, Status: 500}, broken},
		"401":       {&hostapi.Error{Code: hostapi.CodeUnauthorized, Status: 401}, broken},
		"malformed": {&hostapi.Error{Code: hostapi.CodeMalformed, Status: 200}, broken},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{list: account(server("a", "Shop", "RUNNING")), old: true, failure: test.failure}
			c := newCommands(t, w)
			shown := []interaction.Response{answer(t, c, command("bot list", nil))}
			w.failure, w.update = nil, func(context.Context) (accounts.Snapshot, error) { return accounts.Snapshot{}, test.failure }
			for _, r := range append(shown, ending(t, c, command("bot list", nil))) {
				wantText(t, r.Message, test.want, "Showing data from <t:1700000000:R>.")
				if got := text(r.Message); test.want != slow && strings.Contains(got, slow) {
					t.Errorf("it is called slow:\n%s", got)
				}
			}
		})
	}
}

// expired is a context whose time is over.
func expired(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	t.Cleanup(cancel)
	return ctx
}

func TestNothingIsRefusedForAnOldAccount(t *testing.T) {
	now := account(server("a", "Shop", "RUNNING"), server("b", "Radio", "RUNNING"))
	for _, request := range []interaction.Request{
		onBot("bot show", "Radio"), press("restart/b"), press("startup/b"),
		command("bot create", nil), press("create/512/2048/100"), submit("create/512/2048/100", newBot("Third")),
	} {
		w := &world{list: shopWithPlan(8192, 1), old: true, update: becoming(now)}
		if r := answer(t, newCommands(t, w), request); strings.Contains(text(r.Message), "Updating") {
			t.Errorf("%s: the new account is shown as old:\n%s", request.Name, text(r.Message))
		}
		w.update = failing
		if _, err := ask(t, newCommands(t, w), request); hostapi.CodeOf(err) != hostapi.CodeUnavailable {
			t.Errorf("%s: %v, though the service did not answer", request.Name, err)
		}
	}
}
