package actions

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/interaction"
	"hostbot/bot/store/record"
	"hostbot/hostapi/secret"
)

const (
	// lockLife is how long a lock lasts after its last renewal.
	lockLife = 30 * time.Second
	// tokenLife is how long an interaction's token is valid
	// (https://discord.com/developers/docs/interactions/receiving-and-responding), and onceLife how long
	// Redis knows that an interaction has acted.
	tokenLife = 15 * time.Minute
	onceLife  = tokenLife
	// undoneLife is how long a suspended process can learn that its action was reported as not done.
	undoneLife = 24 * time.Hour
	// recordLife is how long an action can still be reported if no process runs.
	recordLife = 7 * 24 * time.Hour
	// callLimit bounds one request to Redis. It is generous: the interaction is deferred by then, and an
	// action that goes on without Redis may happen twice.
	callLimit = time.Second
)

// entry names an action in Redis.
type entry struct{ customer, bot, id string }

func (e entry) String() string { return e.customer + "/" + e.bot + "/" + e.id }

// entryOf parses the text of an entry.
func entryOf(name string) (e entry) {
	e.customer, name, _ = strings.Cut(name, "/")
	e.bot, e.id, _ = strings.Cut(name, "/")
	return e
}

// key returns the key of what is kept of an action outside the hash.
func (e entry) key(kind, of string) string { return Key(e.customer) + ":" + kind + ":" + of }

func onceKey(customerID, interactionID string) string {
	return Key(customerID) + ":once:" + interactionID
}

// document is the record field of an action in Redis.
type document struct {
	Request interaction.Request `json:"request"`
	Action  interaction.Action  `json:"action"`
}

func (a *Actions) index() string { return a.cfg.Space.Key("{actions}:due") }

func limited(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, callLimit)
}

// keys returns the keys of acquireScript, or of saveScript; they differ in the second.
func (l *Lock) keys(second string) []string {
	e := l.entry
	return []string{Key(e.customer), second, e.key("token", e.id), e.key("pause", e.bot), e.key("started", l.request.UserID)}
}

// fields are the arguments that acquireScript and saveScript share.
func (l *Lock) fields() []any {
	data, _ := json.Marshal(document{l.request, l.action}) // texts, numbers and times can always be encoded
	token, left := l.request.Token, time.Until(l.request.ReceivedAt.Add(tokenLife)).Milliseconds()
	if left <= 0 {
		token = ""
	}
	free := ""
	if l.logged {
		free = "1"
	}
	return []any{
		l.entry.bot, l.entry.id, lockLife.Milliseconds(), string(l.state), l.name, l.since.UnixMilli(), data, free,
		recordLife.Milliseconds(), token.Reveal(), left,
	}
}

// acquireShared asks Redis for locks in one round trip. It sets shared of those that Redis granted, and returns why the
// others were refused; nil if Redis gave no valid answer.
func (a *Actions) acquireShared(ctx context.Context, locks []*Lock) (refusals []error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	answers, listed := make([]*redis.Cmd, len(locks)), make([]redis.Z, len(locks))
	_, _ = a.cfg.Redis.Pipelined(ctx, func(p redis.Pipeliner) error { // each has its own error
		for i, l := range locks {
			args := append(l.fields(), onceLife.Milliseconds(), Window.Milliseconds(), PerWindow, Pause.Milliseconds())
			answers[i] = p.Eval(ctx, acquireScript, l.keys(onceKey(l.entry.customer, l.request.ID)), args...)
			listed[i].Member = l.entry.String()
		}
		return p.ZAddNX(ctx, a.index(), listed...).Err() // the leader removes what was refused
	})
	refusals = make([]error, len(locks))
	for i, l := range locks {
		if answer, err := answers[i].StringSlice(); err == nil && len(answer) == 3 {
			l.shared, refusals[i] = decided(answer)
		}
	}
	return refusals
}

// decided reads what acquireScript returned.
func decided(answer []string) (granted bool, refusal error) {
	ms, _ := strconv.ParseInt(answer[2], 10, 64)
	until := time.Now().Add(time.Duration(ms) * time.Millisecond)
	switch answer[0] {
	case "granted":
		return true, nil
	case "duplicate":
		return false, ErrDuplicate
	case "busy":
		return false, &BusyError{Running{answer[1], time.UnixMilli(ms)}}
	case "paused":
		return false, &PausedError{until}
	case "limit":
		return false, &LimitError{until}
	}
	return false, nil
}

// exists reports whether Redis has a key.
func (a *Actions) exists(ctx context.Context, key string) (bool, error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	n, err := a.cfg.Redis.Exists(ctx, key).Result()
	return n > 0, err
}

// save writes the record of an action. It returns interaction.ErrUnsent if the action was reported as not done.
func (a *Actions) save(l *Lock) error {
	ctx, cancel := limited(context.Background())
	defer cancel()
	unsent := 0
	if l.unsent {
		unsent = 1
	}
	var answer *redis.Cmd
	_, err := a.cfg.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		answer = p.Eval(ctx, saveScript, l.keys(l.entry.key("undone", l.entry.id)), append(l.fields(), l.pause.Milliseconds(), unsent)...)
		if l.state == gone {
			return p.ZRem(ctx, a.index(), l.entry.String()).Err()
		}
		return p.ZAddNX(ctx, a.index(), redis.Z{Member: l.entry.String()}).Err()
	})
	if err == nil && answer.Val() == "undone" {
		return interaction.ErrUnsent
	}
	return err
}

// taken is another process's action that this one is to report.
type taken struct {
	document
	state    state
	logged   bool          // staff can read its outcome
	lockLeft time.Duration // how long its lock still lasts
}

// take returns an action that nobody renews any more. If it is still renewed, t is nil and again is when to
// look again; if it has no record, both are zero. The error may be record.ErrUnreadable.
func (a *Actions) take(ctx context.Context, e entry) (t *taken, again time.Duration, err error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	keys := []string{Key(e.customer), e.key("undone", e.id), e.key("token", e.id)}
	answer, err := redis.NewScript(takeScript).Run(ctx, a.cfg.Redis, keys,
		e.bot, e.id, lockLife.Milliseconds(), a.cfg.Timing.Abandoned.Milliseconds(), undoneLife.Milliseconds()).StringSlice()
	switch {
	case err != nil || len(answer) == 0:
		return nil, 0, err
	case len(answer) == 1:
		ms, err := strconv.ParseInt(answer[0], 10, 64)
		return nil, time.Duration(ms) * time.Millisecond, err
	}
	t = &taken{state: state(answer[1]), logged: answer[2] != ""}
	if err := json.Unmarshal([]byte(answer[3]), &t.document); err != nil || t.Request.ID == "" {
		return nil, 0, fmt.Errorf("%w: the action %s: %w", record.ErrUnreadable, e, err)
	}
	t.Request.Token = secret.Text(answer[4])
	ms, err := strconv.ParseInt(answer[5], 10, 64)
	t.lockLeft = time.Duration(ms) * time.Millisecond
	return t, 0, err
}
