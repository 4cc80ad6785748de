package panel_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/discord/rest"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/patience"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi/redistest"
)

func TestPanelFollows(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, url string) {
		s := newScene(t, url)
		s.timing.Between = 200 * time.Millisecond
		p, _ := s.replica()
		s.create(p, "1001")
		s.channel.WaitFor(t, "shop radio: running")
		if !s.watched("42") {
			t.Error("the account is not watched")
		}
		began := time.Now()
		for i := range 5 { // of which each would be an edit
			s.show(p, fmt.Sprint("state ", i))
		}
		s.channel.WaitFor(t, "state 4")
		if n, most := len(s.edits()), 1+int(time.Since(began)/s.timing.Between); n > most {
			t.Errorf("%d edits in %v", n, time.Since(began))
		}

		// What nobody tells is seen all the same; what is the same is not edited.
		s.state.Store("untold")
		s.channel.WaitFor(t, "untold")
		n, drawn := len(s.edits()), s.drawn.Load()
		s.show(p, "untold")
		patience.Until(t, "it is looked at twice", func() bool { return s.drawn.Load() > drawn+1 })
		if len(s.edits()) != n {
			t.Error("a panel was edited that shows the same")
		}
		if len(s.channel.Messages()) != 1 {
			t.Errorf("messages: %+v", s.channel.Messages())
		}
	})
}

// TestPanelKnowsItsGuild by the name that followers read.
func TestPanelKnowsItsGuild(t *testing.T) {
	s := newScene(t, redistest.StartMiniredis(t).URL())
	p, _ := s.replica()
	made := s.made("1001")
	made.GuildID = s.discord.GuildID()
	if _, err := p.Create(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	if own, err := p.Of(t.Context(), "42"); err != nil || len(own) != 1 || own[0].Guild != "Guild" {
		t.Errorf("the panels are %+v, %v", own, err)
	}
}

// TestPanelsOfEachCustomerFollow has the watcher tell at once of changes in several
// accounts.
func TestPanelsOfEachCustomerFollow(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, url string) {
		s := newScene(t, url)
		s.timing.Check = time.Hour
		p, _ := s.replica()
		owners := []string{"42", "43", "44"}
		for _, owner := range owners {
			own := s.made("100" + owner)
			own.OwnerID, own.Bots = owner, []string{"bot-" + owner}
			if posted, err := p.Create(t.Context(), own); err != nil || !posted {
				t.Fatalf("Create() = %v, %v", posted, err)
			}
			s.channel.WaitFor(t, "bot-"+owner+": running")
		}
		s.state.Store("crashed")
		for _, owner := range owners {
			poll := watcher.Poll{CustomerID: owner, Changes: []watcher.Change{{ServerID: "bot-" + owner}}}
			if err := p.Observe(t.Context(), poll); err != nil {
				t.Fatal(err)
			}
			s.channel.WaitFor(t, "bot-"+owner+": crashed")
		}
	})
}

func TestPanelLivesOn(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, url string) {
		s := newScene(t, url)
		s.timing.Beat = 200 * time.Millisecond
		p, stop := s.replica()
		s.create(p, "1001")
		stop()
		p, _ = s.replica()
		s.state.Store("after a restart")
		s.channel.WaitFor(t, "after a restart")
		n := len(s.edits())
		patience.Until(t, "it is edited to show that it lives", func() bool { return len(s.edits()) > n })
		if own := s.own(p); len(own) != 1 {
			t.Errorf("panels: %+v", own)
		}
	})
}

// TestTwoProcessesDoNotEditAtOnce has three processes keep one panel true.
func TestTwoProcessesDoNotEditAtOnce(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, url string) {
		s := newScene(t, url)
		s.timing.Between = time.Millisecond
		s.timing.Check = 10 * time.Millisecond
		p, _ := s.replica()
		s.replica()
		s.replica()
		s.create(p, "1001")
		for i := range 20 {
			drawn := s.drawn.Load()
			s.show(p, fmt.Sprint("state ", i))
			s.clock.Advance(time.Second) // so that Discord takes every edit
			patience.Until(t, "it is looked at", func() bool { return s.drawn.Load() > drawn })
		}
		s.channel.WaitFor(t, "state 19")
		var last discordtest.Call
		for _, c := range s.discord.Calls() {
			if c.Method != http.MethodPatch {
				continue
			}
			if string(c.Request) == string(last.Request) {
				t.Errorf("two edits say the same: %s", c.Request)
			}
			last = c
		}
	})
}

func TestDeletedPanelIsForgotten(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(s *scene){
		"message": func(s *scene) { _ = s.channel.Delete(s.channel.Messages()[0].ID) },
		"channel": func(s *scene) { s.channel.Allow(discordtest.Gone) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, redistest.StartMiniredis(t).URL())
			p, stop := s.replica()
			s.create(p, "1001")
			remove(s)
			s.show(p, "crashed")
			patience.Until(t, "it was cleared", func() bool { return len(s.own(p)) == 0 })
			patience.Until(t, "the account is not watched", func() bool { return !s.watched("42") })
			n := len(s.discord.Calls())
			patience.Until(t, "it is not to be looked at", func() bool { _, ok := s.due(p, "1001"); return !ok })
			stop() // after which all is over that was begun
			if len(s.discord.Calls()) != n {
				t.Error("Discord is asked again")
			}
		})
	}
}

// TestDeletedPanelStaysAwayThoughRedisFails has Redis fail once when a panel is to be
// forgotten.
func TestDeletedPanelStaysAwayThoughRedisFails(t *testing.T) {
	t.Parallel()
	s := newScene(t, redistest.StartMiniredis(t).URL())
	s.discord.ExpectFailures()
	const removal = 7 // arguments: EVALSHA, the script, three keys with their number, the panel
	var fail atomic.Bool
	s.hook = func(ctx context.Context, cmd redis.Cmder, next redis.ProcessHook) error {
		if len(cmd.Args()) == removal && fail.CompareAndSwap(true, false) {
			cmd.SetErr(context.DeadlineExceeded)
			return cmd.Err()
		}
		return next(ctx, cmd)
	}
	p, _ := s.replica()
	s.create(p, "1001")
	fail.Store(true)
	if err := s.channel.Delete(s.channel.Messages()[0].ID); err != nil {
		t.Fatal(err)
	}
	s.show(p, "crashed")
	patience.Until(t, "the panel was cleared", func() bool { return len(s.own(p)) == 0 })
	if left := s.channel.Messages(); len(left) != 0 || fail.Load() {
		t.Errorf("Redis was to fail: %t; messages: %+v", fail.Load(), left)
	}
}

// TestPanelIsPostedByOneAtATime has the bots of a panel change while it is being posted.
func TestPanelIsPostedByOneAtATime(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, url string) {
		s := newScene(t, url)
		p, _ := s.replica()
		posting := discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, Times: 1, Delay: time.Minute}
		defer s.discord.Inject(posting)()
		done := make(chan struct{})
		go func() {
			defer close(done)
			if posted, err := p.Create(context.Background(), s.made("1001")); err != nil || !posted {
				t.Errorf("Create() = %v, %v", posted, err)
			}
		}()
		patience.Until(t, "the panel is being posted", func() bool { return len(s.discord.Calls()) == 1 })
		s.show(p, "stopped")
		s.create(p, "1002")
		s.show(p, "crashed")
		s.channel.WaitFor(t, "crashed") // in a turn in which both would have been posted
		s.clock.BlockUntil(t, 1)
		s.clock.Advance(time.Minute)
		<-done
		posts := slices.DeleteFunc(s.discord.Calls(), func(c discordtest.Call) bool { return c.Method != http.MethodPost })
		if len(posts) != 2 {
			t.Errorf("two panels were posted by %d calls", len(posts))
		}
	})
}

func TestPanelWithoutPermissionIsKept(t *testing.T) {
	t.Parallel()
	for name, access := range map[string]discordtest.Access{"hidden": discordtest.MissingAccess, "locked": discordtest.Locked} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, redistest.StartMiniredis(t).URL())
			p, _ := s.replica()
			s.create(p, "1001")
			s.channel.Allow(access)
			s.show(p, "crashed")
			patience.Until(t, "the owner can be told", func() bool { own := s.own(p); return len(own) == 1 && own[0].TroubleCode != 0 && own[0].Trouble != "" })
			s.wantLeftAlone(p, "1001")
			shown := s.channel.Messages()
			s.channel.Allow(discordtest.FullAccess)
			s.show(p, "running again")
			s.channel.WaitFor(t, "running again")
			if now := s.channel.Messages(); len(now) != 1 || now[0].ID != shown[0].ID {
				t.Errorf("it was posted anew where an edit would do: %+v", now)
			}
			patience.Until(t, "nothing is in the way", func() bool { return s.own(p)[0].Trouble == "" })
		})
	}
}

// TestOldMessageIsPostedAnew has Discord refuse to edit messages that are more than an
// hour old.
func TestOldMessageIsPostedAnew(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, url string) {
		s := newScene(t, url)
		s.timing.Between = time.Millisecond
		p, _ := s.replica()
		s.create(p, "1001")
		first := s.channel.Messages()[0].ID
		s.clock.Advance(2 * time.Hour)
		for i := range 4 { // of which Discord takes three
			s.show(p, fmt.Sprint("state ", i))
			s.channel.WaitFor(t, fmt.Sprint("state ", i))
		}
		patience.Until(t, "only the new message is there", func() bool { m := s.channel.Messages(); return len(m) == 1 && m[0].ID != first })
		posts := slices.DeleteFunc(s.discord.Calls(), func(c discordtest.Call) bool { return c.Method != http.MethodPost })
		if len(posts) != 2 || strings.Contains(string(posts[0].Request), `"flags"`) || !strings.Contains(string(posts[1].Request), `"flags":4096`) {
			t.Errorf("the second one alone must notify nobody: %d posts", len(posts))
		}
		s.show(p, "and on")
		s.channel.WaitFor(t, "and on")
	})
}

// TestPostIsOnceThoughItsProcessDied has the process end that posted a panel, and Discord
// forget the nonce until another process goes on.
func TestPostIsOnceThoughItsProcessDied(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, url string) {
		s := newScene(t, url)
		s.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, Times: 1, After: true, Reset: true})
		s.follows = true
		p, stop := s.replica()
		if posted, err := p.Create(t.Context(), s.made("1001")); posted || err != nil {
			t.Fatalf("Create() = %v, %v", posted, err)
		}
		stop()
		s.clock.Advance(time.Hour)
		s.state.Store("later")
		s.follows = false
		s.replica()
		s.channel.WaitFor(t, "later")
		if len(s.channel.Messages()) != 1 {
			t.Errorf("messages: %+v", s.channel.Messages())
		}
	})
}

// TestPanelInANewPost: a post of a forum takes no panel before its author has sent the first message.
func TestPanelInANewPost(t *testing.T) {
	t.Parallel()
	s := newSceneAt(t, redistest.StartMiniredis(t).URL(), discordtest.Config{NoRateLimits: true})
	p, _ := s.replica()
	post, wanted := s.discord.AddThread("a post", 24*time.Hour), s.made("1001")
	wanted.ChannelID, wanted.InThread = post.ID, true
	post.Allow(discordtest.NewPost)
	if posted, err := p.Create(t.Context(), wanted); posted || err != nil {
		t.Fatalf("Create() = %v, %v", posted, err)
	}
	patience.Until(t, "it is tried again", func() bool { return s.calls(http.MethodPost) > 1 })
	if own := s.own(p); len(own) != 1 || own[0].Trouble != "" {
		t.Errorf("panels: %+v", own)
	}
	post.Allow(discordtest.FullAccess)
	post.WaitFor(t, "running")
	if len(post.Messages()) != 1 {
		t.Errorf("messages: %+v", post.Messages())
	}
}

func TestRefusedPanelIsNone(t *testing.T) {
	t.Parallel()
	s := newScene(t, redistest.StartMiniredis(t).URL())
	p, _ := s.replica()
	s.channel.Allow(discordtest.MissingPermissions)
	if posted, err := p.Create(t.Context(), s.made("1001")); posted || rest.CodeOf(err) != rest.CodeMissingPermissions {
		t.Fatalf("Create() = %v, %v", posted, err)
	}
	if own := s.own(p); len(own) != 0 || s.watched("42") {
		t.Errorf("panels: %+v", own)
	}
}

// TestPanelOfAnUnknownAccountIsNone has nobody know what a new panel is to show: that is said,
// and the panel does not appear later.
func TestPanelOfAnUnknownAccountIsNone(t *testing.T) {
	t.Parallel()
	s := newScene(t, redistest.StartMiniredis(t).URL())
	s.blank = errors.New("nothing is known of the account")
	p, _ := s.replica()
	if posted, err := p.Create(t.Context(), s.made("1001")); posted || !errors.Is(err, s.blank) {
		t.Fatalf("Create() = %v, %v", posted, err)
	}
	if own := s.own(p); len(own) != 0 || s.watched("42") {
		t.Errorf("panels: %+v", own)
	}
}
