//go:debug x509usefallbackroots=1

package faultproxy_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hostbot/bot/faultproxy"
)

var network = sync.OnceValues(faultproxy.NewNetwork)

func TestMain(m *testing.M) {
	n, err := network()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	n.Join()
	_ = os.Setenv("NO_PROXY", "*")
	goleak.VerifyTestMain(m)
}

// echo runs a server that sends back each line it gets.
func echo(t *testing.T) (target string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				_, _ = io.Copy(conn, conn)
				_ = conn.Close()
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		work.Wait()
	})
	return listener.Addr().String()
}

func dial(t *testing.T, r *faultproxy.Relay) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", r.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// say sends a line and returns what comes back.
func say(conn net.Conn, line string) (string, error) {
	if _, err := io.WriteString(conn, line+"\n"); err != nil {
		return "", err
	}
	return bufio.NewReader(conn).ReadString('\n')
}

func TestOpenAndOpenAgain(t *testing.T) {
	r := faultproxy.RunT(t, echo(t))
	for _, bad := range []faultproxy.Condition{faultproxy.Refusing, faultproxy.Resetting} {
		conn := dial(t, r)
		if got, err := say(conn, "hello"); got != "hello\n" {
			t.Fatalf("%q, %v", got, err)
		}
		r.Set(bad)
		if got, err := say(conn, "hello"); err == nil {
			t.Errorf("condition %v: an open connection says %q", bad, got)
		}
		if other, err := net.Dial("tcp", r.Addr()); err == nil {
			if got, err := say(other, "hello"); err == nil {
				t.Errorf("condition %v: a new connection says %q", bad, got)
			}
			_ = other.Close()
			if bad == faultproxy.Refusing {
				t.Error("a connection is accepted")
			}
		}
		r.Set(faultproxy.Open)
	}
}

// buffer keeps what is written to it, and tells when it is closed.
type buffer struct {
	bytes.Buffer
	closed chan struct{}
}

func (b *buffer) Close() error {
	close(b.closed)
	return nil
}

func TestTapHearsBothSides(t *testing.T) {
	requests, answers := &buffer{closed: make(chan struct{})}, &buffer{closed: make(chan struct{})}
	r, err := faultproxy.Start(echo(t), func() (io.WriteCloser, io.WriteCloser) { return requests, answers })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	conn := dial(t, r)
	if got, err := say(conn, "hello"); got != "hello\n" {
		t.Fatalf("%q, %v", got, err)
	}
	_ = conn.Close()
	for _, side := range []*buffer{requests, answers} {
		<-side.closed
		if side.String() != "hello\n" {
			t.Errorf("heard %q", side.String())
		}
	}
}

func TestWhatHangsArrivesLater(t *testing.T) {
	r := faultproxy.RunT(t, echo(t))
	conn := dial(t, r)
	r.Set(faultproxy.Hanging)
	_ = conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if got, err := say(conn, "hello"); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("%q, %v", got, err)
	}
	r.Set(faultproxy.Open)
	_ = conn.SetReadDeadline(time.Time{})
	if got, err := bufio.NewReader(conn).ReadString('\n'); got != "hello\n" {
		t.Fatalf("%q, %v", got, err)
	}
	began := time.Now()
	r.Set(faultproxy.Slow)
	if got, err := say(conn, "hello"); got != "hello\n" || time.Since(began) < time.Second {
		t.Errorf("%q, %v after %v", got, err, time.Since(began))
	}
}

func TestAnAnswerThatIsCutOff(t *testing.T) {
	r := faultproxy.RunT(t, echo(t))
	r.Set(faultproxy.CuttingOff)
	if got, err := say(dial(t, r), "hello12"); err == nil || got != "hell" && got != "" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestTLSAndNames(t *testing.T) {
	n, err := network()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }))
	t.Cleanup(server.Close)
	r := n.RunT(t, server.Listener.Addr().String())
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	get := func() (string, error) {
		res, err := client.Get("https://" + r.Addr())
		if err != nil {
			return "", err
		}
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(res.Body)
		return string(body), err
	}
	for condition, want := range map[faultproxy.Condition]string{faultproxy.Untrusted: "certificate", faultproxy.Unknown: "no such host"} {
		if got, err := get(); got != "hello" {
			t.Fatalf("%q, %v", got, err)
		}
		r.Set(condition)
		if _, err := get(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("condition %v: %v", condition, err)
		}
		r.Set(faultproxy.Open)
	}
	if _, err := net.LookupHost("other.test"); err == nil {
		t.Error("a name that was never given has an address")
	}
}
