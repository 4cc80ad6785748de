package gateway

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hostbot/bot/interaction"
)

const upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"

// frame writes a frame as a server does: in one piece and not masked.
func frame(opcode byte, payload string) string {
	raw := appendFrame(nil, []byte(payload))
	raw[0] = 0x80 | opcode
	return string(raw)
}

// watch returns a connection to which Discord has written the text, and what
// was noted meanwhile.
func watch(t *testing.T, text string) (*conn, *[]sessionEvent) {
	t.Helper()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { _ = ours.Close() })
	go func() {
		_, _ = io.WriteString(theirs, text)
		_ = theirs.Close()
	}()
	noted := &[]sessionEvent{}
	return newConn(ours, func(e sessionEvent) { *noted = append(*noted, e) }, func(*interaction.Event) {}), noted
}

func TestConnHandsOnWhatDiscordSends(t *testing.T) {
	long := `{"op":0,"t":"ENTITLEMENT_CREATE","d":"` + strings.Repeat("x", 70_000) + `"}`
	text := upgrade +
		frame(frameText, `{"op":10,"d":{"heartbeat_interval":41250}}`) +
		frame(frameText, `{"op":0,"t":"READY","d":{"resume_gateway_url":"wss://resume.example","application":{"id":"7"}}}`) +
		frame(frameText, `{"op":11}`) +
		frame(frameText, `{"op":1,"d":null}`) +
		frame(frameText, strings.Repeat("y", 200)) + // not JSON: the library's to report
		frame(frameText, long) +
		frame(9, "ping")
	c, noted := watch(t, text)
	var got bytes.Buffer
	small := make([]byte, 7) // pieces that fit no frame
	for {
		n, err := c.Read(small)
		got.Write(small[:n])
		if err != nil {
			break
		}
	}
	if got.String() != text {
		t.Errorf("%d bytes were handed on, %d were sent", got.Len(), len(text))
	}
	want := sessionEvent{applicationID: "7", resumeURL: "wss://resume.example"}
	if len(*noted) != 1 || (*noted)[0] != want {
		t.Errorf("noted %+v, want %+v", *noted, want)
	}
}

// fragment is a frame after which more of its message follows.
func fragment(opcode byte, payload string) string {
	raw := []byte(frame(opcode, payload))
	raw[0] = opcode
	return string(raw)
}

func TestInteractionsAreTakenFromTheConnection(t *testing.T) {
	const whole = `{"t":"INTERACTION_CREATE","s":41,"op":0,"d":{"id":"9","token":"t","type":2,"data":{"name":"plan"}}}`
	tests := map[string]struct {
		sent, handedOn string
		want           interaction.Event
	}{
		"whole": {
			frame(frameText, whole), frame(frameText, `{"t":"SERVED","s":41}`),
			interaction.Event{ID: "9", Token: "t", Type: 2, Data: interaction.EventData{Name: "plan"}},
		},
		"in fragments, with a ping between them": {
			fragment(frameText, whole[:20]) + frame(9, "ping") + fragment(frameContinuation, whole[20:50]) + frame(frameContinuation, whole[50:]),
			frame(9, "ping") + frame(frameText, `{"t":"SERVED","s":41}`),
			interaction.Event{ID: "9", Token: "t", Type: 2, Data: interaction.EventData{Name: "plan"}},
		},
		"with parts of other types": {
			frame(frameText, `{"op":0,"s":1,"t":"INTERACTION_CREATE","d":{"data":[],"member":7,"id":"9","type":"2","user":{"id":"3"}}}`),
			frame(frameText, `{"t":"SERVED","s":1}`),
			interaction.Event{ID: "9", UserID: "3"},
		},
		"without data": {
			frame(frameText, `{"op":0,"s":1,"t":"INTERACTION_CREATE","d":"x"}`), frame(frameText, `{"t":"SERVED","s":1}`),
			interaction.Event{},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ours, theirs := net.Pipe()
			defer func() { _ = ours.Close() }()
			go func() {
				_, _ = io.WriteString(theirs, upgrade+test.sent)
				_ = theirs.Close()
			}()
			events := make(chan *interaction.Event, 2)
			got, _ := io.ReadAll(newConn(ours, func(sessionEvent) {}, func(e *interaction.Event) { events <- e }))
			if want := upgrade + test.handedOn; string(got) != want {
				t.Errorf("handed on %q, want %q", got, want)
			}
			if diff := cmp.Diff(&test.want, <-events); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		})
	}
}

func TestConnEndsWhereTheLibraryWouldGoWrong(t *testing.T) {
	closing := func(code uint16, text string) string {
		return frame(frameClose, string(binary.BigEndian.AppendUint16(nil, code))+text)
	}
	tests := map[string]struct {
		sent  string
		want  string
		final bool
	}{
		"reconnect":                 {sent: frame(frameText, `{"op":7,"d":null}`), want: errReconnect.Error()},
		"session that can go on":    {sent: frame(frameText, `{"op":9,"d":true}`), want: errResumable.Error()},
		"session that can not":      {sent: frame(frameText, `{"op":9,"d":false}`), want: errInvalid.Error()},
		"session of no clear worth": {sent: frame(frameText, `{"op":9}`), want: errInvalid.Error()},
		"close with a passing code": {sent: closing(4000, "unknown error"), want: `discord closed the connection with code 4000 "unknown error"`},
		"close with a final code":   {sent: closing(4004, "Authentication failed."), want: `discord closed the connection with code 4004 "Authentication failed."`, final: true},
		"close without a code":      {sent: frame(frameClose, ""), want: `discord closed the connection with code 1005 ""`},
		"hello without an interval": {sent: frame(frameText, `{"op":10,"d":{}}`), want: errNonsense.Error()},
		"absurd interval":           {sent: frame(frameText, `{"op":10,"d":{"heartbeat_interval":9000000000000}}`), want: errNonsense.Error()},
		"null":                      {sent: frame(frameText, `null`), want: errNonsense.Error()},
		"binary frame":              {sent: frame(frameBinary, "\x78\x9c"), want: errNonsense.Error()},
		"masked frame":              {sent: "\x81\x85abcdhello", want: errFrame.Error()},
		"frame of absurd length":    {sent: "\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff", want: errFrame.Error()},
		"end":                       {want: "EOF"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c, _ := watch(t, upgrade+test.sent)
			_, err := io.ReadAll(c)
			if c.reason() == nil || c.reason().Error() != test.want {
				t.Fatalf("reason %v (read error %v), want %s", c.reason(), err, test.want)
			}
			if final := finalError(c.reason()); (final != nil) != test.final {
				t.Errorf("final: %v", final)
			}
			if _, err := c.Write([]byte("close 1000, which would end the session")); err == nil {
				t.Error("something could still be written")
			}
		})
	}
}

func TestSilenceIsNoticedWithinTwoIntervals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const interval = 10 * time.Second
		ours, theirs := net.Pipe()
		defer func() { _ = theirs.Close() }()
		c := newConn(ours, func(sessionEvent) {}, func(*interaction.Event) {})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = io.WriteString(theirs, upgrade+frame(frameText, `{"op":10,"d":{"heartbeat_interval":10000}}`)+
				frame(frameText, `{"op":0,"t":"READY","d":{}}`))
			for range 5 {
				<-time.After(interval)
				_, _ = io.WriteString(theirs, frame(frameText, `{"op":11}`))
			}
			// From here on events come, but no acknowledgement.
			for {
				<-time.After(time.Second)
				if _, err := io.WriteString(theirs, frame(frameText, `{"op":0,"t":"X"}`)); err != nil {
					return
				}
			}
		}()
		started := time.Now()
		_, err := io.ReadAll(c)
		if !errors.Is(err, errSilent) {
			t.Errorf("error %v, want %v", err, errSilent)
		}
		silent := time.Since(started) - 5*interval
		if silent < interval || silent > 2*interval {
			t.Errorf("noticed after %v of silence with an interval of %v", silent, interval)
		}
		<-ended
	})
}

func TestASessionThatNeverStandsIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer func() { _ = theirs.Close() }()
		c := newConn(ours, func(sessionEvent) {}, func(*interaction.Event) {})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = io.WriteString(theirs, upgrade+frame(frameText, `{"op":10,"d":{"heartbeat_interval":10000}}`))
			for { // only acknowledgements, which the library must not see yet
				if _, err := io.WriteString(theirs, frame(frameText, `{"op":11}`)); err != nil {
					return
				}
				<-time.After(time.Second)
			}
		}()
		started := time.Now()
		got, _ := io.ReadAll(c)
		if !errors.Is(c.reason(), errSilent) || time.Since(started) > 20*time.Second {
			t.Errorf("ended after %v: %v", time.Since(started), c.reason())
		}
		if bytes.Contains(got, []byte(`"op":11`)) {
			t.Errorf("handed on %q", got)
		}
		<-ended
	})
}

func TestAConnectionThatIsNotReadIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer func() { _ = theirs.Close() }()
		c := newConn(ours, func(sessionEvent) {}, func(*interaction.Event) {})
		<-c.over
		if !errors.Is(c.reason(), errSilent) {
			t.Errorf("reason %v", c.reason())
		}
	})
}

// TestAReadyThatComesTooLateMakesNothingReady has the connection end when Discord's
// word is here, and not read yet.
func TestAReadyThatComesTooLateMakesNothingReady(t *testing.T) {
	hello := frame(frameText, `{"op":10,"d":{"heartbeat_interval":41250}}`)
	for _, event := range []string{"READY", "RESUMED"} {
		for _, late := range []bool{false, true} {
			c, noted := watch(t, upgrade+hello+frame(frameText, `{"op":0,"t":"`+event+`","d":{}}`))
			g := &Gateway{}
			g.conn.Store(c)
			if _, err := io.ReadFull(c, make([]byte, len(upgrade+hello))); err != nil {
				t.Fatal(err)
			}
			if late {
				c.end(errSilent)
			}
			if _, err := c.Read(make([]byte, 1)); err != nil || len(*noted) != 1 {
				t.Fatalf("%s: error %v, noted %v", event, err, *noted)
			}
			if g.Ready() == late {
				t.Errorf("%s, late %v: ready %v", event, late, g.Ready())
			}
			c.end(errSilent)
			if g.Ready() {
				t.Errorf("%s: it is ready without a connection", event)
			}
		}
	}
}

func FuzzConn(f *testing.F) {
	f.Add([]byte(upgrade + frame(frameText, `{"op":10,"d":{"heartbeat_interval":-1}}`)))
	f.Add([]byte("\r\n" + frame(frameText, `{"op":0,"t":"READY","d":[]}`)))
	f.Add([]byte("\n\x88\x01x"))
	f.Add([]byte("\n" + frame(frameText, `{"t":"INTERACTION_CREATE","d":{"id":1,"options":[{}]}}`)))
	f.Add([]byte("\n" + fragment(frameText, `{"t":`) + frame(frameContinuation, `"x"}`)))
	f.Fuzz(func(t *testing.T, sent []byte) {
		ours, theirs := net.Pipe()
		go func() {
			_, _ = theirs.Write(sent)
			_ = theirs.Close()
		}()
		c := newConn(ours, func(sessionEvent) {}, func(*interaction.Event) {})
		got, _ := io.ReadAll(c)
		if c.reason() == nil {
			t.Fatal("the connection ended without a reason")
		}
		if len(got) > len(sent) {
			t.Errorf("handed on %q of %q", got, sent)
		}
	})
}
