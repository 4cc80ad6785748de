package commands_test

import (
	"context"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/staff/support"
	"hostbot/bot/watch/history"
	"hostbot/commands"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/locale"
)

// TestCrashedCardSaysWhatWasDifferent has a bot crash in several ways.
func TestCrashedCardSaysWhatWasDifferent(t *testing.T) {
	const minute = time.Minute
	crash := func(before time.Duration) []any {
		return []any{before, hostapi.StateRunning, 10 * minute, hostapi.StateCrashed}
	}
	for name, test := range map[string]struct {
		past    []history.Span
		changed time.Duration // how long ago the startup settings were changed
		note    accounts.Note // of our last action
		want    []string
		without []string
		buttons string // on the last row
	}{
		"nobody watched": {want: []string{"Crashed\nLimits"}, buttons: "Open console Alert me next time"},
		"once": {
			past: past(append([]any{aDay, hostapi.StateStopped}, crash(150*minute)...)...),
			want: []string{"Crashed · <t:", ":R>\nIt had been running for 2 h 30 min.\nLimits"}, buttons: "Open console Alert me next time",
		},
		"nobody saw it start": {past: past(crash(150 * minute)...), want: []string{"2 h 30 min or longer."}, buttons: "Open console Alert me next time"},
		"three times": {
			past: past(append(append(crash(3*time.Hour), crash(2*time.Hour)...), crash(20*minute)...)...),
			want: []string{"for 20 min.", "3 crashes in the last 24 hours."}, buttons: "Open console Alert me next time",
		},
		"two were before": {
			past:    past(append(append(crash(3*time.Hour), crash(30*time.Hour)...), crash(20*minute)...)...),
			want:    []string{"2 crashes in the last 24 hours."},
			buttons: "Open console Alert me next time",
		},
		"started by us": {
			past: past(aDay, hostapi.StateRunning, time.Second, hostapi.StateRestarting, 5*time.Second, hostapi.StateRunning, 4*time.Second, hostapi.StateCrashed),
			note: accounts.Note{Action: "restart", At: time.Now().Add(-9 * time.Second)}, want: []string{"Crashed <t:", ":R>, 5 s after a restart\nLimits"}, buttons: "Open console Alert me next time",
		},
		"started by us, and nobody has looked since": {
			note: accounts.Note{Action: "start", At: time.Now()}, want: []string{"Crashed · last started <t:"}, buttons: "Open console Alert me next time",
		},
		"started otherwise":      {changed: 4 * minute, want: []string{"Startup settings changed <t:"}, buttons: "Open console Alert me next time"},
		"started otherwise once": {changed: 25 * time.Hour, without: []string{"Startup settings changed"}, buttons: "Open console Alert me next time"},
		"it has only just crashed, and nobody has looked yet": {
			past: past(aDay, hostapi.StateRunning), without: []string{"It had been running"}, buttons: "Open console Alert me next time",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{list: account(server("a", "Shop", "CRASHED")), links: commands.Links{Panel: "https://host.example"}}
			if w.notes = map[string]accounts.Note{"a": test.note}; test.changed > 0 {
				w.notes = map[string]accounts.Note{"a": {StartupAt: time.Now().Add(-test.changed)}}
			}
			c := watching(t, &watched{w: w, spans: test.past})
			card := answer(t, c, press("show/a"))
			sendable(t, card)
			wantText(t, card.Message, test.want...)
			for _, text := range test.without {
				if strings.Contains(textOf(card), text) {
					t.Errorf("it says %q:\n%s", text, textOf(card))
				}
			}
			if got := lastRow(card); got != test.buttons {
				t.Errorf("the last row has %q, want %q", got, test.buttons)
			}
		})
	}
}

// TestCardTakesFourLinesOfButtonsOnAPhone in every language, of a bot that has crashed or is suspended. The ways on below take
// one of them.
func TestCardTakesFourLinesOfButtonsOnAPhone(t *testing.T) {
	often := past(time.Hour, hostapi.StateRunning, time.Minute, hostapi.StateCrashed, time.Hour, hostapi.StateRunning, time.Minute, hostapi.StateCrashed, time.Hour, hostapi.StateRunning, time.Minute, hostapi.StateCrashed)
	for name, test := range map[string]struct {
		status string
		past   []history.Span
	}{"crashed": {"CRASHED", nil}, "keeps crashing": {"CRASHED", often}, "suspended": {"SUSPENDED", nil}} {
		w := &world{
			list: account(server("a", "Shop", test.status)), links: commands.Links{Panel: "https://host.example", Support: "https://host.example/help"},
			support: commands.Support{Tell: func(context.Context, support.Case) (support.Told, error) { return support.Told{}, nil }},
		}
		c := watching(t, &watched{w: w, spans: test.past})
		for _, language := range locale.DiscordLocales() {
			rows := answer(t, c, inLanguage(language, press("show/a"))).Message.Components
			last, lines := rows[len(rows)-1].(discordgo.ActionsRow), 0
			for _, row := range rows {
				lines += linesOf(row.(discordgo.ActionsRow))
			}
			if len(last.Components) != 2 || linesOf(last) != 1 {
				t.Errorf("%s, %s: more than a line for the buttons %q", language, name, lastRow(interaction.Reply(interaction.Message{Components: rows})))
			}
			if lines > 4 && language != "fi" { // where no shorter words say restart and start
				t.Errorf("%s, %s: %d lines for the buttons %q", language, name, lines, labels(interaction.Message{Components: rows}))
			}
		}
	}
}

// linesOf is how many lines a row of buttons takes on a phone.
func linesOf(row discordgo.ActionsRow) int {
	lines, wide := 1, -between
	for _, b := range row.Components {
		if wide += between + widthOf(b.(discordgo.Button)); wide > lineOfAPhone {
			lines, wide = lines+1, widthOf(b.(discordgo.Button))
		}
	}
	return lines
}

// The width of a line of buttons in a message on a phone, and between two buttons, in CSS pixels.
const lineOfAPhone, between = 326, 8

// widthOf is about the width of a button on a phone in CSS pixels: at a size of 14, a letter takes half of that, a
// little more where letters are wide, and less where they are narrow.
func widthOf(b discordgo.Button) int {
	width := 29.0
	if b.Style == discordgo.LinkButton {
		width += 15 // of the arrow
	}
	for _, letter := range b.Label {
		switch {
		case unicode.Is(unicode.Mn, letter):
		case unicode.In(letter, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			width += 14
		case strings.ContainsRune("fijlrtíī ", letter):
			width += 5
		case unicode.In(letter, unicode.Cyrillic, unicode.Greek, unicode.Devanagari):
			width += 8
		default:
			width += 7
		}
	}
	return int(width)
}

func textOf(r interaction.Response) string { return text(r.Message) }

// lastRow are the labels of a message's last row of buttons.
func lastRow(r interaction.Response) string {
	all := labels(r.Message)
	return all[strings.LastIndex(all, "|")+1:][1:]
}

// TestTellMeNextTimeTakesOnePress turns alerts on where a bot has crashed.
func TestTellMeNextTimeTakesOnePress(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "CRASHED"))}}
	c := watching(t, h)
	button := buttons(answer(t, c, press("show/a")).Message)["Alert me next time"]
	pressed := answer(t, c, press(button.CustomID))
	if pressed.Form != interaction.FormDefer || h.alerts.Any() {
		t.Fatalf("%v, alerts %+v: nothing changes before Discord has taken note", pressed.Form, h.alerts)
	}
	card := must(t)(pressed.Then.Run(t.Context()))
	sendable(t, card)
	wantText(t, card.Message, "✅ Alerts are on.", "Crashed")
	if _, still := buttons(card.Message)["Alert me next time"]; still || !h.alerts.For("a") {
		t.Errorf("it is offered again: %t, alerts %+v", still, h.alerts)
	}
}

// TestCardOffersNoAlertsWhereItCannotTell has Redis fail, and staff look.
func TestCardOffersNoAlertsWhereItCannotTell(t *testing.T) {
	h := &watched{w: &world{list: account(server("a", "Shop", "CRASHED"))}, err: interaction.ErrBusy}
	c := watching(t, h)
	for name, card := range map[string]interaction.Response{"redis fails": answer(t, c, press("show/a")), "staff": answer(t, c, by("1", press("for/42/show/a")))} {
		wantText(t, card.Message, "Crashed")
		if _, offered := buttons(card.Message)["Alert me next time"]; offered {
			t.Errorf("%s: alerts are offered", name)
		}
		h.err = nil
	}
}

// TestBotThatStaysOnItsWaySaysSo has a bot start, install and stop for long.
func TestBotThatStaysOnItsWaySaysSo(t *testing.T) {
	const said = "which is longer than usual"
	for name, test := range map[string]struct {
		status string
		note   accounts.Note
		past   []history.Span
		stuck  bool
	}{
		"just started by us":    {status: "STARTING", note: accounts.Note{Action: "start", At: time.Now().Add(-4 * time.Minute)}},
		"started by us":         {status: "STARTING", note: accounts.Note{Action: "start", At: time.Now().Add(-6 * time.Minute)}, stuck: true},
		"started by somebody":   {status: "STARTING", past: past(time.Hour, hostapi.StateStopped, 6*time.Minute, hostapi.StateStarting), stuck: true},
		"installing":            {status: "INSTALLING", note: accounts.Note{Action: "reinstall", At: time.Now().Add(-6 * time.Minute)}, stuck: true},
		"stopping":              {status: "STOPPING", note: accounts.Note{Action: "stop", At: time.Now().Add(-6 * time.Minute)}},
		"the action is over":    {status: "STARTING", note: accounts.Note{Action: "start", At: time.Now().Add(-6 * time.Minute), Settled: true}},
		"nobody knows how long": {status: "STARTING"},
		"started anew since": {
			status: "STARTING", note: accounts.Note{Action: "start", At: time.Now().Add(-time.Minute)},
			past: past(time.Hour, hostapi.StateStopped, 6*time.Minute, hostapi.StateStarting),
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{list: account(server("a", "Shop", test.status)), notes: map[string]accounts.Note{"a": test.note}, links: commands.Links{Support: "https://help.example"}}
			c := watching(t, &watched{w: w, spans: test.past})
			card := answer(t, c, press("show/a"))
			sendable(t, card)
			if strings.Contains(textOf(card), said) != test.stuck {
				t.Fatalf("it says\n%s", textOf(card))
			}
			if !test.stuck {
				return
			}
			wantText(t, card.Message, "for 6 min, "+said)
			if got := labels(card.Message); !strings.HasPrefix(got, "(Restart) (Start) Stop") || lastRow(card) != "Contact support" {
				t.Errorf("there is %s", got)
			}
			ending(t, c, press("stop/a"))
			w.wantDone(t, "stop a")
		})
	}
}

// TestChangedStartupIsNoted: a crash that follows may come of it.
func TestChangedStartupIsNoted(t *testing.T) {
	w, c := shop(t, "RUNNING")
	ending(t, c, submit("startup/a", map[string]string{"command": "node x.js", "entry": "x.js"}))
	if w.notes["a"].StartupAt.IsZero() {
		t.Error("it is not noted")
	}
}

// TestCreatedBotLeadsToWhereItsCodeGoes has a bot created that has no code yet.
func TestCreatedBotLeadsToWhereItsCodeGoes(t *testing.T) {
	w := &world{list: account(server("new", "Radio", "STOPPED")), links: commands.Links{PanelBot: "https://host.example/{id}"}}
	end := ending(t, newCommands(t, w), submit("create/512/2048/100", newBot("Radio")))
	if got := buttons(end.Message)["Upload code"].URL; got != "https://host.example/new" {
		t.Errorf("it leads to %q", got)
	}
}
