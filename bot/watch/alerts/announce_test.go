package alerts_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/leader"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/alerts"
	"hostbot/bot/watch/announce"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
)

// company is a scene in which staff announce a notice, and owner 42 has alerts as told has them.
type company struct {
	*scene
	mu     sync.Mutex
	notice outages.Notice
	told   alerts.Settings
	asked  int // how often that was asked for
	a      *announce.Announcements
}

func newCompany(t *testing.T) *company {
	t.Helper()
	c := &company{scene: newScene(t), told: alerts.Settings{All: true}}
	c.notice = outages.Notice{ID: "5", Text: "We replace a switch", From: time.Now(), Announce: true}
	c.a = announce.New(announce.Config{
		DMs: c.dms, Discord: c.scene, Notices: c, Alerts: c, Panels: c, Following: c.f, Interval: func() time.Duration { return time.Minute }, Draw: drawNotice,
	})
	if _, err := c.dms.Reach(t.Context(), "alerts", notify.Recipient{UserID: "42", Greeting: "hello"}); err != nil {
		t.Fatal(err)
	}
	return c
}

// drawNotice says what a message tells, and of which bots.
func drawNotice(m announce.Message) interaction.Message {
	text := m.Notice.Text
	if m.Over {
		text += " is over"
	}
	for _, b := range m.Bots {
		text += ", " + b.Name
	}
	return interaction.Message{Content: text, Embeds: []*discordgo.MessageEmbed{{Description: "A notice", Timestamp: m.At.Format(time.RFC3339Nano)}}}
}

func (c *company) Notices() []outages.Notice {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc([]outages.Notice{c.notice}, func(n outages.Notice) bool { return n.Over(time.Now()) })
}

func (c *company) Notice(_ context.Context, id string) (*outages.Notice, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.notice
	if id != n.ID {
		return nil, nil
	}
	return &n, nil
}

func (c *company) Settings(context.Context, string) (alerts.Settings, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	return c.told, nil
}

// polls has a poll of owner 42 be seen, who has three bots.
func (c *company) polls() {
	c.t.Helper()
	var list hostapi.List
	for _, id := range []string{"a", "b", "c"} {
		list.Servers = append(list.Servers, hostapi.Server{ID: id, Name: "Bot " + id})
	}
	if err := c.a.Observe(c.t.Context(), watcher.Poll{CustomerID: "42", List: list}); err != nil {
		c.t.Fatal(err)
	}
}

// tells has the leader send what is due by what the last poll showed, and checks what somebody was sent in all.
func (c *company) tells(userID string, want ...string) {
	c.t.Helper()
	c.polls()
	c.does(c.a.Work())
	c.has(userID, want...)
}

// ends has staff end the notice.
func (c *company) ends() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notice.Until = time.Now()
}

// TestNoticeIsToldAsItBeginsAndAsItEnds to an owner, who follows the panel as well, and to a follower, who knows of fewer bots: with the
// text that it has then, and never again.
func TestNoticeIsToldAsItBeginsAndAsItEnds(t *testing.T) {
	c := newCompany(t)
	c.follow("1")
	c.follow("42")
	c.tells("42", "We replace a switch, Bot a, Bot b, Bot c")
	asked := c.asked
	c.notice.Text = "It takes longer"
	c.tells("42", "We replace a switch, Bot a, Bot b, Bot c")
	c.tells("1", "We replace a switch, Bot a, Bot b")
	if c.asked != asked {
		t.Errorf("who is to be told is asked for with each poll")
	}
	c.ends()
	for range 2 {
		c.tells("42", "We replace a switch, Bot a, Bot b, Bot c", "It takes longer is over, Bot a, Bot b, Bot c")
		c.tells("1", "We replace a switch, Bot a, Bot b", "It takes longer is over, Bot a, Bot b")
	}
	if known, err := c.a.Forget(t.Context(), "1"); known || err != nil {
		t.Errorf("the follower is kept: %v", err)
	}
	if known, err := c.a.Forget(t.Context(), "42"); !known || err != nil {
		t.Errorf("that the account was looked at is not kept: %v", err)
	}
}

// TestNoticeIsToldInItsTime, which staff bring forward and the owner's quiet hours put off.
func TestNoticeIsToldInItsTime(t *testing.T) {
	c := newCompany(t)
	begun := []string{"We replace a switch, Bot a, Bot b, Bot c"}
	c.notice.From = time.Now().Add(2 * time.Hour)
	c.tells("42")
	if n := c.redis.ZCard(t.Context(), c.a.Work().Due).Val(); n != 0 {
		t.Errorf("%d people wait for hours", n)
	}
	c.notice.From = time.Now().Add(30 * time.Minute)
	c.tells("42")
	c.notice.From = time.Now()
	now := time.Now().UTC()
	c.told.Quiet = alerts.QuietHours{From: (now.Hour()*60 + 22*60) % (24 * 60), To: (now.Hour()*60 + 2*60) % (24 * 60), Zone: "UTC"}
	c.tells("42")
	c.told.Quiet = alerts.QuietHours{}
	c.tells("42", begun...)
	c.notice.Until = time.Now().Add(time.Hour)
	c.tells("42", begun...)
	c.ends()
	c.tells("42", append(begun, "We replace a switch is over, Bot a, Bot b, Bot c")...)
}

// TestWhoIsToldOfNoNotice: each of them reads nothing of its end either.
func TestWhoIsToldOfNoNotice(t *testing.T) {
	for name, change := range map[string]func(c *company) (later func()){
		"of whom no bot is concerned":      func(c *company) func() { c.notice.Prefix = "z"; return nil },
		"who has no alerts":                func(c *company) func() { c.told = alerts.Settings{Bots: map[string]bool{"a": false}}; return nil },
		"as staff do not announce it":      func(c *company) func() { c.notice.Announce = false; return nil },
		"who turns alerts off":             func(c *company) func() { return func() { c.told = alerts.Settings{} } },
		"as staff announce it no more":     func(c *company) func() { return func() { c.notice.Announce = false } },
		"as it is about other bots by now": func(c *company) func() { return func() { c.notice.Prefix = "z" } },
		"before it is over":                func(c *company) func() { return func() { c.ends() } },
		"as staff's record of it is gone":  func(c *company) func() { return func() { c.notice.ID = "6"; c.notice.Announce = false } },
		"who takes no messages": func(c *company) func() {
			return func() { c.refusal = &rest.Error{Status: 403, Code: rest.CodeCannotMessageUser} }
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCompany(t)
			if later := change(c); later != nil {
				c.polls()
				later()
			}
			c.tells("42")
			c.ends()
			c.refusal = nil
			c.tells("42")
		})
	}
	c := newCompany(t)
	c.follow("1")
	c.polls()
	if err := c.f.Unfollow(t.Context(), "1", "7"); err != nil {
		t.Fatal(err)
	}
	c.tells("1")
}

// TestLostAnswerTellsOfANoticeOnce, and of its end, which comes before the first message is found.
func TestLostAnswerTellsOfANoticeOnce(t *testing.T) {
	c := newCompany(t)
	c.lost = &rest.Error{Status: 502, Uncertain: true}
	c.tells("42", "We replace a switch, Bot a, Bot b, Bot c")
	c.ends()
	c.tells("42", "We replace a switch, Bot a, Bot b, Bot c", "We replace a switch is over, Bot a, Bot b, Bot c")
}

// unanswered is a Discord that takes messages and answers none as long as the process lives.
type unanswered struct {
	notify.Discord
	posted chan struct{}
}

func (u *unanswered) CreateMessage(ctx context.Context, channelID, nonce string, m interaction.Message) (string, error) {
	_, _ = u.Discord.CreateMessage(ctx, channelID, nonce, m)
	select {
	case u.posted <- struct{}{}:
	case <-ctx.Done():
	}
	<-ctx.Done()
	return "", &rest.Error{Message: ctx.Err().Error(), Uncertain: true}
}

// TestAlertsComeBeforeAnnouncements has many people wait for a message while Discord does not answer the first ones, and the leader be
// killed then: an alert is sent meanwhile, and the next leader sends what is left, once.
func TestAlertsComeBeforeAnnouncements(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, c := discordtest.RunT(t), &company{told: alerts.Settings{All: true}}
		c.notice = outages.Notice{ID: "5", Text: "We replace a switch", From: time.Now(), Announce: true}
		lead := func(change func(notify.Discord) notify.Discord) (a *alerts.Alerts, kill func()) {
			return start(t, discord, url, &watched{}, func(s *setup) {
				s.begin = func(l *leader.Leader, dms *notify.Notifier) {
					c.a = announce.New(announce.Config{
						DMs: dms, Discord: change(s.Discord), Notices: c, Alerts: c, Panels: &scene{}, Interval: func() time.Duration { return 50 * time.Millisecond }, Draw: drawNotice,
					})
					l.Add(c.a.Work())
				}
			})
		}
		stuck := &unanswered{posted: make(chan struct{})}
		a, kill := lead(func(d notify.Discord) notify.Discord { stuck.Discord = d; return stuck })
		var people []*discordtest.User
		for i := range 20 {
			u := discord.User(fmt.Sprint("user", i))
			people = append(people, u)
			turnOn(t, a, u)
			poll := watcher.Poll{CustomerID: u.ID, List: hostapi.List{Servers: []hostapi.Server{{ID: "shop", Name: "Shop"}}}}
			if err := c.a.Observe(t.Context(), poll); err != nil {
				t.Fatal(err)
			}
		}
		<-stuck.posted
		<-stuck.posted
		tell(t, a, fell(people[19], "shop", time.Now()))
		people[19].InDM().Sees(t, "shop c fell")
		kill()
		endLease(t, url)
		lead(func(d notify.Discord) notify.Discord { return d })
		for _, u := range people {
			u.InDM().Sees(t, "We replace a switch, Shop")
		}
		c.ends()
		for _, u := range people {
			u.InDM().Sees(t, "We replace a switch is over, Shop")
		}
		eventually(t, func() bool { s, err := c.a.Status(t.Context()); return err == nil && s.Waiting == 0 })
		for _, u := range people {
			if begins, ends := said(u, "We replace a switch, Shop"), said(u, "We replace a switch is over"); begins != 1 || ends != 1 {
				t.Errorf("%s is told %d times that it begins, and %d times that it is over", u.Name, begins, ends)
			}
		}
	})
}

// said returns how many messages in a DM have a text.
func said(u *discordtest.User, text string) (n int) {
	for _, m := range u.InDM().Messages() {
		n += strings.Count(m.Text(), text)
	}
	return n
}
