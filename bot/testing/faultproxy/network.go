package faultproxy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"sync"
	"testing"
	"time"
)

// domain is where the names of a network's relays are.
const domain = "test"

// Network is a network of relays that have names and speak TLS.
type Network struct {
	trusted *tls.Config // how a relay shows that it is who it is
	strange *tls.Config // the same, by whom nobody knows
	roots   *x509.CertPool

	mu     sync.Mutex
	relays map[string]*Relay // by name, as it is asked for
	count  int
}

// NewNetwork returns a network without relays.
func NewNetwork() (*Network, error) {
	trusted, root, err := newCertificate()
	if err != nil {
		return nil, err
	}
	strange, _, err := newCertificate()
	if err != nil {
		return nil, err
	}
	n := &Network{trusted: trusted, strange: strange, roots: x509.NewCertPool(), relays: make(map[string]*Relay)}
	n.roots.AddCert(root)
	return n, nil
}

// Join makes the process one that looks names up in the network alone and trusts
// the relays' certificates. It is for a TestMain, once, before anything connects,
// in a package with the line
//
//	//go:debug x509usefallbackroots=1
func (n *Network) Join() {
	net.DefaultResolver = n.resolver()
	x509.SetFallbackRoots(n.roots)
}

// RunT runs a relay to the server at target, a host and port, until the test
// ends. It speaks TLS to its clients and plain TCP to the server.
func (n *Network) RunT(tb testing.TB, target string) *Relay {
	tb.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.count++
	r := run(tb, &Relay{target: target, network: n, name: fmt.Sprintf("relay%d.%s", n.count, domain)})
	n.relays[asked(r.name)] = r
	return r
}

// lookUp returns the address of a name, as it is asked for, or nil if it has none.
func (n *Network) lookUp(name string) net.IP {
	n.mu.Lock()
	r := n.relays[name]
	n.mu.Unlock()
	if r == nil {
		return nil
	}
	if condition, _ := r.current(); condition == Unknown {
		return nil
	}
	host, _, _ := net.SplitHostPort(r.addr) // which net gave
	return net.ParseIP(host).To4()
}

// newCertificate returns how a server shows a certificate that signs itself, and
// the certificate.
func newCertificate() (*tls.Config, *x509.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "faultproxy"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"*." + domain},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, nil, err
	}
	return &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		NextProtos:   []string{"http/1.1"}, MinVersion: tls.VersionTLS12,
	}, certificate, nil
}
