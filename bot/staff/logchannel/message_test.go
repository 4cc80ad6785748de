package logchannel_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/staff/logchannel"
	"hostbot/bot/testing/discordtest"
)

// Lines share the content of a message as far as it goes, and stand above its cards,
// so that none comes before what was posted earlier. Cards share a message's 6,000
// characters, which the fake Discord insists on.
func TestLinesAndCardsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	line, text := strings.Repeat("ä", 450), strings.Repeat("o", 2500)
	card := func(title string) logchannel.Entry {
		return logchannel.Entry{Category: logchannel.Actions, Embed: &discordgo.MessageEmbed{Title: title, Description: text}}
	}
	for name, test := range map[string]struct {
		entries  []logchannel.Entry
		messages int
	}{
		"lines around a card": {[]logchannel.Entry{action("a"), action("b"), failure("c", 1), action("d")}, 2},
		"long lines":          {[]logchannel.Entry{action("1" + line), action("2" + line), action("3" + line), action("4" + line), action("5" + line)}, 2},
		"long cards":          {[]logchannel.Entry{card("1"), card("2"), card("3"), card("4"), card("5"), card("6"), card("7")}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, unlimited())
			o.errors = o.actions // all in one
			p := o.newProcess(t, "", hasty())
			var want []string
			for _, e := range test.entries {
				p.Post(e)
				if e.Embed != nil {
					want = append(want, e.Embed.Title)
				} else {
					want = append(want, e.Line)
				}
			}
			p.Start()
			await(t, o.actions, "all entries", func() bool { return len(titles(o.actions)) >= len(want) })
			if got := titles(o.actions); !slices.Equal(got, want) {
				t.Errorf("the channel shows %q", got)
			}
			if n := len(o.actions.Messages()); n != test.messages {
				t.Errorf("%d messages, want %d", n, test.messages)
			}
			for _, call := range o.discord.Calls() { // a message that is edited says so to its readers
				if call.Method != http.MethodPost {
					t.Errorf("%s %s", call.Method, call.Path)
				}
			}
		})
	}
}

// concerning is a failure of a customer's.
func concerning(customer, reference string) logchannel.Entry {
	return logchannel.Entry{
		Category: logchannel.Errors, Embed: embed("failure"), GroupKey: "restart", Customer: logchannel.Customer{ID: customer, Name: "!"}, Reference: reference,
		Own: []*discordgo.MessageEmbedField{{Name: "User", Value: "<@" + customer + ">"}},
	}
}

// pressable returns the buttons of a channel's only message, by their labels, and the choices of
// its menu.
func pressable(ch *discordtest.Channel) []string {
	var list []string
	for _, b := range ch.Messages()[0].Buttons() {
		list = append(list, b.Label+" = "+b.CustomID)
	}
	if menu, err := ch.Messages()[0].Select("Open a reference"); err == nil {
		for _, o := range menu.Options {
			list = append(list, o.Value+": "+o.Description)
		}
	}
	return list
}

// What happened to one person names that person, and what happened to several says
// how many they are and leads to none of them.
func TestAFoldCountsPeople(t *testing.T) {
	t.Parallel()
	o := newOffice(t, unlimited())
	p := o.newProcess(t, "", hasty())
	p.Start()
	shows := func(step string, wanted, unwanted, buttons []string) {
		t.Helper()
		await(t, o.errors, step, func() bool {
			m := o.errors.Messages()
			return len(m) == 1 && !slices.ContainsFunc(wanted, func(text string) bool { return !m[0].Contains(text) })
		})
		for _, text := range unwanted {
			if o.errors.Messages()[0].Contains(text) {
				t.Errorf("%s: the message says %q", step, text)
			}
		}
		if got := pressable(o.errors); !slices.Equal(got, buttons) {
			t.Errorf("%s: the buttons are %q, want %q", step, got, buttons)
		}
	}
	p.Post(concerning("42", "R1"))
	shows("one", []string{"<@42>"}, []string{"times"}, []string{"Look up = lookup 42!", "Reference = reference R1"})
	p.Post(concerning("42", "R2"))
	shows("one person twice", []string{"2 times", "affects **1 person** · <@42>"}, nil,
		[]string{"Look up = lookup 42!", "R1: failure", "R2: failure"})
	p.Post(concerning("43", "R3"))
	shows("two people", []string{"3 times", "affects **2 people**"}, []string{"<@42>", "<@43>"},
		[]string{"R1: failure", "R2: failure", "R3: failure"})
	for i := range 60 {
		p.Post(concerning(fmt.Sprint(100+i), "R4"))
	}
	shows("many people", []string{"63 times", "affects **50 people or more**"}, []string{"<@"}, // equal failures of one person share a reference
		[]string{"R1: failure", "R2: failure", "R3: failure", "R4: failure"})
}

// A message has one menu of all references, each once, and leads to no customer if its cards are
// about several.
func TestButtonsOfSeveralCards(t *testing.T) {
	t.Parallel()
	o := newOffice(t, unlimited())
	p := o.newProcess(t, "", hasty())
	post := func(customer, reference string, groups ...string) {
		for _, group := range groups {
			e := concerning(customer, reference)
			e.GroupKey = group
			p.Post(e)
		}
	}
	post("42", "R1", "action", "failure")
	post("43", "R2", "list", "show", "stop", "start")
	p.Start()
	await(t, o.errors, "a message", func() bool { return len(o.errors.Messages()) == 1 })
	want := []string{"R1: failure", "R2: failure"}
	if got := pressable(o.errors); !slices.Equal(got, want) {
		t.Errorf("the buttons are %q, want %q", got, want)
	}
}
