package notify

import (
	"cmp"
	"context"
	"time"

	"hostbot/bot/discord/message"
	"hostbot/bot/discord/rest"
	"hostbot/bot/leader"
	"hostbot/bot/store/record"
)

// windowOpenings is how many DMs all processes together open in Timing.Window. A few dozen at once are
// refused (DasWolke/SnowTransfer#43), and Discord blocks bots that open too many
// (https://discord.com/developers/docs/resources/user#create-dm).
const windowOpenings = 5

// The budget of all processes for first messages to strangers. Discord judges a bot by how many it writes to: 20 to 50,
// one every 3 to 9 s, have led to quarantine (17teen/Discord-Mass-DM-Tool#11 and #14, DiscordPHP#467). That figure is
// weak: a verified bot was quarantined at once (SanjaySunil/BetterDiscordPanel#38).
const (
	mostSoon, soon = 10, 10 * time.Minute
	mostADay, aDay = 50, 24 * time.Hour
)

// spend counts a first message to a stranger. It returns ErrBudget if the budget is used up.
func (n *Notifier) spend(ctx context.Context) error {
	if lately, err := n.count(ctx, soonKey, soon); err != nil || lately > mostSoon {
		return cmp.Or(err, ErrBudget)
	}
	today, err := n.count(ctx, dayKey, aDay)
	if err != nil || today > mostADay {
		return cmp.Or(err, ErrBudget)
	}
	if today == mostADay/2 {
		n.cfg.Log.Warn().Int64("today", today).Int("of", mostADay).Msg("half of the first messages to strangers are used up for today")
		n.cfg.OnBudget()
	}
	return nil
}

// count increments a counter that expires a time after its first increment, and returns it.
func (n *Notifier) count(ctx context.Context, key string, within time.Duration) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	key = n.cfg.Space.Key(key)
	tx := n.cfg.Redis.TxPipeline()
	tx.SetNX(ctx, key, 0, within) // INCR alone would leave a key without an expiry
	count := tx.Incr(ctx, key)
	_, err := tx.Exec(ctx)
	return count.Val(), err
}

// Work returns the leader's work beside that of topics: to open DMs.
func (n *Notifier) Work() leader.Kind {
	return leader.Kind{Name: contactKind, Due: n.contacts.DueKey(), AtOnce: 1, Admit: n.pace.Allow, Limit: n.cfg.Timing.Work, Reconcile: n.reconcile}
}

// reconcile opens a person's DM.
func (n *Notifier) reconcile(ctx context.Context, userID string) (again time.Duration, err error) {
	return n.contacts.Work(ctx, userID, n.cfg.Timing.Work, func(r *record.Record[contact]) time.Duration {
		wait, err := n.open(ctx, r)
		if err != nil {
			n.cfg.Log.Debug().Err(err).Msg("a dm was not opened and is tried again")
			wait = n.later(ctx, err)
		}
		return wait
	})
}

// open opens a DM and sends the greeting, if there is one. The caller saves the contact.
func (n *Notifier) open(ctx context.Context, r *record.Record[contact]) (wait time.Duration, err error) {
	c := &r.Value
	pauses, err := n.pauses.Value(ctx, pauseID, "")
	if left := max(pauses.New.left(), pauses.All.left()); left > 0 || err != nil {
		return left, err
	}
	if !c.opening() {
		return record.Never, nil
	}
	greets := c.Greeting != ""
	channel, err := n.greet(ctx, r.ID, c.Greeting, c.First, func(ctx context.Context, s message.State) error {
		c.First = s
		return n.contacts.Save(ctx, r, record.Keep)
	})
	v := rest.VerdictOf(err)
	if greets || err != nil { // opening a DM alone does not show that messages are taken
		err = n.judge(ctx, pauses, err)
	}
	switch {
	case err == nil:
		c.open(channel, greets)
	case v == rest.Closed:
		return record.Never, n.refused(ctx, r.ID, err)
	case v.Passes(), v == rest.Quarantined && greets:
		return 0, err
	default:
		n.cfg.Log.Warn().Err(err).Msg("discord refuses to open a dm")
	}
	c.Greeting, c.Reopen = "", false
	return record.Never, nil
}
