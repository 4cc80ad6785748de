package discordtest_test

import (
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
)

func recipient(u *discordtest.User) string { return `{"recipient_id":"` + u.ID + `"}` }

func TestOpeningDMsTooFastIsRefused(t *testing.T) {
	clock := still()
	c := start(t, discordtest.Config{Clock: clock, DMsAtOnce: 2, NoRateLimits: true})
	c.discord.ExpectFailures()
	anna, ben := c.discord.User("anna"), c.discord.User("ben")
	c.do("POST", "/users/@me/channels", recipient(anna)).want(t, 200, 0)
	c.do("POST", "/users/@me/channels", recipient(ben)).want(t, 200, 0)
	c.do("POST", "/users/@me/channels", recipient(ben)).want(t, 403, discordtest.CodeDMsTooFast)
	clock.Advance(10 * time.Second)
	c.do("POST", "/users/@me/channels", recipient(ben)).want(t, 200, 0)
}

func TestManyNewDMsQuarantineTheBot(t *testing.T) {
	c := start(t, discordtest.Config{NewDMsADay: 2})
	c.discord.ExpectFailures()
	anna, ben, cem := c.discord.User("anna"), c.discord.User("ben"), c.discord.User("cem")
	for _, u := range []*discordtest.User{anna, ben, anna} {
		c.do("POST", "/users/@me/channels", recipient(u)).want(t, 200, 0)
	}
	c.do("POST", "/users/@me/channels", recipient(cem)).want(t, 403, discordtest.CodeQuarantined)
}

func TestQuarantinedBotWritesToNobodyNew(t *testing.T) {
	c := start(t, discordtest.Config{})
	anna, ben, cem := c.discord.User("anna").InDM(), c.discord.User("ben").InDM(), c.discord.User("cem")
	for _, u := range []*discordtest.User{anna, ben} {
		c.do("POST", "/users/@me/channels", recipient(u)).want(t, 200, 0)
	}
	write := func(u *discordtest.User) answer {
		return c.do("POST", "/channels/"+u.ChannelID()+"/messages", `{"content":"hello"}`)
	}
	write(anna).want(t, 200, 0)
	c.discord.Quarantine(true)
	write(anna).want(t, 200, 0)
	write(ben).want(t, 403, discordtest.CodeQuarantined)
	c.do("POST", "/users/@me/channels", recipient(ben)).want(t, 200, 0)
	c.do("POST", "/users/@me/channels", recipient(cem)).want(t, 403, discordtest.CodeQuarantined)
	c.do("POST", "/channels/"+c.discord.User("ben").ChannelID()+"/messages", `{"content":"hello"}`).want(t, 200, 0) // which is no DM
	c.discord.Quarantine(false)
	write(ben).want(t, 200, 0)
}
