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
// the Sentinels'; the server's own are the parameters username and password. A
// Cluster's address names some of its servers, which tell of the others. Where it has
// one address for all, as a service of a cloud may, that is given twice.
// With TLS the certificates of all servers must be valid for the first host.
//
// The limits are for a program that has 3 s to answer, and to which a Redis that is not
// quick is of no use: 300 ms to connect (behind Sentinels 800 ms), to read and to write,
// 200 ms to wait for a free one of 32 connections, and one retry, in a Cluster three.
// Contexts' deadlines are honoured. Servers are spoken to in RESP2; Sentinels, by
// go-redis's choice, in RESP3.
package redisurl

import (
	"errors"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"hostbot/hostapi/secret"
)

// bufferSize holds an account of twenty-five bots, in bytes. Each connection has two buffers,
// which go-redis makes eight times as large where nothing is set.
const bufferSize = 4 << 10

// commandLimit bounds the writing of a command, and the reading of its answer.
const commandLimit = 300 * time.Millisecond

// Parse reads an address. Its errors repeat nothing of it, as it may hold a
// password in any place.
func Parse(address secret.Text) (*redis.UniversalOptions, error) {
	u, err := url.Parse(address.Reveal())
	switch {
	case err != nil:
		return nil, errors.New("is not an address; a password's special characters must be percent-encoded")
	case u.Scheme != "redis" && u.Scheme != "rediss":
		return nil, errors.New("does not begin with redis:// or rediss://")
	case u.Hostname() == "":
		return nil, errors.New("names no host")
	case u.Fragment != "":
		return nil, errors.New("holds a #; in a password it must be percent-encoded")
	}
	several, err := url.ParseQuery(u.RawQuery) // what only several servers have
	if err != nil {
		return nil, errors.New("has a parameter that cannot be read; a ; or % in a password must be percent-encoded")
	}
	for name := range several {
		if !slices.Contains([]string{"addr", "master_name", "username", "password"}, name) { // whose name may be a part of a password
			return nil, errors.New("has a parameter that is not known; a ? in a password must be percent-encoded")
		}
	}
	u.RawQuery = "" // redis.ParseURL knows one server only
	server, err := redis.ParseURL(u.String())
	behindSentinels := several.Has("master_name")
	isCluster := several.Has("addr") && !behindSentinels
	switch {
	case err != nil, server.DB < 0:
		return nil, errors.New("has a database that is no number")
	case !isServer(server.Addr):
		return nil, errors.New("has a host or port that is none")
	case slices.ContainsFunc(several["addr"], func(address string) bool { return !isServer(address) }):
		return nil, errors.New("has a parameter addr that is not a host and port")
	case behindSentinels && several.Get("master_name") == "":
		return nil, errors.New("has an empty master_name")
	case !behindSentinels && (several.Has("username") || several.Has("password")):
		return nil, errors.New("has a parameter that does not belong to its form: username and password are for Sentinels")
	case isCluster && server.DB != 0:
		return nil, errors.New("names a database, and a Cluster has only one")
	}
	options := withLimits(server)
	options.Addrs = append(options.Addrs, several["addr"]...)
	if isCluster {
		options.MaxRetries = -1 // on each server: a command goes to another one
	}
	if behindSentinels {
		// go-redis asks the Sentinel that it knows for the master while it connects. Only
		// where that fails before this time is over, it asks another Sentinel.
		options.DialTimeout = 2*commandLimit + 200*time.Millisecond
		options.MasterName = several.Get("master_name")
		options.SentinelUsername, options.SentinelPassword = options.Username, options.Password
		options.Username, options.Password = several.Get("username"), several.Get("password")
	}
	return options, nil
}

// isServer reports whether an address is a host, without blanks, and a port.
func isServer(address string) bool {
	host, port, err := net.SplitHostPort(address)
	n, wrong := strconv.ParseUint(port, 10, 16)
	return err == nil && wrong == nil && host != "" && !strings.ContainsFunc(host, isBlank) && n > 0
}

func isBlank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// withLimits returns the options of a server's address. The retry is for connections
// that a Redis left behind when it was restarted. Connecting is tried once, as
// go-redis's five times would outlast the limits, and nothing is asked of a new
// connection that is not needed.
func withLimits(server *redis.Options) *redis.UniversalOptions {
	return &redis.UniversalOptions{
		Addrs:     []string{server.Addr},
		Username:  server.Username,
		Password:  server.Password,
		DB:        server.DB,
		TLSConfig: server.TLSConfig,
		Protocol:  2, // 3 has Redis tell of more than it is asked

		DialTimeout:           300 * time.Millisecond,
		ReadTimeout:           commandLimit,
		WriteTimeout:          commandLimit,
		PoolTimeout:           200 * time.Millisecond,
		PoolSize:              32,
		ReadBufferSize:        bufferSize,
		WriteBufferSize:       bufferSize,
		PipelinePoolSize:      -1, // none: pipelines are short, and share the other connections
		MaxRetries:            1,
		MaxRetryBackoff:       50 * time.Millisecond,
		DialerRetries:         1,
		ContextTimeoutEnabled: true,

		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
}
