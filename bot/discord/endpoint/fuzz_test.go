package endpoint

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"hostbot/bot/interaction"
)

// FuzzBody receives any body. One that is signed is passed on as an event, answered here or
// refused, and never more than one of these. One that is not signed is refused.
func FuzzBody(f *testing.F) {
	for _, body := range []string{
		`{"id":"1","token":"t","type":1,"version":1}`,
		`{"id":"1","application_id":"2","type":2,"token":"t","user":{"id":"3"},"data":{"name":"plan"}}`,
		`{"id":"1","type":3,"token":"t","member":{"user":{"id":"42"},"roles":["7"]},"message":{"id":"9"},"data":{"custom_id":"list/2","values":["x"]}}`,
		`{"id":"1","type":5,"token":"t","user":{"id":"42"},"data":{"custom_id":"create/1/2","components":[{"type":18,"component":{"type":21,"custom_id":"language","value":null}}]}}`,
		`{"type":-1}`, `{"type":257}`, `{"type":1e99}`, `{"type":"1"}`, `{}`, `[]`, `null`, `{`, ``, "\x00", `{"id":"\ud800"}`,
	} {
		f.Add([]byte(body))
	}
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	public, _ := key.Public().(ed25519.PublicKey)
	f.Fuzz(func(t *testing.T, body []byte) {
		var events []*interaction.Event
		e := New(Config{PublicKey: public, Log: zerolog.Nop(), OnInteraction: func(event *interaction.Event) {
			events = append(events, event)
			event.Inline.Leave()
		}})
		post := func(signature []byte, timestamp string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(http.MethodPost, Path, bytes.NewReader(body))
			r.Header.Set(headerTimestamp, timestamp)
			r.Header.Set(headerSignature, hex.EncodeToString(signature))
			w := httptest.NewRecorder()
			e.server.Handler.ServeHTTP(w, r)
			return w
		}
		now := strconv.FormatInt(time.Now().Unix(), 10)
		signature := ed25519.Sign(key, append([]byte(now), body...))
		w := post(signature, now)
		switch said := w.Body.String(); {
		case len(body) > maxBody && w.Code == http.StatusRequestEntityTooLarge && len(events) == 0:
			return
		case w.Code == http.StatusAccepted && len(events) == 1 && said == "":
			if event := events[0]; event.Inline == nil || event.ReceivedAt.IsZero() {
				t.Errorf("the event is %+v", event)
			}
		case w.Code == http.StatusOK && len(events) == 0 && said == `{"type":1}`:
		case w.Code == http.StatusBadRequest && len(events) == 0:
		default:
			t.Errorf("signed: answered %d %q with %d events", w.Code, said, len(events))
		}
		before := len(events)
		signature[0] ^= 1
		if w := post(signature, now); w.Code != http.StatusUnauthorized || len(events) != before {
			t.Errorf("not signed: answered %d with %d events", w.Code, len(events)-before)
		}
	})
}
