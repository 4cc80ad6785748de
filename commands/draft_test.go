package commands_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"hostbot/commands/draft"
	"hostbot/hostapi/redistest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(redistest.WithCluster(m), redistest.Dialing()) }

func want(t *testing.T, d *draft.Drafts, userID, form string, fields map[string]string) {
	t.Helper()
	if diff := cmp.Diff(fields, d.Fields(t.Context(), userID, form)); diff != "" {
		t.Errorf("fields of %s, user %s (-want +got):\n%s", form, userID, diff)
	}
}

func TestADraftIsSharedAndOneUsersOwn(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		client := redistest.Connect(t, address)
		one, other := draft.New(client, ""), draft.New(redistest.Connect(t, address), "")
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

func TestNothingIsKeptWhileRedisIsAway(t *testing.T) {
	server := redistest.StartMiniredis(t)
	d := draft.New(redistest.Connect(t, server.URL()), "")
	server.Stop()
	d.Keep(t.Context(), "42", "create", map[string]string{"name": "Shop"})
	want(t, d, "42", "create", nil)
}
