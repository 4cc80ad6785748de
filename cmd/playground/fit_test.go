//go:build integration

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"go.yaml.in/yaml/v4"

	"hostbot/bot/interaction"
	"hostbot/bot/watch/alerts"
	"hostbot/commands"
	"hostbot/hostapi"
	"hostbot/locale"
)

// phone is a narrow one of today.
func phone() look { return look{width: 390, height: 844} }

// TestEveryLanguageFitsAPhone draws each text, alert and form in each language as a phone
// shows it. Nothing is cut, and what is pressed takes one line.
func TestEveryLanguageFitsAPhone(t *testing.T) {
	t.Parallel()
	bundle, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	english := englishTexts(t)
	b := startBrowser(t).visit(t, phone())
	anna := b.v.customer()
	for _, name := range locale.DiscordLocales() {
		t.Run(name, func(t *testing.T) {
			here := *b
			here.t, here.v.t = t, t
			drawings := append(drawTexts(bundle.For(name), english), drawAlerts(bundle, name)...)
			given, err := json.Marshal(drawings)
			if err != nil {
				t.Fatal(err)
			}
			for _, wide := range asks[[]string](&here, fmt.Sprintf(drawn, given, name)) {
				t.Error(wide)
			}
			for _, form := range anna.forms(name) {
				given, err := json.Marshal(form)
				if err != nil {
					t.Fatal(err)
				}
				for _, wide := range asks[[]string](&here, fmt.Sprintf(opened, given)) {
					t.Error(wide)
				}
			}
		})
	}
}

// tooWide has of an element what is wider than its place, and what is pressed but takes
// more than one line. An inline element has no width of its own.
const tooWide = `
	const lines = (e) => {
		const range = document.createRange();
		range.selectNodeContents(e);
		return new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size;
	};
	const tooWide = (root) => [
		...[root, ...root.querySelectorAll("*")].filter((e) => {
			const style = getComputedStyle(e);
			return e.checkVisibility() && style.display !== "inline" && style.position !== "absolute" &&
				(e.clientWidth > 1 && e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > innerWidth + 1);
		}).map((e) => "there is no room for " + e.tagName + " " + e.innerText),
		...[...root.querySelectorAll(".row button > span:first-of-type, .row a > span")].filter((e) => lines(e) > 1)
			.map((e) => "more than a line has " + e.innerText),
	];`

// drawn has messages drawn, and returns what is wrong with them.
const drawn = `import("/messages.js").then(({ drawMessage }) => {` + tooWide + `
	const list = document.querySelector("#messages").cloneNode(false);
	list.removeAttribute("id");
	list.style.listStyle = "none";
	const drawings = %s;
	list.lang = %q;
	list.append(...drawings.map(({ message }) => drawMessage({ ...message, time: Date.now() }, { names: {}, press() {}, dismiss() {} })));
	document.querySelector("#messages").after(list);
	const wrong = drawings.flatMap(({ what }, i) => tooWide(list.children[i]).map((cut) => what + ": " + cut));
	list.remove();
	return wrong;
})`

// opened has a form opened, and returns what is wrong with it.
const opened = `import("/modal.js").then(({ openModal }) => {` + tooWide + `
	const modal = %s;
	openModal(modal, async () => {});
	const dialog = document.querySelector("#modal");
	const wrong = dialog.open ? tooWide(dialog).map((cut) => modal.title + ": " + cut) : ["no form was opened"];
	dialog.close();
	return wrong;
})`

// drawing is a message, and what is said where it does not fit.
type drawing struct {
	What    string  `json:"what"`
	Message content `json:"message"`
}

type content struct {
	Content    string                       `json:"content,omitempty"`
	Embeds     []*discordgo.MessageEmbed    `json:"embeds,omitempty"`
	Components []discordgo.MessageComponent `json:"components,omitempty"`
}

// longest is a name without a place at which it could be broken.
var longest = strings.Repeat("W", 80)

// englishTexts returns the texts in English, by key; of those with plural forms, "".
func englishTexts(t *testing.T) map[string]string {
	t.Helper()
	file, err := os.ReadFile("../../locale/texts/en-US.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var read map[string]any
	if err := yaml.Unmarshal(file, &read); err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string, len(read))
	for key, text := range read {
		texts[key], _ = text.(string)
	}
	return texts
}

// drawTexts draws each text where its kind stands, with the longest names.
func drawTexts(texts *locale.Texts, english map[string]string) (drawings []drawing) {
	placeholder := regexp.MustCompile(`\{\{\.([A-Za-z]+)\}\}`)
	for _, key := range slices.Sorted(maps.Keys(english)) {
		group, _, _ := strings.Cut(key, ".")
		filled, with := locale.Args{}, longest
		if group == "button" {
			with = "Shop" // a long name takes the lines that it takes
		}
		for _, name := range placeholder.FindAllStringSubmatch(english[key], -1) {
			filled[name[1]] = with
		}
		text := texts.Format(key, filled)
		if english[key] == "" {
			text = texts.Count(key, 5, locale.Args{"Bot": longest, "Since": longest})
		}
		var m content
		switch {
		case group == "command" || group == "option" || group == "menu" || group == "modal":
			continue // is Discord's to draw, or in a form
		case group == "button":
			m.Components = []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
				discordgo.Button{Label: text, Style: discordgo.PrimaryButton, CustomID: key},
				discordgo.Button{Label: text, Style: discordgo.LinkButton, URL: "https://example.com"},
			}}}
		case slices.Contains([]string{"list.open", "list.restart", "which.choose", "pick.placeholder", "alerts.choose", "follow.choose", "panel.choose", "panel.choose_bots", "panel.choose_first", "panel.open"}, key):
			m.Components = []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
				discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: key, Placeholder: text, Options: []discordgo.SelectMenuOption{{Label: "x", Value: "x"}}},
			}}}
		case group == "card":
			m.Embeds = []*discordgo.MessageEmbed{{Title: text, Description: text, Fields: []*discordgo.MessageEmbedField{
				{Name: text, Value: "1", Inline: true}, {Name: text, Value: text, Inline: true},
			}}}
		default:
			m.Embeds = []*discordgo.MessageEmbed{{Title: text, Description: text, Footer: &discordgo.MessageEmbedFooter{Text: text}}}
		}
		drawings = append(drawings, drawing{key, m})
	}
	return drawings
}

// service offers all operations.
type service struct{ commands.Hosting }

func (service) Offers(hostapi.Operation) bool { return true }

// drawAlerts draws an alert of each kind.
func drawAlerts(bundle *locale.Bundle, language string) (drawings []drawing) {
	c := commands.New(commands.Config{
		Texts: bundle, Hosting: service{}, Watch: commands.Watch{Interval: func() time.Duration { return time.Minute }},
	})
	at := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	crashed := alerts.Outage{ServerID: "a", Name: longest, State: hostapi.StateCrashed, DownAt: at, Count: 12, Uptime: 100 * time.Hour, AtLeast: true}
	stopped, back, keeps := crashed, crashed, crashed
	keeps.Quiet = true
	stopped.State, stopped.AtLeast = hostapi.StateStopped, false
	back.RecoveredAt = at.Add(26 * time.Hour)
	for what, bots := range map[string][]alerts.Outage{
		"crashed": {crashed}, "stopped": {stopped}, "back": {back}, "keeps crashing": {keeps}, "several": {crashed, keeps, stopped, back}, "several are back": {back, back},
	} {
		m := c.Alert(alerts.Alert{CustomerID: "1", Locale: language, First: at, Bots: bots})
		drawings = append(drawings, drawing{"the alert “" + what + "”", contentOf(m)})
	}
	return drawings
}

func contentOf(m interaction.Message) content { return content{m.Content, m.Embeds, m.Components} }

// forms opens each form in a language, and returns what the page is given of them.
func (c customer) forms(language string) []openModal {
	c.t.Helper()
	at := map[string]any{"user": c.user, "channel": c.channel}
	post := func(path string, body map[string]any) openModal {
		c.t.Helper()
		maps.Copy(body, at)
		return reads[struct{ Modal openModal }](c.visitor, c.post(path, body)).Modal
	}
	post("/api/locale", map[string]any{"locale": language})
	onBot := map[string]string{"bot": c.bot}
	forms := []openModal{
		post("/api/command", map[string]any{"name": "bot startup", "options": onBot}),
		post("/api/command", map[string]any{"name": "bot delete", "options": onBot}),
	}
	post("/api/command", map[string]any{"name": "bot create"})
	seen := reads[struct{ Messages []message }](c.visitor, c.get("/api/messages?user="+c.user+"&channel="+c.channel)).Messages
	offer := seen[len(seen)-1]
	rows := offer.Components
	last := rows[len(rows)-1].Components[0] // continue
	return append(forms, post("/api/press", map[string]any{"message": offer.ID, "customID": last.CustomID}))
}
