package logchannel_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"hostbot/bot/logchannel"
	"hostbot/bot/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// channels is Discord's end: it fails as told and keeps what it took.
type channels struct {
	mu    sync.Mutex
	fail  map[string][]error // by channel, one for each attempt
	taken map[string][]string
	block map[string]bool // takes nothing until the context is done
}

func (c *channels) CreateMessage(ctx context.Context, channelID string, embeds []*discordgo.MessageEmbed) error {
	c.mu.Lock()
	block := c.block[channelID]
	c.mu.Unlock()
	if block {
		<-ctx.Done()
		return &rest.Error{Message: ctx.Err().Error()}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if errs := c.fail[channelID]; len(errs) > 0 {
		c.fail[channelID] = errs[1:]
		return errs[0]
	}
	if c.taken == nil {
		c.taken = make(map[string][]string)
	}
	for _, e := range embeds {
		c.taken[channelID] = append(c.taken[channelID], e.Title)
	}
	return nil
}

func entry(title string) *discordgo.MessageEmbed { return &discordgo.MessageEmbed{Title: title} }

func TestDeliversInOrderThroughFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		discord := &channels{fail: map[string][]error{"1": {
			&rest.Error{Status: 503}, &rest.Error{Status: 429, RetryAfter: 3 * time.Second}, &rest.Error{Message: "connection reset"},
		}}}
		d := logchannel.New(discord, zerolog.Nop())
		for _, title := range []string{"a", "b", "c"} {
			d.Post("1", entry(title))
		}
		d.Post("2", entry("x"))
		d.Post("", entry("nobody watches"))
		d.Close(t.Context())
		if got := discord.taken["1"]; !slices.Equal(got, []string{"a", "b", "c"}) {
			t.Errorf("channel 1 has %q", got)
		}
		if got := discord.taken["2"]; !slices.Equal(got, []string{"x"}) {
			t.Errorf("channel 2 has %q", got)
		}
	})
}

func TestARefusedEntryHoldsUpNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		discord := &channels{fail: map[string][]error{"1": {&rest.Error{Status: 403, Code: 50013}}}}
		var log bytes.Buffer
		d := logchannel.New(discord, zerolog.New(&log))
		d.Post("1", entry("refused"))
		d.Post("1", entry("next"))
		d.Close(t.Context())
		if got := discord.taken["1"]; !slices.Equal(got, []string{"next"}) {
			t.Errorf("channel has %q", got)
		}
		if !strings.Contains(log.String(), "50013") {
			t.Errorf("the process log does not say why: %s", log.String())
		}
	})
}

func TestPostNeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		discord := &channels{block: map[string]bool{"1": true}}
		var log bytes.Buffer
		d := logchannel.New(discord, zerolog.New(&log))
		for i := range 2000 {
			d.Post("1", entry(fmt.Sprint(i)))
		}
		if !strings.Contains(log.String(), "is lost") {
			t.Error("lost entries are not logged")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		started := time.Now()
		d.Close(ctx)
		if took := time.Since(started); took != 5*time.Second {
			t.Errorf("Close took %v of the 5 s it was given", took)
		}
		d.Post("1", entry("late")) // must neither panic nor block
	})
}
