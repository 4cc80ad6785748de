package staff_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alicebob/miniredis/v2"
	"github.com/rs/zerolog"

	"hostbot/bot/staff/incident"
	"hostbot/hostapi/redistest"
)

// FuzzIncident has Redis hold anything behind a reference. Staff see something of it, of a bounded
// size, in which what is taken for an ID is one.
func FuzzIncident(f *testing.F) {
	for _, kept := range []string{
		"", "{", "null", "[]", `{"reference":"ABC1234","user":"42","took":5}`, `{"reference":"ABC1234","user":"<@&1> @everyone"}`, `{"reference":7}`,
		`{"reference":"ABC1234","at":"2026-13-45T00:00:00Z"}`, `{"reference":"ABC1234","detail":"` + strings.Repeat("x", 5000) + `"}`, "\xff\x00",
	} {
		f.Add(kept)
	}
	server, err := miniredis.Run()
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(server.Close)
	store := incident.New(redistest.Connect(f, "redis://"+server.Addr()), "", "1", zerolog.Nop())
	id := regexp.MustCompile(`^\d{0,20}$`)
	f.Fuzz(func(t *testing.T, kept string) {
		if err := server.Set("hostbot:reference:ABC1234", kept); err != nil {
			t.Fatal(err)
		}
		got, err := store.Incident(t.Context(), "ABC1234")
		if err != nil || got.Reference != "ABC1234" {
			t.Fatalf("%+v, %v", got, err)
		}
		for _, one := range []string{got.UserID, got.CustomerID, got.GuildID, got.ChannelID, got.InteractionID} {
			if !id.MatchString(one) {
				t.Errorf("%q is no ID", one)
			}
		}
		if utf8.RuneCountInString(got.Detail) > 1000 || utf8.RuneCountInString(got.Answer) > 1000 {
			t.Errorf("%d and %d bytes are shown", len(got.Detail), len(got.Answer))
		}
	})
}
