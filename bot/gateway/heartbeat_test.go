package gateway

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/interaction"
)

// clientFrame writes a short frame as the library does: in one piece and masked.
func clientFrame(opcode byte, payload string) []byte {
	mask := [4]byte{0xa1, 0xb2, 0xc3, 0xd4}
	p := append([]byte{0x80 | opcode, 0x80 | byte(len(payload))}, mask[:]...)
	for i := range len(payload) {
		p = append(p, payload[i]^mask[i%4])
	}
	return p
}

const beat = `{"op":1,"d":5}`

// beating returns a connection with a heartbeat interval of 10 s, and a channel
// of the lengths of time after which something arrived at the other end.
func beating(t *testing.T, sent string) (*conn, <-chan time.Duration) {
	t.Helper()
	ours, theirs := net.Pipe()
	c := newConn(ours, func(sessionEvent) {}, func(*interaction.Event) {})
	started, arrivals := time.Now(), make(chan time.Duration, 16)
	go func() {
		_, _ = io.WriteString(theirs, upgrade+frame(frameText, `{"op":10,"d":{"heartbeat_interval":10000}}`)+
			frame(frameText, `{"op":0,"t":"READY","d":{}}`)+sent)
		p := make([]byte, 1024)
		for {
			if _, err := theirs.Read(p); err != nil {
				return
			}
			arrivals <- time.Since(started)
		}
	}()
	go func() { _, _ = io.Copy(io.Discard, c) }()
	t.Cleanup(func() { c.end(errGivenUp) })
	synctest.Wait()
	return c, arrivals
}

func TestHeartbeatsArePutOffByOnePartOfTheInterval(t *testing.T) {
	firsts := map[time.Duration]bool{}
	for range 10 {
		synctest.Test(t, func(t *testing.T) {
			c, arrivals := beating(t, "")
			written := 0
			for range 3 {
				n, _ := c.Write(clientFrame(frameText, beat))
				written += n
				<-time.After(10 * time.Second)
				c.extend()
			}
			if want := 3 * len(clientFrame(frameText, beat)); written != want {
				t.Errorf("the library believes that %d bytes were written, of %d", written, want)
			}
			first := <-arrivals
			if first > 10*time.Second {
				t.Errorf("the first came after %v", first)
			}
			firsts[first] = true
			for i := range 2 {
				if at, want := <-arrivals, first+time.Duration(i+1)*10*time.Second; at != want {
					t.Errorf("another came after %v, want %v", at, want)
				}
			}
		})
	}
	if len(firsts) == 1 {
		t.Errorf("ten connections began to beat at the same time: %v", firsts)
	}
}

func TestAHeartbeatThatIsAskedForIsSentAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, arrivals := beating(t, frame(frameText, `{"op":1,"d":null}`))
		_, _ = c.Write(clientFrame(frameText, beat))
		if at := <-arrivals; at != 0 {
			t.Errorf("it came after %v", at)
		}
	})
}

func TestAnythingElseIsSentAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, arrivals := beating(t, "")
		for _, text := range []string{`{"op":6,"d":{}}`, `{}`, `null`, `1`, ``, `{"op":1`} {
			_, _ = c.Write(clientFrame(frameText, text))
			if at := <-arrivals; at != 0 {
				t.Errorf("%q came after %v", text, at)
			}
		}
	})
}

func TestOnlyWhoLeavesClosesTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, arrivals := beating(t, "")
		c.leaving.Store(true)
		if _, err := c.Write(clientFrame(frameClose, "\x03\xe8")); err != nil {
			t.Error(err)
		}
		<-arrivals

		c, arrivals = beating(t, "")
		if _, err := c.Write(clientFrame(frameClose, "\x03\xe8")); !errors.Is(err, errGivenUp) {
			t.Errorf("error %v", err)
		}
		synctest.Wait()
		if len(arrivals) > 0 || !errors.Is(c.reason(), errGivenUp) {
			t.Errorf("%d frames were sent, reason %v", len(arrivals), c.reason())
		}
	})
}

// FuzzClientFrame reads back what a client writes, and anything else without a
// crash or taking more of it for a frame than there is.
func FuzzClientFrame(f *testing.F) {
	f.Add(clientFrame(frameText, beat), byte(frameText), beat)
	f.Add([]byte("GET / HTTP/1.1\r\n"), byte(frameClose), "\x03\xe8")
	f.Add([]byte{0x81, 0xfe, 0, 0, 0, 0}, byte(15), "")
	f.Fuzz(func(t *testing.T, p []byte, opcode byte, payload string) {
		if _, got := readClientFrame(p); len(got) > maxControl || len(got) > len(p) {
			t.Errorf("%x has a payload of %d bytes", p, len(got))
		}
		if opcode > 15 || len(payload) > maxControl {
			return // such a frame has another form
		}
		if gotOpcode, got := readClientFrame(clientFrame(opcode, payload)); gotOpcode != opcode || string(got) != payload {
			t.Errorf("%d %q was read as %d %q", opcode, payload, gotOpcode, got)
		}
		if isHeartbeat([]byte(payload)) && !strings.Contains(payload, "1") {
			t.Errorf("%q is taken for a heartbeat", payload)
		}
	})
}
