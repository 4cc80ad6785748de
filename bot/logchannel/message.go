package logchannel

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/safetext"
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
	e.Description = strings.TrimSpace(t.Format("log.fold.count", locale.Args{
		"N": s.Tally.Count, "Since": timestamp(s.Tally.Since, "t"), "Last": timestamp(s.Tally.Last, "R"),
	}) + "\n" + e.Description)
	if len(s.Tally.References) > 0 {
		e.Fields = append(slices.Clip(e.Fields), &discordgo.MessageEmbedField{
			Name: t.Text("log.fold.references"), Value: "`" + strings.Join(s.Tally.References, "` `") + "`",
		})
	}
	return &e
}

// size is how many characters count towards the limit of a message.
func (s slot) size() int {
	e := s.Embed
	n := characters(e.Title) + characters(e.Description)
	for _, f := range e.Fields {
		n += characters(f.Name) + characters(f.Value)
	}
	if e.Footer != nil {
		n += characters(e.Footer.Text)
	}
	if e.Author != nil {
		n += characters(e.Author.Name)
	}
	if s.Fold != "" {
		n += countRoom
	}
	return n
}

// characters counts as Discord may: what lies beyond 16 bits counts twice.
func characters(text string) int {
	n := 0
	for _, r := range text {
		if n++; r > 0xffff {
			n++
		}
	}
	return n
}

// embed shows what is left of errors that were shed.
func (s *summary) embed(t *locale.Texts) *discordgo.MessageEmbed {
	lines := []string{t.Format("log.summary.why", locale.Args{"Since": timestamp(s.Tally.Since, "f"), "Last": timestamp(s.Tally.Last, "f")})}
	kinds := slices.SortedFunc(maps.Keys(s.Kinds), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.Kinds[b], s.Kinds[a]), cmp.Compare(a, b))
	})
	for _, kind := range kinds {
		lines = append(lines, fmt.Sprintf("%d × %s", s.Kinds[kind], safetext.Code(kind, kindLimit)))
	}
	if s.Other > 0 {
		lines = append(lines, fmt.Sprintf("%d × …", s.Other))
	}
	return notice("🗜️ "+t.Count("log.summary.title", s.Tally.Count, nil), strings.Join(lines, "\n"), orange, s.Tally.Last)
}

// refused stands in for embeds that Discord found malformed. They are in the
// process log.
func (p planner) refused(slots []slot) *discordgo.MessageEmbed {
	title := safetext.Plain(slots[0].Embed.Title, kindLimit)
	return notice("⚠️ "+p.texts.Text("log.refused.title"), p.texts.Format("log.refused.why", locale.Args{"Title": safetext.Markdown(title, kindLimit)}),
		orange, slots[0].Tally.Since)
}

// failing tells that another channel can not be written to, and healed that it
// can be again. What the bot needs there differs in a thread, where Send Messages
// has no effect.
// https://discord.com/developers/docs/topics/threads#permissions
func (t *trouble) failing(channelID string, texts *locale.Texts) *discordgo.MessageEmbed {
	text := mention(channelID) + "\n" + safetext.Markdown(t.Reason, reasonLimit)
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
	var b strings.Builder
	add := func(text string) {
		for _, r := range text {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				b.WriteRune(r)
			}
		}
		b.WriteByte('|')
	}
	add(e.Title)
	add(e.Description)
	for _, f := range e.Fields {
		add(f.Name)
		add(f.Value)
	}
	if at, err := time.Parse(time.RFC3339, e.Timestamp); err == nil {
		b.WriteString(strconv.FormatInt(at.UnixMilli(), 10))
	}
	return b.String()
}
