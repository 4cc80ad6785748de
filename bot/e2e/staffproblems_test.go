package e2e_test

import (
	"testing"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/redistest"
)

func TestStaffReadThatRedisIsInMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.start(t)
	w.waitForLog(t, "⚠️", "No REDIS_URL is set")
}

func TestStaffReadOfAnInteractionOnce(t *testing.T) {
	t.Parallel()
	redistest.EachServer(t, func(t *testing.T, redis *redistest.Server) {
		t.Parallel()
		w := newWorld(t, redis.URL())
		anna := w.addAnna(t, "Shop")
		w.start(t)
		w.service.Close()
		shown := anna.Types(t, "/bot list").WaitFor(t, "cannot be reached")
		w.waitForLog(t, "❗ Failure", referenceIn(t, shown))
		anna.Types(t, "/bot show", discordtest.Options{"bot": "Shop"}).WaitFor(t, "cannot be reached")
		w.waitForLog(t, "❗ Failure", "bot show")
		for _, entry := range w.channel.Messages() {
			if entry.Contains("⚠️") {
				t.Errorf("staff read as well:\n%s", entry.Text())
			}
		}
	})
}
