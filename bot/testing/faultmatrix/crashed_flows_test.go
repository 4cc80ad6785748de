package faultmatrix_test

import (
	"context"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/hostapitest"
)

// crashedFlows are those of the restart of all bots that have crashed. Of several, package commands
// tests how it ends; here one is left by the time it is confirmed.
func crashedFlows(list step) []flow {
	few := []string{"D", "E", "F", "G"}
	all := "Restart crashed bots (" + strconv.Itoa(len(few)) + ")"
	fell, asked := steps(become(hostapitest.Crashed, few...), list), reads("bots have crashed")
	inDM := func(c *person) (*discordtest.User, discordtest.View) {
		dm := c.user.InDM()
		return dm, newest(dm, "several have crashed")
	}
	return []flow{
		{route: "component restartcrashed", need: looks, prepare: fell, do: presses(all), good: "bots have crashed"},
		{
			route: "component aside/restartcrashed", need: looks, do: pressesIn(inDM, all), good: "bots have crashed",
			prepare: steps(fell, leftButton("several have crashed", discordgo.Button{Label: all, Style: discordgo.PrimaryButton, CustomID: interaction.ReplyPrefix + "restartcrashed"})),
		},
		{ // nobody knows any more of which bots the alert told
			route: "component aside/restartcrashed/of/{alert}", need: looks, do: pressesIn(inDM, all), good: "bots have crashed",
			prepare: steps(fell, leftButton("several have crashed", discordgo.Button{Label: all, Style: discordgo.PrimaryButton, CustomID: interaction.ReplyPrefix + "restartcrashed/of/x"})),
		},
		{
			route: "component restartcrashed/of/{alert}", need: looks, do: pressesIn(inDM, all), good: "bots have crashed",
			prepare: steps(fell, leftButton("several have crashed", discordgo.Button{Label: all, Style: discordgo.PrimaryButton, CustomID: "restartcrashed/of/x"})),
		},
		{
			route: "component restartcrashed/of/{alert}/now", need: looks, do: pressesIn(inDM, all), good: "bots have crashed",
			prepare: steps(fell, leftButton("several have crashed", discordgo.Button{Label: all, Style: discordgo.PrimaryButton, CustomID: "restartcrashed/of/x/now"})),
		},
		{
			route: "component restartcrashed/now", action: "restart", unknown: true,
			do:      steps(become(hostapitest.Running, radio), become(hostapitest.Crashed, shop), presses("Restart 4 bots")),
			prepare: steps(fell, presses(all), asked, become(hostapitest.Running, few...)),
		},
	}
}

// severalFlows are those of an action on bots that were chosen. Of several, package commands tests how it ends; here one
// is chosen.
func severalFlows(list step) []flow {
	const choose, asked = "Choose several…", "Choose up to 25"
	chosen := steps(list, presses(choose), reads(asked), picks("Choose bots", shop), reads(shop))
	inDM := func(c *person) (*discordtest.User, discordtest.View) {
		dm := c.user.InDM()
		return dm, newest(dm, "another page")
	}
	return []flow{
		{route: "component several/{page}/{bots}", need: looks, prepare: list, do: presses(choose), good: asked},
		{
			route: "component several/{bots}", need: looks, do: pressesIn(inDM, "Page 2"), good: asked,
			prepare: steps(seen(), leftButton("another page", discordgo.Button{Label: "Page 2", Style: discordgo.PrimaryButton, CustomID: "several/aAAAA"})),
		},
		{route: "component some/{action}/{bots}", need: looks, prepare: chosen, do: presses("Stop"), good: "Stop 1 bot"},
		{route: "component some/{action}/now/{bots}", action: "stop", unknown: true, prepare: steps(chosen, presses("Stop"), reads("Stop 1 bot")), do: presses("Stop 1 bot")},
	}
}

// become gives bots of the customer's another status.
func become(status string, names ...string) step {
	return func(_ context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error) {
		for _, name := range names {
			c.scene.Service.SetStatus(c.user.ID, name+"-"+c.user.ID, status)
		}
		return in, nil
	}
}

// againFlows are those of the button that gives a command again. It is below a failure, and left
// here as if one had been.
func againFlows() []flow {
	inDM := func(c *person) (*discordtest.User, discordtest.View) {
		dm := c.user.InDM()
		return dm, newest(dm, "it has failed")
	}
	return []flow{{
		route: "component again/{command}/{bot...}", need: looks, do: pressesIn(inDM, "Try again"), good: "🔴 Radio",
		prepare: steps(seen(), leftButton("it has failed", discordgo.Button{Label: "Try again", Style: discordgo.PrimaryButton, CustomID: "again/bot list/"})),
	}}
}

// leftButton leaves a message with a button in the customer's DM.
func leftButton(text string, button discordgo.Button) step {
	return func(ctx context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error) {
		return in, c.left(ctx, c.user.InDM(), interaction.Message{
			Content: text, Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{button}}},
		})
	}
}
