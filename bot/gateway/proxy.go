package gateway

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// maxProxyAnswer bounds what is read of a proxy's answer, in bytes.
const maxProxyAnswer = 16 << 10

// dialThrough connects to target (host:port) through an HTTP proxy, with
// CONNECT (RFC 9110, section 9.3.6): the proxy sees no more than where to. The
// context's deadline bounds it.
func dialThrough(ctx context.Context, proxy *url.URL, target string) (net.Conn, error) {
	if proxy.Scheme != "http" && proxy.Scheme != "https" {
		return nil, fmt.Errorf("a proxy of the kind %q can not be used", proxy.Scheme)
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", hostPort(proxy))
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	if proxy.Scheme == "https" {
		if conn, err = secured(ctx, conn, proxy.Hostname()); err != nil {
			return nil, fmt.Errorf("proxy: %w", err)
		}
	}
	deadline, _ := ctx.Deadline()
	_ = conn.SetDeadline(deadline)
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	err = askThrough(conn, proxy.User, target)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("proxy: %w", err)
	}
	_ = conn.SetDeadline(time.Time{})
	return conn, nil
}

// askThrough asks a proxy to connect to target.
func askThrough(conn net.Conn, user *url.Userinfo, target string) error {
	req := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: target}, Host: target, Header: make(http.Header)}
	if user != nil {
		password, _ := user.Password()
		credentials := base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
		req.Header.Set("Proxy-Authorization", "Basic "+credentials)
	}
	if err := req.Write(conn); err != nil {
		return err
	}
	in := bufio.NewReader(io.LimitReader(conn, maxProxyAnswer))
	res, err := http.ReadResponse(in, req)
	if err != nil {
		return err
	}
	_ = res.Body.Close() // that of a CONNECT is empty
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", res.StatusCode)
	}
	if in.Buffered() > 0 {
		return errors.New("it said more than it was asked") // the other end waits to be spoken to
	}
	return nil
}
