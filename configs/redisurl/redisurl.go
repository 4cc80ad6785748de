// Package redisurl reads the address of a Redis as settings give it.
//
// go-redis reads the forms (ParseURL, ParseFailoverURL, ParseClusterURL):
//
//	redis://user:password@host:6379/0                          one server
//	rediss://user:password@host:6379/0                         one server, with TLS
//	redis://host:26379/0?master_name=main&addr=host2:26379     behind Sentinels
//	redis://host:6379?addr=host2:6379&addr=host3:6379          a Cluster
//	redis://host:6379?cluster=true                             a Cluster with one address for all
//
// The user, the password and the database may be left out, and a port is 6379
// unless it is given. Behind Sentinels the user and password of the address are
// the Sentinels'; the server's own are the parameters username and password. A
// Cluster's address names some of its servers, which tell of the others. The parameter
// cluster is the program's own, as go-redis has none for that.
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
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"hostbot/hostapi/secret"
)

// bufferSize holds an account of ten bots, in bytes. Each connection has two buffers,
// which go-redis makes eight times as large where nothing is set.
const bufferSize = 4 << 10

// commandLimit bounds the writing of a command, and the reading of its answer.
const commandLimit = 300 * time.Millisecond

// Parse reads an address. Its errors repeat nothing of it, and so none of go-redis's words: a
// password may stand in any place.
func Parse(address secret.Text) (*redis.UniversalOptions, error) {
	const encode = "; special characters of a password must be percent-encoded"
	u, err := url.Parse(address.Reveal())
	switch {
	case err != nil, u.Fragment != "":
		return nil, errors.New("is not an address" + encode)
	case u.Scheme != "redis" && u.Scheme != "rediss":
		return nil, errors.New("does not begin with redis:// or rediss://")
	case u.Hostname() == "": // go-redis would take localhost
		return nil, errors.New("names no host")
	}
	query, err := url.ParseQuery(u.RawQuery)
	for name := range query { // go-redis knows more, most of which the limits below would overrule
		if !slices.Contains([]string{"addr", "cluster", "master_name", "username", "password"}, name) {
			return nil, errors.New("has a parameter that is not known" + encode)
		}
	}
	var options *redis.UniversalOptions
	if err == nil {
		options, err = read(u, query)
	}
	switch {
	case err != nil, options.DB < 0:
		return nil, errors.New("has a database or a parameter that does not belong there" + encode)
	case options.IsClusterMode && strings.Trim(u.Path, "/0") != "": // go-redis leaves it out
		return nil, errors.New("names a database, and a Cluster has only one")
	}
	limit(options)
	return options, nil
}

// read has go-redis read an address in the form that its parameters show.
func read(u *url.URL, query url.Values) (*redis.UniversalOptions, error) {
	switch {
	case query.Get("master_name") != "":
		o, err := redis.ParseFailoverURL(u.String())
		if err != nil {
			return nil, err
		}
		return &redis.UniversalOptions{
			Addrs: o.SentinelAddrs, MasterName: o.MasterName, SentinelUsername: o.SentinelUsername, SentinelPassword: o.SentinelPassword,
			Username: o.Username, Password: o.Password, DB: o.DB, TLSConfig: o.TLSConfig,
		}, nil
	case query.Has("addr"), query.Get("cluster") == "true":
		query.Del("cluster")
		u.RawQuery = query.Encode()
		o, err := redis.ParseClusterURL(u.String())
		if err != nil {
			return nil, err
		}
		return &redis.UniversalOptions{Addrs: o.Addrs, IsClusterMode: true, Username: o.Username, Password: o.Password, TLSConfig: o.TLSConfig}, nil
	}
	o, err := redis.ParseURL(u.String())
	if err != nil {
		return nil, err
	}
	return &redis.UniversalOptions{Addrs: []string{o.Addr}, Username: o.Username, Password: o.Password, DB: o.DB, TLSConfig: o.TLSConfig}, nil
}

// limit sets the limits. The retry is for connections that a Redis left behind when it was
// restarted. Connecting is tried once, as go-redis's five times would outlast the limits, and
// nothing is asked of a new connection that is not needed.
func limit(o *redis.UniversalOptions) {
	o.Protocol = 2 // 3 has Redis tell of more than it is asked
	o.DialTimeout = commandLimit
	o.ReadTimeout = commandLimit
	o.WriteTimeout = commandLimit
	o.PoolTimeout = 200 * time.Millisecond
	o.PoolSize = 32
	o.ReadBufferSize = bufferSize
	o.WriteBufferSize = bufferSize
	o.PipelinePoolSize = -1 // none: pipelines are short, and share the other connections
	o.MaxRetries = 1
	o.MaxRetryBackoff = 50 * time.Millisecond
	o.DialerRetries = 1
	o.ContextTimeoutEnabled = true
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	if o.IsClusterMode {
		o.MaxRetries = -1 // on each server: a command goes to another one
	}
	if o.MasterName != "" {
		// go-redis asks the Sentinel that it knows for the master while it connects. Only
		// where that fails before this time is over, it asks another Sentinel.
		o.DialTimeout = 2*commandLimit + 200*time.Millisecond
	}
}
