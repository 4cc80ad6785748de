package panel_test

import (
	"context"
	"errors"
	"flag"
	"log"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/leader"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/patience"
	"hostbot/bot/watch/panel"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi/redistest"
	"hostbot/hostapi/secret"
)

func TestMain(m *testing.M) {
	// Tests wait for most of the time, so many run at once.
	if err := flag.Set("test.parallel", "16"); err != nil {
		log.Fatal(err)
	}
	goleak.VerifyTestMain(m, redistest.Dialing())
}

// quick is DefaultTiming at less than a hundredth, but for the heartbeat, which does not come.
func quick() panel.Timing {
	return panel.Timing{
		Check: 100 * time.Millisecond, Between: 30 * time.Millisecond,
		Beat: time.Hour, Retry: 20 * time.Millisecond, Work: 3 * time.Second,
	}
}

// scene is a Discord with a channel, a Redis, and what panels are to show there.
type scene struct {
	t       *testing.T
	discord *discordtest.Server
	clock   *discordtest.ManualClock // Discord's
	channel *discordtest.Channel
	redis   string
	client  redis.UniversalClient
	timing  panel.Timing
	follows bool           // replicas do not lead
	hook    redistest.Hook // around each Redis command of the replicas; nil for none

	state atomic.Value // what panels are to show
	drawn atomic.Int64 // how often one was drawn
	watch sync.Map     // the accounts that are to be watched
	stuck error        // why accounts cannot be watched less
	blank error        // why nobody knows what to show
}

func newScene(t *testing.T, redisURL string) *scene {
	t.Helper()
	return newSceneAt(t, redisURL, discordtest.Config{})
}

// newSceneAt is newScene at a Discord of its own.
func newSceneAt(t *testing.T, redisURL string, c discordtest.Config) *scene {
	t.Helper()
	clock := discordtest.NewManualClock(time.Now())
	s := &scene{t: t, clock: clock, redis: redisURL, client: redistest.Connect(t, redisURL), timing: quick()}
	c.Clock = clock
	s.discord = discordtest.RunT(t, c)
	s.channel = s.discord.AddChannel("general")
	s.state.Store("running")
	return s
}

// replica starts a process that keeps panels true. stop ends it.
func (s *scene) replica() (p *panel.Panels, stop func()) {
	s.t.Helper()
	client := redistest.Connect(s.t, s.redis)
	if s.hook != nil {
		client.AddHook(s.hook)
	}
	discord := rest.New(secret.Text(s.discord.Token()), s.discord.URL())
	leading := leader.New(leader.Config{Redis: client, Name: "replica", Log: zerolog.Nop(), Timing: leader.Timing{
		Lease: 3 * time.Second, Renew: 10 * time.Millisecond, Read: 10 * time.Millisecond, Window: time.Second, Retry: 50 * time.Millisecond,
	}})
	p = panel.New(panel.Config{
		Redis: client, Discord: discord, Watching: s, Wake: leading.Wake, Log: zerolog.Nop(), Timing: s.timing,
		Draw: func(_ context.Context, p panel.Panel) (interaction.Message, error) {
			s.drawn.Add(1)
			embed := &discordgo.MessageEmbed{Description: strings.Join(p.Bots, " ") + ": " + s.state.Load().(string), Timestamp: time.Now().Format(time.RFC3339)}
			button := discordgo.Button{Style: discordgo.SecondaryButton, Label: "shop", CustomID: "shop"}
			row := discordgo.ActionsRow{Components: []discordgo.MessageComponent{button}}
			return interaction.Message{Embeds: []*discordgo.MessageEmbed{embed}, Components: []discordgo.MessageComponent{row}}, s.blank
		},
		Bare: func(panel.Panel) interaction.Message { return interaction.Message{Content: "embed links?"} },
	})
	leading.Add(p.Work())
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	if !s.follows {
		running.Go(func() { leading.Run(ctx) })
	}
	stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		discord.Close()
	})
	s.t.Cleanup(stop)
	return p, stop
}

func (s *scene) Watch(_ context.Context, customerID string, _ watcher.Reason) error {
	s.watch.Store(customerID, true)
	return nil
}

func (s *scene) Unwatch(_ context.Context, customerID string, _ watcher.Reason) error {
	if s.stuck == nil {
		s.watch.Delete(customerID)
	}
	return s.stuck
}

func (s *scene) watched(customerID string) bool {
	_, watched := s.watch.Load(customerID)
	return watched
}

// made is the panel of a customer in the channel.
func (s *scene) made(id string) panel.Panel {
	return panel.Panel{ID: id, OwnerID: "42", ChannelID: s.channel.ID, Bots: []string{"shop", "radio"}}
}

func (s *scene) create(p *panel.Panels, id string) {
	s.t.Helper()
	if posted, err := p.Create(s.t.Context(), s.made(id)); err != nil || !posted {
		s.t.Fatalf("Create() = %v, %v", posted, err)
	}
}

// createElsewhere posts a panel in a channel of its own.
func (s *scene) createElsewhere(p *panel.Panels, id string) *discordtest.Channel {
	s.t.Helper()
	other, elsewhere := s.discord.AddChannel("other"), s.made(id)
	elsewhere.ChannelID = other.ID
	if posted, err := p.Create(s.t.Context(), elsewhere); err != nil || !posted {
		s.t.Fatalf("Create() = %v, %v", posted, err)
	}
	return other
}

// refuseEdit has Discord refuse the next edit, as it does of a message that is old and was edited a lot.
func (s *scene) refuseEdit() {
	s.discord.Inject(discordtest.Fault{
		Method: http.MethodPatch, Route: discordtest.RouteMessage, Times: 1,
		Status: http.StatusTooManyRequests, Body: `{"code": 30046, "message": "too many edits", "retry_after": 1}`,
	})
}

// show has panels show something else, and says so.
func (s *scene) show(p *panel.Panels, state string) {
	s.t.Helper()
	s.state.Store(state)
	if err := p.Retry(s.t.Context(), "42"); err != nil {
		s.t.Fatal(err)
	}
}

// edits returns when messages were edited.
func (s *scene) edits() (at []time.Time) {
	for _, c := range s.discord.Calls() {
		if c.Method == http.MethodPatch {
			at = append(at, c.Started)
		}
	}
	return at
}

// due returns after which time a panel is to be looked at, and false if it is not to be.
func (s *scene) due(p *panel.Panels, id string) (after time.Duration, ok bool) {
	s.t.Helper()
	at, err := s.client.ZScore(s.t.Context(), p.Work().Due, id).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		s.t.Fatal(err)
	}
	return time.Until(time.UnixMilli(int64(at))), err == nil
}

// wantLeftAlone waits until the leader asks Discord nothing about a panel for a day, unless somebody says
// that what is in the way was mended.
func (s *scene) wantLeftAlone(p *panel.Panels, id string) {
	s.t.Helper()
	patience.Until(s.t, "Discord is not asked again, as nobody has mended it", func() bool {
		after, ok := s.due(p, id)
		return ok && after > 23*time.Hour
	})
}

// own returns the customer's panels.
func (s *scene) own(p *panel.Panels) []panel.Panel {
	s.t.Helper()
	own, err := p.Of(s.t.Context(), "42")
	if err != nil {
		s.t.Fatal(err)
	}
	return own
}
