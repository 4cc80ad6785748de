package alerts_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
)

// TestFallThatRedisHasLostIsToldOnce has Redis lose what was known of a fall and of its message, as in
// a failover, and the next look see it anew.
func TestFallThatRedisHasLostIsToldOnce(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, client := discordtest.RunT(t), redistest.Connect(t, url)
		a, _ := start(t, discord, url, &watched{}, nil)
		anna, now := discord.User("anna"), time.Now().Truncate(time.Second)
		turnOn(t, a, anna)
		seen := fell(anna, "shop", now)
		tell(t, a, seen)
		anna.InDM().Sees(t, "shop c fell")
		eventually(t, func() bool { s, err := a.Status(t.Context()); return err == nil && s.Waiting == 0 })
		if err := client.Del(t.Context(), recordKey(t, client, anna)).Err(); err != nil {
			t.Fatal(err)
		}
		seen.At = now.Add(10 * time.Second)
		tell(t, a, seen)
		eventually(t, func() bool { s, err := a.Status(t.Context()); return err == nil && s.Waiting == 0 && s.Sent == 2 })
		wantAlerts(t, anna, "shop c fell 1 times, ran 1h0m0s")
	})
}

// recordKey returns the key of the only alert that Redis has of a user.
func recordKey(t *testing.T, client redis.UniversalClient, u *discordtest.User) string {
	t.Helper()
	ids, err := client.SMembers(t.Context(), "hostbot:{alerts}:of:"+u.ID).Result()
	if err != nil || len(ids) != 1 {
		t.Fatalf("the alerts of %s are %v (%v)", u.Name, ids, err)
	}
	return "hostbot:{alerts}:record:" + ids[0]
}
