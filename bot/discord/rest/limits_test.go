package rest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/secret"
)

// me asks for something that only the limit on all requests holds back.
func me(ctx context.Context, c *rest.Client) error {
	var user struct{}
	return c.Get(ctx, "users/@me", &user)
}

// clientOf starts a Discord and returns a client of it.
func clientOf(t *testing.T) (*discordtest.Server, *rest.Client) {
	t.Helper()
	discord := discordtest.RunT(t)
	client := rest.New(secret.Text(discord.Token()), discord.URL())
	t.Cleanup(client.Close)
	return discord, client
}

// heldBack reports whether a request was not sent.
func heldBack(discord *discordtest.Server, send func() error) (wait time.Duration, held bool) {
	before := len(discord.Calls())
	err := send()
	e, refused := errors.AsType[*rest.Error](err)
	if len(discord.Calls()) > before || !refused {
		return 0, false
	}
	return e.RetryAfter, e.Status == http.StatusTooManyRequests && e.Global && !e.Uncertain
}

// Discord asks all requests to wait but those that answer interactions. Nobody else is
// sent to hear the same.
func TestGlobalLimitStopsAllRequests(t *testing.T) {
	discord, client := clientOf(t)
	const pause = 4 * time.Minute
	discord.Inject(discordtest.RateLimited("GET", "", pause, true))
	if err := me(t.Context(), client.For(rest.ForPanels)); err == nil {
		t.Fatal("the first request was not refused")
	}
	for i := range 200 {
		purpose := []rest.Purpose{rest.ForAll, rest.ForAlerts, rest.ForPanels}[i%3]
		wait, held := heldBack(discord, func() error { return me(t.Context(), client.For(purpose)) })
		if !held || wait <= pause/2 || wait > pause {
			t.Fatalf("request %d: held %v, for %v", i, held, wait)
		}
	}
	if _, err := client.Session().GatewayBot(); err == nil || len(discord.Calls()) > 1 {
		t.Error("a session of discordgo's is not held back")
	}
	before := len(discord.Calls())
	for _, answer := range []func() error{
		func() error { return client.Respond(t.Context(), to, interaction.Keep()) },
		func() error { return client.EditOriginal(t.Context(), to, interaction.Message{Content: "x"}) },
		func() error {
			_, err := client.FollowUp(t.Context(), to, interaction.Message{Content: "x"})
			return err
		},
	} {
		_ = answer() // nobody knows this interaction: what counts is that it was sent
	}
	if got := len(discord.Calls()) - before; got != 3 {
		t.Errorf("%d of 3 answers to an interaction were sent", got)
	}
	discord.ExpectFailures()
}

// What Discord asks of requests without the bot's token concerns none with it: those are limited by the
// machine's address (docs:topics/rate-limits, discord-api-docs#5806).
func TestLimitOfAnswersStopsNothingElse(t *testing.T) {
	discord, client := clientOf(t)
	discord.Inject(discordtest.RateLimited("PATCH", discordtest.RouteOriginal, 4*time.Minute, true))
	if err := client.EditOriginal(t.Context(), to, interaction.Message{Content: "x"}); rest.RetryAfter(err) != 4*time.Minute {
		t.Fatalf("the answer was not refused: %v", err)
	}
	if err := me(t.Context(), client); err != nil {
		t.Error(err)
	}
	if _, invalid := client.Invalid(); invalid != 1 {
		t.Errorf("%d invalid requests", invalid)
	}
}

// More requests than Discord takes are sent one after another. None is refused.
func TestRequestsStayBelowTheGlobalLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var taken []time.Time
		client := serveInBubble(t, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			now := time.Now()
			taken = slices.DeleteFunc(taken, func(at time.Time) bool { return now.Sub(at) > time.Second })
			if len(taken) >= 50 { // see limits.go
				limited("1", `{"message":"You are being rate limited.","retry_after":1,"global":true}`)(w, r)
				return
			}
			taken = append(taken, now)
			answer(http.StatusOK, `{}`)(w, r)
		})
		var working sync.WaitGroup
		refused := make([]error, 70)
		for i := range refused {
			working.Go(func() { refused[i] = me(t.Context(), client.For(rest.Purpose(i%3))) })
		}
		working.Wait()
		if err := errors.Join(refused...); err != nil {
			t.Error(err)
		}
	})
}

// Discord bans an address that sends 10,000 invalid requests in ten minutes.
func TestInvalidRequestsHoldOthersBack(t *testing.T) {
	discord, client := clientOf(t)
	discord.ExpectFailures()
	var told []int
	client.OnInvalid = func(invalid int) { told = append(told, invalid) }
	remove := discord.Inject(discordtest.Fault{
		Method: "PATCH", Route: discordtest.RouteOriginal, Status: http.StatusUnauthorized,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"message": "Invalid Webhook Token", "code": 50027}`,
	})
	fail := func(n int) {
		t.Helper()
		for range n {
			if err := client.EditOriginal(t.Context(), to, interaction.Message{Content: "x"}); rest.CodeOf(err) != rest.CodeInvalidWebhookToken {
				t.Fatal(err)
			}
		}
	}
	check := func(wantHeld ...rest.Purpose) {
		t.Helper()
		_, invalid := client.Invalid()
		for _, purpose := range []rest.Purpose{rest.ForAll, rest.ForAlerts, rest.ForPanels} {
			_, held := heldBack(discord, func() error { return me(t.Context(), client.For(purpose)) })
			if held != slices.Contains(wantHeld, purpose) {
				t.Errorf("after %d invalid requests: purpose %d is held back: %v", invalid, purpose, held)
			}
		}
	}
	fail(rest.FewerFrom - 1)
	check()
	fail(1)
	check(rest.ForAlerts, rest.ForPanels)
	fail(rest.AnswersOnlyFrom - rest.FewerFrom)
	check(rest.ForAll, rest.ForAlerts, rest.ForPanels)
	if _, err := client.GatewayBot(t.Context()); err != nil {
		t.Errorf("where interactions arrive is not asked for: %v", err)
	}
	remove()
	if err := client.EditOriginal(t.Context(), to, interaction.Message{Content: "x"}); rest.CodeOf(err) != rest.CodeUnknownWebhook {
		t.Errorf("the answer to an interaction was not sent: %v", err)
	}
	if fmt.Sprint(told) != "[5000 8000]" {
		t.Errorf("told of %v", told)
	}
	if answered, invalid := client.Invalid(); invalid != 8000 || answered <= invalid {
		t.Errorf("%d of %d requests are counted as invalid", invalid, answered)
	}
	if got := discord.InvalidRequests(); got != 8000 {
		t.Errorf("Discord counted %d invalid requests", got)
	}
}

// Limits that others share may lead to a ban as well (discord-api-docs#7243): what may wait longest waits.
func TestManySharedLimitsHoldPanelsBack(t *testing.T) {
	discord, client := clientOf(t)
	fault := discordtest.RateLimited("POST", discordtest.RouteFollowUps, time.Second, false)
	fault.Header.Set("X-RateLimit-Scope", "shared")
	discord.Inject(fault)
	for i := range rest.PanelsWaitFrom {
		if i == rest.PanelsWaitFrom-1 {
			if err := me(t.Context(), client.For(rest.ForPanels)); err != nil {
				t.Fatalf("held back too early: %v", err)
			}
		}
		if _, err := client.FollowUp(t.Context(), to, interaction.Message{Content: "x"}); !rest.IsLimited(err) {
			t.Fatal(err)
		}
	}
	if _, held := heldBack(discord, func() error { return me(t.Context(), client.For(rest.ForPanels)) }); !held {
		t.Error("a panel is not held back")
	}
	for _, purpose := range []rest.Purpose{rest.ForAll, rest.ForAlerts} {
		if err := me(t.Context(), client.For(purpose)); err != nil {
			t.Errorf("purpose %d: %v", purpose, err)
		}
	}
	if _, invalid := client.Invalid(); invalid != 0 {
		t.Errorf("%d requests are counted as invalid", invalid)
	}
}

// TestWhoWaitsForOneLimitGoesOneByOne has eight edit messages in a channel at once. Discord takes five, and has
// room for one of the others at a time: it refuses nobody twice.
func TestWhoWaitsForOneLimitGoesOneByOne(t *testing.T) {
	t.Parallel()
	discord, client := clientOf(t)
	channel, another := discord.AddChannel("panels"), discord.AddChannel("another")
	id, err := client.CreateMessage(t.Context(), channel.ID, "one", interaction.Message{Content: "x"})
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, err := client.CreateMessage(t.Context(), another.ID, "two", interaction.Message{Content: "x"})
	if err != nil {
		t.Fatal(err)
	}
	edit := func(ctx context.Context) error {
		return client.EditMessage(ctx, channel.ID, id, interaction.Message{Content: "y"})
	}
	var working sync.WaitGroup
	for range 8 {
		working.Go(func() {
			if err := rest.Retry(t.Context(), rest.Retries{}, edit); err != nil {
				t.Error(err)
			}
		})
	}
	working.Wait()
	refused := 0
	for _, c := range discord.Calls() {
		if c.Status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused > 3 {
		t.Errorf("Discord refused %d of 8 requests, some of them again", refused)
	}

	// Whoever comes while others wait is not sent, and waits longer than they do; not so elsewhere, for something
	// else, or for a limit of old messages alone.
	limit := func(code string) {
		discord.Inject(discordtest.Fault{
			Method: "PATCH", Route: discordtest.RouteMessage, Times: 1, Status: http.StatusTooManyRequests,
			Body: `{"message": "You are being rate limited.", "retry_after": 240` + code + `}`,
		})
		if err := edit(t.Context()); !rest.IsLimited(err) {
			t.Fatalf("not refused: %v", err)
		}
	}
	limit(fmt.Sprintf(`, "code": %d`, rest.CodeOldMessageEdits))
	limit("")
	before := len(discord.Calls())
	var last time.Time
	for range 3 {
		from := time.Now()
		wait := rest.RetryAfter(edit(t.Context()))
		if wait < 2*time.Minute || time.Now().Add(wait).Sub(last) < 990*time.Millisecond {
			t.Errorf("it is to come after %v, %v after the one before", wait, from.Add(wait).Sub(last))
		}
		last = from.Add(wait)
	}
	if n := len(discord.Calls()) - before; n > 0 {
		t.Errorf("%d were sent", n)
	}
	for name, send := range map[string]func() error{
		"elsewhere": func() error {
			return client.EditMessage(t.Context(), another.ID, elsewhere, interaction.Message{Content: "y"})
		},
		"a new message": func() error {
			_, err := client.CreateMessage(t.Context(), channel.ID, "three", interaction.Message{Content: "x"})
			return err
		},
	} {
		if err := send(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A limit that others share does not count, whatever its answer is.
func TestSharedLimitsAreNotInvalid(t *testing.T) {
	discord, client := clientOf(t)
	fault := discordtest.RateLimited("GET", "", time.Second, false)
	fault.Header.Set("X-RateLimit-Scope", "shared")
	fault.Times = 1
	discord.Inject(fault)
	if err := me(t.Context(), client); err == nil {
		t.Fatal("not refused")
	}
	if err := me(t.Context(), client); err != nil {
		t.Errorf("one route's limit held back another: %v", err)
	}
	if answered, invalid := client.Invalid(); answered != 2 || invalid != 0 {
		t.Errorf("%d of %d requests are counted as invalid", invalid, answered)
	}
}
