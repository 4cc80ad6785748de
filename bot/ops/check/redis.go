package check

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/staff/health"
	"hostbot/bot/store/redisclient"
)

// redisServer is a Redis that is asked for its INFO once. Of a Cluster one server is
// asked. The error may be a wrongAddress.
type redisServer struct {
	client  redis.UniversalClient
	options *redis.UniversalOptions
	info    func() (map[string]string, error)
}

func newRedis(ctx context.Context, client redis.UniversalClient, options *redis.UniversalOptions) *redisServer {
	r := &redisServer{client: client, options: options}
	r.info = sync.OnceValues(func() (map[string]string, error) {
		facts, err := infoOf(ctx, client)
		for range 2 { // a machine that is busy for a moment takes longer than the client's limits
			if network, ok := errors.AsType[net.Error](err); ok && network.Timeout() {
				facts, err = infoOf(ctx, client)
			}
		}
		return facts, r.judgeAddress(ctx, facts, err)
	})
	return r
}

func infoOf(ctx context.Context, client redis.UniversalClient) (map[string]string, error) {
	text, err := client.Info(ctx).Result()
	facts := make(map[string]string)
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			facts[name] = value
		}
	}
	return facts, err
}

func noRedis(context.Context) health.Item {
	return warn("set REDIS_URL in production", "data is kept in the process: it is lost with the process, and replicas do not see each other")
}

// server reports whether Redis can be used.
func (r *redisServer) server(context.Context) health.Item {
	facts, err := r.info()
	version := facts["redis_version"]
	var major, minor int
	_, _ = fmt.Sscanf(version, "%d.%d", &major, &minor)
	wrong, isWrong := errors.AsType[wrongAddress](err)
	network, ofNetwork := errors.AsType[net.Error](err) // as the error of a context is whose deadline is over
	switch {
	case isWrong:
		return fail(wrong.cure, "%s", wrong.found)
	case redis.HasErrorPrefix(err, "NOPERM"):
		return warn("allow its user INFO to have Redis checked", "it answers, and does not allow INFO")
	case ofNetwork && network.Timeout():
		return fail("see that it runs, and that this machine reaches REDIS_URL", "no answer in time")
	case err != nil:
		return fail("see that it runs, and that this machine reaches REDIS_URL", "%v", redisclient.WithoutArguments(err))
	case facts["role"] == "slave":
		primary := net.JoinHostPort(facts["master_host"], facts["master_port"])
		return fail("name the primary in REDIS_URL, or its Sentinels", "it is a replica of %s, to which the bot cannot write", primary)
	case version == "":
		return warn("see that it is Redis 6.2 or later, or as good", "it does not tell its version")
	case major < 6 || major == 6 && minor < 2:
		return fail("use Redis 6.2 or later", "version %s is too old: it lacks commands that the bot uses", version)
	}
	return good("version %s", version)
}

// persistence tells what Redis loses when it is restarted: log entries that Discord does
// not have, and actions that are to be told of.
func (r *redisServer) persistence(ctx context.Context) health.Item {
	const cure = "set appendonly yes (redis-cli CONFIG SET appendonly yes, and in redis.conf)"
	facts, err := r.info()
	switch {
	case err != nil:
		return notChecked("redis")
	case facts["rdb_last_bgsave_status"] == "err":
		return r.unsaved(ctx)
	case facts["aof_enabled"] == "":
		return warn("see that appendonly is on, or what does the same", "it does not tell of its persistence")
	case facts["aof_enabled"] == "1" && facts["aof_last_write_status"] == "err":
		return fail("see that its disk has room", "the append-only file cannot be written")
	case facts["aof_enabled"] == "1":
		return good("the append-only file is on%s", r.setting(ctx, "appendfsync", ", appendfsync %s"))
	}
	return warn(cure, "the append-only file is off: a restart loses log entries that Discord does not have yet%s", r.setting(ctx, "save", " (snapshots: %q)"))
}

// unsaved is what is found of a Redis whose last snapshot failed. It takes no writes then, unless it is
// told to, or makes no snapshots any more.
func (r *redisServer) unsaved(ctx context.Context) health.Item {
	const cure = "see that its disk has room and that it may write to its directory; its log says why"
	if r.setting(ctx, "stop-writes-on-bgsave-error", "%s") == "yes" && r.setting(ctx, "save", "%s") != "" {
		return fail(cure, "the last snapshot could not be saved, so Redis takes no writes (stop-writes-on-bgsave-error)")
	}
	return warn(cure, "the last snapshot could not be saved")
}

// setting says what Redis is configured to do, or nothing where it does not tell: many
// hosted ones forbid CONFIG.
func (r *redisServer) setting(ctx context.Context, name, format string) string {
	values, err := r.client.ConfigGet(ctx, name).Result()
	if err != nil || len(values) == 0 {
		return ""
	}
	return fmt.Sprintf(format, values[name])
}

// eviction tells what Redis does when its memory is full.
func (r *redisServer) eviction(context.Context) health.Item {
	const cure = "set maxmemory-policy noeviction, and give Redis memory enough"
	facts, err := r.info()
	policy, limit, used := facts["maxmemory_policy"], facts["maxmemory_human"], facts["used_memory_human"]
	most, _ := strconv.ParseInt(facts["maxmemory"], 10, 64)
	held, _ := strconv.ParseInt(facts["used_memory"], 10, 64)
	switch {
	case err != nil:
		return notChecked("redis")
	case policy == "":
		return warn("see that it evicts no keys", "it does not tell of its memory")
	case facts["maxmemory"] == "0":
		return good("its memory has no limit")
	case policy == "noeviction" && held >= most:
		return fail("give Redis more memory (maxmemory), or take away what else fills it", "it is full: %s of %s, so that it takes no writes", used, limit)
	case policy == "noeviction" && held > most/10*8:
		return warn("give Redis more memory (maxmemory)", "it is nearly full: %s of %s, and takes no writes once it is", used, limit)
	case policy == "noeviction":
		return good("it keeps all keys; %s at most", limit)
	case strings.HasPrefix(policy, "volatile-"):
		return warn(cure, "%s: past %s it drops locks, so that two actions on a bot may run at once", policy, limit)
	}
	return warn(cure, "%s: past %s it drops log entries that Discord does not have yet, and locks", policy, limit)
}

// clock compares Redis's clock with this machine's.
func (r *redisServer) clock(ctx context.Context) health.Item {
	if _, err := r.info(); err != nil {
		return notChecked("redis")
	}
	asked := time.Now()
	said, err := r.client.Time(ctx).Result()
	if err != nil {
		return warn("allow its user TIME to have its clock checked", "it does not tell the time: %v", err)
	}
	item, _ := compareClocks("Redis's", asked, said)
	return item
}
