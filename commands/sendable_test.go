package commands_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"hostbot/bot/interaction"
	"hostbot/bot/testing/discordtest"
)

// sendable fails where Discord would not take a response, or would make more of a
// text in it than is meant.
func sendable(t *testing.T, r interaction.Response) {
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
		return
	default:
		t.Fatalf("form %d", r.Form)
	}
	response, err := json.Marshal(map[string]any{"type": callback, "data": data})
	if err != nil {
		t.Fatal(err)
	}
	for _, mistake := range discordtest.Mistakes(response) {
		t.Error(mistake)
	}
	if r.Modal == nil && strings.ContainsAny(isolate.ReplaceAllString(string(response), ""), reordering) { // customers edit what is in a modal
		t.Errorf("something is hidden in %s", response)
	}
	for _, f := range r.Message.Files {
		if n := utf8.RuneCountInString(f.Description); n > 1024 { // openapi.json, MessageAttachmentRequest
			t.Errorf("a file's description has %d characters", n)
		}
	}
	rendered(t, r.Message.Content)
	for _, e := range r.Message.Embeds {
		rendered(t, e.Title)
		rendered(t, e.Description)
		for _, field := range e.Fields {
			rendered(t, field.Value)
		}
	}
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

// rendered fails where Discord would render markdown of the service.
func rendered(t *testing.T, text string) {
	t.Helper()
	shown := ours.ReplaceAllString(escaped.ReplaceAllString(inlineCode.ReplaceAllString(text, "·"), "·"), "·")
	if found := meant.FindString(shown); found != "" {
		t.Errorf("Discord makes something of %q: %q", found, text)
	}
}
