package register_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/cenkalti/backoff/v5"
	"github.com/google/go-cmp/cmp"

	"hostbot/bot/discord/register"
	"hostbot/bot/testing/discordtest"
)

// Until what is wanted stands, customers keep what they had.
func TestNothingIsEmptiedBeforeItsReplacementStands(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.sync(t, in("", customers()))
	guild := s.discord.AddGuild()
	r := s.registrar()
	wanted := []register.Scope{in(guild, customers())}
	if err := r.Sync(t.Context(), wanted); err == nil {
		t.Error("no error, though the guild's list was refused")
	}
	if got := s.names(""); got != "bot plan" {
		t.Errorf("the global list has %q", got)
	}
	s.discord.Invite(guild)
	if err := r.Sync(t.Context(), wanted); err != nil {
		t.Fatal(err)
	}
	if global, there := s.names(""), s.names(guild); global != "" || there != "bot plan" {
		t.Errorf("the global list has %q, the guild's %q", global, there)
	}
}

// TestStaffsGuildThatIsOutOfReach: customers see no command twice.
func TestStaffsGuildThatIsOutOfReach(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	own, staffsGuild := s.discord.GuildID(), s.discord.AddGuild()
	s.sync(t, in(own, append(customers(), staffs()...)))
	r := s.registrar()
	if err := r.Sync(t.Context(), []register.Scope{in("", customers()), in(staffsGuild, staffs())}); err == nil {
		t.Error("no error, though the staff's list was refused")
	}
	if global, left := s.names(""), s.names(own); global != "bot plan" || left != "" {
		t.Errorf("the global list has %q, the former guild's %q", global, left)
	}
	invite := "https://discord.com/oauth2/authorize?client_id=" + s.discord.ApplicationID() + "&scope=bot+applications.commands&permissions=274877991936&guild_id=" + staffsGuild
	if told := s.staff.told; !slices.ContainsFunc(told, func(text string) bool {
		return strings.HasPrefix(text, "refused in "+staffsGuild+": ") && strings.Contains(text, "50001") && strings.HasSuffix(text, " "+invite)
	}) {
		t.Errorf("staff read %q, and not %s", told, invite)
	}
}

// The bot may have left a guild whose commands are no longer wanted.
func TestGuildThatTheBotLeft(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	guild := s.discord.AddGuild()
	s.discord.Invite(guild)
	s.sync(t, in("", customers()), in(guild, staffs()))
	s.discord.Kick(guild)
	s.sync(t, in("", customers()))
	if told := s.staff.told; slices.ContainsFunc(told, func(text string) bool { return strings.Contains(text, "refused") }) {
		t.Errorf("staff read %q", told)
	}
	s.discord.Invite(guild)
	s.sync(t, in("", customers()))
	if got := s.names(guild); got != "" {
		t.Errorf("the guild has %q", got)
	}
}

// TestListsOfGuildsAreKept by the leader whose version registered last: the bot is kicked from a guild and invited
// again.
func TestListsOfGuildsAreKept(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	guild := s.discord.AddGuild()
	s.discord.Invite(guild)
	leads := make(chan bool) // the answer whether it leads, which it asks for each time it may compare
	keep := func(wanted []register.Scope) (end func()) {
		ctx, cancel := context.WithCancel(t.Context())
		config, ended := s.config(), make(chan struct{})
		config.Timing.Compare = time.Millisecond
		config.Leading = func() bool {
			select {
			case leading := <-leads:
				return leading
			case <-ctx.Done():
				return false
			}
		}
		r := register.New(config)
		r.Run(ctx, wanted)
		go func() {
			defer close(ended)
			r.Keep(ctx, wanted)
		}()
		return func() { cancel(); <-ended }
	}
	ask := func(leading bool) { // and waits until what follows is over
		leads <- leading
		leads <- false
	}
	wanted := []register.Scope{in("", customers()), in(guild, staffs())}
	end := keep(wanted)
	s.discord.Kick(guild)
	ask(true)
	if told := s.staff.told; !slices.ContainsFunc(told, func(text string) bool { return strings.HasPrefix(text, "refused in "+guild) }) {
		t.Errorf("staff read %q", told)
	}
	s.discord.Invite(guild)
	ask(false)
	if got := s.names(guild); got != "" {
		t.Errorf("who does not lead has registered %q", got)
	}
	ask(true)
	if got := s.names(guild); got != "Hosted bots admin" {
		t.Errorf("the guild has %q", got)
	}
	newer := []register.Scope{in("", customers()), in(guild, staffs()[:1])}
	s.sync(t, newer...)
	before := len(s.discord.Calls())
	ask(true)
	if n := len(s.discord.Calls()) - before; n != 0 {
		t.Errorf("the older version makes %d requests", n)
	}
	end()
	end = keep(newer)
	before = len(s.discord.Calls())
	ask(true)
	if n := len(s.discord.Calls()) - before; n != 1 || s.names(guild) != "admin" {
		t.Errorf("the list that is as it is wanted costs %d requests", n)
	}
	end()
}

// Staff read a refusal once, and again when its reason is another one.
func TestRefusalIsToldOncePerReason(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	r := s.registrar()
	refuse := func(code string, times int) {
		t.Helper()
		body := `{"message": "No", "code": ` + code + `}`
		s.discord.Inject(discordtest.Fault{Method: http.MethodPut, Status: 400, Body: body, Times: times})
		for range times {
			if err := r.Sync(t.Context(), []register.Scope{in("", customers())}); err == nil {
				t.Error("no error")
			}
		}
	}
	refuse("1", 3)
	refuse("2", 2)
	if told := s.staff.told; len(told) != 2 || !strings.Contains(told[0], "code 1") || !strings.Contains(told[1], "code 2") {
		t.Errorf("staff read %q", told)
	}
	s.discord.Inject(discordtest.Fault{Method: http.MethodPut, Status: 503, Body: "upstream connect error", Times: 1})
	if err := r.Sync(t.Context(), []register.Scope{in("", customers())}); err == nil || len(s.staff.told) != 2 {
		t.Errorf("error %v; staff read %q of what passes by itself", err, s.staff.told)
	}
	if err := r.Sync(t.Context(), []register.Scope{in("", customers())}); err != nil {
		t.Error(err)
	}
}

func TestRetryWaitsAsLongAsDiscordSays(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.discord.Inject(discordtest.Fault{Method: http.MethodGet, Route: discordtest.RouteGuildCommands, Status: 503, Times: 1})
	limited := discordtest.RateLimited(http.MethodGet, discordtest.RouteCommands, time.Hour, false)
	limited.Times = 1
	s.discord.Inject(limited)
	err := s.registrar().Sync(t.Context(), []register.Scope{in(s.discord.GuildID(), staffs()), in("", customers())})
	var wait *backoff.RetryAfterError
	if !errors.As(err, &wait) || wait.Duration != 20*time.Millisecond { // the longest that the registrar waits
		t.Errorf("error %v", err)
	}
}

// Without Redis all wanted commands are registered; what it would have remembered
// is made up for when it is back.
func TestCommandsAreRegisteredWithoutRedis(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	guild := s.discord.AddGuild()
	s.discord.Invite(guild)
	s.sync(t, in(guild, customers()))
	s.redis.Stop()
	r := s.registrar()
	wanted := []register.Scope{in("", customers()), in(s.discord.GuildID(), staffs())}
	if err := r.Sync(t.Context(), wanted); err == nil {
		t.Error("no error, though earlier guilds are not known")
	}
	if global, staffs := s.names(""), s.names(s.discord.GuildID()); global != "bot plan" || staffs != "Hosted bots admin" {
		t.Errorf("the global list has %q, the guild's %q", global, staffs)
	}
	s.redis.Restart()
	// An earlier start had remembered the guild; an in-process Redis forgets.
	s.client.SAdd(t.Context(), "hostbot:commands:"+s.discord.ApplicationID()+":guilds", guild)
	r.Run(t.Context(), wanted)
	if got := s.names(guild); got != "" {
		t.Errorf("the earlier guild has %q", got)
	}
	s.sync(t, in("", customers()))
	if got := s.names(s.discord.GuildID()); got != "" {
		t.Errorf("staff's guild has %q", got)
	}
}

// TestWhereCommandsMeanSomething: what is demanded is what the application allows, which
// changes between starts. A command may say itself that it is for guilds alone; a guild's
// list knows neither.
func TestWhereCommandsMeanSomething(t *testing.T) {
	t.Parallel()
	guilds := []discordgo.InteractionContextType{discordgo.InteractionContextGuild}
	panel := &discordgo.ApplicationCommand{Type: discordgo.ChatApplicationCommand, Name: "panel", Description: "A panel", Contexts: &guilds}
	s := newStage(t)
	for _, step := range []struct {
		name, guildID             string
		installs, types, contexts []int
		panels                    []int // contexts
	}{
		{"both", "", []int{0, 1}, []int{0, 1}, []int{0, 1, 2}, []int{0}},
		{"guilds alone", "", []int{0}, []int{0}, []int{0, 1}, []int{0}},
		{"users alone", "", []int{1}, []int{1}, []int{0, 1, 2}, []int{0}},
		{"in a guild", s.discord.GuildID(), []int{0, 1}, nil, nil, nil},
	} {
		t.Run(step.name, func(t *testing.T) {
			s.discord.SetApplication(discordtest.ApplicationSettings{Installs: step.installs})
			before, want := s.writes(), 1
			if step.guildID != "" {
				want = 2 // as the global list is emptied
			}
			for range 2 { // the second of which changes nothing
				s.sync(t, in(step.guildID, append(customers(), panel)))
			}
			if n := s.writes() - before; n != want {
				t.Errorf("%d lists were overwritten, want %d", n, want)
			}
			for _, c := range s.discord.CommandsIn(step.guildID) {
				want := [][]int{step.types, step.contexts}
				if c.Name == "panel" {
					want[1] = step.panels
				}
				if diff := cmp.Diff(want, [][]int{c.IntegrationTypes, c.Contexts}); diff != "" {
					t.Errorf("integration types and contexts of /%s (-want +got):\n%s", c.Name, diff)
				}
			}
		})
	}
}

// TestEntryPointCommandIsKept: the command that opens the application's Activity
// is not ours.
func TestEntryPointCommandIsKept(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.discord.SetApplication(discordtest.ApplicationSettings{Installs: []int{0, 1}, Activities: true})
	before := s.discord.CommandsIn("")[0]
	for _, step := range []struct{ guildID, global string }{
		{"", "bot launch plan"}, {s.discord.GuildID(), "launch"}, {"", "bot launch plan"},
	} {
		s.sync(t, in(step.guildID, customers()))
		if got := s.names(""); got != step.global {
			t.Errorf("the global list has %q, want %q", got, step.global)
		}
		there := s.discord.CommandsIn("")
		i := slices.IndexFunc(there, func(c discordtest.Command) bool { return c.Type == discordtest.EntryPointCommand })
		if i < 0 {
			t.Fatal("the Entry Point command is gone")
		}
		after := there[i]
		after.Version, after.DMPermission = before.Version, before.DMPermission
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("the Entry Point command (-before +after):\n%s", diff)
		}
	}
}
