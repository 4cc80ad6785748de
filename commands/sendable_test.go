package commands_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
)

// sendable fails where Discord would not take a response, or would make more of a
// text in it than is meant.
func sendable(t *testing.T, r interaction.Response) {
	t.Helper()
	switch r.Form {
	case interaction.FormSuggest:
		length(t, "choices", len(r.Choices), 0, 25)
		for _, choice := range r.Choices {
			label(t, "choice", choice.Name, 1, 100)
			characters(t, "choice's value", choice.Value, 1, 100)
		}
	case interaction.FormOpen:
		label(t, "title", r.Modal.Title, 1, 45)
		characters(t, "modal's custom ID", r.Modal.CustomID, 1, 100)
		components(t, r.Modal.Components)
	case interaction.FormReply, interaction.FormUpdate:
		rendered(t, "content", r.Message.Content, 2000)
		total := 0
		for _, e := range r.Message.Embeds {
			total += embed(t, e)
		}
		length(t, "characters of embeds", total, 0, 6000)
		components(t, r.Message.Components)
	default:
		t.Errorf("form %d", r.Form)
	}
}

func embed(t *testing.T, e *discordgo.MessageEmbed) (total int) {
	t.Helper()
	rendered(t, "title", e.Title, 256)
	rendered(t, "description", e.Description, 4096)
	length(t, "fields", len(e.Fields), 0, 25)
	total = utf8.RuneCountInString(e.Title + e.Description)
	for _, field := range e.Fields {
		characters(t, "field's name", field.Name, 1, 256)
		characters(t, "field's value", field.Value, 1, 1024)
		rendered(t, "field", field.Value, 1024)
		total += utf8.RuneCountInString(field.Name + field.Value)
	}
	if e.Footer != nil {
		label(t, "footer", e.Footer.Text, 1, 2048)
		total += utf8.RuneCountInString(e.Footer.Text)
	}
	return total
}

func components(t *testing.T, rows []discordgo.MessageComponent) {
	t.Helper()
	length(t, "rows", len(rows), 0, 5)
	seen := map[string]bool{}
	identified := func(what, customID string) {
		characters(t, what+"'s custom ID", customID, 1, 100)
		if seen[customID] {
			t.Errorf("two components have the custom ID %q", customID)
		}
		seen[customID] = true
	}
	for _, r := range rows {
		row := r.(discordgo.ActionsRow)
		length(t, "components of a row", len(row.Components), 1, 5)
		for _, component := range row.Components {
			switch c := component.(type) {
			case discordgo.Button:
				identified("button", c.CustomID)
				label(t, "button", c.Label, 1, 80)
			case discordgo.SelectMenu:
				identified("menu", c.CustomID)
				label(t, "placeholder", c.Placeholder, 0, 150)
				options(t, c.Options)
			case discordgo.TextInput:
				identified("input", c.CustomID)
				label(t, "input", c.Label, 1, 45)
				label(t, "placeholder", c.Placeholder, 0, 100)
				characters(t, "input's value", c.Value, 0, 4000)
			default:
				t.Errorf("a %T", c)
			}
		}
	}
}

func options(t *testing.T, list []discordgo.SelectMenuOption) {
	t.Helper()
	length(t, "options", len(list), 1, 25)
	values := map[string]bool{}
	for _, o := range list {
		label(t, "option", o.Label, 1, 100)
		label(t, "option's description", o.Description, 0, 100)
		characters(t, "option's value", o.Value, 1, 100)
		if values[o.Value] {
			t.Errorf("two options have the value %q", o.Value)
		}
		values[o.Value] = true
	}
}

func length(t *testing.T, what string, n, least, most int) {
	t.Helper()
	if n < least || n > most {
		t.Errorf("%d %s, want %d to %d", n, what, least, most)
	}
}

func characters(t *testing.T, what, text string, least, most int) {
	t.Helper()
	length(t, "characters of the "+what+" "+text, utf8.RuneCountInString(text), least, most)
	if !utf8.ValidString(text) {
		t.Errorf("the %s %q is no text", what, text)
	}
}

// reordering are the characters that turn the writing direction around.
const reordering = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

// label is text in one line that Discord shows as it is.
func label(t *testing.T, what, text string, least, most int) {
	t.Helper()
	characters(t, what, text, least, most)
	if strings.ContainsAny(text, reordering+"\n\r\x00") {
		t.Errorf("the %s is %q", what, text)
	}
}

var (
	inlineCode = regexp.MustCompile("`[^`\n]*`")
	escaped    = regexp.MustCompile(`\\[[:punct:]]`)
	// ours are the mentions of the bot's own making, which all are of commands
	// and of points in time.
	ours = regexp.MustCompile(`</[-\w ]+:\d+>|<t:-?\d+:[RD]>`)
	// meant is what Discord makes more of than text.
	meant = regexp.MustCompile("@everyone|@here|<[@#:a/t]|\\]\\(|://|\\|\\||~~|`|(?m:^(#|>|-#))")
)

// rendered is text in which Discord renders markdown.
func rendered(t *testing.T, what, text string, most int) {
	t.Helper()
	characters(t, what, text, 0, most)
	if strings.ContainsAny(text, reordering+"\r\x00") {
		t.Errorf("the %s is %q", what, text)
	}
	shown := ours.ReplaceAllString(escaped.ReplaceAllString(inlineCode.ReplaceAllString(text, "·"), "·"), "·")
	if found := meant.FindString(shown); found != "" {
		t.Errorf("the %s makes something of %q: %q", what, found, text)
	}
}
