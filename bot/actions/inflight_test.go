package actions_test

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/hostapi/redistest"
)

// fieldsOf returns what Redis has of the actions of customer 42.
func fieldsOf(t *testing.T, client redis.UniversalClient) map[string]string {
	t.Helper()
	fields, err := client.HGetAll(t.Context(), actions.Key("42")).Result()
	if err != nil {
		t.Fatal(err)
	}
	return fields
}

func TestActionIsInFlightForAllProcesses(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, address string) {
		client := redistest.Connect(t, address)
		one, other := sharing(client), sharing(redistest.Connect(t, address))
		var c claims
		lock := acquire(t, one, c.next("42", "shop", "restart"))
		during := fieldsOf(t, client)
		for name, a := range map[string]*actions.Actions{"its own": one, "another": other} {
			got := a.InFlight("42", "shop", during)
			if got == nil || got.Action != "restart" || time.Since(got.Since).Abs() > time.Minute {
				t.Errorf("%s process: %+v", name, got)
			}
			if got := a.InFlight("42", "radio", during); got != nil {
				t.Errorf("%s process: another bot: %+v", name, got)
			}
		}
		if other.InFlight("42", "shop", nil) != nil {
			t.Error("in flight, though Redis tells nothing")
		}
		dead := maps.Clone(during)
		for field := range dead {
			if strings.HasSuffix(field, ":renewed") {
				dead[field] = strconv.FormatInt(time.Now().Add(-time.Minute).UnixMilli(), 10)
			}
		}
		if got := other.InFlight("42", "shop", dead); got != nil {
			t.Errorf("not renewed for a minute: %+v", got)
		}
		lock.End(interaction.Action{Outcome: interaction.Done})
		if got := other.InFlight("42", "shop", fieldsOf(t, client)); got != nil {
			t.Errorf("after its end: %+v", got)
		}
		lock.Logged()
		lock.Close()
	})
}

// TestIdleIsAwaited has a customer's action run in one process while another waits, until its caller is told.
func TestIdleIsAwaited(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, address string) {
		one, other := sharing(redistest.Connect(t, address)), sharing(redistest.Connect(t, address))
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := other.AwaitIdle(gone, "42"); err != nil {
			t.Errorf("nothing has run: %v", err)
		}
		var c claims
		lock := acquire(t, one, c.next("42", "shop", "restart"))
		for _, goOn := range []func(){
			func() {}, func() { lock.End(interaction.Action{Name: "restart", Outcome: interaction.Unconfirmed}) }, lock.Logged,
		} {
			if goOn(); !errors.Is(other.AwaitIdle(gone, "42"), actions.ErrRunning) {
				t.Error("an action is over before its caller knows how it ended")
			}
		}
		idle := make(chan error, 1)
		go func() { idle <- other.AwaitIdle(t.Context(), "42") }()
		lock.Close()
		if err := <-idle; err != nil {
			t.Errorf("it has ended: %v", err)
		}
	})
}
