package register_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"hostbot/bot/register"
)

// registry holds what is registered, as JSON like Discord's, and counts writes.
type registry struct {
	registered string
	err        error
	writes     int
}

func (r *registry) Commands(_ context.Context, _, _ string, out any) error {
	if r.err != nil {
		return r.err
	}
	return json.Unmarshal([]byte(r.registered), out)
}

func (r *registry) OverwriteCommands(_ context.Context, _, _ string, commands, out any) error {
	r.writes++
	text, err := json.Marshal(commands)
	if err != nil {
		return err
	}
	// Discord's answer has IDs.
	r.registered = strings.NewReplacer(`"name":"bot","`, `"id":"1","name":"bot","`, `"name":"plan","`, `"id":"2","name":"plan","`).Replace(string(text))
	return json.Unmarshal([]byte(r.registered), out)
}

func commands() []register.Command {
	return []register.Command{
		{
			Type: register.ChatInput, Name: "bot", Description: "Your bots",
			IntegrationTypes: []int{register.OnGuild, register.OnUser}, Contexts: []int{register.InGuild, register.InBotDM, register.InPrivateChannel},
			Options: []register.Option{{
				Type: register.Subcommand, Name: "show", Description: "Show one",
				NameLocalizations: map[string]string{"de": "zeigen"},
				Options:           []register.Option{{Type: register.String, Name: "bot", Description: "Which", Required: true, Autocomplete: true}},
			}},
		},
		{
			Type: register.ChatInput, Name: "plan", Description: "Your plan", IntegrationTypes: []int{register.OnGuild},
			DefaultMemberPermissions: register.ManageGuild,
			Options: []register.Option{{
				Type: register.String, Name: "do", Description: "What", Choices: []register.Choice{{Name: "Start", NameLocalizations: map[string]string{"de": "Starten"}, Value: "start"}},
			}},
		},
		{Type: register.OnAUser, Name: "Hosted bots", IntegrationTypes: []int{register.OnGuild}},
	}
}

// As Discord tells it: in its own order, with fields of its own and null for
// what is not set.
const asDiscordHasIt = `[
	{"id":"3","application_id":"1","version":"9","type":2,"name":"Hosted bots","description":"","integration_types":[0]},
	{"id":"2","application_id":"1","version":"9","type":1,"name":"plan","description":"Your plan","name_localizations":null,
	 "default_member_permissions":"32","nsfw":false,"contexts":null,"integration_types":[0],"options":[
		{"type":3,"name":"do","description":"What","choices":[{"name":"Start","name_localizations":{"de":"Starten"},"value":"start"}]}]},
	{"id":"1","application_id":"1","version":"9","type":1,"name":"bot","description":"Your bots",
	 "integration_types":[0,1],"contexts":[0,1,2],"options":[
		{"type":1,"name":"show","description":"Show one","name_localizations":{"de":"zeigen"},"description_localizations":null,"options":[
			{"type":3,"name":"bot","description":"Which","required":true,"autocomplete":true}]}]}]`

func TestSyncSendsOnlyWhatChanged(t *testing.T) {
	tests := map[string]struct {
		registered string
		edit       func([]register.Command)
		changed    bool
	}{
		"same":                {registered: asDiscordHasIt},
		"nothing there yet":   {registered: `[]`, changed: true},
		"description":         {asDiscordHasIt, func(c []register.Command) { c[1].Description = "Other" }, true},
		"localized name":      {asDiscordHasIt, func(c []register.Command) { c[0].Options[0].NameLocalizations["de"] = "anzeigen" }, true},
		"option not required": {asDiscordHasIt, func(c []register.Command) { c[0].Options[0].Options[0].Required = false }, true},
		"option gone":         {asDiscordHasIt, func(c []register.Command) { c[0].Options[0].Options = nil }, true},
		"context gone":        {asDiscordHasIt, func(c []register.Command) { c[0].Contexts = c[0].Contexts[:2] }, true},
		"permission gone":     {asDiscordHasIt, func(c []register.Command) { c[1].DefaultMemberPermissions = "" }, true},
		"choice changed":      {asDiscordHasIt, func(c []register.Command) { c[1].Options[0].Choices[0].Value = "stop" }, true},
		"choice named":        {asDiscordHasIt, func(c []register.Command) { c[1].Options[0].Choices[0].NameLocalizations["de"] = "Los" }, true},
		"menu renamed":        {asDiscordHasIt, func(c []register.Command) { c[2].Name = "Bots" }, true},
		"command renamed":     {asDiscordHasIt, func(c []register.Command) { c[1].Name = "tariff" }, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			want := commands()
			if test.edit != nil {
				test.edit(want)
			}
			r := &registry{registered: test.registered}
			for _, changed := range []bool{test.changed, false} { // a second start changes nothing
				ids, got, err := register.Sync(t.Context(), r, "1", "", want)
				if err != nil {
					t.Fatal(err)
				}
				if ids["bot"] != "1" {
					t.Errorf("IDs %v", ids)
				}
				if got != changed {
					t.Errorf("changed = %v, want %v", got, changed)
				}
			}
			if writes := r.writes; (writes == 1) != test.changed {
				t.Errorf("%d writes", writes)
			}
		})
	}
}

func TestSyncWritesNothingUnread(t *testing.T) {
	r := &registry{err: errors.New("no answer")}
	if _, _, err := register.Sync(t.Context(), r, "1", "", commands()); !errors.Is(err, r.err) {
		t.Errorf("error %v, want %v", err, r.err)
	}
	if r.writes != 0 {
		t.Error("commands were overwritten although those registered are not known")
	}
}

func TestAGuildsCommandsAreTheSameWithoutWhatDiscordForgets(t *testing.T) {
	forgotten := strings.NewReplacer(`"integration_types":[0,1],"contexts":[0,1,2]`, `"integration_types":[0],"contexts":null`).Replace(asDiscordHasIt)
	r := &registry{registered: forgotten}
	if _, changed, err := register.Sync(t.Context(), r, "1", "2", commands()); err != nil || changed {
		t.Errorf("changed = %v, error %v", changed, err)
	}
	other := commands()
	other[0].Description = "Other"
	if _, changed, err := register.Sync(t.Context(), r, "1", "2", other); err != nil || !changed {
		t.Fatalf("changed = %v, error %v", changed, err)
	}
	if strings.Contains(r.registered, "contexts") || strings.Contains(r.registered, "integration_types") {
		t.Errorf("sent: %s", r.registered)
	}
}
