// Package register sees to it that Discord lists the commands that the program
// serves, and no others.
//
// Discord keeps one list of an application's commands for everywhere and one for
// each guild. A guild's members see both side by side, also where they hold
// commands of the same names (discord-api-docs#3885). So a list that an earlier
// configuration left behind is emptied. Discord does not say which guilds have a
// list (discord-api-docs#2464), which is why Redis remembers them.
package register

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/cenkalti/backoff/v5"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/discord/rest"
)

// Scope is a list of commands as it is wanted.
type Scope struct {
	// GuildID is the guild whose list it is; empty for the global one.
	GuildID  string
	Commands []*discordgo.ApplicationCommand
	// Registered is told the IDs of the chat commands by their names, once they
	// are known. It may be nil.
	Registered func(ids map[string]string)
}

// String names the list.
func (s Scope) String() string {
	if s.GuildID == "" {
		return "the global commands"
	}
	return "the commands of guild " + s.GuildID
}

// Staff are told what they should know.
type Staff interface {
	// CommandsUpdated says that a list was changed.
	CommandsUpdated()
	// CommandsRefused says that Discord refuses a list, and why.
	CommandsRefused(reason error)
	// LocalizationsRefused says which translations Discord refuses, each in words. The
	// commands were registered without these.
	LocalizationsRefused(which []string)
	// GuildRefused says that Discord refuses the list of a guild because the bot
	// may not have one there, and by which address it is invited.
	GuildRefused(guildID, inviteURL string, reason error)
	// InteractionsElsewhere says that Discord sends interactions to a server of
	// this name, and none over the gateway.
	InteractionsElsewhere(host string)
}

// Config is what a Registrar works with.
type Config struct {
	Session *discordgo.Session
	// PublicKey is the key of interactions that arrive over HTTP, in hex. It is empty
	// where they arrive over the gateway.
	PublicKey string
	// OnForeignKey is called if PublicKey is not the application's. It may be nil.
	OnForeignKey func()
	// Leading reports whether this process does what one of all replicas does. Keep needs it alone.
	Leading func() bool
	// OnBack is rest.Client's. It may be nil.
	OnBack func(func()) (stop func())
	// Support says that the bot opens threads for support, so that an invitation asks for that, too.
	Support bool
	Redis   redis.UniversalClient
	Staff   Staff
	Log     zerolog.Logger
	Timing  Timing
}

// Timing is how long a Registrar waits before it tries again: First, then twice
// as long each time, up to Longest, each up to half more or less.
//
// Discord bans an address for a while that met 10,000 answers of 401, 403 or 429
// within 10 minutes (documentation, "Rate Limits"). The intervals stay far from
// that, even where the bot is never invited.
type Timing struct {
	First, Longest time.Duration
	Compare        time.Duration // see Keep
}

// DefaultTiming returns the timing for use. No wait is longer than half an hour.
func DefaultTiming() Timing {
	return Timing{First: 2 * time.Second, Longest: 20 * time.Minute, Compare: 30 * time.Minute}
}

// Registrar registers the commands of one application.
type Registrar struct {
	config      Config
	application *Application        // nil until it was read
	done        map[string]bool     // lists that are as wanted, by guild ID
	told        map[string]string   // the refusal that staff read last, by guild ID
	refused     map[string][]string // the paths of translations, as of rest.Error.Form, by guild ID
}

// New returns a registrar.
func New(c Config) *Registrar {
	return &Registrar{config: c, done: make(map[string]bool), told: make(map[string]string), refused: make(map[string][]string)}
}

// Run registers the wanted commands, and tries again at growing intervals until
// every list is as wanted or ctx is done.
func (r *Registrar) Run(ctx context.Context, wanted []Scope) {
	always := func(error) bool { return true }
	retries := rest.Retries{First: r.config.Timing.First, Longest: r.config.Timing.Longest, Again: always, OnBack: r.config.OnBack}
	_ = rest.Retry(ctx, retries, // fails only if ctx is done
		func(ctx context.Context) error { return r.Sync(ctx, wanted) })
}

// Keep compares the lists of guilds with what is wanted every half hour (Timing.Compare), and writes those that differ, until
// ctx is done. Run has returned before. Discord drops a guild's list when the bot is kicked, also if it is
// invited again (discordjs/discord.js#10321). One of all replicas compares: the one that leads, if its lists were registered last. Otherwise
// replicas of two versions would write each other's lists anew.
func (r *Registrar) Keep(ctx context.Context, wanted []Scope) {
	guilds := slices.DeleteFunc(slices.Clone(wanted), func(s Scope) bool { return s.GuildID == "" })
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(r.config.Timing.Compare):
		}
		if len(guilds) == 0 || !r.config.Leading() || r.config.Redis.Get(ctx, r.latestKey()).Val() != r.digest(wanted) {
			continue
		}
		for _, s := range guilds {
			delete(r.done, s.GuildID)
		}
		_ = r.syncAll(ctx, guilds) // logged; it is tried again in half an hour
	}
}

// Sync tries once to make every list that is not known to be so as it is wanted.
// Lists that are no longer wanted are emptied when the first wanted one stands,
// which is that of the customers: until then they keep what they had.
//
// An error says that something is left to do. Where Discord asks to wait it holds
// a *backoff.RetryAfterError.
func (r *Registrar) Sync(ctx context.Context, wanted []Scope) error {
	if err := r.readApplication(ctx); err != nil {
		r.config.Log.Warn().Err(err).Msg("the commands are registered when the application can be read")
		return r.wait(err)
	}
	unwanted, redisErr := r.unwanted(ctx, wanted)
	err := r.syncAll(ctx, wanted)
	if err == nil {
		r.config.Log.Info().Msg("the commands are registered")
		err = r.config.Redis.Set(ctx, r.latestKey(), r.digest(wanted), 0).Err()
	}
	if r.done[wanted[0].GuildID] {
		err = errors.Join(err, r.syncAll(ctx, unwanted))
	}
	return errors.Join(redisErr, err)
}

// guildsKey is the key of a set that never expires: the guilds in which the
// program has registered commands, or was about to.
func (r *Registrar) guildsKey() string {
	return "hostbot:commands:" + r.application.ID + ":guilds"
}

// latestKey is the key of the digest of the lists that were registered last. It never expires.
func (r *Registrar) latestKey() string {
	return "hostbot:commands:" + r.application.ID + ":latest"
}

// digest is equal for equal lists.
func (r *Registrar) digest(wanted []Scope) string {
	sum := sha256.New()
	for _, s := range wanted {
		text, _ := json.Marshal(r.application.definitions(s)) // what cannot be encoded cannot be registered
		_, _ = fmt.Fprintf(sum, "%s %s\n", s.GuildID, text)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// unwanted returns the lists that are to be empty: the global one, where no
// commands are wanted there, and those of guilds of earlier starts. It remembers
// the guilds of the wanted lists before anything is registered: what a killed
// program left behind is known to the next start.
func (r *Registrar) unwanted(ctx context.Context, wanted []Scope) ([]Scope, error) {
	pipe := r.config.Redis.Pipeline()
	keep := make(map[string]bool)
	for _, s := range wanted {
		keep[s.GuildID] = true
		if s.GuildID != "" {
			pipe.SAdd(ctx, r.guildsKey(), s.GuildID)
		}
	}
	remembered := pipe.SMembers(ctx, r.guildsKey())
	_, err := pipe.Exec(ctx)
	if err != nil {
		err = fmt.Errorf("remember guilds: %w", err)
		r.config.Log.Warn().Err(err).Msg("the guilds with commands of an earlier configuration are not known")
	}
	var empty []Scope
	for _, guildID := range append(remembered.Val(), "") {
		if !keep[guildID] {
			empty = append(empty, Scope{GuildID: guildID})
		}
	}
	return empty, err
}

func (r *Registrar) syncAll(ctx context.Context, scopes []Scope) error {
	var errs []error
	for _, s := range scopes {
		if r.done[s.GuildID] {
			continue
		}
		if err := r.sync(ctx, s); err != nil {
			errs = append(errs, r.failed(ctx, s, err))
		}
	}
	return errors.Join(errs...)
}

// sync makes one list as it is wanted.
func (r *Registrar) sync(ctx context.Context, s Scope) error {
	there, err := r.read(ctx, s.GuildID)
	if err != nil {
		return fmt.Errorf("read %s: %w", s, err)
	}
	if there, err = r.write(ctx, s, there); err != nil {
		return fmt.Errorf("overwrite %s: %w", s, err)
	}
	if s.Registered != nil {
		s.Registered(chatIDs(there))
	}
	r.done[s.GuildID] = true
	delete(r.told, s.GuildID)
	if s.GuildID != "" && len(s.Commands) == 0 {
		// Where Redis does not take that, the next start finds the list empty.
		r.config.Redis.SRem(ctx, r.guildsKey(), s.GuildID)
	}
	return nil
}

// failed says in the log, and to staff where Discord has refused, why a list is
// not as it is wanted. It returns nil where nothing can be done about it.
func (r *Registrar) failed(ctx context.Context, s Scope, err error) error {
	if ctx.Err() != nil {
		return err
	}
	refused := !rest.VerdictOf(err).Passes()
	absent := s.GuildID != "" && rest.IsAbsent(err)
	if absent && len(s.Commands) == 0 {
		// The bot has left the guild, or there is no such guild. The next start
		// tries again: whether Discord shows the list again where the bot is
		// invited back is not documented.
		r.config.Log.Info().Err(err).Str("guild", s.GuildID).Msg("the commands of a guild are no longer wanted, and the bot has no access to it")
		r.done[s.GuildID] = true
		return nil
	}
	invite := rest.HostInviteURL(r.application.ID, s.GuildID, r.config.Support)
	line := r.config.Log.Error().Err(err).Str("guild", s.GuildID)
	if absent {
		line.Str("invite", invite)
	}
	line.Msg("the commands could not be registered")
	if refused && r.told[s.GuildID] != err.Error() {
		r.told[s.GuildID] = err.Error()
		if absent {
			r.config.Staff.GuildRefused(s.GuildID, invite, err)
		} else {
			r.config.Staff.CommandsRefused(err)
		}
	}
	return r.wait(err)
}

// wait returns err as the wait that Discord asks for, if it does.
func (r *Registrar) wait(err error) error {
	if asked := rest.RetryAfter(err); asked > 0 {
		return &backoff.RetryAfterError{Duration: min(asked, r.config.Timing.Longest)}
	}
	return err
}
