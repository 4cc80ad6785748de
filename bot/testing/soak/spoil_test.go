//go:build integration

package soak_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/hostapi/redistest"
)

// A hand writes into whatever Redis holds what makes no sense. Every promise is to hold all the
// same, but for what was said in the very record that was spoiled:
//
//   - An entry of which the hand has spoiled what it says may be missing, as it is shown as it is then.
//   - An entry may be missing, or be there twice, if the hand has spoiled the record of its action,
//     what waits, or the record of a delivery, and the process was killed that would have written
//     that anew: right after, or before another one had told what the record says.
//   - An entry may be there twice that was in the plan of a delivery which the hand has spoiled, or
//     was delivered within the moments before the hand spoiled what is known of that.
//   - A shard may be served by nobody for a while.
//   - Whoever asked for an action may not be told how it ended, if the hand has spoiled its record or
//     its interaction's token, which no other process has, and the one that had begun it was killed.
//
// That an action is carried out once, and whose bots somebody sees, depends on nothing that Redis
// holds.

const (
	// rewritten is how long it takes until a process has written anew what it knows.
	rewritten = 10 * time.Second
	// untold is how long it may take until another process tells how an action of one ended that was
	// killed.
	untold = time.Minute
	// recent is how old what was delivered may be that a process has not asked for yet.
	recent = 15 * time.Second
)

// spoiling is what the hand has done once.
type spoiling struct {
	at       time.Time
	key, way string
	before   string // what it has spoiled, as text
	twice    int    // entries of any bot that may be there twice
}

// way spoils a key in one way, if that makes sense for it, and returns what it held there.
type way struct {
	name string
	do   func(h *hand, key, kind string) (before string, done bool)
}

// hand spoils keys.
type hand struct {
	ctx    context.Context
	redis  redis.UniversalClient
	random *rand.Rand
}

func (h *hand) oneOf(list []string) string { return list[h.random.IntN(len(list))] }

// content returns what a key holds, by field or member, of which a text has one.
func (h *hand) content(key, kind string) map[string]string {
	all := make(map[string]string)
	switch kind {
	case "string":
		all[""] = h.redis.Get(h.ctx, key).Val()
	case "hash":
		return h.redis.HGetAll(h.ctx, key).Val()
	case "set":
		for _, member := range h.redis.SMembers(h.ctx, key).Val() {
			all[member] = member
		}
	case "zset":
		for _, z := range h.redis.ZRangeWithScores(h.ctx, key, 0, -1).Val() {
			member, _ := z.Member.(string)
			all[member] = strconv.FormatFloat(z.Score, 'f', 0, 64)
		}
	}
	return all
}

// fields returns the fields, or the members, that a key holds, in a fixed order.
func (h *hand) fields(key, kind string, fits func(value string) bool) (names []string, values map[string]string) {
	values = h.content(key, kind)
	for name, value := range values {
		if fits(value) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, values
}

// replace puts another value in the place of one that fits.
func (h *hand) replace(key, kind string, fits func(string) bool, with func(string) string) (before string, done bool) {
	names, values := h.fields(key, kind, fits)
	if len(names) == 0 {
		return "", false
	}
	name := h.oneOf(names)
	before, after := values[name], with(values[name])
	switch kind {
	case "string":
		h.redis.Set(h.ctx, key, after, redis.KeepTTL)
	case "hash":
		h.redis.HSet(h.ctx, key, name, after)
	case "zset":
		score, _ := strconv.ParseFloat(after, 64)
		h.redis.ZAdd(h.ctx, key, redis.Z{Score: score, Member: name})
	default:
		return "", false
	}
	return name + " " + before, true
}

func anything(string) bool { return true }

func isJSON(value string) bool { return strings.HasPrefix(value, "{") && len(value) > 2 }

// isTime reports whether a value is a time in ms or µs.
func isTime(value string) bool { return regexp.MustCompile(`^1\d{12}(\d{3})?$`).MatchString(value) }

func anHourLater(value string) string {
	n, _ := strconv.ParseInt(value, 10, 64)
	hour := time.Hour.Milliseconds()
	if len(value) > 13 {
		hour = time.Hour.Microseconds()
	}
	return strconv.FormatInt(n+hour, 10)
}

func ways() []way {
	text := func(kind string) bool { return kind == "string" || kind == "hash" }
	return []way{
		{"another type", func(h *hand, key, kind string) (string, bool) {
			before := fmt.Sprint(h.content(key, kind))
			_, err := h.redis.TxPipelined(h.ctx, func(p redis.Pipeliner) error {
				p.Del(h.ctx, key)
				if kind == "string" {
					p.RPush(h.ctx, key, "x")
				} else {
					p.Set(h.ctx, key, "x", 0)
				}
				return nil
			})
			return before, err == nil
		}},
		{"garbage", func(h *hand, key, kind string) (string, bool) {
			garbage := fmt.Sprintf("\xff\x00%d{", h.random.Uint64())
			switch kind {
			case "set":
				return "", h.redis.SAdd(h.ctx, key, garbage).Err() == nil
			case "zset":
				return "", h.redis.ZAdd(h.ctx, key, redis.Z{Member: garbage}).Err() == nil
			}
			return h.replace(key, kind, anything, func(string) string { return garbage })
		}},
		{"truncated", func(h *hand, key, kind string) (string, bool) {
			if !text(kind) {
				return "", false
			}
			return h.replace(key, kind, isJSON, func(value string) string { return value[:len(value)/2] })
		}},
		{"a later version", func(h *hand, key, kind string) (string, bool) {
			if kind == "hash" && h.redis.HExists(h.ctx, key, "f").Val() && h.random.IntN(2) == 0 {
				return "", h.redis.HSet(h.ctx, key, "f", 99).Err() == nil
			}
			if !text(kind) {
				return "", false
			}
			return h.replace(key, kind, isJSON, func(value string) string { return `{"version":99,"format":99,` + value[1:] })
		}},
		{"an hour ahead", func(h *hand, key, kind string) (string, bool) {
			return h.replace(key, kind, isTime, anHourLater)
		}},
		{"a field less", func(h *hand, key, kind string) (string, bool) {
			names, values := h.fields(key, kind, anything)
			if len(names) == 0 {
				return "", false
			}
			name := h.oneOf(names)
			var err error
			switch kind {
			case "hash":
				err = h.redis.HDel(h.ctx, key, name).Err()
			case "zset":
				err = h.redis.ZRem(h.ctx, key, name).Err()
			case "set":
				err = h.redis.SRem(h.ctx, key, name).Err()
			default:
				return "", false
			}
			return name + " " + values[name], err == nil
		}},
		{"a member without a record", func(h *hand, key, kind string) (string, bool) {
			switch kind {
			case "zset":
				return "", h.redis.ZAdd(h.ctx, key, redis.Z{Score: float64(time.Now().UnixMilli()), Member: "nobody"}).Err() == nil
			case "set":
				return "", h.redis.SAdd(h.ctx, key, "nobody").Err() == nil
			}
			return "", false
		}},
		{"empty", func(h *hand, key, kind string) (string, bool) {
			if !text(kind) {
				return "", false
			}
			return h.replace(key, kind, anything, func(string) string { return "" })
		}},
	}
}

// group is what keys of a kind have in common.
func group(key string) string { return regexp.MustCompile(`[0-9A-Z]{6,}`).ReplaceAllString(key, "#") }

// spoil has the hand spoil something every few seconds: a key of a kind, so that those of which there
// are many leave room for the others.
func (s *soak) spoil(ctx context.Context, t *testing.T, random *rand.Rand) {
	h := &hand{ctx, redistest.Connect(t, s.redisServer.URL()), random}
	for pause(ctx, beforeKill); ctx.Err() == nil; pause(ctx, time.Duration(100+random.IntN(1400))*time.Millisecond) {
		keys, err := redistest.Keys(ctx, h.redis, "hostbot:*")
		if err != nil || len(keys) == 0 { // Redis is away
			continue
		}
		kinds := make(map[string][]string)
		for _, key := range keys {
			kinds[group(key)] = append(kinds[group(key)], key)
		}
		var names []string
		for name := range kinds {
			if !strings.Contains(name, ":aside") { // nobody reads it
				names = append(names, name)
			}
		}
		slices.Sort(names)
		of := kinds[h.oneOf(names)]
		slices.Sort(of)
		s.spoilKey(h, h.oneOf(of))
	}
}

// spoilKey spoils a key in one of the ways, and notes that.
func (s *soak) spoilKey(h *hand, key string) {
	kind := h.redis.Type(h.ctx, key).Val()
	all := ways()
	for _, i := range h.random.Perm(len(all)) {
		done := spoiling{at: time.Now(), key: key, way: all[i].name}
		if strings.Contains(key, "{logs}:delivered:") && kind == "zset" {
			since := strconv.FormatInt(time.Now().Add(-recent).UnixMilli(), 10)
			done.twice = int(h.redis.ZCount(h.ctx, key, since, "+inf").Val())
		}
		if strings.Contains(key, "{shards}") { // that may not be served now
			s.weather.begin()()
		}
		before, ok := all[i].do(h, key, kind)
		if !ok {
			continue
		}
		done.before = before
		s.mu.Lock()
		s.spoilings = append(s.spoilings, done)
		s.mu.Unlock()
		return
	}
}

// botID is that of a bot in what was spoiled.
var botID = regexp.MustCompile(`id-c\d+-\d+`)

// excused are entries that may be missing, and that may be there twice.
type excused struct {
	missing, twice map[string]int // by bot
	anyTwice       int
}

// excuse returns what the hand has excused.
func (s *soak) excuse() excused {
	e := excused{missing: make(map[string]int), twice: make(map[string]int)}
	for _, did := range s.spoilings {
		text := did.key + " " + did.before
		named := botID.FindAllString(text, -1)
		if len(named) == 0 { // by the hash of its ID
			for _, c := range s.customers {
				if strings.Contains(text, c.user.ID) {
					named = append(named, c.bots...)
				}
			}
		}
		killed := s.weather.killedBetween(did.at.Add(-untold), did.at.Add(rewritten))
		e.anyTwice += did.twice
		for _, bot := range named {
			switch {
			case strings.Contains(did.key, "{logs}:entries:"):
				e.missing[bot]++
			case strings.Contains(did.key, "{logs}:record:"):
				e.twice[bot]++
			}
			if killed && (strings.Contains(did.key, "actions") || strings.Contains(did.key, "{logs}")) {
				e.missing[bot]++
				e.twice[bot]++
			}
		}
	}
	return e
}

// orphaned reports whether the hand has kept a customer from being told how an action ended that
// began at a time.
func (s *soak) orphaned(customerID string, began time.Time) bool {
	return slices.ContainsFunc(s.spoilings, func(did spoiling) bool {
		until := did.at.Add(rewritten)
		if strings.Contains(did.key, ":token:") { // nobody writes it anew
			until = did.at.Add(soakPatience)
		}
		return did.at.After(began) && strings.Contains(did.key, "actions:{"+customerID+"}") && s.weather.killedBetween(began, until)
	})
}

// killedBetween reports whether a process was killed between two moments.
func (w *weather) killedBetween(from, until time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.kills, func(at time.Time) bool { return at.After(from) && at.Before(until) })
}

// describe returns what the hand has spoiled, to be read.
func (s *soak) describe() string {
	var lines []string
	for _, did := range s.spoilings {
		before := did.before[:min(len(did.before), 200)]
		lines = append(lines, fmt.Sprintf("%s %s: %s, was %q", did.at.UTC().Format("15:04:05.000"), did.key, did.way, before))
	}
	return strings.Join(lines, "\n")
}
