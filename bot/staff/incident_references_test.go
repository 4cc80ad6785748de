package staff_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/staff/incident"
	"hostbot/hostapi"
)

func TestEqualFailuresWithinAMinuteShareAReference(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, n := incident.NewReferences(), 0
		meet := func(user string, err error) string {
			n++
			r := &interaction.Request{UserID: user, Reference: fmt.Sprint("REF", n)}
			s.Meet(r, err)
			s.Meet(r, errors.New("what comes of it"))
			if told := s.Staff(r); told.Reference != s.Shown(r.Reference) || told.UserID != user {
				t.Errorf("staff are told of %+v", told)
			}
			return s.Shown(r.Reference)
		}
		away := &hostapi.Error{Op: hostapi.OpList, Code: hostapi.CodeUnavailable, Status: 503}
		for i, test := range []struct {
			user  string
			err   error
			want  string
			after time.Duration
		}{
			{"42", away, "REF1", 0},
			{"42", fmt.Errorf("wrapped: %w", &hostapi.Error{Op: hostapi.OpList, Code: hostapi.CodeUnavailable, Status: 502}), "REF1", 0},
			{"43", away, "REF3", 0},
			{"42", &hostapi.Error{Code: hostapi.CodeUnauthorized}, "REF4", 0},
			{"42", errors.New("no room at 0x17"), "REF5", 0},
			{"42", errors.New("no room at 0x18"), "REF5", 0},
			{"42", errors.New("no door"), "REF7", 0},
			{"42", away, "REF1", 59 * time.Second},
			{"42", away, "REF9", time.Second}, // a minute after the first
			{"42", away, "REF9", 59 * time.Second},
			{"42", away, "REF11", time.Hour},
			{"42", &hostapi.Error{Op: hostapi.OpRestart, Code: hostapi.CodeUnavailable}, "REF12", 0},
			{"42", &hostapi.Error{Op: hostapi.OpRestart, Code: hostapi.CodeUnavailable, Uncertain: true}, "REF13", 0},
		} {
			time.Sleep(test.after)
			if got := meet(test.user, test.err); got != test.want {
				t.Errorf("failure %d is shown as %s, want %s", i+1, got, test.want)
			}
		}
	})
}

func TestAReferenceIsShownForAsLongAsItsInteractionLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := incident.NewReferences(), errors.New("away")
		s.Meet(&interaction.Request{UserID: "42", Reference: "A"}, err)
		s.Meet(&interaction.Request{UserID: "42", Reference: "B"}, err)
		for i := range 14 {
			time.Sleep(time.Minute)
			s.Meet(&interaction.Request{UserID: "43", Reference: fmt.Sprint("C", i)}, err)
		}
		if got := s.Shown("B"); got != "A" {
			t.Errorf("it is shown as %s, want A", got)
		}
		if got := (*incident.References)(nil).Shown("D"); got != "D" {
			t.Errorf("without any it is shown as %s", got)
		}
	})
}
