package rest

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
)

// maxBytes bounds the embeds and components of a message together. The limit is not documented. Discord counts
// decoded texts in UTF-8 and some bytes around each: text components are accepted up to 10,170 bytes
// (discord-api-docs#8554), an embed up to 9,960 (go-gitea/gitea#34084), and both count together with the options
// of menus (#7448). A larger first response is refused with CodeUnknownInteraction, any other message with status
// 500. Here the bytes of the JSON are counted, as they are always more.
const maxBytes = 10_000

const (
	// leastLabel is the fewest characters that a label is shortened to.
	leastLabel = 12
	// leastText is the fewest bytes that a text is cut to before options are dropped: a reader of half a list
	// can still choose from all of it.
	leastText = 1000
)

// fit returns a message that is small enough for Discord. What is missed least is cut first: the descriptions
// of options, then their labels, then the last lines of long texts, then options. An ellipsis stands for what
// was cut. A menu with selected options keeps all: an option that is missing would count as deselected.
func fit(m interaction.Message) interaction.Message {
	if roughly(m) <= maxBytes || size(m) <= maxBytes {
		return m
	}
	m, menus, texts := copied(m)
	for _, step := range [...]func() bool{
		func() bool { return dropDescriptions(menus) },
		func() bool { return shortenLabels(menus) },
		func() bool { return cutLongest(texts, size(m)-maxBytes, leastText) },
		func() bool { return dropOption(menus) },
		func() bool { return cutLongest(texts, size(m)-maxBytes, 0) },
	} {
		for size(m) > maxBytes && step() {
		}
	}
	return m
}

// size returns how many bytes count towards maxBytes.
func size(m interaction.Message) int {
	all, _ := json.Marshal([]any{embeds(m), plain(m.Components)}) // texts and numbers can always be encoded
	return len(all)
}

// roughly returns an upper bound of size, quickly: most messages are small.
func roughly(m interaction.Message) int {
	const around = 100 // a part
	n := 0
	for _, e := range m.Embeds {
		n += around + len(e.Title) + len(e.Description)
		if e.Footer != nil {
			n += around + len(e.Footer.Text)
		}
		if e.Author != nil {
			n += around + len(e.Author.Name)
		}
		for _, f := range e.Fields {
			n += around + len(f.Name) + len(f.Value)
		}
	}
	for _, c := range m.Components {
		row, _ := c.(discordgo.ActionsRow)
		for _, inner := range row.Components {
			n += around
			switch c := inner.(type) {
			case discordgo.Button:
				n += around + len(c.Label) + len(c.CustomID) + len(c.URL)
			case discordgo.SelectMenu:
				n += around + len(c.Placeholder) + len(c.CustomID)
				for _, o := range c.Options {
					n += around + len(o.Label) + len(o.Value) + len(o.Description)
				}
			}
		}
	}
	return n
}

// copied returns a copy of a message, and the menus and texts in it that may be changed.
func copied(m interaction.Message) (_ interaction.Message, menus []*discordgo.SelectMenu, texts []*string) {
	embeds := make([]*discordgo.MessageEmbed, len(m.Embeds))
	for i, e := range m.Embeds {
		e := *e
		fields := make([]*discordgo.MessageEmbedField, len(e.Fields))
		for k, f := range e.Fields {
			f := *f
			fields[k], texts = &f, append(texts, &f.Value)
		}
		e.Fields = fields
		embeds[i], texts = &e, append(texts, &e.Description)
	}
	rows := make([]discordgo.MessageComponent, len(m.Components))
	for i, c := range m.Components {
		row, ok := c.(discordgo.ActionsRow)
		if !ok {
			rows[i] = c
			continue
		}
		parts := slices.Clone(row.Components)
		for k, part := range parts {
			if menu, ok := part.(discordgo.SelectMenu); ok {
				menu.Options = slices.Clone(menu.Options)
				parts[k], menus = &menu, append(menus, &menu)
			}
		}
		row.Components = parts
		rows[i] = row
	}
	m.Embeds, m.Components = embeds, rows
	return m, menus, texts
}

// dropDescriptions removes the descriptions of all options, and reports whether there were any.
func dropDescriptions(menus []*discordgo.SelectMenu) (dropped bool) {
	for _, menu := range menus {
		for i := range menu.Options {
			dropped = dropped || menu.Options[i].Description != ""
			menu.Options[i].Description = ""
		}
	}
	return dropped
}

// shortenLabels shortens the longest labels a little, and reports whether they were longer than leastLabel.
func shortenLabels(menus []*discordgo.SelectMenu) bool {
	const step = 4
	longest := 0
	for _, menu := range menus {
		for _, o := range menu.Options {
			longest = max(longest, utf8.RuneCountInString(o.Label))
		}
	}
	if longest <= leastLabel {
		return false
	}
	for _, menu := range menus {
		for i := range menu.Options {
			menu.Options[i].Label = shortened(menu.Options[i].Label, max(leastLabel, longest-step))
		}
	}
	return true
}

// shortened returns a label of at most limit characters. Its middle is left out: the ends distinguish labels
// that begin alike.
func shortened(label string, limit int) string {
	all := []rune(label)
	if len(all) <= limit {
		return label
	}
	const first, last = "\u2068", "\u2069" // of an isolate, see package sanitize
	head := (limit - 1) * 2 / 3
	cut := string(all[:head]) + "…" + string(all[len(all)-(limit-1-head):])
	if strings.Count(cut, first) != strings.Count(cut, last) {
		cut = strings.NewReplacer(first, "", last, "").Replace(cut)
	}
	return cut
}

// cutLongest cuts at least bytes off the end of the longest text, in whole lines, but leaves at least least
// bytes. It reports whether the text was longer than that.
func cutLongest(texts []*string, bytes, least int) bool {
	longest := new(string)
	for _, text := range texts {
		if len(*text) > len(*longest) {
			longest = text
		}
	}
	const ellipsis = "…"
	room := max(len(*longest)-bytes-len("\\n"+ellipsis), least)
	if len(*longest) <= room+len("\n"+ellipsis) {
		return false
	}
	kept := (*longest)[:room]
	if end := strings.LastIndexByte(kept, '\n'); end >= least {
		*longest = kept[:end] + "\n" + ellipsis
		return true
	}
	*longest = strings.ToValidUTF8(kept, "") + ellipsis
	return true
}

// dropOption removes the last option of the menu with the most options, and reports whether there was one to
// remove.
func dropOption(menus []*discordgo.SelectMenu) bool {
	var longest *discordgo.SelectMenu
	for _, menu := range menus {
		selected := false
		for _, o := range menu.Options {
			selected = selected || o.Default
		}
		if !selected && len(menu.Options) > 1 && (longest == nil || len(menu.Options) > len(longest.Options)) {
			longest = menu
		}
	}
	if longest == nil {
		return false
	}
	longest.Options = longest.Options[:len(longest.Options)-1]
	longest.MaxValues = min(longest.MaxValues, len(longest.Options))
	return true
}
