package bot

import (
	"sync"
	"sync/atomic"
	"time"
)

// noShard stands for the connection before it is known which shards there are.
const noShard = -1

// connections is what staff know of the connections to Discord. They read a line when
// the first is there, one when the first is lost, and one when none is lost any more:
// not one for each shard.
type connections struct {
	resumes atomic.Int64

	mu     sync.Mutex
	told   bool // that one is there
	lost   map[int]bool
	lostAt time.Time // the first of them
	anew   bool      // a session has ended meanwhile, with what was sent to it
}

// connected is told of a new session.
func (b *Bot) connected(shard int, applicationID string) {
	b.log.Info().Int("shard", shard).Str("application", applicationID).Msg("connected to discord")
	b.serving(shard, applicationID, true)
}

// resumed is told that a session goes on, which was lost or another replica's.
func (b *Bot) resumed(shard int, applicationID string) {
	b.connections.resumes.Add(1)
	b.log.Info().Int("shard", shard).Msg("connection to discord resumed")
	b.serving(shard, applicationID, false)
}

func (b *Bot) serving(shard int, applicationID string, anew bool) {
	select {
	case b.applications <- applicationID:
	default: // the commands are registered once
	}
	c := &b.connections
	c.mu.Lock()
	defer c.mu.Unlock()
	was, after := c.lost[shard] || c.lost[noShard], time.Since(c.lostAt)
	delete(c.lost, shard)
	delete(c.lost, noShard)
	c.anew = c.anew || anew
	switch {
	case was && len(c.lost) > 0:
	case !c.told, was && c.anew:
		c.told = true
		b.telling.Go(b.stafflog.Connected)
	case was:
		b.telling.Go(func() { b.stafflog.Resumed(after) })
	}
}

// lost is told of every attempt that failed; staff read of the first.
func (b *Bot) lost(shard int, reason error) {
	b.log.Warn().Err(reason).Int("shard", shard).Msg("connection to discord lost")
	c := &b.connections
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lost) == 0 {
		c.lost, c.lostAt, c.anew = make(map[int]bool), time.Now(), false
		b.telling.Go(func() { b.stafflog.Disconnected(reason) })
	}
	c.lost[shard] = true
}

// released is told that a shard is another replica's by now.
func (b *Bot) released(shard int) {
	b.connections.mu.Lock()
	defer b.connections.mu.Unlock()
	delete(b.connections.lost, shard)
}
