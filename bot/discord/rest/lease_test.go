package rest_test

import (
	"net/http"
	"testing"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/store/lease"
	"hostbot/hostapi/redistest"
)

// TestNothingIsSentWithoutTheLease: who was stopped for a while may go on when another leads.
func TestNothingIsSentWithoutTheLease(t *testing.T) {
	client, requests := serve(t, answer(http.StatusOK, `{"id": "1"}`))
	held := lease.New(redistest.Connect(t, redistest.StartMiniredis(t).URL()), "lease", "x")
	ctx := held.Guard(t.Context())
	if _, err := client.CreateMessage(ctx, "1", "n", interaction.Message{Content: "x"}); err == nil || len(requests) > 0 {
		t.Errorf("without the lease: %v, %d requests", err, len(requests))
	}
	if ok, err := held.Hold(t.Context(), time.Hour); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if _, err := client.CreateMessage(ctx, "1", "n", interaction.Message{Content: "x"}); err != nil {
		t.Errorf("with the lease: %v", err)
	}
}

// TestSinceWhenDiscordFails counts from the first failure after the last answer.
func TestSinceWhenDiscordFails(t *testing.T) {
	status := http.StatusOK
	client, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { answer(status, `{}`)(w, r) })
	ask := func(with int) time.Time {
		status = with
		_ = client.Get(t.Context(), "gateway/bot", nil)
		return client.FailingSince()
	}
	if since := ask(http.StatusOK); !since.IsZero() {
		t.Errorf("after an answer it fails since %v", since)
	}
	first := ask(http.StatusBadGateway)
	if again := ask(http.StatusBadGateway); first.IsZero() || !again.Equal(first) {
		t.Errorf("it fails since %v, then since %v", first, again)
	}
	if since := ask(http.StatusForbidden); !since.IsZero() {
		t.Errorf("after a refusal it fails since %v", since)
	}
}
