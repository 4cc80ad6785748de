package processes_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"hostbot/bot/discordtest"
)

// TestSlowDiscordIsStillDiscord has Discord take its time with each first
// response: before it takes it, or between that and its word on it.
func TestSlowDiscordIsStillDiscord(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]discordtest.Fault{
		"taken after 0.8 s":           {Delay: 800 * time.Millisecond},
		"taken at once, said in 0.8s": {Delay: 800 * time.Millisecond, After: true},
		"taken after 1.5 s":           {Delay: 1500 * time.Millisecond},
		"taken at once, said in 1.5s": {Delay: 1500 * time.Millisecond, After: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setting{})
			w.start(t)
			fault.Method, fault.Route = http.MethodPost, discordtest.RouteCallback
			w.discord.Inject(fault)
			if done := restartAll(t, w.customers("c", 10), 10); done != 10 {
				t.Errorf("%d of 10 restarts were done", done)
			}
		})
	}
}

// TestOneAccountsTroubleIsItsOwn has the service answer 500 for ten accounts, whose
// customers try all the time.
func TestOneAccountsTroubleIsItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{})
	sick, healthy := w.customers("sick", 10), w.customers("healthy", 30)
	isSick := make(map[string]bool)
	for _, c := range sick {
		isSick[c.ID] = true
	}
	w.start(t, "HOSTAPI_URL="+line(t, w.service.URL(), func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if isSick[accountOf(r.URL, string(body))] {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		pass.ServeHTTP(w, r)
	}))
	done := 0
	for len(healthy) > 0 {
		settled(allRestart(t, sick), 10*time.Second)
		var trying sync.WaitGroup
		trying.Go(func() { settled(allRestart(t, sick), 10*time.Second) })
		done += restartAll(t, healthy[:10], 5)
		trying.Wait()
		healthy = healthy[10:]
	}
	if done != 30 {
		t.Errorf("%d of 30 restarts were done for accounts without trouble", done)
	}
}

// accountOf returns the account that a request to the service is about.
func accountOf(address *url.URL, body string) string {
	if id := address.Query().Get("chatUserId"); id != "" {
		return id
	}
	_, after, _ := strings.Cut(body, `"chatUserId":"`)
	id, _, _ := strings.Cut(after, `"`)
	return id
}
