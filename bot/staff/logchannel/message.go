package logchannel

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/message"
	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/sanitize"
	"hostbot/locale"
)

const (
	// countRoom is kept free for what an embed says once it counts.
	countRoom = 700
	// kindLimit and reasonLimit are to what length text is cut.
	kindLimit   = 150
	reasonLimit = 500

	orange = 0xe67e22
	green  = 0x23a55a
)

// message returns the message with these slots. The title of the first card is the last line of the content, since a
// phone's notification shows the content and nothing of an embed (saadbruno/minecraft-discord-webhook#5).
func (ch *channel) message(slots []slot) interaction.Message {
	m := interaction.Message{Components: ch.config.Buttons.rows(slots, ch.config.Texts)}
	var lines []string
	for _, s := range slots {
		if s.Line != "" {
			lines = append(lines, s.Line)
		} else if s.Embed != nil { // another version of the program may have left it out
			m.Embeds = append(m.Embeds, s.shown(ch.config.Texts))
		}
	}
	if len(m.Embeds) > 0 && m.Embeds[0].Title != "" {
		first := m.Embeds[0]
		lines = append(lines, first.Title)
		if first.Description != "" || len(first.Fields) > 0 { // Discord takes no empty embed
			first.Title = ""
		}
	}
	m.Content = strings.Join(lines, "\n")
	return m
}

// shown returns the embed. If it counts several occurrences, it shows what they have in common, how many there were, how
// many customers they concern, and the latest references.
func (s slot) shown(t *locale.Texts) *discordgo.MessageEmbed {
	e := *s.Embed // a copy: message may move its title
	if s.Tally.Count <= 1 || s.Latest {
		e.Fields = append(slices.Clip(s.Own), e.Fields...)
		return &e
	}
	e.Description = strings.TrimSpace(s.Tally.said(t) + "\n" + e.Description)
	if len(s.Tally.References) > 0 {
		e.Fields = append(slices.Clip(e.Fields), &discordgo.MessageEmbedField{
			Name: t.Text("log.group.references"), Value: "`" + strings.Join(s.Tally.References, "` `") + "`",
		})
	}
	return &e
}

// said says how often something happened, and to how many people.
func (t tally) said(texts *locale.Texts) string {
	count := texts.Count("log.group.count", t.Count, locale.Args{
		"Since": message.Time(t.Since, "t"), "Last": message.Time(t.Last, "R"),
	})
	switch n := len(t.Customers); n {
	case 0:
		return count
	case 1: // who may be named
		return count + " · " + texts.Count("log.group.people", n, nil) + " · " + sanitize.Mention(t.Customers[0].ID)
	case maxCustomers:
		return count + " · " + texts.Text("log.group.many")
	default:
		return count + " · " + texts.Count("log.group.people", n, nil)
	}
}

// size returns a bound on the characters that count towards the limit of a message: their bytes, which are no fewer.
func (s slot) size() int {
	if s.Embed == nil {
		return 0
	}
	n := len(strings.Join(texts(s.Embed, s.Own...), ""))
	if s.GroupKey != "" {
		n += countRoom
	}
	return n
}

// texts returns all texts of an embed and of further fields.
func texts(e *discordgo.MessageEmbed, beside ...*discordgo.MessageEmbedField) []string {
	list := []string{e.Title, e.Description}
	for _, f := range slices.Concat(beside, e.Fields) {
		list = append(list, f.Name, f.Value)
	}
	if e.Footer != nil {
		list = append(list, e.Footer.Text)
	}
	return list
}

// refused returns what is shown in place of an entry that Discord has refused as malformed. The process log has the
// entry.
func refused(s slot, t *locale.Texts) *discordgo.MessageEmbed {
	title := s.Line
	if s.Embed != nil {
		title = s.Embed.Title
	}
	why := t.Format("log.refused.why", locale.Args{"Title": sanitize.Markdown(title, kindLimit)})
	return notice("⚠️ "+t.Text("log.refused.title"), why, orange, s.Tally.Since)
}

// failing says that the bot cannot write to another channel, and healed that it can again. In a thread the bot needs
// other permissions: Send Messages has no effect there.
// https://discord.com/developers/docs/topics/threads#permissions
func (t *trouble) failing(channelID string, texts *locale.Texts) *discordgo.MessageEmbed {
	text := mention(channelID) + "\n" + sanitize.Markdown(t.Reason, reasonLimit)
	if t.Forbidden {
		text += "\n" + texts.Text("log.channel.permissions")
	}
	return notice("⚠️ "+texts.Text("log.channel.failing"), text, orange, t.Since)
}

func (t *trouble) healed(channelID string, texts *locale.Texts, now time.Time) *discordgo.MessageEmbed {
	after := texts.Format("log.channel.healed.after", locale.Args{"Duration": texts.Duration(now.Sub(t.Since))})
	return notice("✅ "+texts.Text("log.channel.healed"), mention(channelID)+"\n"+after, green, now)
}

func notice(title, description string, color int, at time.Time) *discordgo.MessageEmbed {
	return &discordgo.MessageEmbed{Title: title, Description: description, Color: color, Timestamp: at.UTC().Format(time.RFC3339)}
}

func mention(channelID string) string { return "<#" + channelID + "> `" + channelID + "`" }

// equal reports whether a message in a channel is what was sent. It compares only what Discord leaves as it is.
func equal(posted rest.Posted, sent interaction.Message) bool {
	return essence(posted.Content) == essence(sent.Content) &&
		slices.EqualFunc(posted.Embeds, sent.Embeds, func(a, b *discordgo.MessageEmbed) bool { return essenceOf(a) == essenceOf(b) })
}

// bare reports whether a message in a channel is what was sent, without the embeds: Discord has dropped them.
func bare(posted rest.Posted, sent interaction.Message) bool {
	if len(posted.Embeds) > 0 || len(sent.Embeds) == 0 || essence(posted.Content) != essence(sent.Content) {
		return false
	}
	wanted := sent.ButtonIDs()
	return slices.Equal(posted.ButtonIDs(), wanted) && (sent.Content != "" || len(wanted) > 0)
}

// essenceOf returns the essence of an embed with its time. Entries have whole seconds, so it does not matter how much of
// a second Discord keeps.
func essenceOf(e *discordgo.MessageEmbed) string {
	at, _ := rest.EmbedTime(e.Timestamp) // one without has no time
	return essence(append(texts(e), strconv.FormatInt(at.UnixMilli(), 10))...)
}

// essence is the letters and digits of texts.
func essence(texts ...string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '|' {
			return r
		}
		return -1
	}, strings.Join(texts, "|"))
}
