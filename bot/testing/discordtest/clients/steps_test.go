//go:build integration

package clients

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
)

// order creates an order and returns the message about it.
func order(t *testing.T, s *scene) *discordtest.Reply {
	t.Helper()
	reply := s.anna.Types(t, "/order create", discordtest.Options{"item": "apple"})
	reply.WaitFor(t, "1 × apple for anna")
	s.settle(t, reply)
	return reply
}

// settle waits until the client has read the answer to its response, as it has
// long before a person acts on the response. Before that, a library may know
// neither the buttons of a message nor a modal.
func (s *scene) settle(t *testing.T, reply *discordtest.Reply) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	answered := func(c discordtest.Call) bool {
		return c.Route == discordtest.RouteCallback && c.Status != 0 && strings.HasPrefix(c.Path, "/interactions/"+reply.ID()+"/")
	}
	if _, err := s.discord.WaitCall(ctx, answered); err != nil {
		t.Fatal(err)
	}
	// What the client is sent after that answer, it handles after it.
	s.ben.Types(t, "/help").WaitFor(t, "help")
}

func takesOptions(t *testing.T, s *scene) {
	reply := s.anna.Types(t, "/order create", discordtest.Options{
		"item": "pear", "amount": 3, "express": true, "recipient": s.ben,
	})
	v := reply.WaitFor(t, "3 × pear for ben, express")
	if v.Ephemeral || len(v.Buttons()) != 3 || len(v.Selects()) != 1 {
		t.Errorf("ephemeral %v, %d buttons, %d select menus", v.Ephemeral, len(v.Buttons()), len(v.Selects()))
	}
}

func completes(t *testing.T, s *scene) {
	choices := s.anna.Completes(t, "/order create", "item", "ap", discordtest.Options{"recipient": s.ben})
	names := []string{}
	for _, choice := range choices {
		names = append(names, choice.Name)
	}
	if !slices.Equal(names, []string{"apple", "apricot"}) {
		t.Errorf("got %q", names)
	}
}

func answersInDM(t *testing.T, s *scene) { status(t, s.anna.InDM()) }

// status asks for an order's status.
func status(t *testing.T, user *discordtest.User) {
	t.Helper()
	reply := user.Types(t, "/order status", discordtest.Options{"number": 7})
	showsStatus(t, reply)
	if first := reply.History()[0]; first.State != discordtest.Thinking {
		t.Errorf("the first response was not deferred: %s", first.State)
	}
}

func showsStatus(t *testing.T, reply *discordtest.Reply) {
	t.Helper()
	v := reply.WaitFor(t, "Order 7")
	if len(v.Embeds) != 1 || !v.Ephemeral {
		t.Fatalf("got %d embeds, ephemeral %v", len(v.Embeds), v.Ephemeral)
	}
	e := v.Embeds[0]
	if e.Description != "On its way" || *e.Color != 0x3ba55d || len(e.Fields) != 1 || e.Fields[0].Value != "de" {
		t.Errorf("got %+v", e)
	}
}

func updatesByButton(t *testing.T, s *scene) {
	v := order(t, s).Press(t, "Confirm").WaitFor(t, "Confirmed: 1 × apple for anna")
	if len(v.Components) != 0 {
		t.Errorf("%d components are left", len(v.Components))
	}
}

func updatesBySelect(t *testing.T, s *scene) {
	v := order(t, s).Choose(t, "Size", "Large").WaitFor(t, "1 × apple for anna, large")
	if len(v.Components) != 2 {
		t.Errorf("%d rows are left", len(v.Components))
	}
}

func followsUp(t *testing.T, s *scene) {
	shipped := order(t, s).Press(t, "Ship")
	shipped.WaitFor(t, "Shipped")
	if receipt := shipped.WaitForFollowUp(t, "Receipt: Shipped").View(); !receipt.Ephemeral {
		t.Error("the receipt is not ephemeral")
	}
	packing := shipped.WaitForFollowUp(t, "Packing")
	packing.WaitUntil(t, func(v discordtest.View) bool { return v.State == discordtest.Deleted })
}

func opensModalFromButton(t *testing.T, s *scene) {
	reply := order(t, s)
	for _, entered := range []struct {
		fields discordtest.Fields
		want   string
	}{
		{nil, "Comment: Nice"}, // what the bot has filled in
		{discordtest.Fields{"Text": "Very nice"}, "Comment: Very nice"},
	} {
		modal := reply.Press(t, "Comment")
		modal.WaitFor(t, "Comment")
		s.settle(t, modal)
		modal.Submit(t, entered.fields)
		reply.WaitFor(t, entered.want)
	}
}

func opensModalFromCommand(t *testing.T, s *scene) {
	for details, want := range map[string]string{"": `Thanks for service: ""`, "quick": `Thanks for service: "quick"`} {
		modal := s.anna.Types(t, "/feedback")
		modal.WaitFor(t, "Feedback")
		s.settle(t, modal)
		thanks := modal.Submit(t, discordtest.Fields{"Subject": "service", "Details": details})
		if v := thanks.WaitFor(t, want); !v.Ephemeral {
			t.Error("the thanks are not ephemeral")
		}
	}
}

func greets(t *testing.T, s *scene) {
	mention := "<@" + s.ben.ID + ">"
	v := s.anna.Uses(t, "Greet", s.ben).WaitFor(t, "Greeted "+mention)
	if !slices.Equal(v.Pings, []string{mention}) {
		t.Errorf("the message pings %q", v.Pings)
	}
	messages := s.ben.InDM().Messages()
	if len(messages) != 1 || messages[0].Content != "Greetings from anna" {
		t.Errorf("ben has %+v", messages)
	}
}

func sendsMessage(t *testing.T, s *scene) {
	reply := s.anna.Types(t, "/announce", discordtest.Options{"text": "We are open"})
	reply.WaitFor(t, "Sent with nonce "+reply.ID())
	s.discord.Channels()[0].WaitFor(t, "We are open")
}

func sendsMessageElsewhere(t *testing.T, s *scene) {
	reply := s.anna.Types(t, "/announce", discordtest.Options{"text": "News", "channel": s.news})
	reply.WaitFor(t, "Sent with nonce "+reply.ID())
	s.news.WaitFor(t, "News")
}

func tellsRefusal(t *testing.T, s *scene) {
	reply := s.anna.Types(t, "/announce", discordtest.Options{"text": "Secret", "channel": s.staff})
	reply.WaitFor(t, "Refused with code 50001")
}
