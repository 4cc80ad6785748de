package commands

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/watch/following"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/panel"
	"hostbot/hostapi"
)

const (
	// idUnfollow ends the following of a panel, whose ID follows.
	idUnfollow = interaction.ReplyPrefix + "unfollow/"
	// idAlertsFollow is a select menu of the panels that somebody follows.
	idAlertsFollow = "alerts/unfollow"
)

// followPanel has the caller follow a panel, who need not be a customer.
func (c *Commands) followPanel(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	id := r.Params["id"]
	return interaction.Defer("", func(ctx context.Context) (interaction.Response, error) {
		v := c.view(r)
		to := v.recipient()
		to.Greeting = v.firstNews()
		began, err := c.watch.Following.Follow(ctx, r.Params["owner"], id, to)
		switch {
		case errors.Is(err, notify.ErrClosed):
			key := "follow.closed"
			if whyClosed(r, err) != "alerts.closed" {
				key = "follow.no_shared_server"
			}
			return v.note("❌ " + v.t.Text(key)), nil
		case errors.Is(err, notify.ErrLater):
			return v.note("⏳ " + v.t.Text("follow.later")), nil
		case errors.Is(err, notify.ErrBudget):
			return v.note("⏳ " + v.t.Text("follow.later_today")), nil
		case errors.Is(err, following.ErrNoPanel):
			return interaction.Response{}, noPanel()
		case errors.Is(err, following.ErrFull):
			return v.note("❌ " + v.t.Format("follow.full", args{"N": following.MostFollowers})), nil
		case errors.Is(err, following.ErrTooMany):
			return v.note("❌ " + v.say("follow.too_many", args{"N": following.MostPanels})), nil
		case err != nil:
			return interaction.Response{}, unreadableAlerts(err)
		}
		said := "follow.already"
		if began {
			said = "follow.began"
		}
		response := v.note("🔔 " + v.say(said, nil))
		response.Message.Components = v.unfollowRow(id)
		return response, nil
	}), nil
}

// unfollowRow is a row with the button that ends the following of a panel.
func (v view) unfollowRow(panelID string, before ...discordgo.Button) []discordgo.MessageComponent {
	return v.linkRow(append(before, v.button(discordgo.SecondaryButton, "button.unfollow", idUnfollow+panelID, false))...)
}

// unfollowPanel has the caller follow a panel no more.
func (c *Commands) unfollowPanel(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	return interaction.Defer("", func(ctx context.Context) (interaction.Response, error) {
		v := c.view(r)
		return v.note("🔕 " + v.t.Text("follow.ended")), unreadableAlerts(c.watch.Following.Unfollow(ctx, r.UserID, r.Params["id"]))
	}), nil
}

// endFollow does so as an option of the menu says, and shows alerts. Where these cannot be shown, as
// the caller is no customer or the service fails, what was done is said alone.
func (c *Commands) endFollow(_ context.Context, r *interaction.Request) (interaction.Response, error) {
	return interaction.Defer(aboutAlerts, func(ctx context.Context) (interaction.Response, error) {
		if err := c.watch.Following.Unfollow(ctx, r.UserID, r.Value()); err != nil {
			return interaction.Response{}, unreadableAlerts(err)
		}
		return c.alertsOr(ctx, r, "🔕 "+c.view(r).t.Text("follow.ended")), nil
	}), nil
}

// withFollows adds the panels that the caller follows to what shows alerts, and shows them alone to
// somebody who is no customer.
func (c *Commands) withFollows(h interaction.Handler) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		response, err := h(ctx, r)
		return c.addFollows(ctx, r, response, err)
	}
}

func (c *Commands) addFollows(ctx context.Context, r *interaction.Request, response interaction.Response, failure error) (interaction.Response, error) {
	if response.Then != nil {
		work := response.Then.Run
		response.Then.Run = func(ctx context.Context) (interaction.Response, error) {
			end, err := work(ctx)
			return c.addFollows(ctx, r, end, err)
		}
	}
	noCustomer := failure != nil && isNoAccount(failure)
	if !noCustomer && (failure != nil || response.Subject != aboutAlerts || len(response.Message.Embeds) == 0) {
		return response, failure
	}
	followed, err := c.watch.Following.Of(ctx, r.UserID)
	if err != nil || len(followed) == 0 { // the rest is shown all the same
		return response, failure
	}
	v := c.view(r)
	if noCustomer {
		notice, _ := c.refusedNotice(ctx, v) // what is followed is shown all the same
		response = v.draw(aboutAlerts, v.alertsEmbed(notice, blurple))
	}
	embed := response.Message.Embeds[0]
	embed.Description = paragraphs(embed.Description, v.followedLines(followed))
	var options []discordgo.SelectMenuOption
	for _, p := range followed[:min(len(followed), maxOptions)] {
		options = append(options, discordgo.SelectMenuOption{Label: v.plainPanelTitle(p), Value: p.ID, Description: sanitize.Plain(p.Guild, maxOptionText)})
	}
	response.Message.Components = append(response.Message.Components, v.menu(idAlertsFollow, v.t.Text("follow.choose"), options))
	return response, nil
}

// followedLines lists panels that somebody follows, so many at most: the menu has all of them.
func (v view) followedLines(followed []panel.Panel) string {
	const most = 10
	lines := firstOf(v, followed, most, "… +", func(p panel.Panel) string {
		return "🔔 " + cmp.Or(sanitize.Markdown(p.Title, labelNameLimit), v.t.Text("panel.title")) + " · " + panelPlace(p)
	})
	return "**" + v.t.Text("follow.list") + "**\n" + strings.Join(lines, "\n")
}

// panelPlace says where a panel stands: the guild, if its name is known, and the channel.
func panelPlace(p panel.Panel) string {
	channel := "<#" + p.ChannelID + ">"
	if guild := sanitize.Markdown(p.Guild, labelNameLimit); guild != "" {
		return guild + " · " + channel
	}
	return channel
}

// firstNews is the message by which somebody sees that messages of followed panels arrive.
func (v view) firstNews() string {
	return "🔔 " + v.t.Format("follow.first", args{"Alerts": v.mention("alerts")})
}

// FollowerNews draws the message that tells a follower which bots of a panel are down or back: what the
// panel shows to everybody. What happened is the content, as of alerts.
func (c *Commands) FollowerNews(n following.News) interaction.Message {
	v := c.view(&interaction.Request{Locale: n.Locale})
	var happened, lines []string
	color := green
	if len(n.Down) > 0 {
		happened, color = append(happened, "🔴 "+v.happenedTo(newsServer(n.Down[0]), len(n.Down), "follow.down", "follow.several_down")), red
	}
	if len(n.Back) > 0 {
		happened = append(happened, "🟢 "+v.happenedTo(newsServer(n.Back[0]), len(n.Back), "alert.back", "follow.several_back"))
	}
	all := len(n.Down) + len(n.Back)
	for _, b := range n.Down {
		lines = append(lines, v.newsLine(b, conditionIn(b.State), all))
	}
	for _, b := range n.Back {
		lines = append(lines, v.newsLine(b, conditionIn(hostapi.StateRunning), all))
	}
	if more := all - maxOptions; more > 0 {
		lines = append(lines[:maxOptions], "… +"+v.t.Number(more))
	}
	lines = append(lines, "-# "+panelPlace(n.Panel))
	embed := &discordgo.MessageEmbed{Title: v.panelTitle(n.Panel), Color: color, Description: strings.Join(lines, "\n"), Timestamp: n.At.Format(time.RFC3339Nano)}
	return interaction.Message{
		Content: strings.Join(happened, " · "), Embeds: []*discordgo.MessageEmbed{embed},
		Components: v.unfollowRow(n.Panel.ID, v.seePanel(n.Panel)),
	}
}

// happenedTo says what happened to one bot by its name, or to how many.
func (v view) happenedTo(first hostapi.Server, bots int, one, several string) string {
	if bots == 1 {
		return v.t.Format(one, args{"Bot": name(first)})
	}
	return v.t.Count(several, bots, nil)
}

// newsLine says how one of so many bots is.
func (v view) newsLine(b following.Bot, now condition, bots int) string {
	return now.emoji + " **" + nameAmong(newsServer(b), bots) + "** · " + v.t.Text(now.key) + " · " + relative(b.At)
}

// newsServer is a bot as far as the followers of a panel know it.
func newsServer(b following.Bot) hostapi.Server { return hostapi.Server{ID: b.ID, Name: b.Name} }
