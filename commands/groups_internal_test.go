package commands

import (
	"context"
	"errors"
	"regexp"
	"testing"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

// offersAll is a hosting service with every operation. No test here gets as far as to use one.
type offersAll struct{ Hosting }

func (offersAll) Offers(hostapi.Operation) bool { return true }

// requestsOf returns a request for each route of a table.
func requestsOf(table []command) (requests []interaction.Request) {
	named := func(pattern string) string { return regexp.MustCompile(`\{[^}]+\}`).ReplaceAllString(pattern, "42") }
	for _, cmd := range table {
		requests = append(requests, interaction.Request{Kind: interaction.Command, Name: cmd.name})
		for _, o := range cmd.options {
			if o.complete != nil {
				requests = append(requests, interaction.Request{Kind: interaction.Autocomplete, Name: cmd.name, Focused: o.name})
			}
		}
		for _, r := range cmd.components {
			requests = append(requests, interaction.Request{Kind: interaction.Component, Name: named(r.pattern)})
		}
		for _, r := range cmd.modals {
			requests = append(requests, interaction.Request{Kind: interaction.Modal, Name: named(r.pattern)})
		}
	}
	return requests
}

// TestEveryRouteOfStaffsIsClosedToOthers uses each of them as a member of staff's guild who is
// not staff, and as staff in another guild.
func TestEveryRouteOfStaffsIsClosedToOthers(t *testing.T) {
	c := New(Config{Hosting: offersAll{}, Staff: Staff{GuildID: "7", UserIDs: []string{"1"}, RoleIDs: []string{"5"}}})
	router := interaction.NewRouter()
	c.Route(router)
	if err := router.Err(); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, g := range c.table() {
		if !g.staff {
			continue
		}
		for _, r := range requestsOf(g.commands) {
			for _, caller := range []struct{ guild, user string }{{"7", "2"}, {"8", "1"}, {"", "1"}} {
				r.GuildID, r.UserID, r.CustomerID = caller.guild, caller.user, caller.user
				response, err := router.Route(&r)(t.Context(), &r)
				if _, ok := errors.AsType[*refusal](err); !ok || response.Form != 0 || response.Then != nil {
					t.Errorf("%s %q of user %s in guild %q: %+v, %v", r.Kind, r.Name, caller.user, caller.guild, response, err)
				}
				if audited := response.Audit != nil && response.Audit.Refused; audited != (r.Kind != interaction.Autocomplete) {
					t.Errorf("%s %q: the log channel tells of the refusal: %v", r.Kind, r.Name, audited)
				}
			}
			seen++
		}
	}
	if seen < 20 {
		t.Errorf("%d routes were tried", seen)
	}
}

// TestACommandOfWhichNothingSaysWhoMayUseItIsClosed has a group be added that does not say it.
func TestACommandOfWhichNothingSaysWhoMayUseItIsClosed(t *testing.T) {
	act := func(_ context.Context, r *interaction.Request) (interaction.Response, error) {
		t.Errorf("%s %q is served", r.Kind, r.Name)
		return interaction.Keep(), nil
	}
	forgotten := group{commands: []command{{
		name: "bot explode", handle: act, options: []option{{name: optionBot, complete: act}},
		components: []route{{"explode/" + anyBot, act}}, modals: []route{{"explode/" + anyBot, act}},
	}}}
	router := interaction.NewRouter()
	forgotten.route(router.Group(forgotten.admit))
	for _, r := range requestsOf(forgotten.commands) {
		r.UserID, r.CustomerID = "42", "42"
		if _, err := router.Route(&r)(t.Context(), &r); !errors.Is(err, interaction.ErrClosed) {
			t.Errorf("%s %q: %v", r.Kind, r.Name, err)
		}
	}
	if !errors.Is(router.Err(), interaction.ErrClosed) {
		t.Errorf("the program would start: %v", router.Err())
	}
}
