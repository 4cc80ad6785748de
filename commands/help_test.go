package commands_test

import (
	"testing"
)

func TestHelpListsEveryCommand(t *testing.T) {
	c := newCommands(t, &world{})
	before := must(t)(ask(t, c, command("help", nil)))
	wantText(t, before.Message, "`/bot list` · See all your bots", "`/plan` · ", "`/help` · ")

	turkish := command("help", nil)
	turkish.Locale = "tr"
	wantText(t, must(t)(ask(t, c, turkish)).Message, "`/bot listele` · Tüm botlarını", "`/plan` · ", "`/yardım` · ")

	c.Registered(map[string]string{"bot": "11", "plan": "12", "help": "13"})
	german := command("help", nil)
	german.Locale = "de"
	after := must(t)(ask(t, c, german))
	for _, d := range c.Definitions() {
		for _, o := range d.Options {
			wantText(t, after.Message, "</bot "+o.Name+":11> · "+o.DescriptionLocalizations["de"])
		}
	}
	wantText(t, after.Message, "</plan:12> · ", "</help:13> · ", "Meine Antworten siehst nur du")
	sendable(t, after)
}
