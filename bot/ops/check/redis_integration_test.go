//go:build integration

package check_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/staff/health"
	"hostbot/hostapi/redistest"
)

// A Redis that nobody configured runs without an append-only file.
func TestRealRedis(t *testing.T) {
	for name, test := range map[string]struct {
		start       func(testing.TB) *redistest.Server
		persistence health.State
	}{
		"as it comes": {redistest.StartRedis, health.Warning}, "durable": {redistest.StartDurableRedis, health.OK},
	} {
		t.Run(name, func(t *testing.T) {
			s, server := newScene(t), test.start(t)
			s.env["REDIS_URL"] = server.URL()
			found, passed := s.run(t)
			want := map[string]health.State{
				"redis": health.OK, "redis rights": health.OK, "redis persistence": test.persistence, "redis eviction": health.OK, "redis clock": health.OK,
			}
			for _, f := range found {
				if result, ok := want[f.Name]; ok && f.State != result {
					t.Errorf("%+v", f)
				}
				delete(want, f.Name)
			}
			if !passed || len(want) > 0 {
				t.Errorf("passed %v, not checked: %v", passed, want)
			}
			client := redis.NewClient(&redis.Options{Addr: server.Addr()})
			defer func() { _ = client.Close() }()
			if keys := client.DBSize(t.Context()).Val(); keys != 0 {
				t.Errorf("there are %d keys", keys)
			}
		})
	}
}

// TestRedisThatRefuses has a real Redis refuse what the bot needs of it. Nothing is written there.
func TestRedisThatRefuses(t *testing.T) {
	const asDocumented = "ACL SETUSER bot resetkeys ~hostbot:* resetchannels &hostbot:* -@all +@read +@write +@scripting +@transaction +@pubsub +@connection +time +info"
	for name, test := range map[string]struct {
		orders      []string
		check       string
		result      health.State
		found, cure string
	}{
		"the documented rights": {[]string{asDocumented}, "redis rights", health.OK, "may do all", ""},
		"reads only":            {[]string{asDocumented + " -@write"}, "redis rights", health.Failure, "may not run: SET, ", "ACL SETUSER"},
		"no scripts":            {[]string{asDocumented + " -@scripting"}, "redis rights", health.Failure, "may not run: EVAL, EVALSHA", "ACL SETUSER"},
		"no transactions":       {[]string{asDocumented + " -multi"}, "redis rights", health.Failure, "may not run: MULTI", "ACL SETUSER"},
		"no WATCH":              {[]string{asDocumented + " -watch"}, "redis rights", health.Failure, "may not run: WATCH", "ACL SETUSER"},
		"no PUBLISH":            {[]string{asDocumented + " -publish"}, "redis rights", health.Failure, "may not run: PUBLISH", "ACL SETUSER"},
		"other keys":            {[]string{asDocumented + " resetkeys ~other:*"}, "redis rights", health.Failure, "the keys hostbot:*", "~hostbot:*"},
		"other channels":        {[]string{asDocumented + " resetchannels &other:*"}, "redis rights", health.Failure, "the channels hostbot:*", "&hostbot:*"},
		"full":                  {[]string{"CONFIG SET maxmemory-policy noeviction maxmemory 1"}, "redis rights", health.Failure, "takes no writes: OOM", "maxmemory"},
		"full, by its figures":  {[]string{"CONFIG SET maxmemory-policy noeviction maxmemory 1"}, "redis eviction", health.Failure, "it is full", "maxmemory"},
		"a replica":             {[]string{"REPLICAOF 127.0.0.1 1"}, "redis rights", health.Failure, "takes no writes: READONLY", "primary"},
		"too few replicas":      {[]string{"CONFIG SET min-replicas-to-write 1"}, "redis rights", health.Failure, "takes no writes: NOREPLICAS", "min-replicas-to-write"},
	} {
		t.Run(name, func(t *testing.T) {
			s, server := newScene(t), redistest.StartRedis(t)
			client := redis.NewClient(&redis.Options{Addr: server.Addr()})
			defer func() { _ = client.Close() }()
			for _, order := range append([]string{"ACL SETUSER bot on >secret ~* &* +@all"}, test.orders...) {
				var words []any
				for word := range strings.FieldsSeq(order) {
					words = append(words, word)
				}
				if err := client.Do(t.Context(), words...).Err(); err != nil {
					t.Fatalf("%s: %v", order, err)
				}
			}
			s.env["REDIS_URL"] = "redis://bot:secret@" + server.Addr()
			found, _ := s.run(t)
			i := slices.IndexFunc(found, func(f health.Item) bool { return f.Name == test.check })
			if i < 0 || found[i].State != test.result || !strings.Contains(found[i].Text, test.found) || !strings.Contains(found[i].Cure, test.cure) {
				t.Errorf("want %s: %v %q → %q in\n%s", test.check, test.result, test.found, test.cure, health.Lines(found))
			}
			if keys := client.DBSize(t.Context()).Val(); keys != 0 {
				t.Errorf("there are %d keys", keys)
			}
		})
	}
}

// TestRealServersAtTheWrongAddress has real servers be addressed as what they are not.
func TestRealServersAtTheWrongAddress(t *testing.T) {
	server, behind, cluster := redistest.StartRedis(t).Addr(), redistest.StartSentinels(t), redistest.StartCluster(t).Seeds()[0]
	sentinel := behind.Seeds()[0]
	for url, want := range map[string][2]string{
		"redis://" + sentinel:                           {"a Sentinel answers", "redis://" + sentinel + "/0?master_name=main"},
		"redis://" + sentinel + "/1":                    {"a Sentinel answers", "master_name=main"},
		"redis://:secret@" + sentinel:                   {"a Sentinel answers", "master_name=main&password=PASSWORD"},
		"redis://" + sentinel + "?addr=" + sentinel:     {"a Sentinel answers", "master_name=main"},
		"redis://" + sentinel + "?master_name=mymaster": {"no master_name mymaster", "master_name=main"},
		"redis://" + server + "?master_name=main":       {"in no Cluster answers, and REDIS_URL has the form for Sentinels", "redis://" + server + "/0"},
		"redis://" + server + "?addr=" + server:         {"in no Cluster answers, and REDIS_URL has the form for a Cluster", "redis://" + server + "/0"},
		"redis://" + server + "/99":                     {"no database of the number", "/0"},
		"rediss://" + server:                            {"speaks no TLS", "redis://"},
		"redis://" + cluster:                            {"a server of a Cluster answers", "redis://" + cluster + "?addr="},
		"redis://" + cluster + "/1":                     {"a server of a Cluster answers", "?addr="},
		"redis://" + cluster + "?master_name=main":      {"a server of a Cluster answers", "?addr="},
	} {
		s := newScene(t)
		s.env["REDIS_URL"] = url
		found, _ := s.run(t)
		i := slices.IndexFunc(found, func(f health.Item) bool { return f.Name == "redis" })
		if got := found[i]; got.State != health.Failure || !strings.Contains(got.Text, want[0]) || !strings.Contains(got.Cure, want[1]) {
			t.Errorf("%s: %+v", url, got)
		}
	}
	for _, url := range []string{behind.URL(), "redis://" + cluster + "?cluster=true"} {
		s := newScene(t)
		s.env["REDIS_URL"] = url
		found, passed := s.run(t)
		i := slices.IndexFunc(found, func(f health.Item) bool { return f.Name == "redis rights" }) // asked of the server that holds the bot's key
		if !passed || i < 0 || found[i].State != health.OK {
			t.Errorf("%s", health.Lines(found))
		}
	}
}
