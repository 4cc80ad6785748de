package loadgen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Discord is a gateway and the part of the REST API that a bot needs to serve
// interactions. Every callback is taken for the first response.
type Discord struct {
	listener net.Listener
	server   *http.Server
	serving  sync.WaitGroup
	gateway  gateway
	event    eventTemplate // of /bot list
	press    eventTemplate
	// AnyMessage takes any message for an answer, for a program that does not draw
	// one. It is set before the first interaction.
	AnyMessage bool

	mu        sync.Mutex
	commands  []map[string]any     // as they are registered
	asked     map[string]*question // by interaction ID
	last      int                  // the last interaction's number
	calls     int
	first     error // mistake in an answer
	ready     chan struct{}
	readyOnce sync.Once
}

// question is an interaction that has no answer yet.
type question struct {
	user     string
	press    bool // it is over when its message says how the action ended
	at       time.Time
	answered func(after time.Duration)
}

// StartDiscord listens on a free port of this machine, for so many shards.
func StartDiscord(shards int) (*Discord, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("loadgen: %w", err)
	}
	d := &Discord{
		listener: listener, event: parseEvent(eventText), press: parseEvent(pressText), gateway: gateway{shards: shards, conns: make(map[int]*connection), waiting: make(map[int][][]byte)},
		asked: make(map[string]*question), ready: make(chan struct{}),
	}
	d.server = &http.Server{Handler: http.HandlerFunc(d.serve), ReadHeaderTimeout: 10 * time.Second}
	d.serving.Go(func() { _ = d.server.Serve(listener) })
	return d, nil
}

// URL returns the address of the REST API in the version that a program speaks.
func (d *Discord) URL(version string) string {
	return "http://" + d.listener.Addr().String() + "/api/" + version
}

// Calls returns how many requests the REST API has had.
func (d *Discord) Calls() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls
}

// Ready is closed once a bot has connected and has read or written its commands.
func (d *Discord) Ready() <-chan struct{} { return d.ready }

// Close ends all connections and waits for them.
func (d *Discord) Close() {
	_ = d.server.Close()
	d.gateway.close()
	d.serving.Wait()
}

// An ID has the milliseconds since 2015 above these bits
// (https://discord.com/developers/docs/reference#snowflakes), in which interactions are counted here: a
// program may look at the time.
const (
	discordEpoch = 1_420_070_400_000
	countBits    = 22
)

// snowflake returns the ID of the nth interaction.
func snowflake(at time.Time, n int) string {
	return strconv.FormatInt((at.UnixMilli()-discordEpoch)<<countBits|int64(n), 10)
}

// ask sends the event of a customer who types /bot list or presses Restart. answered is called
// when the callback has arrived, or what a press led to.
func (d *Discord) ask(c customer, answered func(after time.Duration)) error {
	d.mu.Lock()
	d.last++
	id := snowflake(time.Now(), d.last)
	sequence := strconv.Itoa(d.last + 1) // READY is the first
	q := &question{user: c.user, press: c.restarts != "", answered: answered}
	d.asked[id] = q
	template := d.event
	if q.press {
		template = d.press
	}
	event := template.appendTo(nil, map[string]string{
		"id": id, "sequence": sequence, "user": c.user, "locale": c.locale, "guild": strconv.Itoa(c.guild), "bot": c.restarts,
	})
	q.at = time.Now()
	d.mu.Unlock()
	return d.gateway.send(c.guild, event)
}

func (d *Discord) mistake() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.first
}

func (d *Discord) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/" {
		d.serving.Add(1)
		defer d.serving.Done()
		d.gateway.serve(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	d.mu.Lock()
	d.calls++
	d.mu.Unlock()
	_, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/api/"), "/") // after the version
	if rest, ok := strings.CutPrefix(path, "interactions/"); ok {
		id, _, _ := strings.Cut(rest, "/")
		d.answerCallback(w, d.callback(id, body))
		return
	}
	d.serveRest(w, r.Method, path, body)
}

// answerCallback tells a bot whether its callback was the first. A 204 of
// Discord's has a Content-Type although it has no body (discord-api-docs#5887),
// and JSON that reports an error has spaces as Python writes them
// (Kord-Extensions/kord-extensions#215).
func (d *Discord) answerCallback(w http.ResponseWriter, first bool) {
	if first {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = io.WriteString(w, `{"message": "Interaction has already been acknowledged.", "code": 40060}`)
}

// callback notes an answer, and reports whether it was the interaction's first.
// Whoever has waited long for word of the first may well send another.
func (d *Discord) callback(id string, body []byte) bool {
	now := time.Now()
	d.mu.Lock()
	q := d.asked[id]
	d.judge(id, q, body)
	if q != nil && q.press { // and stays, until its message is edited
		d.mu.Unlock()
		return true
	}
	delete(d.asked, id)
	d.mu.Unlock()
	if q == nil {
		return false
	}
	q.answered(now.Sub(q.at))
	return true
}

// tokenStart begins the token of an interaction, before its ID.
const tokenStart = "aW50ZXJhY3Rpb246"

// edited notes that the message of a press was edited, whose token is in the path.
func (d *Discord) edited(path string, body []byte) {
	now := time.Now()
	_, rest, _ := strings.Cut(path, tokenStart)
	id, _, _ := strings.Cut(rest, "Ol")
	d.mu.Lock()
	q := d.asked[id]
	delete(d.asked, id)
	if d.first == nil && (q == nil || !bytes.Contains(body, []byte("✅"))) {
		d.first = fmt.Errorf("loadgen: a press led to this: %s", body)
	}
	d.mu.Unlock()
	if q != nil {
		q.answered(now.Sub(q.at))
	}
}

// judge notes the first mistake in answers. d.mu is held.
func (d *Discord) judge(id string, q *question, body []byte) {
	n, _ := strconv.Atoi(id)
	n &= 1<<countBits - 1
	switch {
	case d.first != nil:
	case n < 1 || n > d.last:
		d.first = fmt.Errorf("loadgen: %s was answered, which is no interaction", id)
	case q != nil && q.press:
		if !bytes.Contains(body, []byte(`"type":7`)) {
			d.first = fmt.Errorf("loadgen: the answer to a press is no update: %s", body)
		}
	case !bytes.Contains(body, []byte(`"type":4`)):
		d.first = fmt.Errorf("loadgen: the answer is not a message: %s", body)
	case q != nil && !d.AnyMessage && !bytes.Contains(body, []byte(botID(q.user, 0))):
		d.first = fmt.Errorf("loadgen: the answer does not name the bot %s: %s", botID(q.user, 0), body)
	}
}

// serveRest answers what a bot asks besides.
func (d *Discord) serveRest(w http.ResponseWriter, method, path string, body []byte) {
	var answer any
	switch {
	case path == "gateway" || path == "gateway/bot":
		answer = map[string]any{
			"url": "ws://" + d.listener.Addr().String(), "shards": d.gateway.shards,
			"session_start_limit": map[string]int{"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": d.gateway.shards},
		}
	case strings.HasSuffix(path, "/commands"):
		answer = d.register(method, body)
		defer d.readyOnce.Do(func() { close(d.ready) })
	case method == http.MethodPatch && strings.HasPrefix(path, "webhooks/"):
		d.edited(path, body)
		answer = map[string]any{"id": "1", "channel_id": "1", "embeds": []any{map[string]any{}}}
	case strings.Contains(path, "/messages"):
		var sent struct {
			Embeds []json.RawMessage `json:"embeds"`
		}
		_ = json.Unmarshal(body, &sent) // what is not JSON has none
		answer = map[string]any{"id": "1", "channel_id": "1", "embeds": sent.Embeds}
	default:
		answer = botUser()
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// register keeps commands that are sent, and returns what is registered.
func (d *Discord) register(method string, body []byte) []map[string]any {
	d.mu.Lock()
	defer d.mu.Unlock()
	if method == http.MethodPut {
		d.commands = nil
		_ = json.Unmarshal(body, &d.commands) // what is not JSON registers nothing
		for i, c := range d.commands {
			c["id"], c["application_id"], c["version"] = strconv.Itoa(i+1), applicationID, "1"
		}
	}
	if d.commands == nil {
		return []map[string]any{}
	}
	return d.commands
}

// applicationID is the bot's; its user has the same.
const applicationID = "1199999999999999999"

func botUser() map[string]any {
	return map[string]any{
		"id": applicationID, "username": "bot", "discriminator": "0000", "global_name": nil, "avatar": nil, "bot": true, "flags": 0,
	}
}
