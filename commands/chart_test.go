package commands_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"testing"
	"time"

	"hostbot/bot/watch/history"
	"hostbot/commands/chart"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

// strip is a strip that ends now.
func strip(length time.Duration, uptime string, spans ...history.Stretch) chart.Strip {
	return chart.Strip{From: now.Add(-length), To: now, Uptime: uptime, Stretches: spans}
}

// span is a span between two times ago.
func span(kind history.Kind, from, to time.Duration) history.Stretch {
	return history.Stretch{From: now.Add(-from), To: now.Add(-to), Kind: kind}
}

// full is a picture with everything that pictures have.
func full() chart.Picture {
	spans := []history.Stretch{
		span(history.Running, 25*day, 20*day), span(history.Out, 20*day, 19*day), span(history.Running, 19*day, 12*day),
		span(history.Running, 11*day, 5*day), span(history.Out, 5*day, 5*day-3*time.Hour), span(history.Running, 5*day-3*time.Hour, 3*day),
		span(history.Stopped, 3*day, 2*day), span(history.Changing, 2*day, 2*day-time.Minute), span(history.Running, 2*day-time.Minute, 8*time.Hour),
		span(history.Out, 8*time.Hour, 8*time.Hour-12*time.Minute), span(history.Changing, 8*time.Hour-12*time.Minute, 8*time.Hour-40*time.Minute),
		span(history.Running, 8*time.Hour-40*time.Minute, 30*time.Minute), span(history.Out, 30*time.Minute, 0),
	}
	return chart.Picture{Strips: []chart.Strip{strip(day, "97.1 %", spans...), strip(7*day, "96.9 %", spans...)}, Days: daysOf(spans), Uptime: "95.02 %"}
}

// daysOf returns the thirty days of stretches that end now.
func daysOf(stretches []history.Stretch) []history.Day {
	days := make([]history.Day, history.ShownDays)
	for i := range days {
		from := now.Truncate(day).AddDate(0, 0, i+1-len(days))
		days[i] = history.Day{From: from, Tally: history.TallyOf(stretches, from, from.Add(day))}
	}
	return days
}

// english writes as English does.
func english() chart.Words {
	return chart.Words{Length: symbols, Date: func(t time.Time) string { return t.Format("1/2") }, Now: "now"}
}

// symbols are units as English has them.
func symbols(d time.Duration) string {
	if d < time.Hour {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d h", d/time.Hour)
}

// stripsDrawn decodes a picture of strips.
func stripsDrawn(t *testing.T, strips ...chart.Strip) *image.Paletted {
	t.Helper()
	return decoded(t, chart.Picture{Strips: strips})
}

func decoded(t *testing.T, p chart.Picture) *image.Paletted {
	t.Helper()
	data, err := chart.Draw(p, english())
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 20_000 {
		t.Errorf("the picture has %d bytes", len(data))
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return picture.(*image.Paletted)
}

// TestKindsDiffer has each kind differ from the others in its height or pattern as well
// as in its colour.
func TestKindsDiffer(t *testing.T) {
	heights := make(map[int]history.Kind)
	colors := make(map[uint8]history.Kind)
	for _, kind := range []history.Kind{history.Running, history.Changing, history.Stopped, history.Out} {
		picture := stripsDrawn(t, strip(day, "", span(kind, 14*time.Hour, 10*time.Hour)))
		x, high, index := picture.Rect.Dx()/2+20, 0, uint8(0)
		for y := range 140 { // with the strip, and no other
			if c := picture.ColorIndexAt(x, y); c >= 16 { // no shade of grey
				high, index = high+1, c
			}
		}
		if other, there := heights[high]; there || high == 0 {
			t.Errorf("%d is as high as %d: %d", kind, other, high)
		}
		if other, there := colors[index]; there {
			t.Errorf("%d has the colour of %d", kind, other)
		}
		heights[high], colors[index] = kind, kind
	}
}

// TestShortOutageIsSeen has an outage of a minute be seen among 30 days.
func TestShortOutageIsSeen(t *testing.T) {
	for _, ago := range []time.Duration{30 * day, 15 * day, time.Minute} {
		picture := stripsDrawn(t, strip(30*day, "", span(history.Running, 30*day, ago), span(history.Out, ago, ago-time.Minute), span(history.Running, ago-time.Minute, 0)))
		columns := make(map[int]bool)
		for i, index := range picture.Pix {
			if index == firstColor+3 {
				columns[i%picture.Stride] = true
			}
		}
		if len(columns) < 8 { // half of that on a screen, and 3 pixels on a phone
			t.Errorf("%v ago it is %d columns wide", ago, len(columns))
		}
	}
}

// The indexes of what has a colour begin with this; below are shades of the text's.
const firstColor = 16

// TestGapIsShownAsUnknown has nobody watch for some hours: there is a pattern without a
// colour, and neither a bot that runs nor one that is out.
func TestGapIsShownAsUnknown(t *testing.T) {
	picture := stripsDrawn(t, strip(day, "", span(history.Running, 24*time.Hour, 16*time.Hour), span(history.Running, 8*time.Hour, 0)))
	width := picture.Rect.Dx()
	for x := width * 2 / 5; x < width*3/5; x++ {
		shades, colored := make(map[uint8]bool), 0
		for y := 102; y < 130; y++ { // in the strip
			index := picture.ColorIndexAt(x, y)
			shades[index] = true
			if index >= firstColor {
				colored++
			}
		}
		if colored > 0 || len(shades) < 2 {
			t.Fatalf("column %d has %d pixels of a colour and %d shades", x, colored, len(shades))
		}
	}
}

// TestOutageHasItsLength compares the line above a strip with and without an outage.
func TestOutageHasItsLength(t *testing.T) {
	written := func(kind history.Kind) (n int) {
		picture := stripsDrawn(t, strip(day, "", span(history.Running, 24*time.Hour, 13*time.Hour), span(kind, 13*time.Hour, 11*time.Hour), span(history.Running, 11*time.Hour, 0)))
		for y := 50; y < 78; y++ { // below the title, above the strip
			for x := range picture.Rect.Dx() {
				if index := picture.ColorIndexAt(x, y); index > 8 && index < firstColor {
					n++
				}
			}
		}
		return n
	}
	if without, with := written(history.Stopped), written(history.Out); without > 0 || with < 50 {
		t.Errorf("%d pixels of text without an outage, %d with one", without, with)
	}
}

func TestEverythingFits(t *testing.T) {
	picture := decoded(t, full())
	for _, edge := range []image.Rectangle{
		{Max: image.Pt(20, picture.Rect.Max.Y)}, {Min: image.Pt(picture.Rect.Max.X-20, 0), Max: picture.Rect.Max},
	} {
		for y := edge.Min.Y; y < edge.Max.Y; y++ {
			for x := edge.Min.X; x < edge.Max.X; x++ {
				if picture.ColorIndexAt(x, y) != 0 {
					t.Fatalf("something is drawn at %d, %d", x, y)
				}
			}
		}
	}
}

// TestRestlessBotStaysSmall draws a bot that has crashed every half hour for 30 days.
func TestRestlessBotStaysSmall(t *testing.T) {
	var spans []history.Stretch
	for ago := 30 * day; ago > 0; ago -= 30 * time.Minute {
		spans = append(spans, span(history.Running, ago, ago-20*time.Minute), span(history.Out, ago-20*time.Minute, ago-30*time.Minute))
	}
	decoded(t, chart.Picture{Strips: []chart.Strip{strip(day, "66.7 %", spans...), strip(7*day, "66.7 %", spans...)}, Days: daysOf(spans), Uptime: "66.7 %"})
}

// TestDaysHaveTheirGrades finds thirty bars, each in the colour of its day and, where there was an
// outage, as high as nothing else.
func TestDaysHaveTheirGrades(t *testing.T) {
	spans := []history.Stretch{
		span(history.Running, 20*day, 10*day), span(history.Out, 10*day, 10*day-10*time.Minute), span(history.Running, 10*day-10*time.Minute, 5*day),
		span(history.Out, 5*day, 5*day-3*time.Hour), span(history.Running, 5*day-3*time.Hour, 4*day), span(history.Stopped, 4*day, day), span(history.Running, day, 0),
	}
	picture := decoded(t, chart.Picture{Days: daysOf(spans)})
	type bar struct {
		index uint8
		high  int
	}
	var bars []bar
	inGap := true
	for x := range picture.Rect.Dx() {
		b := bar{}
		for y := 50; y < 140; y++ {
			if c := picture.ColorIndexAt(x, y); c >= firstColor {
				b = bar{c, b.high + 1}
			}
		}
		if inGap && b.high > 0 {
			bars = append(bars, b)
		}
		inGap = b.high == 0
	}
	if len(bars) != 21 { // nine days are not known
		t.Fatalf("there are %d bars: %v", len(bars), bars)
	}
	up, short, long, stopped := bars[0], bars[10], bars[15], bars[18]
	if up.index == short.index || short.index == long.index || long.index == stopped.index || short.high != long.high || up.high >= long.high || stopped.high >= up.high {
		t.Errorf("up %v, short %v, long %v, stopped %v", up, short, long, stopped)
	}
}
