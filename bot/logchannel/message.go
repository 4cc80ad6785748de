package logchannel

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/sanitize"
	"hostbot/locale"
)

const (
	// countRoom is kept free for what an embed says once it counts.
	countRoom = 400
	// kindLimit and reasonLimit are to what length text is cut.
	kindLimit   = 150
	reasonLimit = 500

	orange = 0xe67e22
	green  = 0x23a55a
)

// embeds returns what a message with these slots shows.
func embeds(slots []slot, t *locale.Texts) []*discordgo.MessageEmbed {
	shown := make([]*discordgo.MessageEmbed, len(slots))
	for i, s := range slots {
		shown[i] = s.shown(t)
	}
	return shown
}

// shown returns the embed, which is the first of those that it counts, with how
// many there were and what leads to the latest.
func (s slot) shown(t *locale.Texts) *discordgo.MessageEmbed {
	if s.Tally.Count <= 1 {
		return s.Embed
	}
	e := *s.Embed
	e.Description = strings.TrimSpace(t.Format("log.group.count", locale.Args{
		"N": s.Tally.Count, "Since": timestamp(s.Tally.Since, "t"), "Last": timestamp(s.Tally.Last, "R"),
	}) + "\n" + e.Description)
	if len(s.Tally.References) > 0 {
		e.Fields = append(slices.Clip(e.Fields), &discordgo.MessageEmbedField{
			Name: t.Text("log.group.references"), Value: "`" + strings.Join(s.Tally.References, "` `") + "`",
		})
	}
	return &e
}

// size is how many characters count towards the limit of a message, at most: there
// are no fewer bytes.
func (s slot) size() int {
	n := len(strings.Join(texts(s.Embed), ""))
	if s.Group != "" {
		n += countRoom
	}
	return n
}

// texts returns what an embed says.
func texts(e *discordgo.MessageEmbed) []string {
	list := []string{e.Title, e.Description}
	for _, f := range e.Fields {
		list = append(list, f.Name, f.Value)
	}
	if e.Footer != nil {
		list = append(list, e.Footer.Text)
	}
	return list
}

// refused stands in for an embed that Discord found malformed, which is in the
// process log.
func refused(s slot, t *locale.Texts) *discordgo.MessageEmbed {
	why := t.Format("log.refused.why", locale.Args{"Title": sanitize.Markdown(s.Embed.Title, kindLimit)})
	return notice("⚠️ "+t.Text("log.refused.title"), why, orange, s.Tally.Since)
}

// failing tells that another channel cannot be written to, and healed that it
// can be again. What the bot needs there differs in a thread, where Send Messages
// has no effect.
// https://discord.com/developers/docs/topics/threads#permissions
func (t *trouble) failing(channelID string, texts *locale.Texts) *discordgo.MessageEmbed {
	text := mention(channelID) + "\n" + sanitize.Markdown(t.Reason, reasonLimit)
	if forbids(t.Code) {
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

// timestamp is a time as the reader's Discord shows it.
func timestamp(at time.Time, style string) string {
	return "<t:" + strconv.FormatInt(at.Unix(), 10) + ":" + style + ">"
}

// equal tells whether a message in a channel is what was sent, as far as Discord
// leaves that as it is.
func equal(posted, sent []*discordgo.MessageEmbed) bool {
	return slices.EqualFunc(posted, sent, func(a, b *discordgo.MessageEmbed) bool { return essence(a) == essence(b) })
}

// essence is the letters and digits of an embed, and its time.
func essence(e *discordgo.MessageEmbed) string {
	at, _ := time.Parse(time.RFC3339, e.Timestamp) // one without has no time
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '|' {
			return r
		}
		return -1
	}, strings.Join(append(texts(e), strconv.FormatInt(at.UnixMilli(), 10)), "|"))
}
