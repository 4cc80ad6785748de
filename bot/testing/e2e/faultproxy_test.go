package e2e_test

import (
	"net"
	"runtime"
	"testing"

	"hostbot/bot/testing/faultproxy"
)

// TestRefusingRelayIsNobodyElse has another server be given the port of a relay that refuses
// connections.
func TestRefusingRelayIsNobodyElse(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the loopback range has one address here")
	}
	target, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close() }()
	relay := faultproxy.RunT(t, target.Addr().String())
	relay.Set(faultproxy.Refusing)
	_, port, _ := net.SplitHostPort(relay.Addr())
	if other, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
		defer func() { _ = other.Close() }()
	}
	if conn, err := net.Dial("tcp", relay.Addr()); err == nil {
		_ = conn.Close()
		t.Error("somebody else takes the connection")
	}
}
