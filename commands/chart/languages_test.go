package chart_test

import (
	"testing"
	"time"

	"hostbot/commands/chart"
	"hostbot/locale"
)

// TestPictureIsReadInEachLanguage finds no letter that the fonts have not: units are written in the
// scripts that they have, and by symbols in the others.
func TestPictureIsReadInEachLanguage(t *testing.T) {
	texts, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	bySymbols := map[string]bool{"hi": true, "ja": true, "ko": true, "th": true, "vi": true, "zh-CN": true, "zh-TW": true}
	for _, name := range locale.DiscordLocales() {
		t.Run(name, func(t *testing.T) {
			words := texts.For(name)
			units := func(d time.Duration) string { return words.DurationWithin(d, time.Minute) }
			all := true
			for _, d := range []time.Duration{time.Minute, 12 * time.Minute, 3 * time.Hour, day, 2 * day, 7 * day, 30 * day} {
				all = all && chart.Readable(units(d))
			}
			if all == bySymbols[name] {
				t.Errorf("all units are readable: %t", all)
			}
			if share := words.Share(0.9987); !chart.Readable(share) {
				t.Errorf("the share %q is not readable", share)
			}
			strips := full()
			for i := range strips {
				strips[i].Uptime = words.Share(0.9987)
			}
			if data, err := chart.Draw(units, strips...); err != nil || len(data) == 0 {
				t.Errorf("%d bytes (%v)", len(data), err)
			}
		})
	}
	if !chart.Readable("99,8\u202f%") || chart.Readable("時間") {
		t.Error("a narrow space is not readable, or a script is that the fonts have not")
	}
}
