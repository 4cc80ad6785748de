package check_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2/server"

	"hostbot/bot/staff/health"
)

// What servers answer that REDIS_URL has not the right form for: redis-server 7.0.15 was asked, and Redis's source has the same words
// (https://github.com/redis/redis/tree/7.0/src: sentinel.c, server.c, cluster.c, db.c, acl.c, networking.c).
const (
	noClusterSupport = "ERR This instance has cluster support disabled"
	notInTheCluster  = "ERR SELECT is not allowed in cluster mode"
	noSuchDatabase   = "ERR DB index is out of range"
	noPassword       = "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?"
	elsewhere        = "MOVED 3999 127.0.0.1:6381"
	protected        = "DENIED Redis is running in protected mode because protected mode is enabled and no password is set for the default user."
)

// unknownTo is how a Sentinel and an old Redis answer to a command.
func unknownTo(command string) string {
	return "ERR unknown command '" + command + "', with args beginning with: '" + password + "' "
}

// TestWhatAnswersAtTheAddress has something else answer than REDIS_URL has the form for. What is found says what answers, the cure what to
// write, and no further check guesses.
func TestWhatAnswersAtTheAddress(t *testing.T) {
	t.Parallel()
	sentinel := func(s *scene) {
		s.redis.info = map[string]string{"redis_version": "7.0.15", "redis_mode": "sentinel", "master0": "name=main,status=ok,address=10.0.0.5:6379,slaves=1,sentinels=3"}
		for _, command := range []string{"SELECT", "CLUSTER", "WATCH", "EXISTS"} {
			s.redis.refusals[command] = unknownTo(command)
		}
	}
	inCluster := func(s *scene) {
		s.redis.info["redis_mode"] = "cluster"
		s.redis.refusals["SELECT"], s.redis.refusals["EXISTS"] = notInTheCluster, elsewhere
	}
	standalone := func(s *scene) {
		s.redis.refusals["CLUSTER"], s.redis.refusals["SENTINEL"] = noClusterSupport, unknownTo("sentinel")
		s.redis.refusals["SELECT"] = noSuchDatabase
	}
	refuses := func(command, answer string) func(*scene) {
		return func(s *scene) { s.redis.refusals[command] = answer }
	}
	nothing := func(*scene) {}
	none := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(none.Close)
	encrypted := httptest.NewUnstartedServer(http.NotFoundHandler())
	encrypted.Config.ErrorLog = log.New(io.Discard, "", 0)
	encrypted.StartTLS()
	t.Cleanup(encrypted.Close)
	const secret = "redis://:" + password + "@"

	for name, test := range map[string]struct {
		plant       func(*scene)
		url         string // in which R is the address of the Redis
		found, cure string
	}{
		"a Sentinel":                            {sentinel, "redis://R", "a Sentinel answers, and REDIS_URL has the form for one server", "write redis://R/0?master_name=main, with &addr=HOST:PORT for each other Sentinel"},
		"a Sentinel with a database":            {sentinel, "redis://R/1", "a Sentinel answers", "write redis://R/0?master_name=main,"},
		"a Sentinel with its password":          {sentinel, secret + "R/0", "a Sentinel answers", "write redis://USER:PASSWORD@R/0?master_name=main&password=PASSWORD, with &addr=HOST:PORT for each other Sentinel; what stands before the @ is for the Sentinels"},
		"a Sentinel with its servers' password": {func(s *scene) { sentinel(s); s.redis.refusals["AUTH"] = noPassword }, secret + "R", "a Sentinel answers", "master_name=main&password=PASSWORD"},
		"Sentinels as a Cluster":                {sentinel, "redis://R?addr=R", "a Sentinel answers, and REDIS_URL has the form for a Cluster (addr=)", "write redis://R/0?master_name=main,"},
		"Sentinels that know another name":      {func(s *scene) { sentinel(s); s.redis.knowsNoMaster(t) }, "redis://R?master_name=mymaster", "no master_name mymaster", "write redis://R/0?master_name=main,"},
		"no Sentinel":                           {standalone, "redis://R?master_name=main&addr=R", "a server that is in no Cluster answers, and REDIS_URL has the form for Sentinels (master_name=)", "write redis://R/0"},
		"a Cluster's server":                    {inCluster, "redis://R", "a server of a Cluster answers, and REDIS_URL has the form for one server", "write redis://R?addr=HOST2:PORT2"},
		"a Cluster's server with a database":    {inCluster, secret + "R/3", "a server of a Cluster answers", "write redis://USER:PASSWORD@R?addr=HOST2:PORT2"},
		"a Cluster's server as a Sentinel":      {inCluster, "redis://R?master_name=main", "a server of a Cluster answers, and REDIS_URL has the form for Sentinels", "write redis://R?addr="},
		"no Cluster":                            {standalone, "redis://R?addr=R", "a server that is in no Cluster answers, and REDIS_URL has the form for a Cluster (addr=)", "write redis://R/0"},
		"no such database":                      {standalone, "redis://R/99", "no database of the number", "write /0"},
		"a port without TLS":                    {nothing, "rediss://R", "it speaks no TLS", "write redis://"},
		"a Cluster without TLS":                 {nothing, "rediss://R?addr=R", "it speaks no TLS", "write redis://"},
		"a port with TLS":                       {nothing, "redis://" + encrypted.Listener.Addr().String(), "it speaks TLS", "write rediss://"},
		"a Cluster with TLS":                    {nothing, "redis://" + encrypted.Listener.Addr().String() + "?addr=" + encrypted.Listener.Addr().String(), "it speaks TLS", "write rediss://"},
		"a certificate that nobody knows":       {nothing, "rediss://" + encrypted.Listener.Addr().String(), "its certificate is not accepted", "SSL_CERT_FILE"},
		"a web server":                          {nothing, "redis://" + none.Listener.Addr().String(), "no Redis", "host and the port"},
		"a password too few":                    {refuses("INFO", "NOAUTH Authentication required."), "redis://R", "wants a password, and REDIS_URL gives none: NOAUTH", "redis://:PASSWORD@HOST:PORT/0"},
		"a password too many":                   {refuses("AUTH", noPassword), secret + "R", "has no password, and REDIS_URL gives one", "take the password out"},
		"another password":                      {nothing, "redis://:wrong@R", "does not accept the user and the password in REDIS_URL: ", "percent-encoded"},
		"protected mode":                        {refuses("", protected), "redis://R", "takes connections of its own machine alone", "requirepass"},
		"no AUTH, which repeats the password":   {refuses("AUTH", unknownTo("auth")), secret + "R", "does not know a command", "6.2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			test.plant(s)
			inPlace := strings.NewReplacer("//R", "//"+s.redis.server.Addr().String(), "@R", "@"+s.redis.server.Addr().String(), "=R", "="+s.redis.server.Addr().String())
			s.env["REDIS_URL"] = inPlace.Replace(test.url)
			found, passed := s.run(t)
			found = slices.DeleteFunc(found, func(f health.Item) bool { return !strings.HasPrefix(f.Name, "redis") })
			if got := found[0]; passed || got.State != health.Failure || !strings.Contains(got.Text, test.found) || !strings.Contains(got.Cure, inPlace.Replace(test.cure)) {
				t.Errorf("%+v", got)
			}
			for _, f := range found[1:] {
				if f.Text != "not checked" || f.Cure != "mend redis first" {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}

// TestTheOnlyServerOfACluster has all keys. It can be used as it is.
func TestTheOnlyServerOfACluster(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.redis.info["redis_mode"] = "cluster"
	if err := s.redis.server.Register("EXISTS", func(c *server.Peer, _ string, _ []string) { c.WriteInt(0) }); err != nil {
		t.Fatal(err)
	}
	if found, passed := s.run(t); !passed {
		t.Errorf("%s", health.Lines(found))
	}
}

// knowsNoMaster has a Sentinel know no server by the name that it is asked for.
func (r *fakeRedis) knowsNoMaster(t *testing.T) {
	t.Helper()
	if err := r.server.Register("SENTINEL", func(c *server.Peer, _ string, _ []string) { c.WriteLen(-1) }); err != nil {
		t.Fatal(err)
	}
}
