package check

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/staff/health"
	"hostbot/bot/store/redisclient"
)

// triedKey is what commands are tried on. All keys and channels of the bot's begin as it does.
const triedKey = "hostbot:check"

// needed lists what the bot has Redis do, as each program may that runs here; TestNeededCommands compares
// it with the source. It begins with a write that takes memory.
func needed() [][]any {
	commands := [][]any{
		{"SET", triedKey, "", "PX", 1000}, {"EVAL", "return 1", 1, triedKey}, {"EVALSHA", strings.Repeat("0", 40), 1, triedKey},
		{"PUBLISH", triedKey, ""}, {"SUBSCRIBE", triedKey}, {"UNSUBSCRIBE", triedKey}, {"PING"}, {"TIME"},
		{"PEXPIRE", triedKey, 1000}, {"EXPIRE", triedKey, 1},
		{"HSET", triedKey, "f", ""}, {"HGET", triedKey, "f"}, {"HMGET", triedKey, "f"}, {"HEXISTS", triedKey, "f"}, {"HDEL", triedKey, "f"},
		{"HINCRBY", triedKey, "f", 1}, {"INCR", triedKey}, {"LPUSH", triedKey, ""}, {"LTRIM", triedKey, 0, 0}, {"LRANGE", triedKey, 0, 0},
		{"SADD", triedKey, ""}, {"SREM", triedKey, ""}, {"ZADD", triedKey, 0, ""}, {"ZREM", triedKey, ""}, {"ZSCORE", triedKey, ""},
		{"ZRANGE", triedKey, 0, 0}, {"ZRANGEBYSCORE", triedKey, 0, 0}, {"ZCOUNT", triedKey, 0, 0}, {"ZREMRANGEBYSCORE", triedKey, 0, 0},
		{"XADD", triedKey, "*", "f", ""}, {"XDEL", triedKey, "0-1"}, {"XACK", triedKey, "g", "0-1"}, {"XTRIM", triedKey, "MINID", "0-1"}, {"XRANGE", triedKey, "-", "+"},
		{"XGROUP", "CREATE", triedKey, "g", "0"}, {"XREADGROUP", "GROUP", "g", "c", "STREAMS", triedKey, "0"},
	}
	for _, name := range []string{"GET", "GETEX", "MGET", "DEL", "EXISTS", "PERSIST", "PTTL", "HGETALL", "HKEYS", "SMEMBERS", "SCARD", "ZCARD", "XLEN"} {
		commands = append(commands, []any{name, triedKey})
	}
	return commands
}

// refusals is what Redis does not do for the bot.
type refusals struct {
	commands       []string // that its user may not run
	unknown        []string // that Redis does not know
	keys, channels bool     // the bot's are not its user's
	trouble        error    // because of which Redis takes no writes; nil if it does
}

// rights reports whether Redis does for the bot what the bot needs.
func (r *redisServer) rights(ctx context.Context) health.Item {
	_, wrong := r.info()
	found, err := r.try(ctx)
	if _, isWrong := errors.AsType[wrongAddress](wrong); isWrong || err != nil {
		return notChecked("redis")
	}
	const cure = "allow its user all that the bot uses: ACL SETUSER NAME resetkeys ~hostbot:* resetchannels &hostbot:* +@read +@write +@scripting +@transaction +@pubsub +@connection +time +info"
	switch {
	case len(found.commands) > 0:
		return fail(cure, "its user may not run: %s", strings.Join(found.commands, ", "))
	case found.trouble != nil:
		_, cure := redisclient.Explain(found.trouble)
		return fail(cmp.Or(cure, "Redis's log may say why"), "it answers, and takes no writes: %v", found.trouble)
	case found.keys:
		return fail(cure, "its user may not use the keys hostbot:*")
	case found.channels:
		return fail(cure, "its user may not use the channels hostbot:*")
	case len(found.unknown) > 0:
		return fail("use Redis 6.2 or later", "it does not know: %s", strings.Join(found.unknown, ", "))
	}
	return good("it takes writes, and its user may do all that the bot does")
}

// try has Redis queue each command in a transaction that is discarded, so that nothing is changed: what
// a user may run, and whether writes are taken at all, Redis judges when it queues a command (processCommand in
// https://github.com/redis/redis/blob/7.0/src/server.c). The error is that it does not answer.
func (r *redisServer) try(ctx context.Context) (found refusals, err error) {
	err = r.client.Watch(ctx, func(tx *redis.Tx) error {
		// Where transactions are refused, what follows MULTI is done at once.
		for _, pair := range [][]string{{"MULTI", "EXEC"}, {"MULTI", "DISCARD"}} {
			if err := found.note(ctx, tx, [][]any{{pair[0]}, {pair[1]}}); err != nil || len(found.commands)+len(found.unknown) > 0 {
				return err
			}
		}
		return found.note(ctx, tx, slices.Concat([][]any{{"MULTI"}}, needed(), [][]any{{"DISCARD"}}))
	}, triedKey)
	err = found.add("WATCH", err)
	return found, err
}

// note sends commands and notes those that are refused. The error is that there was no answer.
func (f *refusals) note(ctx context.Context, tx *redis.Tx, commands [][]any) error {
	answers, _ := tx.Pipelined(ctx, func(p redis.Pipeliner) error { // each has its own error
		for _, command := range commands {
			p.Do(ctx, command...)
		}
		return nil
	})
	for _, answer := range answers {
		if err := f.add(strings.ToUpper(answer.Name()), answer.Err()); err != nil {
			return err
		}
	}
	return nil
}

// add notes why a command is refused, and returns an error that is none of Redis's, or because of which it
// does nothing at all.
func (f *refusals) add(command string, err error) error {
	_, refused := errors.AsType[redis.Error](err)
	has := func(prefix string) bool { return redis.HasErrorPrefix(err, prefix) }
	switch {
	case errors.Is(err, redis.Nil): // no transaction, as the key was changed
	case has("NOPERM") && strings.Contains(err.Error(), "channel"):
		f.channels = true
	case has("NOPERM") && strings.Contains(err.Error(), " key"):
		f.keys = true
	case has("NOPERM"):
		f.commands = append(f.commands, command)
	case has("unknown command"):
		f.unknown = append(f.unknown, command)
	case refused && !has("NOAUTH") && !has("WRONGPASS"):
		if f.trouble == nil {
			f.trouble = err
		}
	default:
		return err
	}
	return nil
}
