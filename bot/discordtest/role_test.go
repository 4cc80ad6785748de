package discordtest_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"hostbot/bot/discordtest"
)

// pointed is an event with members and options.
type pointed struct {
	Member *struct{ Roles []string }
	User   *struct{ ID string }
	Data   struct {
		Options []struct {
			Name    string
			Value   string
			Focused bool
		}
		Resolved struct {
			Users   map[string]struct{ Username string }
			Members map[string]struct {
				Roles []string
				User  any
			}
			Roles map[string]struct{ Name string }
		}
	}
}

func (s *stage) pointed() pointed {
	s.t.Helper()
	var p pointed
	if err := json.Unmarshal(s.wire.read().Data, &p); err != nil {
		s.t.Fatal(err)
	}
	return p
}

const pointing = `[{"name":"look","description":"d","options":[{"type":6,"name":"who","description":"d"},
	{"type":8,"name":"role","description":"d"},{"type":3,"name":"bot","description":"d","autocomplete":true}]}]`

func TestRoles(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	s.register(pointing).want(t, 200, 0)
	staff, lead := s.discord.AddRole("Staff"), s.discord.AddRole("Lead")
	if again := s.discord.AddRole("Staff"); again.ID != staff.ID {
		t.Errorf("a second role Staff got the id %s, want %s", again.ID, staff.ID)
	}
	sam := s.discord.User("sam", discordtest.Roles(staff.ID))
	ben := s.discord.User("ben", discordtest.Roles(lead.ID, staff.ID))
	look := func(user *discordtest.User, options discordtest.Options) pointed {
		t.Helper()
		if _, err := user.Start("/look", options); err != nil {
			t.Fatal(err)
		}
		return s.pointed()
	}

	got := look(sam, discordtest.Options{"who": ben, "role": lead})
	if !slices.Equal(got.Member.Roles, []string{staff.ID}) {
		t.Errorf("sam has the roles %v, want %s", got.Member.Roles, staff.ID)
	}
	member := got.Data.Resolved.Members[ben.ID]
	if !slices.Equal(member.Roles, []string{lead.ID, staff.ID}) || member.User != nil || got.Data.Resolved.Users[ben.ID].Username != "ben" {
		t.Errorf("ben is described as %+v", got.Data.Resolved)
	}
	if got.Data.Resolved.Roles[lead.ID].Name != "Lead" {
		t.Errorf("the role is described as %+v", got.Data.Resolved.Roles)
	}

	sam.SetRoles()
	if got := look(sam, nil); got.Member.Roles == nil || len(got.Member.Roles) != 0 {
		t.Errorf("sam has the roles %v, want an empty list", got.Member.Roles)
	}
	inDM := look(sam.InDM(), discordtest.Options{"who": ben})
	if inDM.Member != nil || inDM.User.ID != sam.ID || len(inDM.Data.Resolved.Members) != 0 || len(inDM.Data.Resolved.Users) != 1 {
		t.Errorf("in a DM nobody is a member: %+v", inDM)
	}
}

// A completion carries what was given so far, and describes nobody.
func TestCompletionCarriesTheOtherOptions(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	s.register(pointing).want(t, 200, 0)
	ben := s.discord.User("ben")
	done := make(chan []discordtest.Choice, 1)
	go func() {
		choices, err := s.anna.Complete(limit(t), "/look", "bot", "sh", discordtest.Options{"who": ben})
		if err != nil {
			t.Error(err)
		}
		done <- choices
	}()
	p := s.wire.read()
	var e event
	var got pointed
	if err := json.Unmarshal(p.Data, &e); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(p.Data, &got); err != nil {
		t.Fatal(err)
	}
	if o := got.Data.Options; len(o) != 2 || o[0].Value != ben.ID || o[0].Focused || o[1].Value != "sh" || !o[1].Focused {
		t.Errorf("options %+v, want the user's id and what is typed", o)
	}
	if strings.Contains(string(p.Data), "resolved") {
		t.Errorf("a completion describes nobody: %s", p.Data)
	}
	s.do("POST", e.path(), `{"type":8,"data":{"choices":[{"name":"Shop","value":"1"}]}}`).want(t, 204, 0)
	if choices := <-done; len(choices) != 1 || choices[0].Name != "Shop" {
		t.Errorf("suggested %+v", choices)
	}
}
