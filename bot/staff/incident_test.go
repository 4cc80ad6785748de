package staff_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"hostbot/bot/interaction"
	"hostbot/bot/staff/incident"
	"hostbot/hostapi"
	"hostbot/hostapi/redistest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(redistest.WithCluster(m), redistest.Dialing()) }

func TestAStoryIsKeptForAWeek(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		client := redistest.Connect(t, address)
		store := incident.New(client, "", "1.2.3", zerolog.Nop())
		r := &interaction.Request{
			ID: "9", Kind: interaction.Component, Route: "restart/{bot...}", UserID: "42", CustomerID: "43", GuildID: "7", ChannelID: "8",
			Reference: "ABC1234", ReceivedAt: time.Now().Add(-time.Second).UTC(), Shard: "3",
		}
		told := incident.Of(r, &hostapi.Error{
			Op: hostapi.OpRestart, Code: hostapi.CodeUnavailable, Status: 503, Detail: "no such node", Attempts: 2, Took: time.Second, Uncertain: true,
		})
		store.Keep(told)
		got, err := store.Incident(t.Context(), "ABC1234")
		if err != nil {
			t.Fatal(err)
		}
		told.Version = "1.2.3"
		if diff := cmp.Diff(told, got); diff != "" {
			t.Errorf("incident (-want +got):\n%s", diff)
		}
		if got.Answer != "no such node" || got.Attempts != 2 || got.Failed < time.Second || got.Shard != "3" {
			t.Errorf("it tells %+v", got)
		}
		store.Keep(incident.Of(r, errors.New("the caller could not be told")))
		if got, err = store.Incident(t.Context(), "ABC1234"); err != nil || got.Answer != "no such node" {
			t.Errorf("what came of it has taken the cause's place: %+v, %v", got, err)
		}
		if left := client.TTL(t.Context(), "hostbot:reference:ABC1234").Val(); left <= 6*24*time.Hour || left > 7*24*time.Hour {
			t.Errorf("it is kept for %v", left)
		}
	})
}

func TestWhatIsNotKnown(t *testing.T) {
	redistest.Each(t, func(t *testing.T, address string) {
		client := redistest.Connect(t, address)
		store := incident.New(client, "", "1", zerolog.Nop())
		for _, code := range []string{"", "ABC1234"} {
			if _, err := store.Incident(t.Context(), code); !errors.Is(err, incident.ErrUnknown) {
				t.Errorf("%q: %v", code, err)
			}
		}
		client.Set(t.Context(), "hostbot:reference:BAD0000", `{"reference":`, 0)
		if got, err := store.Incident(t.Context(), "BAD0000"); err != nil || got.Reference != "BAD0000" || !strings.Contains(got.Detail, `{"reference":`) {
			t.Errorf("nonsense is not shown as it is: %+v, %v", got, err)
		}
	})
}

func TestWithoutRedisTheLogSaysSo(t *testing.T) {
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		client := redistest.Connect(t, server.URL())
		server.Stop()
		var log strings.Builder
		store := incident.New(client, "", "1", zerolog.New(&log))
		store.Keep(incident.Incident{Reference: "ABC1234"})
		if !strings.Contains(log.String(), "ABC1234") {
			t.Errorf("the log says %q", log.String())
		}
		if _, err := store.Incident(t.Context(), "XYZ1234"); err == nil || errors.Is(err, incident.ErrUnknown) {
			t.Errorf("error %v", err)
		}
		for range 2 {
			if incident, err := store.Incident(t.Context(), "ABC1234"); err != nil || incident.Reference != "ABC1234" || incident.Version != "1" {
				t.Errorf("the process that was asked knows %+v, %v", incident, err)
			}
			server.Restart()
		}
	})
}

// An outage makes hundreds of incidents a second.
func TestWhatIsKeptAndHeldIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		counting := &setCounter{}
		store := incident.New(counting, "", "1", zerolog.Nop())
		for i := range 1200 {
			store.Keep(incident.Incident{Reference: fmt.Sprintf("ABC%04d", i)})
		}
		if counting.sets != 500 {
			t.Errorf("Redis has %d incidents", counting.sets)
		}
		for code, held := range map[string]bool{"ABC0699": false, "ABC0700": true, "ABC1199": true} {
			if _, err := store.Incident(t.Context(), code); (err == nil) != held {
				t.Errorf("%s: %v", code, err)
			}
		}
		time.Sleep(time.Hour)
		store.Keep(incident.Incident{Reference: "ABC1200"})
		if counting.sets != 501 {
			t.Errorf("an hour later Redis has %d incidents", counting.sets)
		}
	})
}

// setCounter is a Redis that forgets what it is given.
type setCounter struct {
	redis.UniversalClient
	sets int
}

func (c *setCounter) SetNX(ctx context.Context, _ string, _ any, _ time.Duration) *redis.BoolCmd {
	c.sets++
	return redis.NewBoolCmd(ctx)
}

func (c *setCounter) Get(ctx context.Context, _ string) *redis.StringCmd {
	return redis.NewStringResult("", redis.Nil)
}

func TestCleanUnderstandsWhatPeopleType(t *testing.T) {
	for typed, want := range map[string]string{
		"ABC1234": "ABC1234", " abc1234 ": "ABC1234", "`ABC1234`": "ABC1234", "#abc-1234": "ABC1234", "ABCO23I": "ABC0231", "ABCl234": "ABC1234",
		"Reference: ABC1234": "ABC1234", "**Referenz:** `abc1234`.": "ABC1234", "参照：ABC1234": "ABC1234",
		"“abc1234”": "ABC1234", "ａｂｃ１２３４": "ABC1234", "abc—1234": "ABC1234", "\u200babc\u00a01234\ufeff": "ABC1234",
		"": "", "ABC123": "", "ABC12345": "", "ABC123*": "", "äBC1234": "", "hostbot:reference:x": "",
	} {
		if got := incident.Clean(typed); got != want {
			t.Errorf("Clean(%q) = %q, want %q", typed, got, want)
		}
	}
}
