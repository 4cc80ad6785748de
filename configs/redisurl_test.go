package configs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"hostbot/configs/redisurl"
	"hostbot/hostapi/secret"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name, address, kind string
		addresses           []string
		password            string
		db                  int
		tls                 bool
	}{
		{"one server", "redis://localhost", "single", []string{"localhost:6379"}, "", 0, false},
		{"password and database", "redis://:pass%2Fword@cache.example:7000/3", "single", []string{"cache.example:7000"}, "pass/word", 3, false},
		{"TLS", "rediss://user:word@cache.example/1", "single", []string{"cache.example:6379"}, "word", 1, true},
		{
			"sentinels", "redis://a:26379/2?master_name=main&addr=b:26379&password=word", "sentinel",
			[]string{"a:26379", "b:26379"}, "word", 2, false,
		},
		{"cluster", "rediss://:word@a:7000?addr=b:7001&addr=c:7002", "cluster", []string{"a:7000", "b:7001", "c:7002"}, "word", 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			o, err := redisurl.Parse(secret.Text(test.address))
			if err != nil {
				t.Fatal(err)
			}
			kind := "single"
			client := redis.NewUniversalClient(o)
			defer func() { _ = client.Close() }()
			switch client.(type) {
			case *redis.ClusterClient:
				kind = "cluster"
			case *redis.Client:
				if o.MasterName != "" {
					kind = "sentinel"
				}
			}
			if kind != test.kind || o.Password != test.password || o.DB != test.db || (o.TLSConfig != nil) != test.tls {
				t.Errorf("got kind %s, password %q, database %d, TLS %v", kind, o.Password, o.DB, o.TLSConfig)
			}
			if o.ReadTimeout != 300*time.Millisecond || !o.ContextTimeoutEnabled {
				t.Error("reading is not limited")
			}
			if o.Protocol != 2 || o.ReadBufferSize != 4<<10 || o.PipelinePoolSize != -1 {
				t.Errorf("protocol %d, buffers of %d bytes, %d connections for pipelines", o.Protocol, o.ReadBufferSize, o.PipelinePoolSize)
			}
			if diff := cmp.Diff(test.addresses, o.Addrs); diff != "" {
				t.Errorf("addresses (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseMistakes(t *testing.T) {
	const word = "hunter2"
	for name, test := range map[string]struct{ address, want string }{
		"no scheme":             {word, "does not begin with redis://"},
		"another scheme":        {"http://:hunter2@localhost", "does not begin with redis://"},
		"no host":               {"redis:///0?password=hunter2", "names no host"},
		"bare percent":          {"redis://:hunter2%zz@localhost", "percent-encoded"},
		"slash in password":     {"redis://:hunter2/x@localhost", "percent-encoded"},
		"hash in password":      {"redis://:h#hunter2@localhost", "percent-encoded"},
		"question in password":  {"redis://a:b?hunter2@localhost", "is not an address"},
		"database":              {"redis://localhost/hunter2", "database that is no number"},
		"negative database":     {"redis://:hunter2@localhost/-1", "database that is no number"},
		"port 0":                {"redis://:hunter2@localhost:0", "host or port"},
		"port 65536":            {"redis://:hunter2@localhost:65536", "host or port"},
		"blank in a host":       {"redis://:hunter2@a?addr=b%20c:1", "addr"},
		"semicolon":             {"redis://a?master_name=m&addr=b:2&password=hun;hunter2", "percent-encoded"},
		"percent in parameter":  {"redis://a?master_name=m&addr=b:2&password=hunter2%zz", "percent-encoded"},
		"port 0 of another":     {"redis://a?addr=hunter2:0", "addr"},
		"unknown parameter":     {"redis://localhost?hunter2=1", "parameter that is not known"},
		"sentinel without name": {"redis://localhost?master_name=&addr=b:2", "empty master_name"},
		"parameter of one form": {"redis://localhost?addr=b:2&username=hunter2", "does not belong to its form"},
		"address without port":  {"redis://localhost?addr=hunter2", "parameter"},
		"database of a cluster": {"redis://:hunter2@a:1/4?addr=b:2", "a Cluster has only one"},
		"control characters":    {"redis://:hunter2\x7f@localhost", "is not an address"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := redisurl.Parse(secret.Text(test.address))
			if err == nil {
				t.Fatal("no error")
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %q does not say %q", err, test.want)
			}
			if strings.Contains(err.Error(), word) {
				t.Errorf("error %q repeats the address", err)
			}
		})
	}
}
