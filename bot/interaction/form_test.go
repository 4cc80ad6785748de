package interaction_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
	"github.com/valyala/fastjson"

	"hostbot/bot/interaction"
	"hostbot/bot/testing/discordtest"
)

func TestDiscordTakesForms(t *testing.T) {
	for n, kind := range map[int]discordgo.ComponentType{1: 3, 2: 21, 5: 21, 6: 3, 25: 3} {
		var options []interaction.Option
		for i := range n {
			options = append(options, interaction.Option{Label: "L", Value: strconv.Itoa(i), Description: "d", Default: i == 0})
		}
		fields := []interaction.Field{
			{Label: "Name", Description: "d", Input: interaction.TextInput("name", "", true)},
			{Label: "Command", Input: interaction.TextInput("command", "npm ci\nnode .", false)},
			{Label: "Long", Input: interaction.TextInput("long", strings.Repeat("ä", interaction.MaxInput+1), false)},
			{Label: "Language", Description: "d", Input: interaction.ChoiceInput("language", options)},
			{Label: "Start", Input: interaction.CheckboxInput("start", n == 1)},
		}
		if n > 5 {
			fields[4] = interaction.Field{Label: "Several", Input: interaction.SeveralInput("several", options[:min(n, 10)])}
		}
		encoded, err := json.Marshal(map[string]any{"type": 9, "data": map[string]any{"custom_id": "m", "title": "T", "components": fields}})
		if err != nil {
			t.Fatal(err)
		}
		for _, mistake := range discordtest.Mistakes(encoded) {
			t.Errorf("%d options: %s", n, mistake)
		}
		if got := fields[3].Input.Type; got != kind {
			t.Errorf("%d options are chosen from a component of type %d, want %d", n, got, kind)
		}
		if fields[1].Input.Style != discordgo.TextInputParagraph || fields[0].Input.Style != discordgo.TextInputShort {
			t.Error("lines that are several would come back as one, or the other way round")
		}
	}
}

// TestFormsOfOneBotHaveIDsOfTheirOwn has the form of a bot be opened twice, and each be submitted.
func TestFormsOfOneBotHaveIDsOfTheirOwn(t *testing.T) {
	form := &interaction.Dialog{CustomID: "startup/" + strings.Repeat("#", 64)}
	one, again, other := form.OpenedBy("18446744073709551615"), form.OpenedBy("18446744073709551615"), form.OpenedBy("18446744073709551614")
	if one.CustomID != again.CustomID || one.CustomID == other.CustomID || len(one.CustomID) > 100 {
		t.Errorf("the IDs are %q, %q and %q", one.CustomID, again.CustomID, other.CustomID)
	}
	for id, want := range map[string]string{one.CustomID: form.CustomID, other.CustomID: form.CustomID, "startup/a": "startup/a", "startup/a#b": "startup/a#b"} {
		e := interaction.ReadEvent(fastjson.MustParse(`{"type":5,"data":{"custom_id":"` + id + `","components":[]}}`))
		if e.Name != want {
			t.Errorf("%q is read as %q", id, e.Name)
		}
	}
}
