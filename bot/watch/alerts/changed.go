package alerts

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/discord/message"
	"hostbot/bot/watch/history"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
)

// Mark returns the time by which an alert's message is found in its channel: that of the first
// fall, whose milliseconds tell bots apart that fell in one second.
func (a Alert) Mark() time.Time {
	sum := sha256.Sum256([]byte(a.ServerID))
	ms := binary.BigEndian.Uint16(sum[:]) % 1000
	return a.First.UTC().Truncate(time.Second).Add(time.Duration(ms) * time.Millisecond)
}

// episode is an alert as Redis holds it.
type episode struct {
	Alert
	id      string // the nonce; empty where there is none
	text    string // the alert, as Redis has it
	message message.State
	refused bool // its channel was, and the DM was opened anew
}

func readEpisode(customerID, serverID string, fields map[string]string) episode {
	e := episode{id: fields["id"], text: fields["alert"], refused: fields[fieldRefused] != ""}
	if json.Unmarshal([]byte(e.text), &e.Alert) != nil {
		return episode{}
	}
	_ = json.Unmarshal([]byte(fields["message"]), &e.message) // of one that cannot be read nothing is known
	e.CustomerID, e.ServerID = customerID, serverID
	return e
}

// Changed has messages sent of those changes that customers want to be told of. It may
// be told of a change twice.
func (a *Alerts) Changed(ctx context.Context, changes []watcher.Change) error {
	for _, c := range changes {
		if !c.Unasked && c.To != hostapi.StateRunning && c.To != history.Gone {
			continue
		}
		if err := a.apply(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

func (a *Alerts) apply(ctx context.Context, c watcher.Change) error {
	member := c.CustomerID + "/" + c.ServerID
	var kept *redis.StringCmd
	var found *redis.MapStringStringCmd
	_, err := a.Redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		kept = p.Get(ctx, a.customerKey(c.CustomerID))
		found = p.HGetAll(ctx, a.episodeKey(member))
		return nil
	})
	switch {
	case isOfAnotherType(kept.Err()): // told again and again, the change would keep back those of everybody else
		a.Log.Error().Err(kept.Err()).Str("user", c.CustomerID).Msg("what redis holds of a customer's alerts makes no sense: a change is not told")
		return nil
	case isOfAnotherType(found.Err()): // a new episode takes its place
	case ignoreNil(err) != nil:
		return err
	}
	owner := readCustomer([]byte(kept.Val()))
	e := readEpisode(c.CustomerID, c.ServerID, found.Val())
	switch {
	case !owner.For(c.ServerID), !c.At.After(e.Fell): // or it is known
		return nil
	case c.Unasked:
		if !e.fell(c, c.At.Before(owner.Muted[c.ServerID])) {
			return nil
		}
	case e.id == "" || !e.Back.IsZero() || c.To != hostapi.StateRunning:
		return nil
	default:
		e.Back = c.At
	}
	content, err := json.Marshal(e.Alert)
	if err != nil {
		return err
	}
	keys := []string{a.Space.Key(dueKey), a.episodeKey(member), a.episodesKey(c.CustomerID)}
	keep := openFor
	if !e.Back.IsZero() {
		keep = episodeFor
	}
	return redis.NewScript(putScript).Run(ctx, a.Redis, keys, member, e.id, content, keep.Milliseconds(), openFor.Milliseconds()).Err()
}

// isOfAnotherType tells whether Redis has something of another type under a key.
func isOfAnotherType(err error) bool { return redis.HasErrorPrefix(err, "WRONGTYPE") }

// fell notes a fall in an episode: in the one that there is, or in a new one. It tells
// whether there is something to be sent. While the bot is muted there is no new one.
func (e *episode) fell(c watcher.Change, muted bool) bool {
	goesOn := e.id != "" && c.At.Sub(e.First) < countFor && (e.Back.IsZero() || c.At.Sub(e.Back) < flap)
	if !goesOn {
		if muted {
			return false
		}
		e.id = nonce(c)
		e.Alert = Alert{CustomerID: c.CustomerID, ServerID: c.ServerID, First: c.At}
	}
	e.Name, e.State, e.Fell, e.Back = c.Name, c.To, c.At, time.Time{}
	e.Ran, e.Longer = 0, false
	if c.From == hostapi.StateRunning {
		e.Ran, e.Longer = c.At.Sub(c.Since), c.Longer
		if !c.After.IsZero() && c.At.Sub(c.After) > unseenFor { // it may have run for any part of that
			e.Ran, e.Longer = c.After.Sub(c.Since), true
		}
	}
	e.Count++
	return true
}

// nonce names the message that begins with a change, whichever process makes it. Each look names a
// fall alike by the state that was left and since when the bot had it, until a look is written:
// after a failover that lost both, the fall is seen anew.
func nonce(c watcher.Change) string {
	left := string(c.From) + strconv.FormatInt(c.Since.Unix(), 10) // a history has whole seconds
	sum := sha256.Sum256([]byte(c.CustomerID + "/" + c.ServerID + "/" + left))
	return hex.EncodeToString(sum[:])[:nonceLength]
}
