package alerts_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/leader"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/patience"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
	"hostbot/hostapi/redistest"
	"hostbot/hostapi/secret"
)

func TestMain(m *testing.M) {
	// Tests wait for most of the time, so many run at once.
	if err := flag.Set("test.parallel", "16"); err != nil {
		log.Fatal(err)
	}
	goleak.VerifyTestMain(m, redistest.Dialing())
}

// each runs a test on each kind of Redis, beside others.
func each(t *testing.T, run func(t *testing.T, url string)) {
	t.Helper()
	t.Parallel()
	redistest.Each(t, run)
}

// watched are the accounts for which alerts are on.
type watched struct {
	sync.Map
	off        bool                  // nothing is watched
	watching   func(context.Context) // is called after an account is
	unwatching func(context.Context) // is called before an account is no more
}

func (w *watched) On() bool { return !w.off }

func (w *watched) Watch(ctx context.Context, customerID string, _ watcher.Reason) error {
	w.Store(customerID, true)
	if w.watching != nil {
		w.watching(ctx)
	}
	return nil
}

func (w *watched) Unwatch(ctx context.Context, customerID string, _ watcher.Reason) error {
	if w.unwatching != nil {
		w.unwatching(ctx)
	}
	w.Delete(customerID)
	return nil
}

// setup is of what alerts are made in a test.
type setup struct {
	notify.Config
	Notify   time.Duration // see alerts.Config
	Restarts *alerts.Restarts
	Held     func(serverID, name string) time.Duration
	begin    func(*leader.Leader, *notify.Notifier)
}

// start starts alerts, changed as a test needs them. kill ends them as a signal would that they cannot
// catch.
func start(t *testing.T, discord *discordtest.Server, url string, w *watched, change func(*setup)) (a *alerts.Alerts, kill func()) {
	t.Helper()
	client := redistest.Connect(t, url)
	to := rest.New(secret.Text(discord.Token()), discord.URL())
	leading := leader.New(leader.Config{Redis: client, Name: "replica", Log: zerolog.Nop(), Timing: leader.Timing{
		Lease: 2 * time.Second, Renew: 20 * time.Millisecond, Read: 20 * time.Millisecond, Window: time.Second, Retry: 50 * time.Millisecond,
	}})
	s := setup{
		Notify: alerts.DefaultNotify,
		Held:   func(string, string) time.Duration { return 0 },
		Config: notify.Config{
			Redis: client, Discord: to, Wake: leading.Wake, OnPause: func(notify.Pause, error) {}, OnBudget: func() {}, Log: zerolog.Nop(),
			Timing: notify.Timing{
				Work: 2 * time.Second, Retry: 50 * time.Millisecond, Pause: 50 * time.Millisecond, LongPause: 100 * time.Millisecond,
				Refused: time.Millisecond, Window: time.Millisecond, Opening: time.Millisecond,
			},
		},
	}
	if change != nil {
		change(&s)
	}
	dms := notify.New(s.Config)
	a = alerts.New(alerts.Config{Redis: client, DMs: dms, Watching: w, Draw: draw, Restarts: s.Restarts, Notify: s.Notify, Held: s.Held, Log: zerolog.Nop()})
	if s.Restarts != nil {
		leading.Add(s.Restarts.Work())
	}
	leading.Add(dms.Work())
	leading.Add(a.Work())
	if s.begin != nil {
		s.begin(leading, dms)
	}
	end := patience.Run(leading.Run)
	kill = func() {
		_ = client.Close()
		end()
		to.Close()
	}
	t.Cleanup(kill)
	return a, kill
}

// draw says what an alert holds: a text for each bot.
func draw(a alerts.Alert) interaction.Message {
	var texts []string
	for _, o := range a.Bots {
		text := fmt.Sprintf("%s %c fell %d times", o.Name, o.State, o.Count)
		if !o.RecoveredAt.IsZero() {
			text += fmt.Sprintf(", back after %v", o.RecoveredAt.Sub(o.DownAt))
		}
		if o.Uptime > 0 {
			text += fmt.Sprintf(", ran %v", o.Uptime)
		}
		if o.AtLeast {
			text += " or longer"
		}
		if o.Keeps() {
			text += ", keeps falling"
		}
		if o.Mended() {
			text += fmt.Sprintf(", restarted %d times", o.Restarts)
		}
		if o.StaysDown {
			text += ", stays down"
		}
		texts = append(texts, text)
	}
	text := strings.Join(texts, "; ")
	text = text[:min(len(text), 4000)] // of 4,096
	return interaction.Message{Embeds: []*discordgo.MessageEmbed{{Description: text, Timestamp: a.Mark().Format(time.RFC3339Nano)}}}
}

func turnOn(t *testing.T, a *alerts.Alerts, u *discordtest.User) {
	t.Helper()
	if _, _, err := a.TurnOn(t.Context(), as(u), func(s *alerts.Settings) { s.SetAll(true) }); err != nil {
		t.Fatal(err)
	}
}

// as is a user who turns alerts on.
func as(u *discordtest.User) notify.Recipient {
	return notify.Recipient{UserID: u.ID, Locale: "de", Greeting: "hello"}
}

// fell is a bot's fall, and back its recovery.
func fell(u *discordtest.User, server string, at time.Time) watcher.Change {
	return watcher.Change{CustomerID: u.ID, ServerID: server, Name: server, From: hostapi.StateRunning, To: hostapi.StateCrashed, Since: at.Add(-time.Hour), At: at, Unexpected: true}
}

func back(u *discordtest.User, server string, at time.Time) watcher.Change {
	return watcher.Change{CustomerID: u.ID, ServerID: server, Name: server, From: hostapi.StateCrashed, To: hostapi.StateRunning, At: at}
}

// tell shows alerts a poll of each customer with changes.
func tell(t *testing.T, a *alerts.Alerts, changes ...watcher.Change) {
	t.Helper()
	if err := observe(t.Context(), a, changes); err != nil {
		t.Fatal(err)
	}
}

func observe(ctx context.Context, a *alerts.Alerts, changes []watcher.Change) (err error) {
	of := make(map[string][]watcher.Change)
	for _, c := range changes {
		of[c.CustomerID] = append(of[c.CustomerID], c)
	}
	for customerID, own := range of {
		err = errors.Join(err, a.Observe(ctx, watcher.Poll{CustomerID: customerID, Changes: own}))
	}
	return err
}

// calls counts calls by method and route.
func calls(discord *discordtest.Server, method, route string) (n int) {
	for _, c := range discord.Calls() {
		if c.Method == method && c.Route == route {
			n++
		}
	}
	return n
}

// refusing is a fault that refuses each message with a status and a code.
func refusing(status, code int) discordtest.Fault {
	return discordtest.Fault{
		Method: http.MethodPost, Route: discordtest.RouteMessages, Status: status,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: fmt.Sprintf(`{"code": %d, "message": "no"}`, code),
	}
}

// crashes is of how many customers a bot falls at once.
const crashes = 100

// eventually waits until something is so.
func eventually(t *testing.T, yes func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for limit := time.After(2 * time.Minute); !yes(); {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("it does not come to be so")
		}
	}
}

// awaitCall waits for a call of a message that is answered with a status, and returns it.
func awaitCall(t *testing.T, discord *discordtest.Server, method string, status int) discordtest.Call {
	t.Helper()
	limit, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	call, err := discord.WaitCall(limit, func(c discordtest.Call) bool { return c.Method == method && c.Status == status })
	if err != nil {
		t.Fatal(err)
	}
	return call
}

// hasten lets the time pass for which alerts wait.
func hasten(t *testing.T, client redis.UniversalClient, a *alerts.Alerts) {
	t.Helper()
	hastenAll(t, client, a.Work().Due)
}

// hastenAll makes due what waits in a sorted set.
func hastenAll(t *testing.T, client redis.UniversalClient, due string) {
	t.Helper()
	for _, id := range client.ZRange(t.Context(), due, 0, -1).Val() {
		if err := client.ZAddXX(t.Context(), due, redis.Z{Member: id}).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// endLease lets the lease be over of a process that was killed as it led.
func endLease(t *testing.T, url string) {
	t.Helper()
	if err := redistest.Connect(t, url).Del(t.Context(), "hostbot:{leader}:lease").Err(); err != nil {
		t.Fatal(err)
	}
}

// wantAlerts fails where a user's DM holds other alerts than these.
func wantAlerts(t *testing.T, u *discordtest.User, want ...string) {
	t.Helper()
	var got []string
	for _, m := range u.InDM().Messages() {
		if len(m.Embeds) > 0 {
			got = append(got, m.Embeds[0].Description)
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s reads %q, want %q", u.Name, got, want)
	}
}

func TestWhoIsTold(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna, ben, now := discord.User("anna"), discord.User("ben"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		if _, err := a.TurnOff(t.Context(), anna.ID, func(s *alerts.Settings) { s.Set("off", false) }); err != nil {
			t.Fatal(err)
		}
		if err := a.Mute(t.Context(), anna.ID, "muted", now.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		asked := fell(anna, "asked", now)
		asked.Unexpected = false
		tell(t, a, fell(ben, "shop", now), fell(anna, "off", now), fell(anna, "muted", now), asked, back(anna, "never", now), fell(anna, "on", now))
		anna.InDM().Sees(t, "on c fell")
		eventually(t, func() bool { s, err := a.Status(t.Context()); return err == nil && s.Waiting == 0 })
		wantAlerts(t, anna, "on c fell 1 times, ran 1h0m0s")
		tell(t, a, fell(anna, "muted", now.Add(2*time.Hour)))
		anna.InDM().Sees(t, "muted c fell")
		wantAlerts(t, anna, "on c fell 1 times, ran 1h0m0s", "muted c fell 1 times, ran 1h0m0s")
		wantAlerts(t, ben)
	})
}

func TestGlobalLimitHoldsAllUp(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		var client *rest.Client
		a, _ := start(t, discord, url, &watched{}, func(c *setup) { client = c.Discord.(*rest.Client) })
		anna, ben := discord.User("anna"), discord.User("ben")
		turnOn(t, a, anna)
		turnOn(t, a, ben)
		const pause = time.Second
		fault := discordtest.RateLimited(http.MethodPost, discordtest.RouteMessages, pause, true)
		fault.Times = 1
		discord.Inject(fault)
		tell(t, a, fell(anna, "shop", time.Now()))
		limited := awaitCall(t, discord, http.MethodPost, http.StatusTooManyRequests)
		until := limited.Started.Add(limited.Duration + pause)
		eventually(t, func() bool { return !client.PausedUntil().IsZero() }) // the client has read the answer
		tell(t, a, fell(ben, "radio", time.Now()))
		ben.InDM().Sees(t, "radio c fell")
		anna.InDM().Sees(t, "shop c fell")
		for _, c := range discord.Calls() {
			if c.Method == http.MethodPost && c.Route == discordtest.RouteMessages && c.Status == http.StatusOK &&
				strings.Contains(string(c.Request), "c fell") && c.Started.Before(until) {
				t.Errorf("an alert was sent %v before Discord takes requests again", until.Sub(c.Started))
			}
		}
	})
}

func TestOnlyTheChannelIsLeftWhereAlertsAreOff(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, w := discordtest.RunT(t), &watched{}
		a, _ := start(t, discord, url, w, nil)
		anna := discord.User("anna")
		turnOn(t, a, anna)
		tell(t, a, fell(anna, "shop", time.Now()))
		anna.InDM().Sees(t, "shop")
		if _, watching := w.Load(anna.ID); !watching {
			t.Error("the account is not watched")
		}
		if _, err := a.TurnOff(t.Context(), anna.ID, func(s *alerts.Settings) { s.SetAll(false) }); err != nil {
			t.Fatal(err)
		}
		if _, watching := w.Load(anna.ID); watching {
			t.Error("the account is still watched")
		}
		wantContactAlone(t, url, anna)
	})
}

// hurried is a clock that is ten times as fast as the machine's.
type hurried struct{ began time.Time }

func (c hurried) Now() time.Time { return c.began.Add(10 * time.Since(c.began)) }

func (c hurried) AfterFunc(d time.Duration, f func()) func() bool {
	return time.AfterFunc(d/10, f).Stop
}

// fleet is Discord by way of several clients, which take turns. One alone would send forty requests a
// second, however many Discord takes.
type fleet struct {
	clients []*rest.Client
	turn    atomic.Uint32
}

func newFleet(t *testing.T, discord *discordtest.Server) *fleet {
	t.Helper()
	f := &fleet{}
	for range 10 {
		client := rest.New(secret.Text(discord.Token()), discord.URL())
		t.Cleanup(client.Close)
		f.clients = append(f.clients, client)
	}
	return f
}

func (f *fleet) next() *rest.Client { return f.clients[int(f.turn.Add(1))%len(f.clients)] }

func (f *fleet) OpenDM(ctx context.Context, userID string) (string, error) {
	return f.next().OpenDM(ctx, userID)
}

func (f *fleet) CreateMessage(ctx context.Context, channelID, nonce string, m interaction.Message) (string, error) {
	return f.next().CreateMessage(ctx, channelID, nonce, m)
}

func (f *fleet) EditMessage(ctx context.Context, channelID, id string, m interaction.Message) error {
	return f.next().EditMessage(ctx, channelID, id, m)
}

func (f *fleet) DeleteMessage(ctx context.Context, channelID, id string) error {
	return f.next().DeleteMessage(ctx, channelID, id)
}

func (f *fleet) LatestMessages(ctx context.Context, channelID string, n int) ([]rest.Posted, error) {
	return f.next().LatestMessages(ctx, channelID, n)
}

// TestManyCrashesAtOnce has Discord fail in each way while alerts are sent, with its
// limits on, and a process die. Discord's seconds are short, or it would take minutes.
func TestManyCrashesAtOnce(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		limit, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		discord := discordtest.RunT(t, discordtest.Config{Clock: hurried{time.Now()}})
		discord.ExpectFailures()
		w := &watched{}
		clients := newFleet(t, discord)
		fast := func(c *setup) { c.Discord = clients }
		first, kill := start(t, discord, url, w, fast)
		second, _ := start(t, discord, url, w, fast)
		var changes []watcher.Change
		var people []*discordtest.User
		now := time.Now().Truncate(time.Second)
		for i := range crashes {
			u := discord.User(fmt.Sprintf("c%d", i))
			known := as(u)
			known.DM = u.InDM().ChannelID() // so that nothing is opened or sent yet
			if _, _, err := first.TurnOn(limit, known, func(s *alerts.Settings) { s.SetAll(true) }); err != nil {
				t.Fatal(err)
			}
			people, changes = append(people, u), append(changes, fell(u, "shop", now))
		}
		for _, fault := range []discordtest.Fault{
			{After: true, Status: http.StatusBadGateway, Body: "{}"}, // it is there all the same
			{Reset: true},
			discordtest.RateLimited(http.MethodPost, discordtest.RouteMessages, 100*time.Millisecond, false),
		} {
			fault.Method, fault.Route = http.MethodPost, discordtest.RouteMessages
			fault.Times = crashes / 16
			discord.Inject(fault)
		}
		// The watcher tells again what was not taken, be it that Redis is slow.
		eventually(t, func() bool { return observe(limit, first, changes) == nil })
		people[crashes/2].InDM().Sees(t, "shop c fell")
		kill()
		endLease(t, url)
		hasten(t, redistest.Connect(t, url), second)                                 // what the other one was at
		eventually(t, func() bool { return observe(limit, second, changes) == nil }) // and what one that died took
		for _, u := range people {
			if _, err := u.InDM().Await(limit, func(v discordtest.View) bool { return v.Contains("shop c fell 1 times") }); err != nil {
				t.Fatal(err)
			}
			wantAlerts(t, u, "shop c fell 1 times, ran 1h0m0s")
		}
		eventually(t, func() bool { // what Discord has is noted a moment later
			status, err := second.Status(limit)
			return err == nil && status.Sent == int64(crashes) && status.Waiting == 0
		})
	})
}

// TestTwoProcessesTurnAlertsOnOnce has both be told of one press, after Discord did not say
// that it has the message of the first.
func TestTwoProcessesTurnAlertsOnOnce(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord := discordtest.RunT(t)
		discord.ExpectFailures()
		first, _ := start(t, discord, url, &watched{}, nil)
		second, _ := start(t, discord, url, &watched{}, nil)
		anna := discord.User("anna")
		discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, Times: 1, After: true, Reset: true})
		var turning sync.WaitGroup
		for _, a := range []*alerts.Alerts{first, second, first} {
			turning.Go(func() {
				_, _, _ = a.TurnOn(t.Context(), as(anna), func(s *alerts.Settings) { s.Set("shop", true) })
			})
		}
		turning.Wait()
		if s, err := second.Settings(t.Context(), anna.ID); err != nil || !s.For("shop") || s.For("radio") {
			t.Errorf("the settings are %+v (%v)", s, err)
		}
		if n := len(anna.InDM().Messages()); n != 1 {
			t.Errorf("anna reads %d messages", n)
		}
	})
}
