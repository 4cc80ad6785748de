package rest_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/away"
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

// TestSilence lasts from the first request after the last answer until the last one that has none.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		status, took := http.StatusOK, time.Second
		client := serveInBubble(t, func(w http.ResponseWriter, r *http.Request) {
			<-time.After(took) // of the bubble's time
			answer(status, `{"retry_after":0.001}`)(w, r)
		})
		ask := func(with int) {
			status = with
			_ = client.Get(t.Context(), "interactions/1", nil)
		}
		silent := func(when string, from, until time.Time) {
			t.Helper()
			if began, ended := client.Silence(); !began.Equal(from) || !ended.Equal(until) {
				t.Errorf("%s the silence is from %v until %v, want %v and %v", when, began, ended, from, until)
			}
		}
		silent("before any request", time.Time{}, time.Time{})
		ask(http.StatusOK)
		silent("after an answer", time.Time{}, time.Time{})
		first := time.Now()
		ask(http.StatusBadGateway)
		<-time.After(time.Minute)
		silent("while nothing is asked", first, first.Add(took))
		ask(http.StatusBadGateway)
		silent("after another failure", first, time.Now())
		ask(http.StatusForbidden)
		silent("after a refusal", time.Time{}, time.Time{})

		hanging, giveUp := context.WithCancel(t.Context())
		first, took, status = time.Now(), 14*time.Second, http.StatusOK
		ended := make(chan error)
		go func() { ended <- client.Get(hanging, "interactions/1", nil) }()
		<-time.After(4 * time.Second)
		silent("during a request", time.Time{}, time.Time{})
		<-time.After(2 * time.Second)
		silent("during a request that hangs", first, first.Add(5*time.Second))
		giveUp()
		if err := <-ended; err == nil {
			t.Error("a request that its caller gave up has no error")
		}
		silent("after a request that its caller gave up", first, first.Add(5*time.Second))
		<-time.After(took) // the server is done
		<-time.After(took) // the server is done
	})
}

// TestSilenceBeginsAfterTheLastAnswer, also for a request that was sent before.
func TestSilenceBeginsAfterTheLastAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s away.Since
		sent := time.Now()
		<-time.After(4 * time.Second)
		s.Worked()
		worked := time.Now()
		<-time.After(time.Second)
		if s.Well() != time.Second {
			t.Errorf("it works for %v", s.Well())
		}
		s.Failed(sent)
		if from, _ := s.Away(); !from.Equal(worked) || s.Well() != 0 {
			t.Errorf("it is away since %v, and works for %v", from, s.Well())
		}
	})
}
