package bot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/ops/monitor"
	"hostbot/bot/staff/health"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/staff/stafflog"
	"hostbot/hostapi"
	"hostbot/locale"
)

// stalled takes no entry before it is let.
type stalled struct {
	let   chan struct{}
	taken []string // their titles
}

func (s *stalled) Post(e logchannel.Entry) {
	<-s.let
	if e.Embed != nil {
		s.taken = append(s.taken, e.Embed.Title+e.Embed.Description)
	} else {
		s.taken = append(s.taken, e.Line[strings.Index(e.Line, " ")+1:])
	}
}

// newStalled returns a bot whose log channel is stalled.
func newStalled(t *testing.T) (*Bot, *stalled) {
	t.Helper()
	channel := &stalled{let: make(chan struct{})}
	service, err := hostapi.New(hostapi.Config{
		BaseURL: "https://hosting.example", Secret: "s", Timeout: time.Second,
		Observe: func(hostapi.Call) {}, OnDown: func(error) {}, OnUp: func(time.Duration) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &Bot{
		service: service, monitor: monitor.New("test", func() bool { return true }), delivery: logchannel.New(logchannel.Config{}),
		stafflog: logOf(t, channel),
	}, channel
}

// logOf returns staff's log in a channel.
func logOf(t *testing.T, channel *stalled) *stafflog.Log {
	t.Helper()
	texts, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	return stafflog.New(channel.Post, nil, texts.For("en-US"))
}

func TestWhatStaffAreToldIsWrittenBeforeRedisIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, channel := newStalled(t)
		b.onClose(func() { // that of Redis, which was opened first
			select {
			case <-channel.let:
			default:
				t.Error("Redis is closed before the entry is written")
			}
		})
		b.onClose(func() { b.serviceDown(errors.New("away")) })
		go func() {
			synctest.Wait()
			close(channel.let)
		}()
		b.close()
		if len(channel.taken) != 1 {
			t.Errorf("staff read %q", channel.taken)
		}
	})
}

func TestTheLastEntriesAreWrittenBeforeTheyAreDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, channel := newStalled(t)
		b.serviceDown(errors.New("away"))
		started := time.Now()
		within(flushLimit, b.flush)
		if took := time.Since(started); took != flushLimit {
			t.Errorf("it waited for %v", took)
		}
		close(channel.let)
		b.close()
	})
}

// TestStaffReadWhoIsWithoutItsLastShard for ten seconds, and when that is over.
func TestStaffReadWhoIsWithoutItsLastShard(t *testing.T) {
	cut := errors.New("cut")
	begin := func(b *Bot) { b.connected(0, "7"); b.connected(1, "7") }
	for name, test := range map[string]struct {
		happens func(b *Bot)
		want    []string // after that it is connected
	}{
		"each goes on before that": {func(b *Bot) {
			b.lost(0, cut)
			b.lost(1, cut)
			time.Sleep(9 * time.Second)
			b.resumed(1)
			time.Sleep(time.Minute)
		}, nil},
		"one is not the last": {func(b *Bot) {
			b.lost(0, cut)
			time.Sleep(time.Minute)
			b.resumed(0)
		}, nil},
		"all are lost, and go on": {func(b *Bot) {
			b.lost(0, cut)
			b.lost(1, cut)
			b.lost(0, cut) // again
			time.Sleep(time.Minute)
			b.resumed(0)
			time.Sleep(time.Minute)
			b.resumed(1)
		}, []string{"🔌", "🔗 Connection to Discord resumed (interruption: 60"}},
		"one was lost before, and begins anew": {func(b *Bot) {
			b.lost(0, cut)
			time.Sleep(time.Minute)
			b.lost(1, cut)
			time.Sleep(11 * time.Second)
			b.connected(1, "7")
		}, []string{"🔌", "🔗 Connected"}},
		"another replica has them": {func(b *Bot) {
			b.lost(0, cut)
			b.lost(1, cut)
			time.Sleep(time.Minute)
			b.released(0)
			b.released(1)
		}, []string{"🔌", "🔗 Connection to Discord resumed (interruption: 60"}},
		"another replica has those that were not lost": {func(b *Bot) {
			b.lost(0, cut)
			b.released(1)
			time.Sleep(time.Minute)
		}, []string{"🔌"}},
		"the program stops": {func(b *Bot) {
			b.lost(0, cut)
			b.lost(1, cut)
			b.stopping.Store(true)
			time.Sleep(time.Minute)
			b.released(0)
			b.released(1)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, channel := newStalled(t)
				close(channel.let)
				begin(b)
				test.happens(b)
				b.staffQueue.Wait(t.Context())
				if want := append([]string{"🔗 Connected"}, test.want...); !slices.EqualFunc(channel.taken, want, strings.HasPrefix) {
					t.Errorf("staff read %q, want %q", channel.taken, want)
				}
			})
		})
	}
	t.Run("it cannot begin", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b, channel := newStalled(t)
			close(channel.let)
			b.lost(noShard, cut)
			time.Sleep(time.Minute)
			begin(b)
			b.staffQueue.Wait(t.Context())
			if want := []string{"🔌", "🔗 Connected"}; !slices.EqualFunc(channel.taken, want, strings.HasPrefix) {
				t.Errorf("staff read %q, want %q", channel.taken, want)
			}
		})
	})
}

// TestStaffReadThatMostAccountsAreNotFound has the service find nobody, as something else does that
// answers at HOSTAPI_URL, and then everybody again.
func TestStaffReadThatMostAccountsAreNotFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, channel := newStalled(t)
		close(channel.let)
		lists := func(n int, code hostapi.Code) {
			for range n {
				b.monitor.Service(hostapi.Call{Op: hostapi.OpList, Code: code, Attempts: 1})
				b.judgeReads()
			}
			b.staffQueue.Wait(t.Context())
		}
		read := func(words string) (n int) {
			for _, entry := range channel.taken {
				n += strings.Count(entry, words)
			}
			return n
		}
		const missing, found = "accounts not found", "can find accounts again"
		lists(19, hostapi.CodeNotFound)
		if m := b.missingAccounts(); len(channel.taken) > 0 || m != (health.Missing{}) {
			t.Errorf("after a few, staff read %q, and operators %+v", channel.taken, m)
		}
		lists(1, hostapi.CodeNotFound)
		if m := b.missingAccounts(); read("20 of 20 "+missing) != 1 || m.Accounts != 20 || m.Of != 20 || m.Since.IsZero() {
			t.Errorf("after twenty, staff read %q, and operators %+v", channel.taken, m)
		}
		lists(3, hostapi.CodeNotFound)
		lists(68, "") // 23 of 91 are more than a quarter
		if m := b.missingAccounts(); read(missing) != 1 || read(found) != 0 || m.Accounts != 23 || m.Of != 91 {
			t.Errorf("until three quarters are found, staff read %q, and operators %+v", channel.taken, m)
		}
		lists(10, "")
		if m := b.missingAccounts(); read(missing) != 1 || read(found) != 1 || m != (health.Missing{}) {
			t.Errorf("afterwards staff read %q, and operators %+v", channel.taken, m)
		}
	})
}

// said is a service that tells of accounts.
type said func(userID string) (hostapi.List, error)

func (s said) List(_ context.Context, userID string) (hostapi.List, error) { return s(userID) }

func (said) Get(context.Context, string, string) (hostapi.Server, error) {
	return hostapi.Server{}, nil
}

// TestStaffReadOnceWhatCannotBeRead has accounts asked for again and again, as when they are watched.
func TestStaffReadOnceWhatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, channel := newStalled(t)
		close(channel.let)
		of := map[string]hostapi.List{"1": {Unread: []string{"servers[].ramMb: a string", "account: an array"}}, "2": {}}
		pages, away := 0, false
		source := &loggedSource{onUnread: b.accountUnread, away: func() bool { return away }, Source: said(func(userID string) (hostapi.List, error) {
			switch {
			case userID == "3": // with a number of its own each time, as pages of gateways have
				pages++
				return hostapi.List{}, &hostapi.Error{Code: hostapi.CodeMalformed, Detail: fmt.Sprintf("malformed answer: servers: null, %d", pages)}
			case away:
				return hostapi.List{}, &hostapi.Error{Code: hostapi.CodeMalformed, Detail: "malformed answer: a page"}
			}
			return of[userID], nil
		})}
		ask := func() []string {
			for range 3 {
				for _, userID := range []string{"1", "2", "3"} {
					_, _ = source.List(t.Context(), userID)
				}
			}
			b.staffQueue.Wait(t.Context())
			return channel.taken
		}
		taken := ask()
		if len(taken) != 2 || !strings.Contains(taken[0], "servers[].ramMb: a string, account: an array") || !strings.Contains(taken[1], "servers: null") {
			t.Errorf("staff read %q", taken)
		}
		of["1"] = hostapi.List{Unread: []string{"servers: fewer than account.serverCount"}}
		if taken = ask(); len(taken) != 3 || !strings.Contains(taken[2], "fewer than account.serverCount") {
			t.Errorf("once something else cannot be read, staff read %q", taken)
		}
		away = true
		if taken = ask(); len(taken) != 3 {
			t.Errorf("while the service is away, staff read of accounts %q", taken[3:])
		}
	})
}

// TestStaffReadOfAccountsThatAreLost has the service not find accounts that it has listed, one by one, while it
// finds others, and then find them again.
func TestStaffReadOfAccountsThatAreLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, channel := newStalled(t)
		close(channel.let)
		read := func(words string) (n int) {
			b.staffQueue.Wait(t.Context())
			for _, entry := range channel.taken {
				n += strings.Count(entry, words)
			}
			return n
		}
		const one, several, found = "can no longer find an account that it had", "can no longer find: 5", "can find accounts again"
		for n := range hostapi.Several {
			b.monitor.Service(hostapi.Call{Op: hostapi.OpList, Attempts: 1})
			b.accountDoubted(n+1, errors.New("404 page not found"))
			b.accountDoubted(n+1, nil) // it is asked again
			if want := b.missingAccounts() != (health.Missing{}); want != (n+1 == hostapi.Several) {
				t.Errorf("with %d, operators read of them: %t", n+1, want)
			}
		}
		if read(one) != 5 || read("404 page not found") != 5 || read(several) != 1 {
			t.Errorf("staff read %q", channel.taken)
		}
		b.accountDoubted(4, nil)
		if read(found) != 1 || b.missingAccounts() != (health.Missing{}) {
			t.Errorf("afterwards staff read %q", channel.taken)
		}
		b.accountsLost.Store(9) // while the service was down, which staff have read
		b.accountDoubted(8, nil)
		b.judgeReads()
		if read(several) != 1 || read("anymore: 8") != 0 {
			t.Errorf("while accounts come back staff read %q", channel.taken)
		}
		b.accountsLost.Store(0)
		b.accountDoubted(5, nil)
		time.Sleep(hostapi.Blip + time.Second) // nobody asks for them
		b.monitor.Service(hostapi.Call{Op: hostapi.OpList, Attempts: 1})
		b.judgeReads()
		if read(several) != 2 || read(found) != 2 {
			t.Errorf("in the end staff read %q", channel.taken)
		}
	})
}
