package discordtest

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
)

// endpoints are where interactions are sent over HTTP: the Interactions Endpoint URL
// and the load balancer behind it.
type endpoints struct {
	key    ed25519.PrivateKey
	client *http.Client

	mu        sync.Mutex
	addresses []string // in the order in which it is their turn
	repeats   bool     // each interaction is sent to all
	posted    int      // interactions so far
}

// checkEach is after how many interactions an endpoint's look at signatures is tried
// again. How often Discord does that is not known.
const checkEach = 5

func newEndpoints() endpoints {
	seed := make([]byte, ed25519.SeedSize)
	_, _ = rand.Read(seed) // which never fails
	return endpoints{key: ed25519.NewKeyFromSeed(seed), client: &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 64},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// PublicKey is the key with which interactions are signed, in hex.
func (s *Server) PublicKey() string {
	public, _ := s.endpoints.key.Public().(ed25519.PublicKey)
	return hex.EncodeToString(public)
}

// AddEndpoint has interactions posted to an address, and none sent over the gateway.
// Of several addresses each has its turn, as behind a load balancer. As when one is
// saved in the Developer Portal, PINGs are sent first.
func (s *Server) AddEndpoint(address string) {
	s.endpoints.mu.Lock()
	s.endpoints.addresses = append(s.endpoints.addresses, address)
	s.endpoints.mu.Unlock()
	s.handlers.Go(func() { s.ping(address) })
}

// RemoveEndpoint posts nothing more to an address, unless it is the only one.
func (s *Server) RemoveEndpoint(address string) {
	s.endpoints.mu.Lock()
	defer s.endpoints.mu.Unlock()
	others := slices.DeleteFunc(slices.Clone(s.endpoints.addresses), func(a string) bool { return a == address })
	if len(others) > 0 {
		s.endpoints.addresses = others
	}
}

// RepeatInteractions sends each interaction to all addresses at the same time, as a
// load balancer does at worst that sends a request again.
func (s *Server) RepeatInteractions(on bool) {
	s.endpoints.mu.Lock()
	defer s.endpoints.mu.Unlock()
	s.endpoints.repeats = on
}

// targets returns the addresses for an interaction; none over the gateway.
func (e *endpoints) targets() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.repeats || len(e.addresses) == 0 {
		return slices.Clone(e.addresses)
	}
	first := e.addresses[0]
	e.addresses = append(e.addresses[1:], first)
	return []string{first}
}

// ping sends what an endpoint is tried with: a PING, and one with a wrong signature
// (docs:interactions/overview#setting-up-an-endpoint). A PING has no more members
// than these (#2447), and is answered at once (#7285, #7311).
func (s *Server) ping(address string) {
	for _, wanted := range []int{http.StatusUnauthorized, http.StatusOK} {
		body := []byte(`{"id":"` + s.ids.next() + `","token":"ping","type":1,"version":1}`)
		if wanted == http.StatusUnauthorized {
			s.forge(address, "PING", body, make([]byte, ed25519.SignatureSize))
			continue
		}
		req, err := s.signed(address, body)
		if err != nil {
			s.fail("PING", "it cannot be sent: %v", err)
			return
		}
		answer, err := s.endpoints.send(context.Background(), req)
		if err != nil {
			return // the bot has gone already
		}
		var pong struct{ Type int }
		kind, _, _ := mime.ParseMediaType(answer.header.Get("Content-Type"))
		isPong := kind == "application/json" && json.Unmarshal(answer.body, &pong) == nil && pong.Type == 1
		if answer.status != wanted || !isPong {
			s.fail("PING", "it was answered with %d %s, want %d", answer.status, answer.body, wanted)
		}
	}
}

// checkSignatures tries now and then whether an endpoint looks at signatures: Discord does
// "automated, routine security checks" with invalid ones, and removes an address that
// fails (docs:interactions/overview#setting-up-an-endpoint-validating-security-request-headers).
// What it sends is not documented. Here it is the interaction that comes beside it, with
// the signature of another body: whoever believes that, acts twice.
func (s *Server) checkSignatures(address string, event json.RawMessage) {
	s.endpoints.mu.Lock()
	s.endpoints.posted++
	due := s.endpoints.posted%checkEach == 1 && !s.cfg.Lean
	s.endpoints.mu.Unlock()
	if due {
		s.handlers.Go(func() {
			s.forge(address, "security check", event, ed25519.Sign(s.endpoints.key, []byte("another body")))
		})
	}
}

// forge sends a body with a signature that is not its own, which is to be refused. A
// server that is not there or has too much to do refuses it as well.
func (s *Server) forge(address, name string, body, signature []byte) {
	req, err := s.signed(address, body)
	if err != nil {
		s.fail(name, "it cannot be sent: %v", err)
		return
	}
	req.Header.Set("X-Signature-Ed25519", hex.EncodeToString(signature))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer s.clock.AfterFunc(firstResponseLimit, cancel)()
	if answer, err := s.endpoints.send(ctx, req); err == nil && answer.status != http.StatusUnauthorized && answer.status < http.StatusInternalServerError {
		s.fail(name, "a wrong signature was answered with %d %s, want %d", answer.status, answer.body, http.StatusUnauthorized)
	}
}

// signed makes a request as Discord sends it (docs:interactions/overview
// #setting-up-an-endpoint-validating-security-request-headers; the User-Agent is
// from userdoccers).
func (s *Server) signed(address string, body []byte) (*http.Request, error) {
	timestamp := strconv.FormatInt(s.clock.Now().Unix(), 10)
	req, err := http.NewRequest(http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header = http.Header{
		"Content-Type":          {"application/json"},
		"User-Agent":            {"Discord-Interactions/1.0 (+https://discord.com)"},
		"X-Signature-Ed25519":   {hex.EncodeToString(ed25519.Sign(s.endpoints.key, append([]byte(timestamp), body...)))},
		"X-Signature-Timestamp": {timestamp},
	}
	return req, nil
}

// posted is the answer to a request.
type posted struct {
	status int
	header http.Header
	body   []byte
}

func (e *endpoints) send(ctx context.Context, req *http.Request) (posted, error) {
	res, err := e.client.Do(req.WithContext(ctx))
	if err != nil {
		return posted{}, err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody))
	return posted{res.StatusCode, res.Header, body}, err
}

// post sends an event and takes the answer, which holds the first response or, with
// 202, says that it is sent to the callback endpoint
// (docs:interactions/receiving-and-responding#interaction-callback). Discord hangs up
// when the time for the first response is over. No report says that it sends an
// interaction again.
func (s *Server) post(address string, in *interaction, event json.RawMessage) {
	s.checkSignatures(address, event)
	s.recorder.note(func() Event {
		return Event{Dispatch: &Dispatch{At: s.clock.Now(), Name: "INTERACTION_CREATE", Data: event}}
	})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer s.clock.AfterFunc(firstResponseLimit, cancel)()
	fault := s.faults.take(http.MethodPost, RouteEndpoint)
	if fault != nil && in != nil {
		s.hinder(in.token)
	}
	if fault != nil && fault.Delay > 0 { // after which it hangs up
		defer s.clock.AfterFunc(fault.Delay, cancel)()
	}
	send := func(address string) (posted, error) {
		req, err := s.signed(address, event)
		if err != nil {
			return posted{}, err
		}
		return s.endpoints.send(ctx, req)
	}
	answer, err := send(address)
	for range 3 { // a load balancer tries another server where one is not there
		if dial, ok := errors.AsType[*net.OpError](err); !ok || dial.Op != "dial" {
			break
		}
		answer, err = send(s.endpoints.targets()[0])
	}
	switch {
	case in == nil: // an event that never was
	case err != nil || fault != nil && fault.Reset: // nobody is there, it is too slow, or the answer is lost
		s.hinder(in.token)
	case answer.status == http.StatusAccepted && len(answer.body) == 0:
	case answer.status == http.StatusOK:
		s.respondInline(in, answer)
	default: // a wrong status counts as no answer (getsentry/sentry#76197)
		s.fail(in.name, "the endpoint answered with %d and %d bytes", answer.status, len(answer.body))
	}
}

// respondInline takes an answer as the first response, by the rules of the callback
// endpoint. Nobody tells the bot how that went.
func (s *Server) respondInline(in *interaction, answer posted) {
	req := &http.Request{Method: http.MethodPost, URL: &url.URL{}, Header: answer.header}
	req.SetPathValue("id", in.id)
	req.SetPathValue("token", in.token)
	c := &call{r: req, route: RouteEndpoint, body: answer.body}
	if _, refused := s.postCallback(c); refused != nil && !refused.innocent {
		late := refused.code == CodeUnknownInteraction
		s.failed(late && s.hindered(c), c.name(), "%d, code %d: %s%s", refused.status, refused.code, refused.message, describe(refused.errors))
	}
}
