package gateway

import (
	"context"
	"encoding/json"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
)

// usualAddress has been the gateway's address for years:
// https://discord.com/developers/docs/events/gateway#get-gateway
const usualAddress = "wss://gateway.discord.gg"

// discordsAPI is the address of Discord's own API. Any other API is a proxy or a test's, and may have its own
// gateway.
const discordsAPI = "https://discord.com"

const (
	// keptKey is the key of Discord's last answer, for processes that start, and keptLife how long it is kept.
	keptKey  = "{shards}:gateway"
	keptLife = 30 * 24 * time.Hour
	// mostShards is the highest number of shards that is believed from Redis: the sessions of a day.
	mostShards = 1000
)

// kept is Discord's last answer, as Redis has it.
type kept struct {
	URL    string `json:"url"`
	Shards int    `json:"shards"`
}

// Refused returns why Discord refuses GET /gateway/bot, so that its answer is assumed; nil if it answers.
func (d *Discovery) Refused() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.refused
}

// assume returns a substitute for Discord's answer. Discord was seen to refuse one for a day
// (discord-api-docs#8570). The substitute is the last answer, to this process or another, or the usual address;
// nil if nothing is known. spend counts down the sessions that are left, and all shards identify in turn, as with
// a max_concurrency of 1.
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

// spend counts a session that is begun while Discord's answer is assumed.
func (d *Discovery) spend() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refused != nil {
		answer := *d.last
		answer.SessionStartLimit.Remaining--
		d.last = &answer
	}
}

// read returns Discord's last answer from Redis, or the usual address; nil if neither is known. Others may write
// to Redis, and the bot's token is sent to the address, so isDiscords checks it.
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

// keep saves Discord's answer in Redis for read.
func (d *Discovery) keep(ctx context.Context, answer *discordgo.GatewayBotResponse) {
	if d.Redis == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	data, _ := json.Marshal(kept{answer.URL, answer.Shards}) // texts and numbers always can be encoded
	_ = d.Redis.Set(ctx, d.Space.Key(keptKey), data, keptLife).Err()
}
