// Package redisurl reads the address of a Redis as settings give it.
//
// The forms are those of go-redis:
//
//	redis://user:password@host:6379/0                          one server
//	rediss://user:password@host:6379/0                         one server, with TLS
//	redis://host:26379/0?master_name=main&addr=host2:26379     behind Sentinels
//	redis://host:6379?addr=host2:6379&addr=host3:6379          a Cluster
//
// The user, the password and the database may be left out, and a port is 6379
// unless it is given. Behind Sentinels the user and password of the address are
// the Sentinels'; the server's own are the parameters username and password.
// With TLS the certificates of all servers must be valid for the first host.
// Further parameters set the go-redis options of their names: pool_size (1 to
// 1000), max_retries, dial_timeout, read_timeout, write_timeout and pool_timeout,
// as in read_timeout=500ms, client_name, protocol and, with TLS, skip_verify.
// Others are refused, as go-redis panics on some of their values.
//
// What the address leaves out is set for a program that has 3 s to answer, and
// to which a Redis that is not quick is of no use: 300 ms to connect, to read
// and to write, 200 ms to wait for a free one of 32 connections, and one retry.
// Contexts' deadlines are honoured.
package redisurl

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"hostbot/hostapi/secret"
)

// Target is a Redis as its address describes it. Exactly one field is set.
type Target struct {
	Single   *redis.Options
	Sentinel *redis.FailoverOptions
	Cluster  *redis.ClusterOptions
}

// Parse reads an address. Its errors repeat nothing of it, as it may hold a
// password in any place.
func Parse(address secret.Text) (Target, error) {
	raw := address.Reveal()
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return Target{}, errors.New("is not an address; a password's special characters must be percent-encoded")
	case u.Scheme != "redis" && u.Scheme != "rediss":
		return Target{}, errors.New("does not begin with redis:// or rediss://")
	case u.Hostname() == "":
		return Target{}, errors.New("names no host")
	case u.Fragment != "":
		return Target{}, errors.New("holds a #; in a password it must be percent-encoded")
	}

	query := u.Query()
	if wrong := checkParameters(query); wrong != nil {
		return Target{}, wrong
	}
	kind := kindOf(query)
	if kind == cluster && u.Path != "" && u.Path != "/" && u.Path != "/0" {
		return Target{}, errors.New("names a database, and a Cluster has only one")
	}
	for parameter, value := range limits() {
		if query.Get(parameter) == "" {
			query.Set(parameter, value)
		}
	}
	u.RawQuery = query.Encode()
	target, err := parse(kind, u.String())
	if err != nil {
		return Target{}, errors.New("has a database that is no number, or a parameter that has a wrong value or does not belong to its form")
	}
	return target, nil
}

type kind int

const (
	single kind = iota
	sentinel
	cluster
)

func kindOf(query url.Values) kind {
	switch {
	case query.Has("master_name"):
		return sentinel
	case query.Has("addr"):
		return cluster
	default:
		return single
	}
}

// maxPoolSize bounds the connections to one server.
const maxPoolSize = 1000

// checkParameters refuses what is not documented above. The names of unknown
// parameters are not repeated, as a password with a bare ? in it makes one.
func checkParameters(query url.Values) error {
	for name := range query {
		switch name {
		case "addr", "master_name", "username", "password", "db", "client_name", "protocol", "skip_verify",
			"pool_size", "max_retries", "dial_timeout", "read_timeout", "write_timeout", "pool_timeout":
		default:
			return errors.New("has a parameter that is not known; a ? in a password must be percent-encoded")
		}
	}
	for _, size := range query["pool_size"] {
		if n, err := strconv.Atoi(size); err != nil || n < 1 || n > maxPoolSize {
			return fmt.Errorf("has a pool_size that is not between 1 and %d", maxPoolSize)
		}
	}
	for _, name := range []string{"dial_timeout", "read_timeout", "write_timeout", "pool_timeout"} {
		if slices.ContainsFunc(query[name], endless) {
			return fmt.Errorf("has a %s that is not above 0", name)
		}
	}
	if query.Has("master_name") && query.Get("master_name") == "" {
		return errors.New("has an empty master_name")
	}
	return nil
}

// endless tells of a time limit that go-redis takes for none at all: nobody would
// be answered while Redis hangs.
func endless(limit string) bool {
	if seconds, err := strconv.Atoi(limit); err == nil {
		return seconds <= 0
	}
	d, err := time.ParseDuration(limit)
	return err == nil && d <= 0
}

// limits returns the parameters of an address that does not have its own. The
// retry is for connections that a Redis left behind when it was restarted.
func limits() map[string]string {
	return map[string]string{
		"dial_timeout":      "300ms",
		"read_timeout":      "300ms",
		"write_timeout":     "300ms",
		"pool_timeout":      "200ms",
		"pool_size":         "32",
		"max_retries":       "1",
		"max_retry_backoff": "50ms",
	}
}

// parse sets what an address cannot: connecting is tried once, as go-redis's
// five times would outlast the limits, and nothing is asked of a new connection
// that is not needed.
func parse(k kind, address string) (Target, error) {
	const dialAttempts = 1
	silent := &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	switch k {
	case sentinel:
		o, err := redis.ParseFailoverURL(address)
		if err != nil {
			return Target{}, err
		}
		o.DialerRetries, o.ContextTimeoutEnabled, o.DisableIdentity = dialAttempts, true, true
		return Target{Sentinel: o}, nil
	case cluster:
		o, err := redis.ParseClusterURL(address)
		if err != nil {
			return Target{}, err
		}
		o.DialerRetries, o.ContextTimeoutEnabled, o.DisableIdentity = dialAttempts, true, true
		o.MaintNotificationsConfig = silent
		return Target{Cluster: o}, nil
	default:
		o, err := redis.ParseURL(address)
		if err != nil {
			return Target{}, err
		}
		o.DialerRetries, o.ContextTimeoutEnabled, o.DisableIdentity = dialAttempts, true, true
		o.MaintNotificationsConfig = silent
		return Target{Single: o}, nil
	}
}
