package processes_test

import (
	"sync/atomic"
	"testing"
	"time"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
)

// ahead is a clock of Discord's that is ahead of this machine's. The IDs of
// interactions tell its time.
type ahead struct{ by atomic.Int64 }

func (a *ahead) Now() time.Time { return time.Now().Add(time.Duration(a.by.Load())) }

func (a *ahead) AfterFunc(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }

// TestFormsOpenWhateverTheClocksSay steps Discord's clock, so that interactions
// look older or newer than they are. A form needs the account, for which the
// service takes most of the time that there is.
func TestFormsOpenWhateverTheClocksSay(t *testing.T) {
	t.Parallel()
	clock := &ahead{}
	w := newWorld(t, setting{discord: discordtest.Config{Clock: clock}})
	w.start(t)
	w.service.Fail(hostapitest.OpList, hostapitest.Fault{Delay: 700 * time.Millisecond}, 0)
	steps := []time.Duration{0, -2 * time.Second, -20 * time.Second, 30 * time.Second, 0, -50 * time.Second, 10 * time.Second, -5 * time.Minute, 5 * time.Minute, -3 * time.Second}
	for i, c := range w.customers("c", len(steps)) {
		clock.by.Store(int64(steps[i]))
		reply := c.Types(t, "/bot startup", discordtest.Options{"bot": c.bot})
		if v := reply.View(); v.State != discordtest.Asking {
			t.Errorf("where Discord's clock is ahead by %v, no form opens: %v %.100q", steps[i], v.State, v.Text())
		}
	}
}

// TestWhatIsReplayedIsLate has a form asked for while the gateway is away for a
// moment: of the 3 s that Discord waits only the rest is left.
func TestWhatIsReplayedIsLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{})
	w.start(t)
	w.service.Fail(hostapitest.OpList, hostapitest.Fault{Delay: 3 * time.Second}, 0)
	anna := w.customers("anna", 1)[0]
	w.discord.Silence(true)
	w.discord.Drop()
	reply, err := anna.Start("/bot startup", discordtest.Options{"bot": anna.bot})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, 5*time.Second, "the replica connects again", func() bool { return w.discord.Gateway().Connections == 2 })
	<-time.After(1800 * time.Millisecond) // which is what an outage takes
	w.discord.Silence(false)
	eventually(t, 5*time.Second, "the answer comes or its time is over", func() bool { return reply.View().State != discordtest.Waiting })
	if reply.View().State == discordtest.Failed {
		t.Error("nobody answers an interaction that was replayed after 1.8 s or more")
	}
}
