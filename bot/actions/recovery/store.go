package recovery

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/store/keyspace"
	"hostbot/hostapi/secret"
)

const (
	// dueKey is a sorted set of the actions that run, by when their leases end: in Unix milliseconds of Redis's clock, which all processes share.
	// The braces keep all keys in one slot of a cluster.
	dueKey       = "{actions}:due"
	recordPrefix = "{actions}:record:"
	tokenPrefix  = "{actions}:token:"

	// recordTTL is how long staff can be told of an action while no process runs.
	recordTTL = 7 * 24 * time.Hour
	// tokenTTL is how long an interaction's token is good.
	// https://discord.com/developers/docs/interactions/receiving-and-responding
	tokenTTL = 15 * time.Minute
	// callLimit bounds one use of Redis.
	callLimit = time.Second
)

const (
	clock       = `local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) `
	leaseScript = clock + `return redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])`
	takeScript  = clock + `
local id = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 1)[1]
if id then redis.call('ZADD', KEYS[1], now + ARGV[1], id) end
return id`
)

// store keeps records in Redis.
type store struct {
	redis redis.UniversalClient
	space keyspace.Space
	lease time.Duration
}

// stored is a Record as Redis holds it, but for its token.
type stored struct {
	Request       interaction.Request `json:"request"`
	Action        interaction.Action  `json:"action"`
	ApplicationID string              `json:"application_id"`
}

// put stores a record, or renews it.
func (s store) put(r Record) error {
	value, err := json.Marshal(stored{r.Request, r.Action, r.To.ApplicationID})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	_, err = s.redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Set(ctx, s.space.Key(recordPrefix+r.id), value, recordTTL)
		if left := time.Until(r.Request.ReceivedAt.Add(tokenTTL)); left >= time.Millisecond {
			p.Set(ctx, s.space.Key(tokenPrefix+r.id), r.To.Token.Reveal(), left)
		}
		p.Eval(ctx, leaseScript, []string{s.space.Key(dueKey)}, r.id, s.lease.Milliseconds())
		return nil
	})
	return err
}

func (s store) remove(ids ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	_, err := s.redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
		for _, id := range ids {
			p.ZRem(ctx, s.space.Key(dueKey), id)
			p.Del(ctx, s.space.Key(recordPrefix+id), s.space.Key(tokenPrefix+id))
		}
		return nil
	})
	return err
}

// reachable tells whether Redis answers.
func (s store) reachable() bool {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	return s.redis.ZCard(ctx, s.space.Key(dueKey)).Err() == nil
}

// take returns a record whose lease is over, or nil where there is none, with a
// new lease: where this process dies as well, another takes it.
func (s store) take() (*Record, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callLimit)
	defer cancel()
	id, err := redis.NewScript(takeScript).Run(ctx, s.redis, []string{s.space.Key(dueKey)}, s.lease.Milliseconds()).Text()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	values, err := s.redis.MGet(ctx, s.space.Key(recordPrefix+id), s.space.Key(tokenPrefix+id)).Result()
	if err != nil {
		return nil, err
	}
	value, _ := values[0].(string)
	token, _ := values[1].(string)
	var r stored
	if err := json.Unmarshal([]byte(value), &r); err != nil {
		return nil, errors.Join(err, s.remove(id)) // it can be taken by nobody
	}
	to := rest.Callback{InteractionID: r.Request.ID, ApplicationID: r.ApplicationID, Token: secret.Text(token)}
	return &Record{Request: r.Request, Action: r.Action, To: to, id: id}, nil
}
