package bot

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/logchannel"
	"hostbot/bot/stafflog"
	"hostbot/locale"
)

// stalled takes no entry before it is let.
type stalled struct {
	let   chan struct{}
	taken []string // their titles
}

func (s *stalled) Post(e logchannel.Entry) {
	<-s.let
	s.taken = append(s.taken, e.Embed.Title+e.Embed.Description)
}

func TestWhatTheGatewayTellsOfDoesNotWaitForTheLogChannel(t *testing.T) {
	texts, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		channel := &stalled{let: make(chan struct{})}
		b := &Bot{stafflog: stafflog.New(channel, nil, texts.For("en-US"))}
		told := make(chan struct{})
		go func() {
			defer close(told)
			b.connected("7")
			b.lost(errors.New("cut"))
			b.resumed()
			b.lost(errors.New("cut again"))
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
