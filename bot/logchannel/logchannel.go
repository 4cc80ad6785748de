// Package logchannel delivers entries to the channels that the company's staff
// watch: in order, one channel not waiting for another, and never in the way of
// whoever posts.
package logchannel

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/cenkalti/backoff/v5"
	"github.com/rs/zerolog"

	"hostbot/bot/rest"
)

// Sender posts embeds to a channel. Errors are *rest.Error.
type Sender interface {
	CreateMessage(ctx context.Context, channelID string, embeds []*discordgo.MessageEmbed) error
}

const (
	// queueLength is how many entries a channel may be behind; more are
	// dropped and counted in the process log.
	queueLength = 1000
	// sendLimit bounds one attempt at a message.
	sendLimit = 10 * time.Second
	// sendPatience bounds all attempts at one message.
	sendPatience = 10 * time.Minute
)

// Delivery posts to channels, each in a goroutine of its own.
type Delivery struct {
	sender Sender
	log    zerolog.Logger
	ctx    context.Context // of attempts to send
	cancel context.CancelFunc

	waiting atomic.Int64 // entries

	mu      sync.Mutex
	closed  bool
	queues  map[string]chan *discordgo.MessageEmbed
	workers sync.WaitGroup
}

// New returns a delivery without channels; they come with the first entry.
func New(sender Sender, log zerolog.Logger) *Delivery {
	ctx, cancel := context.WithCancel(context.Background())
	return &Delivery{sender: sender, log: log, ctx: ctx, cancel: cancel, queues: make(map[string]chan *discordgo.MessageEmbed)}
}

// Post hands an entry over and returns at once. An empty channelID means that
// nobody watches.
func (d *Delivery) Post(channelID string, entry *discordgo.MessageEmbed) {
	if channelID == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		d.log.Warn().Str("channel", channelID).Msg("a log channel entry came after the end and is lost")
		return
	}
	queue, ok := d.queues[channelID]
	if !ok {
		queue = make(chan *discordgo.MessageEmbed, queueLength)
		d.queues[channelID] = queue
		d.workers.Go(func() { d.deliver(channelID, queue) })
	}
	select {
	case queue <- entry:
		d.waiting.Add(1)
	default:
		d.log.Error().Str("channel", channelID).Int("waiting", queueLength).Msg("a log channel is too far behind: an entry is lost")
	}
}

// Waiting is how many entries are not delivered yet.
func (d *Delivery) Waiting() int { return int(d.waiting.Load()) }

// Close delivers what is waiting, until ctx is done, and ends the goroutines.
func (d *Delivery) Close(ctx context.Context) {
	d.mu.Lock()
	d.closed = true
	for _, queue := range d.queues {
		close(queue)
	}
	d.queues = nil
	d.mu.Unlock()
	stop := context.AfterFunc(ctx, d.cancel)
	defer stop()
	d.workers.Wait()
	d.cancel()
}

func (d *Delivery) deliver(channelID string, queue <-chan *discordgo.MessageEmbed) {
	for entry := range queue {
		if err := d.send(channelID, entry); err != nil {
			d.log.Error().Err(err).Str("channel", channelID).Str("entry", entry.Title).Msg("a log channel entry could not be delivered")
		}
		d.waiting.Add(-1)
	}
}

// send repeats a message with growing pauses while Discord may yet take it.
func (d *Delivery) send(channelID string, entry *discordgo.MessageEmbed) error {
	var last error // what was wrong, where the outcome only says to wait
	_, err := backoff.Retry(d.ctx, func() (struct{}, error) {
		ctx, cancel := context.WithTimeout(d.ctx, sendLimit)
		defer cancel()
		last = d.sender.CreateMessage(ctx, channelID, []*discordgo.MessageEmbed{entry})
		return struct{}{}, rest.Retry(last)
	}, backoff.WithBackOff(backoff.NewExponentialBackOff()), backoff.WithMaxElapsedTime(sendPatience))
	if err != nil {
		return last
	}
	return nil
}
