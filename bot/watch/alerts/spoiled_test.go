package alerts_test

import (
	"errors"
	"testing"
	"time"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
)

// TestWhatMakesNoSenseKeepsNobodyElseBack has Redis hold something of another type in the place of
// a customer's settings, or of what is known of a message. The next customer is told all the same.
func TestWhatMakesNoSenseKeepsNobodyElseBack(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		discord, client := discordtest.RunT(t), redistest.Connect(t, url)
		a, _ := start(t, discord, url, &watched{}, nil)
		now := time.Now().Truncate(time.Second)
		for name, spoiled := range map[string]struct {
			key  string // of somebody whose ID comes after it
			told bool   // whether that one is
		}{
			"settings": {"customer:", false},
			"message":  {"record:", true},
			"messages": {"of:", true},
		} {
			anna, ben := discord.User("anna "+name), discord.User("ben "+name)
			turnOn(t, a, anna)
			turnOn(t, a, ben)
			key := "hostbot:{alerts}:" + spoiled.key + anna.ID
			if name == "message" {
				key += "/shop"
			}
			if err := errors.Join(client.Del(t.Context(), key).Err(), client.RPush(t.Context(), key, "x").Err()); err != nil {
				t.Fatal(err)
			}
			tell(t, a, fell(anna, "shop", now), fell(ben, "shop", now))
			ben.InDM().Sees(t, "shop c fell")
			if spoiled.told {
				anna.InDM().Sees(t, "shop c fell")
			}
		}
	})
}
