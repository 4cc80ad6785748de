package check

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/redisclient"
)

// wrongAddress is what is wrong with REDIS_URL, judged by what answers there.
type wrongAddress struct{ found, cure string }

func (w wrongAddress) Error() string { return w.found }

// form is for what an address has its form (package redisurl), or what answers there.
type form string

const (
	oneServer form = "one server"
	cluster   form = "a Cluster (addr=)"
	sentinels form = "Sentinels (master_name=)"
)

func formOf(o *redis.UniversalOptions) form {
	switch {
	case o.MasterName != "":
		return sentinels
	case o.IsClusterMode:
		return cluster
	}
	return oneServer
}

// judgeAddress returns the error of a Redis that was asked for INFO, or what is wrong with its address in the
// error's place.
func (r *redisServer) judgeAddress(ctx context.Context, facts map[string]string, err error) error {
	has := formOf(r.options)
	if err == nil && has != oneServer {
		return nil // go-redis has found them
	}
	if err != nil {
		facts = r.alone(ctx)
	}
	// https://redis.io/docs/latest/commands/info/ (redis_mode)
	met := map[string]form{"standalone": oneServer, "cluster": cluster, "sentinel": sentinels}[facts["redis_mode"]]
	answers := map[form]string{oneServer: "a server that is in no Cluster", cluster: "a server of a Cluster", sentinels: "a Sentinel"}[met]
	names := masters(facts)
	switch {
	case err == nil && met == cluster && !r.lacksKeys(ctx): // it is the only one
		return nil
	case met != "" && met != has:
		return wrongAddress{fmt.Sprintf("%s answers, and REDIS_URL has the form for %s", answers, has), "write " + r.addressFor(met, names)}
	case err == nil:
		return nil
	case met == sentinels && !slices.Contains(names, r.options.MasterName):
		return wrongAddress{"its Sentinels know no master_name " + r.options.MasterName, "write " + r.addressFor(met, names)}
	}
	for _, wrong := range []error{r.judgeTransport(ctx, err), explained(err)} {
		if wrong != nil {
			return wrong
		}
	}
	return err
}

// alone returns the INFO of the first server that answers of those in the address, whatever the address's form. One that
// refuses the password is asked without: a Sentinel may have been given that of its servers.
func (r *redisServer) alone(ctx context.Context) map[string]string {
	o := *r.options
	if o.MasterName != "" {
		o.Username, o.Password = o.SentinelUsername, o.SentinelPassword
	}
	o.MasterName, o.DB, o.IsClusterMode = "", 0, false
	for _, addr := range r.options.Addrs {
		o.Addrs = []string{addr}
		facts, err := ask(ctx, &o)
		if _, refused := errors.AsType[redis.Error](err); refused && o.Password != "" {
			open := o
			open.Username, open.Password = "", ""
			facts, err = ask(ctx, &open)
		}
		if err == nil {
			return facts
		}
	}
	return nil
}

func ask(ctx context.Context, o *redis.UniversalOptions) (map[string]string, error) {
	client := redis.NewUniversalClient(o)
	defer func() { _ = client.Close() }()
	return infoOf(ctx, client)
}

// masters lists by what names a Sentinel knows its servers, as in master0:name=main,status=ok,address=10.0.0.1:6379.
func masters(facts map[string]string) (names []string) {
	for fact, value := range facts {
		first, _, _ := strings.Cut(value, ",")
		if name, is := strings.CutPrefix(first, "name="); is && strings.HasPrefix(fact, "master") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// lacksKeys reports whether some keys are another server's. Of 32 keys a Cluster of two holds all in one once in four
// billion times.
func (r *redisServer) lacksKeys(ctx context.Context) bool {
	_, err := r.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i := range 32 {
			p.Exists(ctx, fmt.Sprint(triedKey, ":", i))
		}
		return nil
	})
	return redis.HasErrorPrefix(err, "MOVED")
}

// addressFor returns an address in the form for what answers, which Sentinels know by these names.
func (r *redisServer) addressFor(met form, names []string) string {
	o, scheme, login, servers := r.options, "redis://", "", ""
	if o.TLSConfig != nil {
		scheme = "rediss://"
	}
	if o.Password != "" || o.SentinelPassword != "" {
		login, servers = "USER:PASSWORD@", "&password=PASSWORD"
	}
	switch met {
	case cluster:
		return scheme + login + o.Addrs[0] + "?addr=HOST2:PORT2, with two of its servers or more; if they have one address, ?cluster=true behind that"
	case sentinels:
		name := "NAME"
		if len(names) > 0 {
			name = strings.Join(names, " or ")
		}
		text := scheme + login + o.Addrs[0] + "/0?master_name=" + name + servers + ", with &addr=HOST:PORT for each other Sentinel"
		if servers != "" {
			text += "; what stands before the @ is for the Sentinels, if they want it"
		}
		return text
	}
	return scheme + login + o.Addrs[0] + "/0"
}

// transportLimit bounds the questions about TLS, beside which go-redis's limits are short.
const transportLimit = 3 * time.Second

// judgeTransport reports whether the port speaks TLS where REDIS_URL does not, or the other way round, or has a certificate
// that is not accepted. It says nothing there that is secret.
func (r *redisServer) judgeTransport(ctx context.Context, err error) error {
	if _, refused := errors.AsType[redis.Error](err); refused {
		return nil // by a Redis that understood
	}
	ctx, cancel := context.WithTimeout(ctx, transportLimit)
	defer cancel()
	addr := r.options.Addrs[0]
	if r.options.TLSConfig == nil {
		err := shakeHands(ctx, addr, &tls.Config{InsecureSkipVerify: true}) // whose certificate it is does not matter: nothing is said
		refusal, _ := errors.AsType[*net.OpError](err)
		if err == nil || refusal != nil && refusal.Op == "remote error" { // as crypto/tls calls an alert
			return wrongAddress{"it speaks TLS, and REDIS_URL begins with redis://", "write rediss:// in the place of redis://"}
		}
		return nil
	}
	if answersPlainly(ctx, addr) {
		return wrongAddress{"it speaks no TLS, and REDIS_URL begins with rediss://", "write redis:// in the place of rediss://, or name the port that has TLS (tls-port in redis.conf)"}
	}
	return explained(shakeHands(ctx, addr, r.options.TLSConfig))
}

// shakeHands makes a connection with TLS, and ends it.
func shakeHands(ctx context.Context, addr string, config *tls.Config) error {
	conn, err := (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", addr)
	if err == nil {
		_ = conn.Close()
	}
	return err
}

// answersPlainly reports whether a port answers as a Redis without TLS does, be it by a refusal.
func answersPlainly(ctx context.Context, addr string) bool {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	answer := make([]byte, 1)
	_, _ = conn.Write([]byte("*1\r\n$4\r\nPING\r\n"))
	_, err = conn.Read(answer)
	return err == nil && (answer[0] == '+' || answer[0] == '-')
}

// explained returns what is wrong with REDIS_URL by an error that tells of it, or nil.
func explained(err error) error {
	if means, cure := redisclient.Explain(err); means != "" {
		return wrongAddress{means + ": " + redisclient.WithoutArguments(err).Error(), cure}
	}
	return nil
}
