//go:build integration

package actions_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/hostapi/redistest"
)

// field returns the name of a field of the only bot in a hash.
func field(t *testing.T, client redis.UniversalClient, name string) string {
	t.Helper()
	for _, found := range client.HKeys(t.Context(), hash).Val() {
		if bot, ok := strings.CutSuffix(found, ":id"); ok {
			return bot + ":" + name
		}
	}
	t.Fatal("there is no bot")
	return ""
}

// TestSpoiledActionsOfOneKeepNobodyBack: what Redis holds of a customer's actions is of another type,
// or makes no sense. The actions of others are renewed, and the customer's are written anew.
func TestSpoiledActionsOfOneKeepNobodyBack(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, client redis.UniversalClient){
		"another type": func(t *testing.T, client redis.UniversalClient) {
			t.Helper()
			client.Set(t.Context(), hash, "x", 0)
		},
		"an ID": func(t *testing.T, client redis.UniversalClient) {
			t.Helper()
			client.HSet(t.Context(), hash, field(t, client, "id"), "\xff", field(t, client, "free"), "x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			redistest.Each(t, func(t *testing.T, address string) {
				r := start(t, address)
				r.starts(t, "1", "restart", 0)
				ended := r.starts(t, "2", "restart", 0)
				end(ended, interaction.Done) // the process removes it for a while
				other := acquire(t, r.Actions, (&claims{}).next("300", "b", "restart"))
				spoil(t, r.client)
				renewed := func(customer string) (at int64) {
					for name, value := range r.client.HGetAll(t.Context(), actions.Key(customer)).Val() {
						if _, ok := strings.CutSuffix(name, ":renewed"); ok {
							at, _ = strconv.ParseInt(value, 10, 64)
						}
					}
					return at
				}
				later := time.Now().Add(2 * quick().Abandoned).UnixMilli()
				eventually(t, "the other customer's is renewed", func() bool { return renewed("300") > later })
				eventually(t, "the customer's is written anew", func() bool { return renewed("200") > later && r.holdsRecord(t) })
				r.kill()
				second := start(t, address)
				got := map[string]bool{await(t, r, second).Request.ID: true, await(t, r, second).Request.ID: true}
				if !got["1"] || len(r.reported) > 0 || len(second.reported) > 0 {
					t.Errorf("reported are %v, and %d more", got, len(r.reported)+len(second.reported))
				}
				_ = other
			})
		})
	}
}

// TestWhatDecidesMakesNoSense: an action begins under a lock that all processes know, or is refused,
// whatever is kept of others.
func TestWhatDecidesMakesNoSense(t *testing.T) {
	ahead := func() string { return strconv.FormatInt(time.Now().Add(2*time.Hour).UnixMilli(), 10) }
	for name, c := range map[string]struct {
		spoil func(t *testing.T, client redis.UniversalClient)
		busy  bool
	}{
		"renewed, garbage": {func(t *testing.T, client redis.UniversalClient) {
			t.Helper()
			client.HSet(t.Context(), hash, field(t, client, "renewed"), "x")
		}, false},
		"renewed, ahead": {func(t *testing.T, client redis.UniversalClient) {
			t.Helper()
			client.HSet(t.Context(), hash, field(t, client, "renewed"), ahead())
		}, false},
		"free, garbage": {func(t *testing.T, client redis.UniversalClient) {
			t.Helper()
			client.HSet(t.Context(), hash, field(t, client, "free"), "")
		}, true},
		"free, ahead": {func(t *testing.T, client redis.UniversalClient) {
			t.Helper()
			client.HSet(t.Context(), hash, field(t, client, "free"), ahead(), field(t, client, "state"), "unconfirmed")
		}, false},
		"name, missing": {func(t *testing.T, client redis.UniversalClient) {
			t.Helper()
			client.HDel(t.Context(), hash, field(t, client, "action"), field(t, client, "since"))
		}, true},
		"started, type": {func(t *testing.T, client redis.UniversalClient) {
			t.Helper()
			client.Del(t.Context(), hash)
			client.Set(t.Context(), hash+":started:200", "x", 0)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			redistest.Each(t, func(t *testing.T, address string) {
				holder, other := stopped(t, address), stopped(t, address)
				holder.starts(t, "1", "restart", 0)
				c.spoil(t, holder.client)
				claim := actions.Claim{
					Request: &interaction.Request{ID: "2", UserID: "200", CustomerID: "200"},
					Action:  interaction.Action{Name: "restart", BotID: "b1"},
				}
				if c.busy {
					_ = refused[*actions.BusyError](t, other.Actions, claim)
					return
				}
				if lock := acquire(t, other.Actions, claim); !lock.Shared() {
					t.Error("no other process knows of the action")
				}
			})
		})
	}
}

// TestTokenOfAnotherTypeDelaysNoReport: the caller cannot be told, and staff are.
func TestTokenOfAnotherTypeDelaysNoReport(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		dead := stopped(t, address)
		dead.starts(t, "1", "restart", 0)
		for _, key := range keys(t, dead.client, "*:token:*") {
			dead.client.Del(t.Context(), key)
			dead.client.RPush(t.Context(), key, "x")
		}
		other := start(t, address)
		if r := await(t, other, other); r.Request.ID != "1" || r.Request.Token != "" {
			t.Errorf("reported is %+v", r)
		}
		other.awaitNone(t)
	})
}

// TestIndexOfAnotherTypeIsWrittenAnew from what Redis knows of actions whose process is dead.
func TestIndexOfAnotherTypeIsWrittenAnew(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		dead := stopped(t, address)
		dead.starts(t, "1", "restart", 0)
		dead.starts(t, "2", "restart", 0)
		dead.client.Del(t.Context(), index)
		dead.client.Set(t.Context(), index, "x", 0)
		other := start(t, address)
		got := map[string]bool{await(t, other, other).Request.ID: true, await(t, other, other).Request.ID: true}
		if !got["1"] || !got["2"] {
			t.Errorf("reported are %v", got)
		}
		other.awaitNone(t)
	})
}

// TestIndexOfAnotherTypeIsSetAside also has a customer's actions be of another type.
func TestIndexOfAnotherTypeIsSetAside(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		living := start(t, address)
		living.client.Set(t.Context(), index, "x", 0)
		living.client.Set(t.Context(), hash, "x", 0)
		lock := living.starts(t, "1", "restart", 0)
		listed := living.client.ZRange(t.Context(), index, 0, -1).Val()
		if !lock.Shared() || !slices.ContainsFunc(listed, func(name string) bool { return strings.HasPrefix(name, "200/") }) {
			t.Errorf("shared: %t; listed: %q; set aside: %s", lock.Shared(), listed, living.aside)
		}
		end(lock, interaction.Done)
		living.awaitNone(t)
	})
}
