// Package incident keeps the incident behind each reference that a customer was shown, so that staff find all that is
// known of it by that code.
//
// Incidents are in Redis for a week, up to a number an hour, so that an outage does not fill Redis. The process keeps
// the latest others in memory. The log channel and the process log have every reference.
package incident

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/seldom"
	"hostbot/bot/store/keyspace"
	"hostbot/hostapi"
)

const (
	// kept is for how long an incident can be looked up.
	kept = 7 * 24 * time.Hour
	// perHour is how many incidents a process keeps in Redis in an hour: 2 kB each.
	perHour = 500
	// maxUnsaved is how many others it keeps in memory.
	maxUnsaved = 500
	// visitLimit bounds one use of Redis.
	visitLimit = 250 * time.Millisecond
	keyPrefix  = "reference:"
	// codeLength is how many letters and digits a reference has.
	codeLength = 7
	// detailLimit bounds what was said of a failure, in characters.
	detailLimit = 1000
	nameLimit   = 100
)

// ErrUnknown says that a reference is not known: it is mistyped, older than a week, or in another process's memory only.
var ErrUnknown = errors.New("incident: unknown")

// ErrNoThread says that staff's support channel does not let the bot open threads, so that
// nobody could be told of an incident there, or in no thread.
var ErrNoThread = errors.New("incident: the support channel takes no thread")

// ErrCrashes says that nothing failed, but that a customer's bot keeps crashing.
var ErrCrashes = errors.New("incident: the bot keeps crashing")

// Incident is what happened behind a reference.
type Incident struct {
	Reference     string    `json:"reference"`
	InteractionID string    `json:"interaction"`
	UserID        string    `json:"user"`
	CustomerID    string    `json:"customer"` // another's than UserID where staff acted
	CustomerName  string    `json:"name,omitempty"`
	BotID         string    `json:"bot,omitempty"` // on which an action had begun
	BotName       string    `json:"bot_name,omitempty"`
	Asked         string    `json:"asked,omitempty"` // what was typed, chosen or pressed for a bot, where no action had begun
	GuildID       string    `json:"guild"`           // empty in a direct message
	ChannelID     string    `json:"channel"`
	Kind          string    `json:"kind"`
	Route         string    `json:"route"`
	At            time.Time `json:"at"` // when the interaction arrived

	// Failed is how long after that the failure was known.
	Failed time.Duration `json:"failed"`
	Detail string        `json:"detail"` // the error in full, bounded

	// Cause is what staff have to deal with, as a part of the keys of texts: a code of
	// package hostapi, or "crashes", "discord", "filter", "late", "midway", "support", "unsettled" or "internal".
	Cause string `json:"cause"`

	// Of the call to the hosting service, where that is what failed.
	Operation string        `json:"operation,omitempty"`
	Code      string        `json:"code,omitempty"`
	Status    int           `json:"status,omitempty"` // HTTP's; 0 where there was no answer
	Answer    string        `json:"answer,omitempty"` // the service's own words, bounded
	Attempts  int           `json:"attempts,omitempty"`
	Took      time.Duration `json:"took,omitempty"`
	Uncertain bool          `json:"uncertain,omitempty"` // it may have been carried out

	Shard   string `json:"over,omitempty"` // over which the interaction came; empty where it came over HTTP
	Version string `json:"version"`
}

// Of describes the failure of an interaction.
func Of(r *interaction.Request, err error) Incident {
	s := Incident{
		Reference: r.Reference, InteractionID: r.ID, UserID: r.UserID, CustomerID: r.CustomerID, CustomerName: r.CustomerName(), GuildID: r.GuildID, ChannelID: r.ChannelID,
		Kind: string(r.Kind), Route: r.Route, Shard: r.Shard, At: r.ReceivedAt, Failed: time.Since(r.ReceivedAt),
		Detail: sanitize.Plain(err.Error(), detailLimit), Cause: CauseOf(err),
	}
	if r.Running != nil {
		s.BotID, s.BotName = r.Running.BotID, sanitize.Plain(r.Running.BotName, nameLimit)
	} else {
		s.Asked = sanitize.Plain(cmp.Or(r.Params["bot"], r.Options["bot"]), nameLimit)
	}
	if service, ok := errors.AsType[*hostapi.Error](err); ok {
		s.Operation, s.Code, s.Status, s.Answer = string(service.Op), string(service.Code), service.Status, service.Detail
		s.Attempts, s.Took, s.Uncertain = service.Attempts, service.Took, service.Uncertain
	}
	return s
}

// CauseOf returns the Cause of a failure.
func CauseOf(err error) string {
	var service *hostapi.Error
	var discord *rest.Error
	is := func(e error) bool { return errors.Is(err, e) }
	switch {
	case errors.As(err, &service) && service.Status == http.StatusNotFound && service.Op != hostapi.OpList:
		return string(hostapi.CodeNotFound) // of staff somebody may have to change a path
	case errors.As(err, &service):
		return string(service.Code)
	case is(ErrNoThread):
		return "support"
	case is(ErrCrashes):
		return "crashes"
	case is(interaction.ErrOutcomeUnknown), is(interaction.ErrInterrupted):
		return "midway"
	case is(interaction.ErrUnsent):
		return string(hostapi.CodeCanceled)
	case is(interaction.ErrUnsettled):
		return "unsettled"
	case is(interaction.ErrBlocked), is(interaction.ErrNotBegun):
		return "filter"
	case is(interaction.ErrTooLate):
		return "late"
	case errors.As(err, &discord), is(interaction.ErrUnacknowledged), is(interaction.ErrTooSlow):
		return "discord"
	default:
		return string(hostapi.CodeInternal)
	}
}

// Store keeps incidents.
type Store struct {
	redis   redis.UniversalClient
	space   keyspace.Space
	version string
	log     zerolog.Logger
	noted   seldom.Line

	mu      sync.Mutex
	hour    time.Time  // that began last
	given   int        // to Redis since then
	unsaved []Incident // not in Redis, oldest first
}

// New returns a store in a space of a Redis; version is the program's.
func New(client redis.UniversalClient, space keyspace.Space, version string, log zerolog.Logger) *Store {
	return &Store{redis: client, space: space, version: version, log: log}
}

// Keep keeps an incident, unless there is one already: the first failure of an
// interaction is the cause of others. It takes 250 ms at most; that an incident could
// not be kept is in the process log.
func (s *Store) Keep(incident Incident) {
	incident.Version = s.version
	if !s.allow(time.Now()) {
		s.keepHere(incident)
		return
	}
	data, err := json.Marshal(incident)
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), visitLimit)
		defer cancel()
		err = s.redis.SetNX(ctx, s.space.Key(keyPrefix+incident.Reference), data, kept).Err()
	}
	if err != nil {
		s.keepHere(incident)
		s.noted.Begin(&s.log, zerolog.WarnLevel).Err(err).Str("reference", incident.Reference).Msg("what is behind a reference could not be kept")
	}
}

// allow reports whether Redis may have one more incident this hour.
func (s *Store) allow(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.hour) >= time.Hour {
		s.hour, s.given = now, 0
	}
	s.given++
	return s.given <= perHour
}

// keepHere keeps an incident in memory, and drops the oldest beyond maxUnsaved.
func (s *Store) keepHere(incident Incident) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.find(incident.Reference) < 0 {
		s.unsaved = append(s.unsaved, incident)
		s.unsaved = slices.Delete(s.unsaved, 0, max(0, len(s.unsaved)-maxUnsaved))
	}
}

func (s *Store) find(code string) int {
	return slices.IndexFunc(s.unsaved, func(i Incident) bool { return i.Reference == code })
}

// Incident returns what is behind a reference, as Clean returns it, or ErrUnknown.
func (s *Store) Incident(ctx context.Context, code string) (Incident, error) {
	if code == "" {
		return Incident{}, ErrUnknown
	}
	ctx, cancel := context.WithTimeout(ctx, visitLimit)
	defer cancel()
	key := s.space.Key(keyPrefix + code)
	data, err := s.redis.Get(ctx, key).Bytes()
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if i := s.find(code); i >= 0 {
			return s.unsaved[i], nil
		}
	}
	switch {
	case errors.Is(err, redis.Nil):
		return Incident{}, ErrUnknown
	case err != nil:
		return Incident{}, fmt.Errorf("incident: %w", err)
	}
	return read(code, data), nil
}

// read decodes what is kept behind a reference. If that makes no sense, it is shown as it is.
func read(code string, data []byte) Incident {
	var i Incident
	if err := json.Unmarshal(data, &i); err != nil || i.Reference != code {
		i = Incident{Reference: code, Detail: string(data)}
	}
	for _, id := range []*string{&i.UserID, &i.CustomerID, &i.GuildID, &i.ChannelID, &i.InteractionID} {
		if _, err := strconv.ParseUint(*id, 10, 64); err != nil { // it is shown as a mention, and is a part of a button's ID
			*id = ""
		}
	}
	i.Detail, i.Answer = sanitize.Plain(i.Detail, detailLimit), sanitize.Plain(i.Answer, detailLimit)
	return i
}

// Clean returns a reference as it is kept, of one as somebody typed it: with
// small letters, spaces, a # or an O for a 0, or the whole line that the customer was
// shown. It returns "" where it is none.
func Clean(typed string) string {
	typed = sanitize.Skeleton(typed, interaction.MaxInput) // Chinese and Japanese write another colon
	typed = strings.Trim(typed[strings.LastIndexByte(typed, ':')+1:], " .,*")
	// References do not have the letters O, I and L.
	code := strings.NewReplacer(" ", "", "#", "", "'", "", `"`, "", "-", "", "O", "0", "I", "1", "L", "1").Replace(strings.ToUpper(typed))
	if len(code) != codeLength || strings.Trim(code, "0123456789ABCDEFGHJKMNPQRSTUVWXYZ") != "" {
		return ""
	}
	return code
}
