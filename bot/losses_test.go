package bot

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"hostbot/bot/store/redisclient"
	"hostbot/hostapi/redistest"
	"hostbot/hostapi/secret"
)

// TestAnotherReplicaTellsThatALostShardIsBack has a replica lose shards that others serve from then on.
func TestAnotherReplicaTellsThatALostShardIsBack(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		staff := &stalled{let: make(chan struct{})}
		close(staff.let)
		replicas := make([]*Bot, 3)
		for i := range replicas {
			b, channel := newStalled(t)
			close(channel.let)
			conn, err := redisclient.Open(secret.Text(url), zerolog.Nop(), nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(conn.Close)
			b.redis, b.stafflog = conn, logOf(t, staff)
			replicas[i] = b
		}
		a, b, c := replicas[0], replicas[1], replicas[2]
		do := func(r *Bot, what func()) {
			what()
			r.staffQueue.Wait(context.Background())
		}
		for i, r := range replicas {
			do(r, func() { r.connected(i, "7") })
		}
		do(a, func() { a.connected(3, "7") })
		do(a, func() { a.connected(4, "7") })
		read := func(what string, want ...string) {
			t.Helper()
			got := staff.taken
			if staff.taken = nil; !slices.EqualFunc(got, want, strings.HasPrefix) {
				t.Errorf("%s: staff read %q, want %q", what, got, want)
			}
		}
		read("at first", "🔗", "🔗", "🔗")
		cut := errors.New("cut")
		do(a, func() { a.lost(0, cut) }) // and loses its lease later
		read("lost", "🔌")
		do(b, func() { b.resumed(0) })
		read("served by another replica", "🔗 Connection to Discord resumed")
		do(c, func() { c.resumed(0) })
		read("given away in peace")

		do(a, func() { a.released(0) })
		for _, shard := range []int{0, 3, 4} {
			do(a, func() { a.lost(shard, cut) })
		}
		do(a, func() { a.released(0) })
		do(a, func() { a.released(3) })
		do(b, func() { b.resumed(0) })
		read("one of three is back", "🔌")
		do(a, func() { a.resumed(4) })
		read("two of three are back")
		do(c, func() { c.connected(3, "7") })
		read("all are back", "🔗 Connected")

		reaches := a.redis
		gone, err := redisclient.Open("redis://127.0.0.1:1", zerolog.Nop(), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(gone.Close)
		a.redis = gone
		do(a, func() { a.lost(4, cut) })
		do(b, func() { b.resumed(4) }) // whose lease has ended
		a.redis = reaches
		read("lost by who is cut off from Redis", "🔌")
		do(a, func() { a.released(4) })
		read("served by another replica, which could not know", "🔗 Connection to Discord resumed")
		do(a, func() { a.resumed(4) })
		do(a, func() { a.released(4) })
		read("given away again")
	})
}
