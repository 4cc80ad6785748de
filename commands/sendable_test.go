package commands_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/testing/discordtest"
)

// sendable fails where Discord would not take a response, or would make more of a
// text in it than is meant. It returns what it judged: "" where nothing is said yet.
func sendable(t *testing.T, r interaction.Response) (judged string) {
	t.Helper()
	switch r.Form {
	case interaction.FormReply, interaction.FormUpdate:
		if m := r.Message; m.Content == "" && len(m.Embeds)+len(m.Components)+len(m.Files) == 0 {
			t.Error("the message is empty") // code 50006, https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
		}
	case interaction.FormOpen: // as it is sent, with the longest ID
		r.Modal = r.Modal.OpenedBy("18446744073709551615")
	case interaction.FormSuggest:
	case interaction.FormDefer: // which says nothing yet
		return ""
	default:
		t.Fatalf("form %d", r.Form)
	}
	sent := r
	sent.Message.Files = nil // they are parts of their own
	response, err := rest.Encode(sent)
	if err != nil {
		t.Fatal(err)
	}
	judged = strings.Join(append(described(r.Message.Files), string(response)), "\n")
	mistakes, known := judgements.Load(judged)
	if !known {
		mistakes = mistakesIn(r, response)
		judgements.Store(judged, mistakes)
	}
	for _, mistake := range mistakes.([]string) {
		t.Error(mistake)
	}
	return judged
}

// judgements are the mistakes in what was judged, []string by string. More than half of what the tests
// draw was drawn before.
var judgements sync.Map

// mistakesIn returns what Discord would not take, or would make more of than is meant.
func mistakesIn(r interaction.Response, body []byte) []string {
	mistakes := append(discordtest.Mistakes(body), lost(r, body)...)
	if r.Modal == nil && strings.ContainsAny(isolate.ReplaceAllString(string(body), ""), reordering) { // customers edit what is in a modal
		mistakes = append(mistakes, fmt.Sprintf("something is hidden in %s", body))
	}
	for _, f := range r.Message.Files {
		if n := utf8.RuneCountInString(f.Description); n > 1024 { // openapi.json, MessageAttachmentRequest
			mistakes = append(mistakes, fmt.Sprintf("a file's description has %d characters", n))
		}
	}
	texts := []string{r.Message.Content}
	for _, e := range r.Message.Embeds {
		texts = append(texts, e.Title, e.Description)
		for _, field := range e.Fields {
			texts = append(texts, field.Value)
		}
	}
	for _, text := range texts {
		if found := rendered(text); found != "" {
			mistakes = append(mistakes, fmt.Sprintf("Discord makes something of %q: %q", found, text))
		}
	}
	return mistakes
}

// lost returns what is sent less than may be where a message is too large (rest.fit): all options are
// there, and texts lack whole lines at most.
func lost(r interaction.Response, body []byte) (mistakes []string) {
	var sent struct {
		Data struct {
			Embeds     []discordgo.MessageEmbed `json:"embeds"`
			Components []struct {
				Components []struct {
					Options []any `json:"options"`
				} `json:"components"`
			} `json:"components"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return []string{err.Error()}
	}
	for i, e := range r.Message.Embeds {
		got := sent.Data.Embeds[i]
		drawn, shown := []string{e.Description}, []string{got.Description}
		for k, f := range e.Fields {
			drawn, shown = append(drawn, f.Value), append(shown, got.Fields[k].Value)
		}
		for k := range drawn {
			if lines, cut := strings.CutSuffix(shown[k], "…"); shown[k] != drawn[k] && (!cut || !strings.HasPrefix(drawn[k], lines) || !strings.HasSuffix(lines, "\n")) {
				mistakes = append(mistakes, fmt.Sprintf("of %q there is sent %q", drawn[k], shown[k]))
			}
		}
	}
	for i, row := range r.Message.Components {
		for k, c := range row.(discordgo.ActionsRow).Components {
			if menu, ok := c.(discordgo.SelectMenu); ok && len(menu.Options) != len(sent.Data.Components[i].Components[k].Options) {
				mistakes = append(mistakes, fmt.Sprintf("the menu %q has lost options", menu.CustomID))
			}
		}
	}
	return mistakes
}

// reordering are the characters that turn the writing direction around.
const reordering = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

var (
	isolate    = regexp.MustCompile("\u2068[^\u2066-\u2069]*\u2069")
	inlineCode = regexp.MustCompile("`[^`\n]*`")
	escaped    = regexp.MustCompile(`\\[[:punct:]]`)
	// ours are the mentions of the bot's own making: of commands, points in time and, for
	// staff, people and channels, and of the role that 9s or "a" stand for. The last lines of a page are in small print, and so is a picture's key.
	ours = regexp.MustCompile(`(?m:^-# (<#9>|[^\n]*<t:\d+:[Rfdt]>|[^\n]+ · |[🟩🟥🟨🟦⬜⬛]|[^\n]*UTC|[^\n]+[.。।\p{Thai}]$))|</[-\w ]+:\d+>|<t:-?\d+:[RDFTdft]>|<@(1|42)>|<@&(a|9{20})>|<#9>`)
	// meant is what Discord makes more of than text.
	meant = regexp.MustCompile("@everyone|@here|<[@#:a/t]|\\]\\(|://|\\|\\||~~|`|(?m:^(#|>|-#))")
)

// rendered returns markdown of the service that Discord would render, or "".
func rendered(text string) string {
	shown := ours.ReplaceAllString(escaped.ReplaceAllString(inlineCode.ReplaceAllString(text, "·"), "·"), "·")
	return meant.FindString(shown)
}
