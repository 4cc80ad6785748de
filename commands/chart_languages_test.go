package commands_test

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
			date := func(t time.Time) string {
				return words.Format("history.date", locale.Args{"Month": int(t.Month()), "Day": t.Day()})
			}
			if !chart.Readable(date(now)) {
				t.Errorf("the date %q is not readable", date(now))
			}
			picture := full()
			picture.Uptime = words.Share(0.9987)
			if data, err := chart.Draw(picture, chart.Words{Length: units, Date: date, Now: words.Text("history.now")}); err != nil || len(data) == 0 {
				t.Errorf("%d bytes (%v)", len(data), err)
			}
		})
	}
	if !chart.Readable("99,8\u202f%") || chart.Readable("時間") {
		t.Error("a narrow space is not readable, or a script is that the fonts have not")
	}
}

// TestUnreadableWordsAreNotDrawn draws numbers where the fonts have not the letters of a language, and
// nothing that looks like a mistake.
func TestUnreadableWordsAreNotDrawn(t *testing.T) {
	draw := func(w chart.Words) string {
		t.Helper()
		data, err := chart.Draw(full(), w)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	japanese := chart.Words{
		Length: func(time.Duration) string { return "時間" }, Date: func(time.Time) string { return "11月25日" }, Now: "今",
	}
	numbers := japanese
	numbers.Date, numbers.Now = func(t time.Time) string { return t.Format("01-02") }, ""
	if draw(japanese) != draw(numbers) || draw(japanese) == draw(english()) {
		t.Error("letters are drawn that the fonts have not, or a word is not drawn that they have")
	}
}
