package bot

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/ops/monitor"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/staff/stafflog"
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
	return &Bot{
		monitor: monitor.New("test", func() bool { return true }), delivery: logchannel.New(logchannel.Config{}),
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
		b.lost(0, errors.New("cut"))
		started := time.Now()
		within(flushLimit, b.flush)
		if took := time.Since(started); took != flushLimit {
			t.Errorf("it waited for %v", took)
		}
		close(channel.let)
		b.close()
	})
}

func TestWhatTheGatewayTellsOfDoesNotWaitForTheLogChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, channel := newStalled(t)
		told := make(chan struct{})
		go func() {
			defer close(told)
			b.connected(0, "7")
			b.connected(1, "7")
			b.lost(0, errors.New("cut"))
			b.lost(1, errors.New("cut"))
			b.resumed(0)
			b.resumed(1)
			b.lost(0, errors.New("cut again"))
			b.redisLost(errors.New("away"))
			b.redisBack(time.Second)
		}()
		synctest.Wait()
		select {
		case <-told:
		default:
			t.Error("the gateway waits until an entry is written")
		}
		close(channel.let)
		<-told
		b.close()
		want := []string{"🔗", "🔌", "🔗", "🔌", "🗄️", "🗄️"}
		if len(channel.taken) != len(want) {
			t.Fatalf("staff read %q", channel.taken)
		}
		for i, emoji := range want {
			if !strings.HasPrefix(channel.taken[i], emoji) {
				t.Errorf("entry %d is %q, want one with %s", i, channel.taken[i], emoji)
			}
		}
	})
}
