//go:build integration

package processes_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
)

// TestSlowBodiesKeepNobodyOut has strangers send each of two replicas the header of a request and one
// byte of its body, over 80 new connections a second and 300 at a time, while 50 customers use the bot.
// The strangers' address is that of Discord's requests, as it is behind a proxy.
func TestSlowBodiesKeepNobodyOut(t *testing.T) {
	t.Parallel()
	const atOnce, perSecond = 300, 80
	w := newScene(t, instantly, discordtest.Config{})
	replicas := []*replica{w.startHTTP(t, "LOG_LEVEL=warn"), w.startHTTP(t, "LOG_LEVEL=warn")}
	ended := make(chan struct{})
	var strangers sync.WaitGroup
	defer strangers.Wait()
	defer close(ended)
	opened := make(chan struct{}, 1000) // takes one for each connection
	for _, r := range replicas {
		places := make(chan struct{}, atOnce)
		strangers.Go(func() {
			for each := time.NewTicker(time.Second / perSecond); ; {
				select {
				case <-ended:
					return
				case <-each.C:
				}
				select {
				case <-ended:
					return
				case places <- struct{}{}:
				}
				strangers.Go(func() {
					sendSlowly(r.interactions, opened, ended)
					<-places
				})
			}
		})
	}
	for range atOnce * len(replicas) {
		<-opened
	}
	w.useHTTP(t, "c", 50)
}

// sendSlowly opens a connection and sends the beginning of a request. It returns when the
// connection is closed, or when the attack has ended.
func sendSlowly(address string, opened chan<- struct{}, ended <-chan struct{}) {
	conn, err := net.Dial("tcp", address)
	select {
	case opened <- struct{}{}:
	default: // nobody counts any more
	}
	if err != nil {
		return
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_, _ = io.Copy(io.Discard, conn)
	}()
	_, _ = fmt.Fprintf(conn, "POST /interactions HTTP/1.1\r\nHost: bot\r\nX-Signature-Timestamp: %d\r\nX-Signature-Ed25519: %s\r\nContent-Length: 4000\r\n\r\n{",
		time.Now().Unix(), strings.Repeat("0", 128))
	select {
	case <-closed:
	case <-ended:
	}
	_ = conn.Close()
	<-closed
}

// TestIdleConnectionsKeepNobodyOut has strangers open 11,000 connections and leave them be: half of
// them from the start, and half once they have asked for a page that there is not.
func TestIdleConnectionsKeepNobodyOut(t *testing.T) {
	if !world.Everything() {
		t.Skip("runs with TEST_EVERYTHING=1") // it needs the machine, and as many files
	}
	w := newScene(t, instantly, discordtest.Config{})
	r := w.startHTTP(t, "LOG_LEVEL=warn")
	const connections, atOnce = 11000, 20
	var strangers sync.WaitGroup
	for i := range atOnce {
		var idle []net.Conn
		t.Cleanup(func() {
			for _, conn := range idle {
				_ = conn.Close()
			}
		})
		strangers.Go(func() {
			for range connections / atOnce {
				conn, err := net.Dial("tcp", r.interactions)
				if errors.Is(err, syscall.EMFILE) {
					t.Error("this process may not open as many files:", err)
				}
				if err != nil {
					return
				}
				idle = append(idle, conn)
				if i%2 == 0 {
					_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: bot\r\n\r\n")
				}
			}
		})
	}
	w.useHTTP(t, "during", 50)
	strangers.Wait()
	w.useHTTP(t, "after", 50)
	within(t, "MB of a replica to which 11,000 connections are opened", r.memoryKB(t, "VmHWM:")>>10)
}

// useHTTP has so many customers use the bot at the same time, and each of Discord's requests answered.
func (w *scene) useHTTP(t *testing.T, name string, customers int) {
	t.Helper()
	var replies []*discordtest.Reply
	for _, c := range w.customers(name, customers) {
		reply, err := c.Start("/bot list", nil)
		if err != nil {
			t.Fatal(err)
		}
		replies = append(replies, reply)
	}
	answered := 0
	for _, v := range settled(replies) {
		if v.Contains("🟢 Shop") {
			answered++
		}
	}
	if failures := w.discord.Failures(); answered < customers || len(failures) > 0 {
		t.Errorf("%d of %d requests were answered; Discord found %d mistakes, such as %q", answered, customers, len(failures), failures[:min(2, len(failures))])
	}
}
