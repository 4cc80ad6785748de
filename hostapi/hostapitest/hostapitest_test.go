package hostapitest_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hostbot/hostapi/hostapitest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const user = "80351110224678912"

func start() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC) }

// asker asks a service as a client would, with net/http alone.
type asker struct {
	*hostapitest.Service
	clock  *hostapitest.ManualClock
	client *http.Client
}

func run(t *testing.T, o hostapitest.Options) asker {
	t.Helper()
	clock := hostapitest.NewManualClock(start())
	o.Clock = clock
	client := &http.Client{
		Transport:     &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	t.Cleanup(client.CloseIdleConnections)
	return asker{hostapitest.RunWith(t, o), clock, client}
}

// answer is what came back: err where there was no answer in full.
type answer struct {
	status int
	header http.Header
	body   string
	err    error
}

func (a asker) ask(ctx context.Context, method, path, body string, header ...string) answer {
	r, err := http.NewRequestWithContext(ctx, method, a.URL()+path, strings.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	r.Header.Set("Authorization", "Bearer "+a.Secret())
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := a.client.Do(r)
	if err != nil {
		return answer{err: err}
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(content), err}
}

// later asks in the background.
func (a asker) later(ctx context.Context, method, path, body string) <-chan answer {
	c := make(chan answer, 1)
	go func() { c <- a.ask(ctx, method, path, body) }()
	return c
}

func asUser(id string) string { return `{"chatUserId":"` + id + `"}` }
