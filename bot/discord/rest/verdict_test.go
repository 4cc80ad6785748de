package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"hostbot/bot/discord/rest"
	"hostbot/bot/testing/discordtest"
)

// TestVerdicts reads each row of the table, by status and code.
func TestVerdicts(t *testing.T) {
	for want, answers := range map[rest.Verdict][][2]int{
		rest.Later:   {{0, 0}, {500, 0}, {503, 0}, {409, 0}, {423, 0}, {400, rest.CodeOverloaded}},
		rest.Limited: {{429, 0}, {429, rest.CodeOldMessageEdits}},
		rest.Gone: {
			{404, rest.CodeUnknownMessage}, {404, rest.CodeUnknownChannel}, {400, rest.CodeAlreadyAcknowledged}, {404, rest.CodeUnknownInteraction},
			{404, rest.CodeUnknownWebhook}, {401, rest.CodeInvalidWebhookToken},
		},
		rest.Never: {
			{400, rest.CodeInvalidForm}, {400, rest.CodeEmptyMessage}, {400, rest.CodeBlockedMessage}, {400, rest.CodeBlockedTitle},
			{400, rest.CodeHarmfulLink}, {413, 40005}, {413, 0},
		},
		rest.Closed: {
			{403, rest.CodeCannotMessageUser}, {400, rest.CodeCannotMessageUser}, {403, rest.CodeNoWayToUser}, {404, rest.CodeUnknownUser},
			{400, rest.CodeInvalidRecipients},
		},
		rest.Forbidden: {
			{403, rest.CodeMissingAccess}, {403, rest.CodeMissingPermissions}, {400, rest.CodeArchivedThread}, {400, rest.CodeLockedThread},
			{400, rest.CodeNeedsThread}, {400, rest.CodeWrongChannelType}, {400, rest.CodeNotTextChannel}, {404, rest.CodeUnknownGuild}, {403, 1}, {400, 1}, {404, 0},
		},
		rest.Quarantined: {
			{403, rest.CodeQuarantined}, {403, rest.CodeDMsTooFast}, {403, rest.CodeUnknownMessage}, {401, 0}, {403, rest.CodeInternalNetwork}, {403, 0},
		},
	} {
		for _, a := range answers {
			if got := rest.VerdictOf(fmt.Errorf("wrapped: %w", &rest.Error{Status: a[0], Code: a[1]})); got != want {
				t.Errorf("status %d, code %d: %v, want %v", a[0], a[1], got, want)
			}
		}
	}
	if got := rest.VerdictOf(context.Canceled); got != rest.Later {
		t.Errorf("what is not Discord's: %v", got)
	}
	if got := rest.VerdictOf(nil); got != rest.Taken || got.Passes() {
		t.Errorf("no error: %v", got)
	}
}

// TestWhatPassesOverTheWire has Discord answer once each in the ways that were seen for a while and then no more.
func TestWhatPassesOverTheWire(t *testing.T) {
	discord, client := clientOf(t)
	discord.ExpectFailures()
	for _, answer := range [][2]int{{http.StatusLocked, 0}, {http.StatusConflict, 0}, {http.StatusBadRequest, rest.CodeOverloaded}} {
		discord.Inject(discordtest.Fault{Method: http.MethodGet, Times: 1, Status: answer[0], Body: fmt.Sprintf(`{"code": %d, "message": "later"}`, answer[1])})
		var application struct{ ID string }
		if v := rest.VerdictOf(client.Get(t.Context(), "applications/@me", &application)); v != rest.Later || !v.Passes() {
			t.Errorf("status %d, code %d: %v", answer[0], answer[1], v)
		}
		if err := client.Get(t.Context(), "applications/@me", &application); err != nil || application.ID == "" {
			t.Errorf("afterwards: %v", err)
		}
	}
}
