// Package world has the whole bot under test, between fakes of all that it
// depends on: an event of the gateway goes in, and calls to Discord come out.
// The end-to-end tests, the fault matrix, the soak and the benchmarks share it.
//
// A World is a Discord, a hosting service and a Redis, with any number of bots
// that are connected to them. Its words:
//
//   - anna is a customer whose bots run;
//   - staff are users in the bot's admin guild who may use /admin;
//   - the log channel is what staff read on Discord, the log is the process log.
//
// However a test ends, it fails where the token, the shared secret or an
// interaction's token was written to the log or into a body that Discord was sent.
package world

import (
	"context"
	"flag"
	"io"
	"log"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"hostbot/bot"
	"hostbot/bot/ops/logging"
	"hostbot/bot/store/redisclient"
	"hostbot/bot/testing/discordtest"
	"hostbot/configs"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/redistest"
)

// ManyAtOnce has many tests run side by side where -parallel does not say otherwise, as
// they mostly wait; fewer with the race detector, which makes them compute. It is called
// in a TestMain.
func ManyAtOnce() {
	many := "12"
	if RaceDetector {
		many = "6"
	}
	if err := flag.Set("test.parallel", many); err != nil {
		log.Fatal(err)
	}
}

// Main runs a package's tests, many at once, and fails where they leave a goroutine.
func Main(m *testing.M) {
	ManyAtOnce()
	flag.String("transport", "gateway", "how interactions reach the bot: gateway or http")
	redisclient.RedirectLibraryLog(zerolog.Nop())
	goleak.VerifyTestMain(m, redistest.Dialing())
}

// options are those of each bot.
var options []bot.Option

// Hurry has staff read so many times sooner of what happens. It is called in a TestMain.
func Hurry(times int) { options = append(options, bot.Hurried(times)) }

// GreetAtOnce has first messages to people wait for nothing. It is called in a TestMain.
func GreetAtOnce() { options = append(options, bot.AnyPace()) }

// Options say how a world differs from the usual one.
type Options struct {
	// Discord has no rate limits where RateLimits is not set.
	Discord    discordtest.Config
	RateLimits bool
	// Service is nil where the service's time is to move only as the test says,
	// with World.Clock.
	Service *hostapitest.Options
	Redis   string // its URL; empty for the one inside the bot
	// Staff makes the fake's guild the admin guild. See World.AddStaff.
	Staff bool
	HTTP  bool                    // interactions arrive over HTTP whatever -transport says
	Env   []string                // further settings
	Tune  func(*configs.Settings) // changes what no setting allows; may be nil
}

// World is what bots are connected to.
type World struct {
	Discord *discordtest.Server
	Service *hostapitest.Service
	Clock   *hostapitest.ManualClock // the service's; nil where Options.Service was set
	Channel *discordtest.Channel     // the log channel
	Log     *Log
	Env     []string        // settings of the bot that is started next
	Ended   <-chan struct{} // closed when the bot that was started last has ended

	http    bool
	tune    func(*configs.Settings)
	support *discordtest.Role // by which somebody is staff
	secrets map[string]string // see AddSecret
}

// New makes a world without a bot.
func New(t testing.TB, o Options) *World {
	t.Helper()
	w := &World{Log: &Log{}, http: o.HTTP || OverHTTP(), Env: append([]string{"REDIS_URL=" + o.Redis}, o.Env...), tune: o.Tune}
	service := o.Service
	if service == nil {
		w.Clock = hostapitest.NewManualClock(time.Now())
		service = &hostapitest.Options{Clock: w.Clock}
	}
	config := o.Discord
	config.StrictUserAgent, config.NoRateLimits = true, !o.RateLimits
	config.MaxConcurrency = max(config.MaxConcurrency, 16) // so that sessions need not wait for each other
	w.Discord = discordtest.RunT(t, config)
	w.Service = hostapitest.RunWith(t, *service)
	w.Channel = w.Discord.AddChannel("bot-log")
	if o.Staff {
		w.support = w.Discord.AddRole("Support")
		w.Env = append(w.Env, "ADMIN_GUILD_ID="+w.Discord.GuildID(), "ADMIN_ROLE_IDS="+w.support.ID)
	}
	t.Cleanup(func() { w.findSecrets(t) })
	return w
}

// Serving makes a world with a bot that serves, and with anna, whose bots have
// these names.
func Serving(t testing.TB, o Options, bots ...string) (w *World, anna *discordtest.User) {
	t.Helper()
	w = New(t, o)
	anna = w.AddCustomer("anna", bots...)
	w.Start(t)
	return w, anna
}

// AddCustomer opens an account with running bots of these names. The ID of the
// bot "Shop" is "id-shop".
func (w *World) AddCustomer(name string, bots ...string) *discordtest.User {
	customer := w.Discord.User(name)
	w.Service.AddAccount(customer.ID, hostapitest.Plan{Name: "Pro", RAMMB: 16384, MaxServers: 30})
	for _, bot := range bots {
		w.Service.AddServer(customer.ID, hostapitest.Server{
			ID: "id-" + strings.ToLower(bot), Name: bot, Language: "NODE", Status: hostapitest.Running,
			RAMMB: 512, DiskMB: 2048, CPUPercent: 150, EntryFile: "index.js", StartupCommand: "node index.js", PlanName: "Pro",
		})
	}
	return customer
}

// Start starts a bot and waits until it serves. stop stops it as a signal would,
// waits for its end, and returns what Run returned.
func (w *World) Start(t testing.TB) (stop func() error) {
	t.Helper()
	before := w.Log.Count(serves)
	stop = w.Launch(t)
	w.Log.WaitForTimes(t, serves, before+1)
	return stop
}

// serves is what the log says when a bot serves.
const serves = "the commands are registered"

// Launch starts a bot and does not wait.
func (w *World) Launch(t testing.TB) (stop func() error) {
	t.Helper()
	settings, err := configs.Load("", w.Environment())
	if err != nil {
		t.Fatal(err)
	}
	if w.tune != nil {
		w.tune(settings)
	}
	if !w.http {
		stop, w.Ended = Run(t, settings, w.Log)
		return stop
	}
	at := &listening{Writer: w.Log, discord: w.Discord}
	ended, done := Run(t, settings, at)
	w.Ended = done
	return func() error {
		at.notReady()
		return ended()
	}
}

// Environment returns the settings of a bot, as the program takes them.
func (w *World) Environment() []string {
	var overHTTP []string
	if w.http {
		overHTTP = []string{"INTERACTIONS_ADDR=127.0.0.1:0", "DISCORD_PUBLIC_KEY=" + w.Discord.PublicKey()}
	}
	return append(append(overHTTP,
		"DISCORD_TOKEN="+w.Discord.Token(),
		"DISCORD_API_URL="+w.Discord.URL(),
		"HOSTAPI_URL="+w.Service.URL(),
		"HOSTAPI_SECRET="+w.Service.Secret(),
		"LOG_CHANNEL_ID="+w.Channel.ID,
		"HTTP_ADDR=off",
		"LOG_LEVEL=debug",
	), w.Env...)
}

// Run runs a bot until stop is called or the test ends.
func Run(t testing.TB, settings *configs.Settings, log io.Writer) (stop func() error, ended <-chan struct{}) {
	t.Helper()
	b, err := bot.New(settings, "test", logging.New(settings.Log, log), options...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = b.Run(ctx)
	}()
	stop = func() error {
		cancel()
		<-done
		return err
	}
	t.Cleanup(func() { _ = stop() })
	return stop, done
}

// Finish lets an action that the service has begun, or is about to, come to its
// end.
func (w *World) Finish(t testing.TB) {
	t.Helper()
	w.Clock.BlockUntil(t, 1)
	w.Clock.Advance(6 * time.Second) // the longest, a reinstallation
}

// WantCalls fails the test unless the service was called so often.
func (w *World) WantCalls(t testing.TB, op hostapitest.Operation, want int) {
	t.Helper()
	if n := w.Service.Count(op); n != want {
		t.Errorf("the service was called %d times for %s, want %d", n, op, want)
	}
}

// Operator asks the bot that was started last, with HTTP_ADDR=127.0.0.1:0, for one of its
// pages.
func (w *World) Operator(t testing.TB, page string) (status int, body string) {
	t.Helper()
	w.Log.WaitFor(t, "health and metrics are served")
	all := regexp.MustCompile(`"address":"([^"]+)".*"health and metrics are served"`).FindAllStringSubmatch(w.Log.String(), -1)
	if all == nil {
		t.Fatalf("no address in the log:\n%s", w.Log)
	}
	found := all[len(all)-1]
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: Patience}
	res, err := client.Get("http://" + found[1] + page)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}
