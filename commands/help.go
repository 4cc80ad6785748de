package commands

import (
	"context"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
)

// helpWait is how long /help waits for the account of somebody of whom nothing is cached.
const helpWait = time.Second

// help says what the bot is for: the commands that are registered, by purpose. Somebody without an
// account reads first how to come by one.
func (c *Commands) help(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
	v := c.view(r)
	first, links := "", []discordgo.Button{v.toBots(), v.toPanel(), v.toSupport()}
	if missing := c.noAccount(ctx, r); missing != nil {
		first, links = "ℹ️ "+missing.text, missing.links
	}
	lines := []string{v.say("help.start", nil)}
	for _, heading := range []struct {
		key string
		of  purpose
	}{{"help.see", toSee}, {"help.do", toDo}, {"help.told", toBeTold}} {
		if listed := v.listed(c.offered(false), heading.of); listed != "" {
			lines = append(lines, "**"+v.t.Text(heading.key)+"** · "+listed)
		}
	}
	return v.draw("", &discordgo.MessageEmbed{
		Title: v.t.Text("help.title"), Description: paragraphs(first, strings.Join(lines, "\n")), Color: blurple,
		Footer: &discordgo.MessageEmbedFooter{Text: v.t.Text("help.footer")},
	}, v.linkRow(links...)...), nil
}

// noAccount returns how somebody without an account comes by one; nil if there is an account, or
// nobody says within helpWait.
func (c *Commands) noAccount(ctx context.Context, r *interaction.Request) *explanation {
	ctx, cancel := context.WithTimeout(ctx, helpWait)
	defer cancel()
	if _, err := c.accounts.Account(ctx, r.CustomerID, time.Now().Add(helpWait)); isNoAccount(err) {
		missing := c.view(r).explain(err)
		return &missing
	}
	return nil
}

// listed are the commands for a purpose, each to be pressed.
func (v view) listed(commands []command, of purpose) string {
	var mentions []string
	for _, cmd := range commands {
		if cmd.purpose == of {
			mentions = append(mentions, v.mention(cmd.name))
		}
	}
	return strings.Join(mentions, " ")
}
