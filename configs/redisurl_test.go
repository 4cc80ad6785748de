package configs_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/configs/redisurl"
	"hostbot/hostapi/secret"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		address, kind string
		addresses     []string
		password      string
		db            int
		tls           bool
	}{
		{"redis://localhost", "single", []string{"localhost:6379"}, "", 0, false},
		{"redis://:pass%2Fword@cache.example:7000/3", "single", []string{"cache.example:7000"}, "pass/word", 3, false},
		{"rediss://user:word@[::1]/1", "single", []string{"[::1]:6379"}, "word", 1, true},
		{"redis://:s@a:26379/2?master_name=main&addr=b:26379&password=word", "sentinel", []string{"a:26379", "b:26379"}, "word", 2, false},
		{"rediss://:word@a:7000?addr=b:7001&addr=c:7002", "cluster", []string{"a:7000", "b:7001", "c:7002"}, "word", 0, true},
		{"redis://:word@a/0?cluster=true", "cluster", []string{"a:6379"}, "word", 0, false},
		{"redis://a:1?addr=a:1", "cluster", []string{"a:1", "a:1"}, "", 0, false},
	} {
		o, err := redisurl.Parse(secret.Text(test.address))
		if err != nil {
			t.Errorf("%s: %v", test.address, err)
			continue
		}
		kind, client := "single", redis.NewUniversalClient(o)
		if _, isCluster := client.(*redis.ClusterClient); isCluster {
			kind = "cluster"
		} else if o.MasterName == "main" && o.SentinelPassword == "s" {
			kind = "sentinel"
		}
		_ = client.Close()
		if kind != test.kind || o.Password != test.password || o.DB != test.db || (o.TLSConfig != nil) != test.tls || !slices.Equal(o.Addrs, test.addresses) {
			t.Errorf("%s: kind %s, addresses %q, password %q, database %d, TLS %v", test.address, kind, o.Addrs, o.Password, o.DB, o.TLSConfig != nil)
		}
		if o.ReadTimeout != 300*time.Millisecond || !o.ContextTimeoutEnabled || o.Protocol != 2 || o.ReadBufferSize != 4<<10 || o.PipelinePoolSize != -1 {
			t.Errorf("%s: limits %+v", test.address, o)
		}
	}
}

func TestParseMistakes(t *testing.T) {
	const word, encoded, parameter = "hunter2", "percent-encoded", "database or a parameter that does not belong"
	for address, want := range map[string]string{
		word:                                                  "does not begin with redis://",
		"http://:hunter2@localhost":                           "does not begin with redis://",
		"redis:///0?password=hunter2":                         "names no host",
		"redis://:hunter2%zz@localhost":                       encoded,
		"redis://:hunter2/x@localhost":                        encoded,
		"redis://user:1/hunter2@localhost":                    encoded,
		"redis://user:1#hunter2@localhost":                    encoded,
		"redis://user:1?hunter2@localhost":                    encoded,
		"redis://:hunter2\x7f@localhost":                      encoded,
		"redis://localhost/hunter2":                           parameter,
		"redis://:hunter2@localhost/-1":                       parameter,
		"redis://a?addr=hunter2":                              parameter,
		"redis://a?addr=b:2&username=hunter2":                 parameter,
		"redis://a?username=hunter2":                          parameter,
		"redis://a?cluster=hunter2":                           parameter,
		"redis://a?cluster=true&master_name=hunter2":          parameter,
		"redis://a?master_name=&addr=b:2":                     parameter,
		"redis://a?master_name=m&addr=b:2&password=h;hunter2": encoded,
		"redis://a?master_name=m&password=hunter2%zz":         encoded,
		"redis://localhost?hunter2=1":                         "parameter that is not known",
		"redis://localhost?read_timeout=1s":                   "parameter that is not known",
		"redis://:hunter2@a:1/4?addr=b:2":                     "a Cluster has only one",
	} {
		if _, err := redisurl.Parse(secret.Text(address)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), word) {
			t.Errorf("%s: error %v, want %q", address, err, want)
		}
	}
}

// FuzzParse reads addresses in any place of which a password stands: an error does not repeat
// it, and what is accepted is the address of a server.
func FuzzParse(f *testing.F) {
	const password = "hunter2hunter2"
	for _, around := range [][2]string{
		{"", ""}, {"redis://:", "@localhost"}, {"rediss://user:", "@cache.example:7000/3"}, {"redis://", ":6379"},
		{"redis://localhost/", ""}, {"redis://a:26379/2?master_name=", "&addr=b:26379&password=word"},
		{"redis://a:26379?master_name=main&addr=b:26379&password=", ""}, {"redis://:word@a:7000?addr=b:7001&addr=", ":1"},
		{"redis://localhost?", "=1"}, {"redis://localhost#", ""}, {"redis://:", "%zz@localhost"}, {"redis://[", "]:1"}, {"redis://a:", ""},
	} {
		f.Add(around[0], around[1])
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		options, err := redisurl.Parse(secret.Text(before + password + after))
		if err != nil {
			if strings.Contains(err.Error(), password) {
				t.Errorf("the error repeats it: %v", err)
			}
			return
		}
		if len(options.Addrs) == 0 || options.DB < 0 || !options.ContextTimeoutEnabled || options.ReadTimeout <= 0 {
			t.Errorf("accepted as %+v", options)
		}
		if err := redis.NewUniversalClient(options).Close(); err != nil { // which panics on options that make no sense
			t.Error(err)
		}
	})
}
