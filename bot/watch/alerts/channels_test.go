package alerts_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/leader"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/panel"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi/redistest"
)

// postings is a channel with panels of anna's, beside which alerts are posted.
type postings struct {
	t       *testing.T
	url     string // of Redis
	discord *discordtest.Server
	anna    *discordtest.User
	channel *discordtest.Channel

	mu     sync.Mutex
	panels []panel.Panel
}

// newPostings makes a panel of shop and radio, and one of all bots beside which nothing is posted.
func newPostings(t *testing.T, url string) *postings {
	t.Helper()
	discord := discordtest.RunT(t)
	s := &postings{t: t, url: url, discord: discord, anna: discord.User("anna"), channel: discord.AddChannel("status")}
	s.panels = []panel.Panel{
		{ID: "1001", OwnerID: s.anna.ID, ChannelID: s.channel.ID, Bots: []string{"shop", "radio"}},
		{ID: "1002", OwnerID: s.anna.ID, ChannelID: s.channel.ID, All: true},
	}
	return s
}

func (s *postings) Of(context.Context, string) ([]panel.Panel, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.panels), nil
}

func (s *postings) Get(_ context.Context, customerID, id string) (*panel.Panel, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.panels, func(p panel.Panel) bool { return p.ID == id && p.OwnerID == customerID })
	if i < 0 {
		return nil, nil
	}
	p := s.panels[i]
	return &p, nil
}

// replica starts a replica.
func (s *postings) replica(change func(*setup)) (n *alerts.Channels, a *alerts.Alerts, kill func()) {
	s.t.Helper()
	a, kill = start(s.t, s.discord, s.url, &watched{}, func(c *setup) {
		c.begin = func(leading *leader.Leader, dms *notify.Notifier) {
			config := alerts.Config{Redis: c.Redis, DMs: dms, Notify: alerts.DefaultNotify, Held: c.Held, Log: zerolog.Nop()}
			n = alerts.NewChannels(config, s, func(a alerts.Alert, p panel.Panel, said alerts.Channel) interaction.Message {
				m := draw(a)
				if said.RoleID != "" {
					m.Pings = "<@&" + said.RoleID + ">"
				}
				m.Content = m.Pings + " " + p.ID
				return m
			})
			leading.Add(n.Work())
		}
		if change != nil {
			change(c)
		}
	})
	return n, a, kill
}

// begins has alerts posted beside a panel of the shop and the radio.
func (s *postings) begins(n *alerts.Channels, panelID, roleID string) {
	s.t.Helper()
	if _, err := n.Begin(s.t.Context(), panel.Panel{ID: panelID, OwnerID: s.anna.ID}, func(c *alerts.Channel) { c.RoleID = roleID }); err != nil {
		s.t.Fatal(err)
	}
}

// tell shows a poll of anna's bots.
func (s *postings) tell(n *alerts.Channels, changes ...watcher.Change) {
	s.t.Helper()
	if err := n.Observe(s.t.Context(), watcher.Poll{CustomerID: s.anna.ID, Changes: changes}); err != nil {
		s.t.Fatal(err)
	}
}

// idle waits until nothing is to be posted.
func (s *postings) idle(n *alerts.Channels) {
	s.t.Helper()
	eventually(s.t, func() bool { status, err := n.Status(s.t.Context()); return err == nil && status.Waiting == 0 })
}

// want fails where other alerts are in the channel.
func (s *postings) want(want ...string) {
	s.t.Helper()
	var got []string
	for _, m := range s.channel.Messages() {
		got = append(got, m.Content+": "+m.Embeds[0].Description)
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("the channel has %q, want %q", got, want)
	}
}

// TestChannelReadsOfFallsAndRecoveries of a panel's bots alone, with the mention of a role, until that is ended or the
// panel is removed. Each of two panels has its own messages.
func TestChannelReadsOfFallsAndRecoveries(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := newPostings(t, url)
		n, _, _ := s.replica(nil)
		now, client := time.Now().Truncate(time.Second), redistest.Connect(t, url)
		s.begins(n, "1001", "77")
		s.tell(n, fell(s.anna, "shop", now), fell(s.anna, "quiz", now))
		if m := s.channel.WaitFor(t, "shop c fell"); !slices.Equal(m.Pings, []string{"<@&77>"}) {
			t.Errorf("it pings %q", m.Pings)
		}
		s.idle(n)
		s.want("<@&77> 1001: shop c fell 1 times, ran 1h0m0s")
		s.tell(n, back(s.anna, "shop", now.Add(time.Minute)))
		if m := s.channel.WaitFor(t, "back after 1m0s"); len(m.Pings) > 0 {
			t.Errorf("a short fall that is over pings %q", m.Pings)
		}
		s.idle(n)
		s.want("<@&77> 1001: shop c fell 1 times, back after 1m0s, ran 1h0m0s")
		if users, err := n.Users(t.Context()); err != nil || users != 1 {
			t.Errorf("%d channels (%v)", users, err)
		}

		s.begins(n, "1002", "")
		s.tell(n, fell(s.anna, "radio", now.Add(time.Hour)))
		s.idle(n)
		if got := s.channel.Messages(); len(got) != 3 {
			t.Errorf("%d messages are in the channel", len(got))
		}
		if err := n.End(t.Context(), "1002"); err != nil {
			t.Fatal(err)
		}
		s.mu.Lock()
		s.panels = nil // removed, but Redis failed before End
		s.mu.Unlock()
		if err := n.Redraw(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.idle(n)
		keys, err := redistest.Keys(t.Context(), client, "*{channel*}:record:*")
		if err != nil || len(keys) > 0 {
			t.Errorf("Redis keeps %q (%v)", keys, err)
		}
	})
}

// TestChannelIsToldOnceThoughTheLeaderDies while Discord has its message and has not answered.
func TestChannelIsToldOnceThoughTheLeaderDies(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := newPostings(t, url)
		s.discord.ExpectFailures()
		one, _, kill := s.replica(func(c *setup) { c.Timing.Work = time.Hour })
		now := time.Now().Truncate(time.Second)
		s.begins(one, "1001", "77")
		remove := s.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, After: true, Hang: true, Times: 1})
		s.tell(one, fell(s.anna, "shop", now), fell(s.anna, "radio", now))
		s.channel.WaitFor(t, "shop c fell")
		kill()
		remove()
		endLease(t, url)
		other, a, _ := s.replica(nil)
		hastenAll(t, a.Redis(), other.Work().Due) // as that hour passes
		s.tell(other, fell(s.anna, "shop", now))  // once more, as its poll may not have been saved
		s.idle(other)
		s.want("<@&77> 1001: shop c fell 1 times, ran 1h0m0s; radio c fell 1 times, ran 1h0m0s")
		s.tell(other, back(s.anna, "shop", now.Add(time.Hour)), back(s.anna, "radio", now.Add(time.Hour)))
		s.channel.WaitFor(t, "shop c fell 1 times, back after 1h0m0s")
		s.idle(other)
		if n := len(s.channel.Messages()); n != 1 {
			t.Errorf("%d messages are in the channel", n)
		}
	})
}

// TestOwnerOfAPanelReadsWhatIsInTheWay where Discord refuses a message in the channel. Looking tries it once more.
// Direct messages go on.
func TestOwnerOfAPanelReadsWhatIsInTheWay(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		s := newPostings(t, url)
		s.discord.ExpectFailures()
		n, a, _ := s.replica(func(c *setup) { c.Timing.Refused = time.Hour })
		now := time.Now().Truncate(time.Second)
		turnOn(t, a, s.anna)
		s.begins(n, "1001", "")
		trouble := func() int {
			said, err := n.Of(t.Context(), "1001")
			if err != nil || said == nil {
				t.Fatalf("%+v (%v)", said, err)
			}
			return said.Trouble
		}
		s.channel.Allow(discordtest.MissingPermissions)
		s.tell(n, fell(s.anna, "shop", now))
		eventually(t, func() bool { return trouble() == rest.CodeMissingPermissions })
		tell(t, a, fell(s.anna, "shop", now))
		s.anna.InDM().Sees(t, "shop c fell")
		s.channel.Allow(discordtest.FullAccess)
		trouble()
		s.channel.WaitFor(t, "shop c fell")
		eventually(t, func() bool { return trouble() == 0 })
		s.idle(n)

		s.discord.ForgetCalls()
		s.discord.Inject(refusing(http.StatusBadRequest, rest.CodeBlockedMessage))
		s.tell(n, fell(s.anna, "radio", now.Add(time.Hour)))
		eventually(t, func() bool {
			status, err := n.Status(t.Context())
			return err == nil && status.Waiting == 0 && calls(s.discord, http.MethodPost, discordtest.RouteMessages) > 0
		})
		if tries := calls(s.discord, http.MethodPost, discordtest.RouteMessages); tries != 1 || trouble() != rest.CodeBlockedMessage {
			t.Errorf("a filter refuses it %d times", tries)
		}
		if p, err := a.DMs().Pause(t.Context()); err != nil || p.Is() {
			t.Errorf("direct messages wait: %+v (%v)", p, err)
		}
	})
}
