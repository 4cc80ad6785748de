package draft_test

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"hostbot/bot/draft"
	"hostbot/hostapi/redistest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(redistest.WithCluster(m)) }

func want(t *testing.T, d *draft.Drafts, userID, form string, fields map[string]string) {
	t.Helper()
	if diff := cmp.Diff(fields, d.Fields(t.Context(), userID, form)); diff != "" {
		t.Errorf("fields of %s, user %s (-want +got):\n%s", form, userID, diff)
	}
}

func TestADraftIsSharedAndOneUsersOwn(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		client := redistest.Connect(t, address)
		one, other := draft.New(client), draft.New(redistest.Connect(t, address))
		typed := map[string]string{"name": "Shop", "command": "npm ci\nnode ."}
		one.Keep(t.Context(), "42", "create", map[string]string{"name": "S"})
		one.Keep(t.Context(), "42", "create", typed)
		want(t, other, "42", "create", typed)
		want(t, other, "42", "startup/a", nil)
		want(t, other, "43", "create", nil)
		if left := client.TTL(t.Context(), "hostbot:draft:{42}:create").Val(); left <= 14*time.Minute || left > 15*time.Minute {
			t.Errorf("it is kept for %v", left)
		}
		other.Forget(t.Context(), "42", "create")
		want(t, one, "42", "create", nil)
	})
}

func TestADraftOutlivesAnOutageOfRedis(t *testing.T) {
	server := redistest.StartMiniredis(t)
	d := draft.New(redistest.Connect(t, server.URL()))
	server.Stop()
	typed := map[string]string{"name": "Shop"}
	d.Keep(t.Context(), "42", "create", typed)
	want(t, d, "42", "create", typed)
	server.Restart()
	want(t, d, "42", "create", typed)
	newer := map[string]string{"name": "Radio"}
	d.Keep(t.Context(), "42", "create", newer)
	want(t, d, "42", "create", newer)
}

func TestDraftsInTheProcessAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := draft.New(nil)
		typed := map[string]string{"name": "Shop"}
		for i := range 201 {
			d.Keep(t.Context(), strconv.Itoa(i), "create", typed)
			time.Sleep(time.Second)
		}
		want(t, d, "0", "create", nil) // the oldest
		want(t, d, "1", "create", typed)
		d.Forget(t.Context(), "1", "create")
		want(t, d, "1", "create", nil)
		time.Sleep(15 * time.Minute)
		want(t, d, "200", "create", nil)
	})
}
