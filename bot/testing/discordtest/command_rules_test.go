package discordtest_test

import (
	"testing"

	"hostbot/bot/testing/discordtest"
)

func TestRefusedCommands(t *testing.T) {
	c := start(t, discordtest.Config{NoRateLimits: true})
	c.discord.ExpectFailures()
	named := func(name string) string { return `[{"name":"` + name + `","description":"d"}]` }
	options := func(list string) string { return `[{"name":"a","description":"d","options":` + list + `}]` }
	option := func(rest string) string { return options(`[{"name":"o","description":"d",` + rest + `}]`) }
	const (
		text = `{"type":3,"name":"%","description":"d"}`
		one  = `{"type":3,"name":"o","description":"d"}`
	)

	for name, tc := range map[string]struct{ body, path string }{
		"no name":                  {`[{"description":"d"}]`, "0.name"},
		"long name":                {named(x(33)), "0.name"},
		"space":                    {named("a b"), "0.name"},
		"upper case":               {named("Bot"), "0.name"},
		"no description":           {`[{"name":"a"}]`, "0.description"},
		"long description":         {`[{"name":"a","description":"` + x(101) + `"}]`, "0.description"},
		"two of a name":            {`[{"name":"a","description":"d"},{"name":"a","description":"d"}]`, "1.name"},
		"locale":                   {`[{"name":"a","description":"d","name_localizations":{"en":"a"}}]`, "0.name_localizations.en"},
		"apostrophe":               {named("isn't"), "0.name"},
		"localised name":           {`[{"name":"a","description":"d","name_localizations":{"de":"A"}}]`, "0.name_localizations"},
		"long localised name":      {`[{"name":"a","description":"d","name_localizations":{"de":"` + x(33) + `"}}]`, "0.name_localizations.de"},
		"option's localised name":  {option(`"type":3,"name_localizations":{"fr":"l'un"}`), "0.options.0.name_localizations.fr"},
		"localised description":    {`[{"name":"a","description":"d","description_localizations":{"de":"` + x(101) + `"}}]`, "0.description_localizations.de"},
		"permissions":              {`[{"name":"a","description":"d","default_member_permissions":"all"}]`, "0.default_member_permissions"},
		"no contexts":              {`[{"name":"a","description":"d","contexts":[]}]`, "0.contexts"},
		"no integration types":     {`[{"name":"a","description":"d","integration_types":[]}]`, "0.integration_types"},
		"menu: no name":            {`[{"type":2}]`, "0.name"},
		"menu: long name":          {`[{"type":2,"name":"` + x(33) + `"}]`, "0.name"},
		"menu: long local name":    {`[{"type":3,"name":"a","name_localizations":{"de":"` + x(33) + `"}}]`, "0.name_localizations.de"},
		"menu: locale":             {`[{"type":2,"name":"a","name_localizations":{"en":"a"}}]`, "0.name_localizations.en"},
		"menu: description":        {`[{"type":2,"name":"a","description":"d"}]`, "0.description"},
		"menu: local description":  {`[{"type":2,"name":"a","description_localizations":{"de":"d"}}]`, "0.description"},
		"menu: options":            {`[{"type":2,"name":"a","options":[` + text + `]}]`, "0.options"},
		"menu: two of a name":      {`[{"type":2,"name":"a"},{"type":2,"name":"a"}]`, "1.name"},
		"menu: 16 for users":       {many(16, `{"type":2,"name":"%"}`), ""},
		"26 options":               {options(many(26, text)), "0.options"},
		"two options of a name":    {options(`[` + one + `,` + one + `]`), "0.options.1.name"},
		"required last":            {options(`[{"type":3,"name":"a","description":"d"},{"type":3,"name":"b","description":"d","required":true}]`), "0.options.1.required"},
		"mixed with subcommands":   {options(`[{"type":3,"name":"a","description":"d"},{"type":1,"name":"b","description":"d"}]`), "0.options"},
		"subcommand in subcommand": {option(`"type":1,"options":[{"type":1,"name":"g","description":"d"}]`), "0.options.0.options.0.type"},
		"26 choices":               {option(`"type":3,"choices":` + many(26, `{"name":"%","value":"v"}`)), "0.options.0.choices"},
		"choices and autocomplete": {option(`"type":3,"autocomplete":true,"choices":[{"name":"n","value":"v"}]`), "0.options.0.autocomplete"},
		"choice's value":           {option(`"type":3,"choices":[{"name":"n","value":"` + x(101) + `"}]`), "0.options.0.choices.0.value"},
		"two choices of a name":    {option(`"type":3,"choices":[{"name":"n","value":"v"},{"name":"n","value":"w"}]`), "0.options.0.choices.1.name"},
		"min_length":               {option(`"type":3,"min_length":6001`), "0.options.0.min_length"},
		"101 commands":             {many(101, `{"name":"b%","description":"d"}`), ""},
		"8,000 characters":         {options(many(25, `{"type":3,"name":"o%","description":"`+x(100)+`","choices":[{"name":"`+x(100)+`","value":"`+x(100)+`"},{"name":"n","value":"`+x(25)+`"}]}`)), "0"},
	} {
		t.Run(name, func(t *testing.T) {
			c.register(tc.body).refusedAt(t, tc.path)
		})
	}
	if n := len(c.discord.Commands()); n != 0 {
		t.Errorf("%d commands were registered", n)
	}
}
