package gateway

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
)

// TestSessionIsHandedOver has one gateway leave a session and another take it up,
// without asking where the gateway is.
func TestSessionIsHandedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var closed error
		f := &fakeGateway{script: func(_ int, link *fakeLink) {
			link.hello()
			link.ready()
			link.send(`{"t":"INTERACTION_CREATE","s":8,"op":0,"d":{"id":"41","token":"t"}}`)
			link.acknowledgeAll()
			closed = link.closed
		}}
		g, _ := newTestGateway(f)
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(ErrHandOver) })
		if err := g.Run(ctx); err != nil {
			t.Errorf("Run() = %v", err)
		}
		f.scripts.Wait()
		if code := websocket.CloseStatus(closed); code < 4000 {
			t.Errorf("the connection was closed with %v, after which Discord ends the session", closed)
		}
		left := g.Session()
		want := Session{ID: "session", ResumeURL: "ws://gateway-us-east1-b.discord.gg/?x=1", Sequence: 8, ApplicationID: "7", Version: 10}
		if diff := cmp.Diff(want, left); diff != "" {
			t.Errorf("session (-want +got):\n%s", diff)
		}

		var first fakeMessage
		heir := &fakeGateway{script: func(_ int, link *fakeLink) {
			first = link.hello()
			link.send(`{"t":"RESUMED","s":9,"op":0,"d":{}}`)
			link.acknowledgeAll()
		}}
		g, told := newTestGateway(heir)
		g.session = left
		limited, cancelHeir := context.WithTimeout(t.Context(), time.Minute)
		defer cancelHeir()
		_ = g.Run(limited)
		heir.scripts.Wait()
		if got := string(first.Data); first.Op != opResume || got != `{"seq":8,"session_id":"session","token":"token-of-the-test"}` {
			t.Errorf("the heir began with %d %s", first.Op, got)
		}
		if diff := cmp.Diff([]string{"resumed"}, *told); diff != "" || len(heir.asked) > 0 {
			t.Errorf("asked %d times; told (-want +got):\n%s", len(heir.asked), diff)
		}
	})
}

// TestSessionIsHandedOverWhileItIsResumed has a gateway leave a session before Discord has
// answered its RESUME: the address has not failed, so that the heir resumes it there.
func TestSessionIsHandedOverWhileItIsResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeGateway{script: func(_ int, link *fakeLink) {
			link.hello()
			link.acknowledgeAll()
		}}
		g, _ := newTestGateway(f)
		want := Session{ID: "session", ResumeURL: "ws://gateway-us-east1-b.discord.gg/?x=1", Sequence: 8, ApplicationID: "7", Version: 10}
		g.session = want
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(ErrHandOver) })
		if err := g.Run(ctx); err != nil {
			t.Errorf("Run() = %v", err)
		}
		f.scripts.Wait()
		if diff := cmp.Diff(want, g.Session()); diff != "" {
			t.Errorf("session (-want +got):\n%s", diff)
		}
	})
}
