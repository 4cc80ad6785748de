package responder_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/staff/incident"
	"hostbot/hostapi"
)

// TestNoErrorOfStaffsHoldsWhatWasTyped has the service, and Discord, repeat what they were sent. What is kept
// behind a reference is read from the error's parts.
func TestNoErrorOfStaffsHoldsWhatWasTyped(t *testing.T) {
	const typed = "hunter2-Zx9"
	for name, err := range map[string]error{
		"by the service": &hostapi.Error{Code: hostapi.CodeForbidden, Op: hostapi.OpUpdateStartup, Status: 403, Detail: "cannot run " + typed},
		"by Discord":     &rest.Error{Status: 400, Code: rest.CodeInvalidForm, Message: "no text like " + typed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newResponder(failing(err), &discord{})
				s.Serve(event(discordgo.InteractionApplicationCommand, `"data":{"name":"do","options":[{"name":"command","type":3,"value":"`+typed+`"}]}`))
				if len(s.staff.failures) != 1 {
					t.Fatalf("staff read %q", s.staff.entries)
				}
				told := s.staff.failures[0]
				about := incident.Of(&interaction.Request{}, told)
				discord, _ := errors.AsType[*rest.Error](told)
				if strings.Contains(told.Error()+about.Detail+about.Answer, typed) || discord != nil && strings.Contains(discord.Message, typed) {
					t.Errorf("staff read %q, %+v, %+v", told, about, discord)
				}
				if !errors.Is(told, err) || about.Cause != incident.CauseOf(err) {
					t.Errorf("%v is not %v any more", told, err)
				}
			})
		})
	}
}
