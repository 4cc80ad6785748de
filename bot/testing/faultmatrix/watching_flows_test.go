package faultmatrix_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/alerts"
	"hostbot/hostapi"
	"hostbot/hostapi/hostapitest"
)

// watchingFlows are those of what takes watching: the history, alerts and panels.
func watchingFlows() []flow {
	all := slices.Concat(historyFlows(), alertsFlows(), alertFlows(), panelFlows(), followFlows())
	for i := range all {
		f := &all[i]
		_, name, _ := strings.Cut(f.route, " ")
		switch {
		case strings.Contains(name, "history"):
			f.lost, f.late = "history.unreadable", f.need == looks
		case strings.HasPrefix(name, "alerts"), strings.HasPrefix(name, "autorestart"), strings.HasPrefix(name, "aside/mute"), strings.Contains(name, "follow"):
			f.lost = "alerts.unreadable"
		case name == "panel/new/all": // which opens a form, and reads nothing
		case strings.Contains(name, "panel") && f.need != asks: // a draft that is not kept is told of later
			f.lost = "panel.unreadable"
		}
	}
	return all
}

// forms are a card with all its buttons.
func forms() step {
	return steps(types("/bot show", discordtest.Options{"bot": shop}), reads("Limits"), presses(theForms), reads("Limits"))
}

func historyFlows() []flow {
	const unwatched = "This bot has no history yet"
	return []flow{
		{route: "command bot history", need: looks, do: types("/bot history", discordtest.Options{"bot": shop}), good: unwatched},
		{route: "component history/{bot...}", need: looks, prepare: forms(), do: presses("History"), good: unwatched},
		{route: "component history", need: looks, prepare: steps(types("/bot history", nil), reads("Which bot's")), do: picks("Choose a bot", shop), good: unwatched},
	}
}

// alertsFlows are those of the settings of alerts.
func alertsFlows() []flow {
	const intro, menu = "I'll send you a direct message when", "Turn a bot's alerts on or off"
	const off = "lerts are off" // that bot's, or all where Redis has lost that others were on
	settings := steps(types("/alerts", nil), reads(intro))
	on := steps(settings, where("All alerts on", steps(presses("All alerts on"), becomes("Alerts are on")))) // or they are from before
	allOff := steps(settings, where("All alerts off", steps(presses("All alerts off"), becomes("Alerts are off"))))
	return []flow{
		{route: "command alerts", need: names, do: types("/alerts", nil), good: intro},
		{route: "component alerts/of/{bot...}", need: names, prepare: forms(), do: presses("Alerts"), good: intro},
		{route: "component alerts", need: names, goesOn: true, prepare: on, do: picks(menu, shop), good: off},
		{
			route: "component alerts/set/one/{on}/{bot...}", need: names, goesOn: true, good: off,
			prepare: steps(on, forms(), presses("Alerts"), reads(intro)), do: presses("Alerts off for " + shop),
		},
		{
			route: "component alerts/set/all/{on}", need: names, goesOn: true, prepare: settings, do: presses("All alerts on"), good: "Alerts are on", lie: greeted,
			about: "first alerts", posts: map[messages]ending{unsure: "alerts.later", failing: "alerts.later", refused: "alerts.later"},
		},
		{
			route: "component alerts/tell/{bot...}", need: names, goesOn: true, good: "Alerts are on", lie: greeted,
			prepare: steps(become(hostapitest.Crashed, "D"), allOff, types("/bot show", discordtest.Options{"bot": "D"}), reads("Crashed")), do: presses("Alert me next time"),
			about: "first alerts", posts: map[messages]ending{unsure: "alerts.later", failing: "alerts.later", refused: "alerts.later"},
		},
		{route: "component alerts/quiet", need: needsNothing, prepare: on, do: presses("Delay and quiet hours"), good: "Alert timing"},
		{
			route: "modal alerts/quiet", need: needsNothing, goesOn: true, prepare: steps(on, presses("Delay and quiet hours")),
			do: fills(discordtest.Fields{"minutes": "5"}), good: "Saved|" + off,
		},
		{route: "component alerts/autorestart", need: names, goesOn: true, prepare: settings, do: picks("Turn a bot's automatic restarts on or off", radio), good: "automatically"},
		{
			route: "component alerts/autorestart/{how}/{bot...}", need: names, goesOn: true, good: "I'll restart it",
			prepare: steps(forms(), presses("Alerts"), reads(intro)), do: presses("Restart it automatically"),
		},
		{route: "component schedule/{bot...}", need: asks, lost: "schedule.unreadable", prepare: forms(), do: presses("Restart daily…")},
		{
			route: "modal schedule/{bot...}", need: names, goesOn: true, lost: "schedule.unreadable", good: "on schedule whenever",
			prepare: steps(forms(), presses("Restart daily…")), do: fills(discordtest.Fields{"hours": "6"}),
		},
		{
			route: "component autorestart/{how}/{bot...}", need: names, goesOn: true, good: "I'll restart it",
			prepare: steps(on, become(hostapitest.Crashed, "E"), types("/bot show", discordtest.Options{"bot": "E"}), reads("Crashed")), do: presses("Restart it automatically"),
		},
	}
}

// greeted checks that who turns alerts on has a first message, and only one.
func greeted(c *person, text string) string {
	n := 0
	for _, message := range c.user.InDM().Messages() {
		if message.Contains("I'll message you here") {
			n++
		}
	}
	return counted(n, 1, strings.Contains(text, "Alerts are on"))
}

// counted says what is wrong with how many messages there are. There are as many as are
// wanted where it is said so, and at most one otherwise.
func counted(n, want int, said bool) string {
	if n > 1 || said && n != want {
		return fmt.Sprintf("%d messages are there", n)
	}
	return ""
}

// alertFlows are those of the buttons under an alert.
func alertFlows() []flow {
	saying := func(text string) func(c *person) (*discordtest.User, discordtest.View) {
		return func(c *person) (*discordtest.User, discordtest.View) {
			dm := c.user.InDM()
			return dm, newest(dm, text)
		}
	}
	alert := saying(shop + " has crashed")
	alerted, ofTwo := steps(seen(), sentAnAlert(shop)), steps(seen(), sentAnAlert(shop, radio))
	return []flow{
		{route: "component aside/show", need: looks, follows: true, prepare: ofTwo, do: picksIn(saying("2 of your bots are down"), "Open a bot", shop), good: "🟢 Shop"},
		{route: "component aside/show/{bot...}", need: looks, prepare: alerted, do: pressesIn(alert, "View bot"), good: "🟢 Shop"},
		{
			route: "component aside/list", need: looks, do: pressesIn(saying("many have crashed"), "All bots"), good: "🔴 Radio",
			prepare: steps(seen(), leftButton("many have crashed", discordgo.Button{Label: "All bots", Style: discordgo.SecondaryButton, CustomID: interaction.ReplyPrefix + "list"})),
		},
		{route: "component aside/mute/{bot...}", need: names, goesOn: true, prepare: alerted, do: pressesIn(alert, "Mute alerts for 1 h"), good: "You won't get alerts for"},
		{route: "component aside/act/{action}/{bot...}", action: "restart", prepare: alerted, do: pressesIn(alert, "Restart")},
	}
}

// newest returns the last message that somebody sees with a text.
func newest(who *discordtest.User, text string) (last discordtest.View) {
	for _, message := range who.Messages() {
		if message.Contains(text) {
			last = message
		}
	}
	return last
}

// sentAnAlert leaves a message in the customer's DM as the bot draws it for bots that have
// crashed.
func sentAnAlert(names ...string) step {
	return func(ctx context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error) {
		fell := time.Now()
		alert := alerts.Alert{CustomerID: c.user.ID, Locale: "en-US", First: fell}
		for _, name := range names {
			alert.Bots = append(alert.Bots, alerts.Outage{
				ServerID: name + "-" + c.user.ID, Name: name, State: hostapi.StateCrashed, DownAt: fell, Count: 1,
			})
		}
		return in, c.left(ctx, c.user.InDM(), c.scene.commands.Alert(alert))
	}
}

// left leaves a message of the bot's where somebody looks. The rest client tries again, so that it needs a nonce.
func (c *person) left(ctx context.Context, who *discordtest.User, m interaction.Message) error {
	_, err := c.scene.asTheBot.CreateMessage(ctx, who.ChannelID(), strconv.FormatInt(time.Now().UnixNano(), 10), m)
	return err
}

// panelFlows are those of public messages about bots.
func panelFlows() []flow {
	const choose, posted, manage, gone = "Choose bots for a panel here", "Panel posted", "Manage a panel", "|I've stopped updating this panel" // as Redis may have lost it
	panels := steps(types("/panel", nil), reads("Your public panels"))
	chosen := steps(panels, picks(choose, shop))
	with := func(bots ...string) step { return steps(panels, postsOnce(choose, posted, bots...)) }
	is := func(said string, n int) func(*person, string) string {
		return func(c *person, text string) string { return counted(len(c.panels()), n, strings.Contains(text, said)) }
	}
	managed := steps(with(shop, radio), picks(manage, "1. Bot status"), reads("Bots with a problem"))
	asked := steps(managed, presses("Remove panel"), reads("Remove this panel"))
	const says, hush = "I post a message in the channel", "Stop posting here"
	saying := steps(managed, presses("Post outages here"), becomes(hush))
	unmentioned := steps(saying, presses(hush), becomes("**Post outages here**"), presses("Post outages here"), becomes(hush)) // a role may be from before
	const removed, saved = "The panel was removed", "Saved" + gone
	return []flow{
		{route: "command panel", need: looks, do: types("/panel", nil), good: "You don't have a public panel yet"},
		{route: "component panel/new", need: looks, prepare: panels, do: picks(choose, shop), good: "Your public panels"},
		{route: "component panel/new/form", need: needsNothing, prepare: chosen, do: presses("Continue"), good: "Panel title|your selection is gone"},
		{
			route: "modal panel/new", need: names, goesOn: true, prepare: steps(chosen, presses("Continue")), do: fills(nil), good: posted + "|your selection is gone", lie: is(posted, 1),
			about: "a new panel", posts: map[messages]ending{unsure: "panel.later", failing: "panel.later", refused: "panel.unreadable"},
		},
		{route: "component panel/open", need: looks, prepare: with(shop), do: picks(manage, "1. Bot status"), good: "Bots with a problem" + gone},
		{route: "component aside/panel/{owner}/manage/{id}", need: looks, prepare: with(shop), do: pressesIn(itsPanel, "Manage"), good: "Bots with a problem" + gone},
		{route: "component panel/title/{id}", need: needsNothing, prepare: managed, do: presses("Edit title"), good: "Panel title" + gone},
		{route: "modal panel/title/{id}", need: needsNothing, goesOn: true, prepare: steps(managed, presses("Edit title")), do: fills(discordtest.Fields{"name": "Ours"}), good: saved},
		{route: "component panel/bots/{id}", need: names, goesOn: true, prepare: managed, do: picks("Bots on this panel", radio), good: saved},
		{route: "component panel/top/{id}", need: names, goesOn: true, prepare: managed, do: picks("Put a bot first", radio), good: saved},
		{route: "component panel/new/all", need: needsNothing, prepare: panels, do: presses("All my bots"), good: "Panel title"},
		{route: "component panel/every/{id}", need: needsNothing, goesOn: true, prepare: managed, do: presses("All my bots"), good: saved},
		{route: "component panel/say/{id}", need: needsNothing, goesOn: true, prepare: managed, do: presses("Post outages here"), good: says + gone},
		{route: "component panel/hush/{id}", need: names, goesOn: true, prepare: saying, do: presses(hush), good: saved},
		{route: "component panel/role/{id}", need: needsNothing, goesOn: true, prepare: unmentioned, do: picks("Mention a role", "Players"), good: says + gone},
		{route: "component panel/remove/{id}", need: needsNothing, prepare: managed, do: presses("Remove panel"), good: "Remove this panel" + gone},
		{route: "component panel/show/{id}", need: looks, prepare: asked, do: presses("Cancel"), good: "Bots with a problem" + gone},
		{
			route: "component panel/remove/now/{id}", need: needsNothing, goesOn: true, prepare: asked, do: presses("Remove panel"),
			good: removed + "|You don't have a public panel yet", lie: is(removed, 0),
			about: "removing a panel", posts: map[messages]ending{failing: "panel.unreadable", refused: "panel.unreadable"},
		},
	}
}

// postsOnce posts a panel, unless the customer has one from an earlier attempt.
func postsOnce(choose, posted string, bots ...string) step {
	post := steps(picks(choose, bots...), presses("Continue"), fills(nil), reads(posted))
	return func(ctx context.Context, c *person, in *discordtest.Reply) (*discordtest.Reply, error) {
		if !in.View().Contains("You don't have a public panel yet") {
			return in, nil
		}
		return post(ctx, c, in)
	}
}

// followFlows are those of who follows a panel.
func followFlows() []flow {
	const follows = "You're now following this panel|You're already following this panel|I've stopped updating this panel"
	posted := steps(types("/panel", nil), reads("Your public panels"), postsOnce("Choose bots for a panel here", "Panel posted", shop))
	followed := steps(posted, pressesIn(itsPanel, "Follow"), reads("this panel"))
	return []flow{
		{
			route: "component aside/panel/{owner}/follow/{id}", need: needsNothing, goesOn: true, prepare: posted, do: pressesIn(itsPanel, "Follow"), good: follows,
			about: "following a panel", posts: map[messages]ending{unsure: "follow.later", failing: "follow.later", refused: "follow.later"},
		},
		{route: "component aside/unfollow/{id}", need: needsNothing, goesOn: true, prepare: followed, do: presses("Unfollow"), good: "You've stopped following"},
		{
			route: "component alerts/unfollow", need: needsNothing, goesOn: true, prepare: steps(followed, types("/alerts", nil), reads("Panels you follow")),
			do: picks("Stop following a panel", "Bot status"), good: "I'll send you a direct message when|You've stopped following",
		},
	}
}

// itsPanel finds the panel of a customer.
func itsPanel(c *person) (*discordtest.User, discordtest.View) {
	for _, message := range c.panels() {
		return c.user, message
	}
	return c.user, discordtest.View{}
}

// panels returns the messages of the customer's panels.
func (c *person) panels() []discordtest.View {
	return slices.DeleteFunc(c.user.Messages(), func(message discordtest.View) bool {
		return !slices.ContainsFunc(message.Buttons(), func(b discordtest.Component) bool {
			return strings.Contains(b.CustomID, "panel/"+c.user.ID)
		})
	})
}
