package incident

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/hostapi"
	"hostbot/locale"
)

const (
	// maxRecent is how many events are kept of a customer, for as long as incidents are.
	maxRecent    = 10
	recentPrefix = "recent:"
)

// Event is what a customer did, or what failed for the customer, as staff read it when they look
// the customer up.
type Event struct {
	InteractionID string    `json:"interaction"`
	At            time.Time `json:"at"`
	// Action and what follows are of an action on a bot; empty of any other failure.
	Action  string              `json:"action,omitempty"`
	Outcome interaction.Outcome `json:"outcome,omitempty"`
	BotID   string              `json:"bot,omitempty"`
	BotName string              `json:"bot_name,omitempty"`
	ByStaff bool                `json:"by_staff,omitempty"`
	// Cause and Status say why it failed, as HeadlineOf does; empty if it did not. Reference leads
	// to more.
	Cause     string `json:"cause,omitempty"`
	Status    int    `json:"status,omitempty"`
	Reference string `json:"reference,omitempty"`
}

// HeadlineOf says why something failed: a part of the key log.cause.<cause>, and the status of
// the hosting service or the code of Discord's that belongs to it; 0 for none.
func HeadlineOf(err error) (cause string, status int) {
	cause = CauseOf(err)
	if service, ok := errors.AsType[*hostapi.Error](err); ok {
		switch {
		case service.Status == 0 && service.Code == hostapi.CodeUnavailable:
			cause = "unreachable"
		case service.Code == hostapi.CodeInternal:
			cause = "unexpected"
		}
		return cause, service.Status
	}
	if discord, ok := errors.AsType[*rest.Error](err); ok {
		status = cmp.Or(discord.Code, discord.Status)
	}
	if errors.Is(err, ErrNoThread) { // it is Discord that takes no thread; only what is to be done is another thing
		cause = "discord"
	}
	return cause, status
}

// Headline says in the reader's language what HeadlineOf returns.
func Headline(t *locale.Texts, cause string, status int) string {
	text := t.Text("log.cause." + cause)
	if status != 0 {
		text += " (" + strconv.Itoa(status) + ")"
	}
	return text
}

// Failed returns the event of a failure, and Ended that of an action that ended; why is nil if
// it went well.
func Failed(r *interaction.Request, why error) Event {
	e := Event{InteractionID: r.ID, At: time.Now(), ByStaff: r.ByStaff(), Reference: r.Reference}
	e.Cause, e.Status = HeadlineOf(why)
	return e
}

// Ended is described at Failed.
func Ended(r *interaction.Request, a interaction.Action, why error) Event {
	e := Event{InteractionID: r.ID, At: time.Now(), ByStaff: r.ByStaff()}
	if why != nil {
		e = Failed(r, why)
	}
	if a.Outcome == interaction.Refused { // nothing is kept behind a reference
		e.Reference = ""
	}
	e.Action, e.Outcome, e.BotID, e.BotName = a.Name, a.Outcome, a.BotID, sanitize.Plain(a.BotName, nameLimit)
	return e
}

// Note keeps an event of a customer, in the place of the oldest of too many. It takes 250 ms at most;
// where Redis is away, the event is lost.
func (s *Store) Note(customerID string, e Event) {
	data, err := json.Marshal(e)
	if err != nil || customerID == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), visitLimit)
	defer cancel()
	key := s.space.Key(recentPrefix + customerID)
	_, _ = s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.LPush(ctx, key, data)
		p.LTrim(ctx, key, 0, maxRecent-1)
		p.Expire(ctx, key, kept)
		return nil
	})
}

// Recent returns the events of a customer, the latest first. What cannot be read is left out.
func (s *Store) Recent(ctx context.Context, customerID string) ([]Event, error) {
	ctx, cancel := context.WithTimeout(ctx, visitLimit)
	defer cancel()
	list, err := s.redis.LRange(ctx, s.space.Key(recentPrefix+customerID), 0, maxRecent-1).Result()
	if err != nil {
		return nil, fmt.Errorf("incident: %w", err)
	}
	var events []Event
	for _, text := range list {
		var e Event
		if json.Unmarshal([]byte(text), &e) != nil {
			continue
		}
		known := slices.ContainsFunc(events, func(other Event) bool { // another process told of it as well
			return other.InteractionID == e.InteractionID && other.Action == e.Action && other.Outcome == e.Outcome
		})
		if !known {
			events = append(events, e)
		}
	}
	return events, nil
}

// Forget removes the events of a customer, and reports whether there were any.
func (s *Store) Forget(ctx context.Context, customerID string) (known bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, visitLimit)
	defer cancel()
	n, err := s.redis.Del(ctx, s.space.Key(recentPrefix+customerID)).Result()
	return n > 0, err
}
