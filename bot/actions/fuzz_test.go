package actions_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/hostapi/redistest"
)

// fieldOf names a bot in the hash of a customer's actions.
func fieldOf(serverID string) string {
	sum := sha256.Sum256([]byte(serverID))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// FuzzActions has Redis hold anything in the place of an action on bot b1 of customer 200, and of
// what its interaction has done. Whatever is reported is about this bot of this customer. Another
// bot, and another customer, can be acted on.
func FuzzActions(f *testing.F) {
	const record = `{"format":1,"request":{"ID":"900","UserID":"200","CustomerID":"200"},"action":{"Name":"restart","BotID":"b1"}}`
	for _, r := range []string{
		record, "", "{", "null", "[]", `{"format":99}`, `{"format":1,"request":{"ID":"900","UserID":"300","CustomerID":"300"},"action":{"BotID":"b1"}}`,
		`{"format":1,"request":{"ID":"900","CustomerID":"200"},"action":{"BotID":"b2","Outcome":"done"}}`,
		`{"format":1,"request":{"ID":"900","CustomerID":"200"},"action":{"BotID":"b1","Outcome":"x"}}`,
	} {
		for _, at := range []string{"", "0", "-1", "1e300", "9223372036854775807", "x"} {
			f.Add("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "running", "restart", at, at, r, "")
			f.Add("", "unconfirmed", "restart", at, "", r, "reported")
			f.Add("x", "ended", "", "", at, r, "x")
		}
	}
	client := redistest.Connect(f, redistest.StartMiniredis(f).URL())
	f.Fuzz(func(t *testing.T, id, state, action, renewed, free, record, once string) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		client.FlushAll(ctx)
		bot, key := fieldOf("b1"), "hostbot:actions:{200}"
		fields := map[string]string{
			bot + ":id": id, bot + ":state": state, bot + ":action": action, bot + ":since": renewed, bot + ":renewed": renewed, bot + ":free": free, bot + ":record": record,
		}
		client.HSet(ctx, key, fields)
		client.Set(ctx, key+":once:900", once, 0)
		var reports []actions.Report
		a := actions.New(actions.Config{
			Redis: client, Reached: func() time.Duration { return time.Hour }, Report: func(r actions.Report) { reports = append(reports, r) },
			Log: zerolog.Nop(), Timing: actions.DefaultTiming(),
		})
		_ = a.InFlight("200", "b1", fields)
		work, name := a.Work(), "200/"+bot+"/"+id
		client.ZAdd(ctx, work.Due, redis.Z{Member: name})
		if _, err := work.Reconcile(ctx, name); err != nil && len(reports) > 0 {
			t.Errorf("it is reported, and %v", err)
		}
		for _, r := range reports {
			if of := fieldOf(r.Action.BotID); r.Request.CustomerID != "200" || of != bot {
				t.Errorf("reported is bot %q of customer %q", r.Action.BotID, r.Request.CustomerID)
			}
			switch r.Action.Outcome {
			case "", interaction.Done, interaction.Failed, interaction.Refused, interaction.Unconfirmed:
			default:
				t.Errorf("it ended in %q", r.Action.Outcome)
			}
		}
		claim := func(customerID, serverID, interactionID string) error {
			lock, err := a.Acquire(ctx, actions.Claim{
				Request: &interaction.Request{ID: interactionID, UserID: customerID, CustomerID: customerID},
				Action:  interaction.Action{Name: "restart", BotID: serverID},
			})
			if err == nil {
				lock.Close()
			}
			return err
		}
		var held *actions.HeldError
		if err := claim("200", "b1", "901"); errors.As(err, &held) && time.Until(held.Until) > actions.HeldBack {
			t.Errorf("it is held back until %v", held.Until)
		}
		for customerID, serverID := range map[string]string{"200": "b2", "300": "b1"} {
			if err := claim(customerID, serverID, "902"); err != nil {
				t.Errorf("bot %s of customer %s: %v", serverID, customerID, err)
			}
		}
	})
}
