package rest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
)

// fitted is a message as Discord got it.
type fitted struct {
	Embeds []struct {
		Description string `json:"description"`
		Fields      []struct {
			Value string `json:"value"`
		} `json:"fields"`
	} `json:"embeds"`
	Components []struct {
		Components []struct {
			MaxValues int                          `json:"max_values"`
			Options   []discordgo.SelectMenuOption `json:"options"`
		} `json:"components"`
	} `json:"components"`
}

// options returns those of the menu in a row.
func (f fitted) options(row int) []discordgo.SelectMenuOption {
	return f.Components[row].Components[0].Options
}

// largest is a message with a menu of 25 options in each of so many rows, of which the first may select
// several, and an embed of so many lines.
func largest(rows, lines int) interaction.Message {
	const letter = "𠀀" // of four bytes
	var m interaction.Message
	if lines > 0 {
		m.Embeds = []*discordgo.MessageEmbed{{Title: "T", Description: strings.TrimSpace(strings.Repeat(strings.Repeat(letter, 80)+"\n", lines))}}
	}
	for row := range rows {
		menu := discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: fmt.Sprint("m", row), MaxValues: 25}
		for i := range 25 {
			menu.Options = append(menu.Options, discordgo.SelectMenuOption{
				Label: fmt.Sprint("a", strings.Repeat(letter, 90), "b", i), Value: fmt.Sprint(row, "-", i, strings.Repeat("v", 60)), Description: strings.Repeat("d", 100),
				Emoji: &discordgo.ComponentEmoji{Name: "🟢"}, Default: row == 0 && i < 20,
			})
		}
		m.Components = append(m.Components, discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu}})
	}
	return m
}

// sendAll sends a message in each way that there is, and returns the bodies, each the message itself.
func sendAll(t *testing.T, m interaction.Message) (bodies []string) {
	t.Helper()
	client, requests := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"id": "1", "embeds": m.Embeds})
	}))
	data := func(body string) string {
		var response struct {
			Data json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal([]byte(body), &response); err != nil {
			t.Error(err)
		}
		return string(response.Data)
	}
	for _, send := range []func(context.Context) error{
		func(ctx context.Context) error { return client.Respond(ctx, to, interaction.Update(m)) },
		func(ctx context.Context) error { return client.EditOriginal(ctx, to, m) },
		func(ctx context.Context) error { _, err := client.FollowUp(ctx, to, m); return err },
		func(ctx context.Context) error { return client.EditMessage(ctx, "1", "2", m) },
		func(ctx context.Context) error { _, err := client.CreateMessage(ctx, "1", "n", m); return err },
	} {
		if err := send(t.Context()); err != nil {
			t.Error(err)
		}
		body := (<-requests).Body
		if len(bodies) == 0 {
			body = data(body)
		}
		bodies = append(bodies, body)
	}
	inline, err := rest.Encode(interaction.Reply(m))
	if err != nil {
		t.Error(err)
	}
	return append(bodies, data(string(inline)))
}

// TestNoMessageIsTooLarge has menus and embeds be as large as they may be by Discord's documents.
func TestNoMessageIsTooLarge(t *testing.T) {
	const most = 10_000
	for _, m := range []interaction.Message{largest(5, 50), largest(5, 0), largest(1, 50), largest(0, 50)} {
		before, _ := json.Marshal(m)
		for _, body := range sendAll(t, m) {
			var parts struct{ Embeds, Components json.RawMessage }
			var got fitted
			if err := json.Unmarshal([]byte(body), &parts); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(body), &got); err != nil {
				t.Fatal(err)
			}
			if n := len(parts.Embeds) + len(parts.Components); n > most || n < most/2 {
				t.Errorf("embeds and components have %d bytes", n)
			}
			for row := range m.Components {
				menu := got.Components[row].Components[0]
				if n := len(menu.Options); n == 0 || menu.MaxValues > n || row == 0 && n != 25 {
					t.Errorf("menu %d has %d options, of which %d may be chosen", row, n, menu.MaxValues)
				}
			}
		}
		if after, _ := json.Marshal(m); string(after) != string(before) {
			t.Error("the message itself was changed")
		}
	}
}

// TestWhatIsMissedLeastGoesFirst of messages of growing size.
func TestWhatIsMissedLeastGoesFirst(t *testing.T) {
	sent := func(m interaction.Message) (got fitted) {
		body := sendAll(t, m)[1]
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	m := largest(1, 0)
	menu := m.Components[0].(discordgo.ActionsRow).Components[0].(discordgo.SelectMenu)
	for i := range menu.Options {
		menu.Options[i].Label = fmt.Sprint("Bot ", i)
	}
	if got := sent(m).options(0); got[24].Description == "" {
		t.Error("a message that is small enough has lost descriptions")
	}
	for i := range menu.Options {
		menu.Options[i].Label = fmt.Sprint(strings.Repeat("x", 90), i)
	}
	m.Embeds = largest(0, 7).Embeds
	if got := sent(m); got.options(0)[24].Description != "" || got.options(0)[24].Label != menu.Options[24].Label {
		t.Errorf("descriptions are to go first: %+v", got.options(0)[24])
	}
	m.Embeds = largest(0, 18).Embeds
	got := sent(m)
	if label := got.options(0)[24].Label; len(label) >= 90 || !strings.HasSuffix(label, "24") || !strings.Contains(label, "…") || got.Embeds[0].Description != m.Embeds[0].Description {
		t.Errorf("labels are to be shortened next, in their middle: %q", label)
	}
	m.Embeds = largest(0, 50).Embeds
	m.Embeds[0].Fields = []*discordgo.MessageEmbedField{{Name: "n", Value: "short"}}
	got = sent(m)
	lines, cut := strings.CutSuffix(got.Embeds[0].Description, "\n…")
	if !cut || !strings.HasPrefix(m.Embeds[0].Description, lines+"\n") || len(got.options(0)) != 25 || got.Embeds[0].Fields[0].Value != "short" {
		t.Errorf("the longest text is to lose its last lines: %q", got.Embeds[0].Description)
	}
}
