package discordtest_test

import (
	"sync"
	"testing"

	"hostbot/bot/discordtest"
)

func TestAUserChangesTheLanguage(t *testing.T) {
	discord := discordtest.RunT(t)
	newClient(t, discord).register(`[{"name":"plan","description":"x","name_localizations":{"de":"tarif"}}]`)
	discord.ExpectFailures() // nobody answers
	anna := discord.User("anna")
	anna.SetLocale("de")
	if _, err := anna.Start("/tarif", nil); err != nil {
		t.Errorf("the name in the new language: %v", err)
	}
	var acting sync.WaitGroup
	acting.Go(func() { anna.SetLocale("en-US") })
	acting.Go(func() {
		if _, err := anna.Start("/plan", nil); err != nil {
			t.Error(err)
		}
	})
	acting.Wait()
}
