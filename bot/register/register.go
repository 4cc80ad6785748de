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
	"errors"
	"fmt"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/cenkalti/backoff/v5"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/rest"
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
	// GuildRefused says that Discord refuses the list of a guild because the bot
	// may not have one there, and by which address it is invited.
	GuildRefused(guildID, inviteURL string, reason error)
	// InteractionsElsewhere says that Discord sends interactions to a server of
	// this name, and none over the gateway.
	InteractionsElsewhere(host string)
}

// Config is what a Registrar works with.
type Config struct {
	Session       *discordgo.Session
	ApplicationID string
	Redis         redis.UniversalClient
	Staff         Staff
	Log           zerolog.Logger
	Timing        Timing
}

// Timing is how long a Registrar waits before it tries again: First, then twice
// as long each time, up to Longest, each up to half more or less.
//
// Discord bans an address for a while that met 10,000 answers of 401, 403 or 429
// within 10 minutes (documentation, "Rate Limits"). The intervals stay far from
// that, even where the bot is never invited.
type Timing struct {
	First, Longest time.Duration
}

// DefaultTiming returns the timing for use. No wait is longer than half an hour.
func DefaultTiming() Timing { return Timing{First: 2 * time.Second, Longest: 20 * time.Minute} }

// Registrar registers the commands of one application.
type Registrar struct {
	config      Config
	application *application      // nil until it was read
	done        map[string]bool   // lists that are as wanted, by guild ID
	told        map[string]string // the refusal that staff read last, by guild ID
	complete    bool              // the log says that all commands are registered
}

// New returns a registrar.
func New(c Config) *Registrar {
	return &Registrar{config: c, done: make(map[string]bool), told: make(map[string]string)}
}

// Run registers the wanted commands, and tries again at growing intervals until
// every list is as wanted or ctx is done. tried is called when all was tried once.
func (r *Registrar) Run(ctx context.Context, wanted []Scope, tried func()) {
	first := true
	growing := &backoff.ExponentialBackOff{
		InitialInterval: r.config.Timing.First, MaxInterval: r.config.Timing.Longest, Multiplier: 2, RandomizationFactor: 0.5,
	}
	_, _ = backoff.Retry(ctx, func() (struct{}, error) { // fails only where ctx is done
		err := r.Sync(ctx, wanted)
		if first {
			tried()
		}
		first = false
		return struct{}{}, err
	}, backoff.WithBackOff(growing), backoff.WithMaxElapsedTime(0))
}

// Sync tries once to make every list that is not known to be so as it is wanted.
// Lists that are no longer wanted are emptied when every wanted one stands. Until
// then customers and staff keep what they had, apart from what they see twice.
//
// An error says that something is left to do. Where Discord asks to wait it holds
// a *backoff.RetryAfterError.
func (r *Registrar) Sync(ctx context.Context, wanted []Scope) error {
	remembered, memoryErr := r.rememberGuilds(ctx, wanted)
	applicationErr := r.readApplication(ctx)
	err := r.syncAll(ctx, wanted)
	old := unwanted(wanted, remembered)
	if err != nil {
		r.removeDoubles(ctx, wanted, old)
		return errors.Join(memoryErr, applicationErr, err)
	}
	r.logComplete()
	return errors.Join(memoryErr, applicationErr, r.syncAll(ctx, old))
}

// logComplete is called when all wanted lists stand.
func (r *Registrar) logComplete() {
	if !r.complete {
		r.config.Log.Info().Msg("the commands are registered")
	}
	r.complete = true
}

// unwanted returns the lists that are to be empty: the global one, where no
// commands are wanted there, and those of guilds of earlier starts.
func unwanted(wanted []Scope, remembered []string) []Scope {
	keep := make(map[string]bool)
	for _, s := range wanted {
		keep[s.GuildID] = true
	}
	var empty []Scope
	for _, guildID := range append([]string{""}, remembered...) {
		if !keep[guildID] {
			empty = append(empty, Scope{GuildID: guildID})
		}
	}
	return empty
}

func (r *Registrar) syncAll(ctx context.Context, scopes []Scope) error {
	var errs []error
	changed := false
	for _, s := range scopes {
		if r.done[s.GuildID] {
			continue
		}
		updated, err := r.sync(ctx, s)
		changed = changed || updated
		if err != nil {
			errs = append(errs, r.failed(ctx, s, err))
		}
	}
	if changed {
		r.config.Staff.CommandsUpdated()
	}
	return errors.Join(errs...)
}

// sync makes one list as it is wanted.
func (r *Registrar) sync(ctx context.Context, s Scope) (changed bool, err error) {
	there, err := r.read(ctx, s.GuildID)
	if err != nil {
		return false, fmt.Errorf("read %s: %w", s, err)
	}
	commands := r.application.narrow(s)
	if changed = !equal(there, commands); changed {
		if there, err = r.overwrite(ctx, s.GuildID, commands, there); err != nil {
			return false, fmt.Errorf("overwrite %s: %w", s, err)
		}
		r.config.Log.Info().Str("guild", s.GuildID).Int("commands", len(commands)).Msg("a list of commands was overwritten")
	}
	if s.Registered != nil {
		s.Registered(chatIDs(there))
	}
	// What the application allows matters to the global list alone.
	r.done[s.GuildID] = s.GuildID != "" || r.application != nil
	if len(s.Commands) == 0 {
		r.forgetGuild(ctx, s.GuildID)
	}
	return changed, nil
}

// failed says in the log, and to staff where Discord has refused, why a list is
// not as it is wanted. It returns nil where nothing can be done about it.
func (r *Registrar) failed(ctx context.Context, s Scope, err error) error {
	if ctx.Err() != nil {
		return err
	}
	var e *rest.Error
	refused := errors.As(err, &e) && !e.Temporary()
	absent := refused && s.GuildID != "" && (e.Code == rest.CodeMissingAccess || e.Code == rest.CodeUnknownGuild)
	if absent && len(s.Commands) == 0 {
		// The bot has left the guild, or there is no such guild. The next start
		// tries again: whether Discord shows the list again where the bot is
		// invited back is not documented.
		r.config.Log.Info().Err(err).Str("guild", s.GuildID).Msg("the commands of a guild are no longer wanted, and the bot has no access to it")
		r.done[s.GuildID] = true
		return nil
	}
	line := r.config.Log.Error().Err(err).Str("guild", s.GuildID)
	if absent {
		line.Str("invite", r.inviteURL(s.GuildID)).Msg("the commands could not be registered: invite the bot to the guild, with the scopes bot and applications.commands")
	} else {
		line.Msg("the commands could not be registered")
	}
	if refused && r.told[s.GuildID] != err.Error() {
		r.told[s.GuildID] = err.Error()
		r.tellRefusal(s.GuildID, absent, err)
	}
	return r.wait(err)
}

func (r *Registrar) tellRefusal(guildID string, absent bool, err error) {
	if absent {
		r.config.Staff.GuildRefused(guildID, r.inviteURL(guildID), err)
	} else {
		r.config.Staff.CommandsRefused(err)
	}
}

// wait returns err as the wait that Discord asks for, if it does.
func (r *Registrar) wait(err error) error {
	var e *rest.Error
	if errors.As(err, &e) && e.RetryAfter > 0 {
		return &backoff.RetryAfterError{Duration: min(e.RetryAfter, r.config.Timing.Longest)}
	}
	return err
}

// inviteURL is where the bot is invited to a guild, with what registering takes
// (documentation, "Bot Authorization Flow").
func (r *Registrar) inviteURL(guildID string) string {
	return "https://discord.com/oauth2/authorize?client_id=" + r.config.ApplicationID +
		"&scope=bot+applications.commands&guild_id=" + guildID
}
