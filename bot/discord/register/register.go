// Package register keeps Discord's lists of commands equal to those that the program serves.
//
// Discord has one global list for an application and one for each guild. A guild's members see both, even if they
// have commands of the same names (discord-api-docs#3885). So a list from an earlier configuration is emptied.
// Discord does not say which guilds have a list (discord-api-docs#2464), so Redis remembers them.
//
// A Lookout looks at the rest that the Developer Portal has of the application: whether what Discord sends arrives
// where the bot takes it.
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

// Scope is a wanted list of commands.
type Scope struct {
	// GuildID is the guild of the list; empty for the global list.
	GuildID  string
	Commands []*discordgo.ApplicationCommand
	// Registered is called with the IDs of the chat commands, by name. It may be nil.
	Registered func(ids map[string]string)
}

// String names the list.
func (s Scope) String() string {
	if s.GuildID == "" {
		return "the global commands"
	}
	return "the commands of guild " + s.GuildID
}

// Staff notifies staff.
type Staff interface {
	// CommandsUpdated says that a list was changed.
	CommandsUpdated()
	// CommandsRefused says that Discord refuses a list, and why.
	CommandsRefused(reason error)
	// LocalizationsRefused says which translations were left out, as Discord refuses them, each in words.
	LocalizationsRefused(which []string)
	// GuildRefused says that the bot may not have commands in a guild, and at which address it is invited.
	GuildRefused(guildID, inviteURL string, reason error)
}

// Config is what a Registrar needs.
type Config struct {
	Session *discordgo.Session
	// Leading reports whether this process is the leader. Only Keep needs it.
	Leading func() bool
	// OnBack is rest.Client.OnBack. It may be nil.
	OnBack func(func()) (stop func())
	// Support has invitations ask for the permission to open support threads.
	Support bool
	Redis   redis.UniversalClient
	Staff   Staff
	Log     zerolog.Logger
	Timing  Timing
}

// Timing is how long a Registrar waits before it tries again: First, then twice as long each time, up to Longest,
// with jitter of a half.
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
	notified    map[string]string   // the last refusal that staff were notified of, by guild ID
	refused     map[string][]string // the paths of refused translations (rest.Error.Form), by guild ID
}

// New returns a registrar.
func New(c Config) *Registrar {
	return &Registrar{config: c, done: make(map[string]bool), notified: make(map[string]string), refused: make(map[string][]string)}
}

// Run registers the wanted commands. It tries again until every list is as wanted or ctx is done.
func (r *Registrar) Run(ctx context.Context, wanted []Scope) {
	always := func(error) bool { return true }
	retries := rest.Retries{First: r.config.Timing.First, Longest: r.config.Timing.Longest, Again: always, OnBack: r.config.OnBack}
	_ = rest.Retry(ctx, retries, // fails only if ctx is done
		func(ctx context.Context) error { return r.Sync(ctx, wanted) })
}

// Keep is called after Run. Until ctx is done it compares the lists of guilds with the wanted ones every
// Timing.Compare, and writes those that differ: Discord drops a guild's list when the bot is kicked, and an
// invitation does not bring it back (discordjs/discord.js#10321). Only the leader compares, and only if its
// lists were registered last: otherwise two versions would overwrite each other's lists.
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

// Sync tries once to write every list that is not known to be as wanted. Lists that are no longer wanted are
// emptied once the first wanted one, the customers', is registered: until then customers keep the old one.
//
// An error means that something is left to do. If Discord asks to wait, it wraps a *backoff.RetryAfterError.
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

// guildsKey is the key of the set of guilds in which the program has registered commands, or was about to. It
// never expires.
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

// unwanted returns the lists that should be empty: the global one if it is not wanted, and those of earlier
// starts. It first saves the guilds of the wanted lists, so that the next start knows them even if this process
// is killed.
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

// sync writes one list unless it is as wanted.
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
	delete(r.notified, s.GuildID)
	if s.GuildID != "" && len(s.Commands) == 0 {
		// If that fails, the next start finds the list empty.
		r.config.Redis.SRem(ctx, r.guildsKey(), s.GuildID)
	}
	return nil
}

// failed logs why a list is not as wanted, and notifies staff of a refusal. It returns nil if another attempt
// would be of no use.
func (r *Registrar) failed(ctx context.Context, s Scope, err error) error {
	if ctx.Err() != nil {
		return err
	}
	refused := !rest.VerdictOf(err).Passes()
	absent := s.GuildID != "" && rest.IsAbsent(err)
	if absent && len(s.Commands) == 0 {
		// The bot has left the guild, so Discord has dropped the list, and does not show it again if the bot is
		// invited back (discord.js#10321). Or the guild does not exist. The next start tries again.
		r.config.Log.Info().Err(err).Str("guild", s.GuildID).Msg("the commands of a guild are no longer wanted, and the bot has no access to it")
		r.done[s.GuildID] = true
		return nil
	}
	invite := rest.InviteURL(r.application.ID, s.GuildID, r.config.Support)
	line := r.config.Log.Error().Err(err).Str("guild", s.GuildID)
	if absent {
		line.Str("invite", invite)
	}
	line.Msg("the commands could not be registered")
	if refused && r.notified[s.GuildID] != err.Error() {
		r.notified[s.GuildID] = err.Error()
		if absent {
			r.config.Staff.GuildRefused(s.GuildID, invite, err)
		} else {
			r.config.Staff.CommandsRefused(err)
		}
	}
	return r.wait(err)
}

// wait returns err, or a *backoff.RetryAfterError if Discord asks to wait.
func (r *Registrar) wait(err error) error {
	if asked := rest.RetryAfter(err); asked > 0 {
		return &backoff.RetryAfterError{Duration: min(asked, r.config.Timing.Longest)}
	}
	return err
}
