package gateway

import (
	"context"
	"encoding/json"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
)

// usualAddress is where Discord's gateway is for years:
// https://discord.com/developers/docs/events/gateway#get-gateway
const usualAddress = "wss://gateway.discord.gg"

// discordsAPI is where Discord's own API is. Another address is a proxy or a test, which may have
// another gateway.
const discordsAPI = "https://discord.com"

const (
	// keptKey is what Discord said last, for processes that start, and keptLife how long it is kept.
	keptKey  = "{shards}:gateway"
	keptLife = 30 * 24 * time.Hour
	// mostShards is how many shards Redis is believed: as many as sessions may be begun in a day.
	mostShards = 1000
)

// kept is what Redis holds of Discord's last answer.
type kept struct {
	URL    string `json:"url"`
	Shards int    `json:"shards"`
}

// Refused is why Discord refuses to say where the gateway is, so that it is assumed; nil if Discord says it.
func (d *Discovery) Refused() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.refused
}

// assume returns what is taken for Discord's answer while Discord refuses to give one for long, as it was
// seen to for a day (discord-api-docs#8570): what it said last, to this process or to another, or its
// usual address. It is nil if nothing is known. Nobody says how many sessions are left: those that are
// begun are subtracted (spend), and all shards take turns, as those of most bots do.
func (d *Discovery) assume(ctx context.Context, why *rest.Error) *discordgo.GatewayBotResponse {
	assumed := d.Last()
	if assumed == nil {
		if assumed = d.read(ctx); assumed == nil {
			return nil
		}
	}
	answer, now := *assumed, time.Now()
	d.mu.Lock()
	first := d.refused == nil
	if !now.Before(d.resets) {
		answer.SessionStartLimit = discordgo.SessionInformation{}
	}
	answer.SessionStartLimit.MaxConcurrency = 1
	d.last, d.until, d.refused = &answer, now.Add(why.RetryAfter), why
	d.mu.Unlock()
	if first && d.OnRefused != nil {
		d.OnRefused(why, answer.URL)
	}
	return &answer
}

// spend counts a session that is begun while Discord does not say how many are left.
func (d *Discovery) spend() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refused != nil {
		answer := *d.last
		answer.SessionStartLimit.Remaining--
		d.last = &answer
	}
}

// read returns what Discord said to another process, or its usual address; nil if neither is known. The
// bot's token is sent to that address, and others may write to Redis (isDiscords).
func (d *Discovery) read(ctx context.Context) *discordgo.GatewayBotResponse {
	var was kept
	if d.Redis != nil {
		ctx, cancel := context.WithTimeout(ctx, askLimit)
		defer cancel()
		data, _ := d.Redis.Get(ctx, d.Space.Key(keptKey)).Bytes()
		_ = json.Unmarshal(data, &was) // what makes no sense says nothing
	}
	answer := &discordgo.GatewayBotResponse{URL: was.URL, Shards: was.Shards}
	if was.Shards < 0 || was.Shards > mostShards {
		answer.Shards = 0
	}
	switch {
	case d.isDiscords(was.URL):
	case sameDomain(d.API, discordsAPI):
		answer.URL = usualAddress
	default:
		return nil
	}
	return answer
}

// keep has Redis keep what Discord says. Without Redis a process that starts does not know it.
func (d *Discovery) keep(ctx context.Context, answer *discordgo.GatewayBotResponse) {
	if d.Redis == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	data, _ := json.Marshal(kept{answer.URL, answer.Shards}) // texts and numbers always can be encoded
	_ = d.Redis.Set(ctx, d.Space.Key(keptKey), data, keptLife).Err()
}
