package commands_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"hostbot/bot/interaction"
	"hostbot/bot/testing/discordtest"
)

// sendable fails where Discord would not take a response, or would make more of a
// text in it than is meant. It returns what it judged: "" where nothing is said yet.
func sendable(t *testing.T, r interaction.Response) (judged string) {
	t.Helper()
	var data any
	callback := 0 // documentation, "Interaction Callback Type"
	switch r.Form {
	case interaction.FormSuggest:
		callback, data = 8, map[string]any{"choices": append([]interaction.Choice{}, r.Choices...)}
	case interaction.FormOpen:
		callback, data = 9, map[string]any{"custom_id": r.Modal.CustomID, "title": r.Modal.Title, "components": r.Modal.Fields}
	case interaction.FormReply, interaction.FormUpdate:
		if m := r.Message; m.Content == "" && len(m.Embeds)+len(m.Components)+len(m.Files) == 0 {
			t.Error("the message is empty") // code 50006, https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
		}
		callback, data = 4, map[string]any{"content": r.Message.Content, "embeds": r.Message.Embeds, "components": r.Message.Components}
	case interaction.FormDefer: // which says nothing yet
		return ""
	default:
		t.Fatalf("form %d", r.Form)
	}
	response, err := json.Marshal(map[string]any{"type": callback, "data": data})
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
	mistakes := discordtest.Mistakes(body)
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

// reordering are the characters that turn the writing direction around.
const reordering = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

var (
	isolate    = regexp.MustCompile("\u2068[^\u2066-\u2069]*\u2069")
	inlineCode = regexp.MustCompile("`[^`\n]*`")
	escaped    = regexp.MustCompile(`\\[[:punct:]]`)
	// ours are the mentions of the bot's own making: of commands, points in time and, for
	// staff, people and channels. The last lines of a page are in small print, and so is a picture's key.
	ours = regexp.MustCompile(`(?m:^-# ([^\n]*<t:\d+:[Rf]>|[^\n]+ · |[🟩🟥🟨🟦⬜⬛]|[^\n]*UTC|[^\n]+[.。।\p{Thai}]$))|</[-\w ]+:\d+>|<t:-?\d+:[RDFTft]>|<@(1|42)>|<#9>`)
	// meant is what Discord makes more of than text.
	meant = regexp.MustCompile("@everyone|@here|<[@#:a/t]|\\]\\(|://|\\|\\||~~|`|(?m:^(#|>|-#))")
)

// rendered returns markdown of the service that Discord would render, or "".
func rendered(text string) string {
	shown := ours.ReplaceAllString(escaped.ReplaceAllString(inlineCode.ReplaceAllString(text, "·"), "·"), "·")
	return meant.FindString(shown)
}
