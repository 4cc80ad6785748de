package commands

import (
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/bot/watch/announce"
	"hostbot/hostapi"
)

// Announcement draws the direct message by which somebody is told that a notice begins or is over. What is said is the
// content, as of alerts, and the notice is in its own language.
func (c *Commands) Announcement(m announce.Message) interaction.Message {
	v := c.view(&interaction.Request{Locale: m.Locale})
	key, color, line := "announce.notice", blurple, v.noticeLine(m.Notice, noticeRoom)
	if m.Notice.Maintenance {
		key = "announce.maintenance"
	}
	if m.Over {
		key, color, line = key+"_over", green, "✅ "+sanitize.Markdown(m.Notice.Text, noticeRoom)
	}
	embed := &discordgo.MessageEmbed{
		Color: color, Timestamp: m.At.Format(time.RFC3339Nano),
		Description: v.t.Format("announce.bots", args{"Bots": v.firstBots(m.Bots)}),
	}
	rows := v.linkRow(v.toStatus(), v.button(discordgo.SecondaryButton, "button.back", idAlertList, false))
	if m.PanelID != "" {
		rows = v.unfollowRow(m.PanelID, v.toStatus())
	}
	return interaction.Message{
		Content: "**" + v.t.Format(key, args{"Who": v.answerer()}) + "**\n" + line, Embeds: []*discordgo.MessageEmbed{embed}, Components: rows,
	}
}

// firstBots are the names of the first bots, and how many more there are.
func (v view) firstBots(bots []announce.Bot) string {
	return strings.Join(firstOf(v, bots, linesAtOnce, "+", func(b announce.Bot) string {
		return nameAmong(hostapi.Server{ID: b.ID, Name: b.Name}, len(bots))
	}), " · ")
}
