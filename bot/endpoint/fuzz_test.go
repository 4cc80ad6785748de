package endpoint_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/endpoint"
	"hostbot/bot/interaction"
)

// FuzzRequest sends what an attacker may send, and what Discord may sign.
func FuzzRequest(f *testing.F) {
	f.Add("1700000000", strings.Repeat("00", 64), command, false)
	f.Add("", "", `{"type":1}`, true)
	f.Add("-1", "zz", `{"type":5,"data":{"components":[null]}}`, true)
	f.Fuzz(func(t *testing.T, timestamp, signature, body string, discords bool) {
		events := 0
		e := endpoint.New(endpoint.Config{PublicKey: publicKey(), Log: zerolog.Nop(), OnInteraction: func(event *interaction.Event) {
			events++
			event.Inline.Leave()
		}})
		if discords {
			timestamp = strconv.FormatInt(time.Now().Unix(), 10)
			signature = sign(discordsKey(), timestamp, body)
		}
		r := httptest.NewRequest(http.MethodPost, endpoint.Path, strings.NewReader(body))
		r.Header.Set("X-Signature-Timestamp", timestamp)
		r.Header.Set("X-Signature-Ed25519", signature)
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		refused := w.Code == http.StatusUnauthorized || w.Code == http.StatusRequestEntityTooLarge
		if !discords && (!refused || events > 0) {
			t.Errorf("what Discord has not signed is answered with %d and makes %d events", w.Code, events)
		}
		if discords && w.Code == http.StatusUnauthorized {
			t.Error("what Discord has signed is refused")
		}
	})
}
