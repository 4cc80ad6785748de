package logchannel_test

import (
	"context"
	"flag"
	"fmt"
	"log"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/redis/go-redis/v9"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"hostbot/bot/discord/rest"
	"hostbot/bot/leader"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/store/redisclient"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/patience"
	"hostbot/hostapi/redistest"
	"hostbot/hostapi/secret"
	"hostbot/locale"
)

// safety is how long a test waits for what must come.
const safety = 20 * time.Second

// office is a Discord with two channels that staff watch.
type office struct {
	discord         *discordtest.Server
	actions, errors *discordtest.Channel
	maxWaiting      int // in Redis
}

func newOffice(t *testing.T, config discordtest.Config) office {
	t.Helper()
	discord := discordtest.RunT(t, config)
	return office{discord, discord.AddChannel("actions"), discord.AddChannel("errors"), maxWaiting}
}

// maxWaiting is an office's, unless a test says otherwise.
const maxWaiting = 1000

// unlimited is a Discord without rate limits.
func unlimited() discordtest.Config { return discordtest.Config{NoRateLimits: true} }

// hasty is a timing that does not keep a test waiting.
func hasty() logchannel.Timing {
	return logchannel.Timing{
		Record: 5 * time.Second, Flush: 10 * time.Millisecond, Turn: 10 * time.Millisecond, CountFor: time.Hour,
		Work: 2 * time.Second, Send: 1500 * time.Millisecond, Grace: time.Hour,
		RetryFirst: 5 * time.Millisecond, RetryMost: 20 * time.Millisecond, RetryBusy: time.Second,
	}
}

// buttons are those of every process.
var buttons = logchannel.Buttons{
	Lookup:     func(customerID, name string) string { return "lookup " + customerID + name },
	Reference:  func(code string) string { return "reference " + code },
	References: "references",
}

// process is a delivery as one of the program's processes has it.
type process struct {
	*logchannel.Delivery
	redis   *redisclient.Conn
	discord *rest.Client
	log     patience.Log
	leader  *leader.Leader
	leading sync.WaitGroup
	dead    context.Context // done when the process leads no more
	end     func(context.Context)
}

// Start has the process look after its entries, and lead if no other does.
func (p *process) Start() {
	p.Delivery.Start()
	p.leading.Go(func() { p.leader.Run(p.dead) })
}

// newProcess makes a delivery. One that a test did not end is killed with it.
func (o office) newProcess(t *testing.T, redisURL string, timing logchannel.Timing) *process {
	t.Helper()
	p, err := openProcess(o.discord.Token(), o.discord.URL(), redisURL, timing, o.maxWaiting, map[logchannel.Category]string{
		logchannel.Actions: o.actions.ID, logchannel.Errors: o.errors.ID, logchannel.Lifecycle: o.actions.ID,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	return p
}

func openProcess(token, discordURL, redisURL string, timing logchannel.Timing, maxWaiting int, channels map[logchannel.Category]string) (*process, error) {
	p := &process{}
	logger := zerolog.New(&p.log)
	var err error
	if p.redis, err = redisclient.Open(secret.Text(redisURL), logger); err != nil {
		return nil, err
	}
	if alone, ok := p.redis.Client.(*redis.Client); ok { // a machine that is slow is no Redis that hangs
		alone.Options().ReadTimeout, alone.Options().WriteTimeout = timing.Record, timing.Record
	}
	client := rest.New(secret.Text(token), discordURL)
	p.discord = client
	lead := leader.DefaultTiming()
	lead.Lease = max(timing.Work/2, 200*time.Millisecond) // or a slow machine loses it
	lead.Renew, lead.Read, lead.Retry = 50*time.Millisecond, 50*time.Millisecond, 10*time.Millisecond
	p.leader = leader.New(leader.Config{Redis: p.redis.Client, Name: "test", Log: logger, Timing: lead})
	texts, err := locale.Load()
	if err != nil {
		return nil, err
	}
	p.Delivery = logchannel.New(logchannel.Config{
		Discord: client, Redis: p.redis.Client, Embedded: p.redis.Embedded, Channels: channels, Texts: texts.For("en-US"), Buttons: buttons,
		Log: logger, Timing: timing, MaxWaiting: maxWaiting, Wake: p.leader.Wake, Leading: p.leader.Leading, Term: p.leader.Term,
	})
	p.leader.Add(p.Work())
	dead, kill := context.WithCancel(context.Background())
	p.dead = dead
	var once sync.Once
	p.end = func(ctx context.Context) {
		once.Do(func() {
			p.Close(ctx)
			kill()
			p.leading.Wait()
			p.redis.Close()
			client.Close()
		})
	}
	return p, nil
}

// stop ends the process as a signal would.
func (p *process) stop(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), safety)
	defer cancel()
	p.end(ctx)
}

// kill ends the process so that it leaves everything as it is.
func (p *process) kill() {
	_ = p.redis.Client.Close()
	p.close()
}

// close ends the process with no time to deliver.
func (p *process) close() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p.end(ctx)
}

// outlast has the lease of a leader that was killed be over, as it is after a time.
func outlast(t *testing.T, redisURL string) {
	t.Helper()
	if err := redistest.Connect(t, redisURL).Del(t.Context(), "hostbot:{leader}:lease").Err(); err != nil {
		t.Fatal(err)
	}
}

// deleteMessage deletes the first message of a channel, as staff would.
func deleteMessage(t *testing.T, ch *discordtest.Channel) {
	t.Helper()
	if err := ch.Delete(ch.Messages()[0].ID); err != nil {
		t.Fatal(err)
	}
}

func action(title string) logchannel.Entry {
	return logchannel.Entry{Category: logchannel.Actions, Line: title}
}

func failure(group string, reference int) logchannel.Entry {
	return logchannel.Entry{Category: logchannel.Errors, Embed: embed("failure: " + group), GroupKey: group, Reference: fmt.Sprint("R", reference)}
}

func embed(title string) *discordgo.MessageEmbed {
	return &discordgo.MessageEmbed{Title: title, Description: "See what to do.", Timestamp: time.Now().UTC().Format(time.RFC3339)}
}

// titles returns the lines and the titles in a channel, oldest first. The title of a message's
// first card is the last line. A card that lacks its embed has none.
func titles(ch *discordtest.Channel) []string {
	var all []string
	for _, m := range ch.Messages() {
		lines := strings.FieldsFunc(m.Content, func(r rune) bool { return r == '\n' })
		if len(m.Embeds) == 0 {
			lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "failure") })
		}
		all = append(all, lines...)
		for _, e := range m.Embeds {
			if e.Title != "" {
				all = append(all, e.Title)
			}
		}
	}
	return all
}

// await waits until what a channel shows is as wanted.
func await(t *testing.T, ch *discordtest.Channel, what string, wanted func() bool) {
	t.Helper()
	if wanted() {
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), safety)
	defer cancel()
	if _, err := ch.Await(ctx, func(discordtest.View) bool { return wanted() }); err != nil {
		for _, m := range ch.Messages() {
			t.Logf("#%s: %s", ch.Name, m.Text())
		}
		t.Fatalf("%s: it did not come", what)
	}
}

// eventually waits for what nothing tells of.
func eventually(t *testing.T, what string, yes func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), safety)
	defer cancel()
	if !patience.Eventually(ctx, yes) {
		t.Fatalf("%s: it did not happen", what)
	}
}

// waiting is how many entries wait for a channel in a Redis.
func waiting(t *testing.T, client redis.UniversalClient, ch *discordtest.Channel) int64 {
	t.Helper()
	n, err := client.XLen(t.Context(), "hostbot:{logs}:stream:"+ch.ID).Result()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestMain runs the package's tests. They wait for most of the time, so several run at once: those
// without a Cluster, of which there is one.
func TestMain(m *testing.M) {
	redisclient.RedirectLibraryLog(zerolog.Nop())
	if err := flag.Set("test.parallel", "6"); err != nil {
		log.Fatal(err)
	}
	goleak.VerifyTestMain(redistest.WithCluster(m), redistest.Dialing())
}
