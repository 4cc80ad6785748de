package rest_test

import (
	"context"
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

// TestSilence lasts from the first request after the last answer, and not longer than Discord is
// asked.
func TestSilence(t *testing.T) {
	status := http.StatusOK
	began, goOn := make(chan struct{}, 1), make(chan struct{}, 9)
	client, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		began <- struct{}{}
		<-goOn
		answer(status, `{}`)(w, r)
	})
	ask := func(with int) {
		status = with
		goOn <- struct{}{}
		_ = client.Get(t.Context(), "gateway/bot", nil)
		<-began
	}
	silent := func(when string, want bool) (from, until time.Time) {
		t.Helper()
		from, until = client.Silence()
		if from.IsZero() == want || until.IsZero() == want || until.Before(from) {
			t.Errorf("%s the silence is from %v until %v", when, from, until)
		}
		return from, until
	}
	silent("before any request", false)
	ask(http.StatusOK)
	silent("after an answer", false)
	ask(http.StatusBadGateway)
	first, ended := silent("after a failure", true)
	if from, until := silent("later", true); !from.Equal(first) || !until.Equal(ended) {
		t.Errorf("nothing is asked, and the silence goes from %v to %v on until %v", first, ended, until)
	}
	ask(http.StatusBadGateway)
	if from, until := silent("after another failure", true); !from.Equal(first) || !until.After(ended) {
		t.Errorf("the silence from %v is one from %v, and ended at %v", first, from, until)
	}
	ask(http.StatusForbidden)
	silent("after a refusal", false)

	ctx, cancel := context.WithCancel(t.Context())
	gaveUp := make(chan struct{})
	go func() {
		defer close(gaveUp)
		_ = client.Get(ctx, "gateway/bot", nil)
	}()
	<-began
	silent("during a request", true)
	cancel()
	<-gaveUp
	silent("after a request that its caller gave up", false)
	goOn <- struct{}{}
}
