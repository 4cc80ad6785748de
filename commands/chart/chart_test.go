package chart_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"testing"
	"time"

	"hostbot/commands/chart"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

// strip is a strip that ends now.
func strip(length time.Duration, uptime string, spans ...chart.Span) chart.Strip {
	return chart.Strip{From: now.Add(-length), To: now, Uptime: uptime, Spans: spans}
}

// span is a span between two times ago.
func span(kind chart.Kind, from, to time.Duration) chart.Span {
	return chart.Span{From: now.Add(-from), To: now.Add(-to), Kind: kind}
}

// full is a picture with everything that pictures have.
func full() []chart.Strip {
	spans := []chart.Span{
		span(chart.Running, 25*day, 20*day), span(chart.Out, 20*day, 19*day), span(chart.Running, 19*day, 12*day),
		span(chart.Running, 11*day, 5*day), span(chart.Out, 5*day, 5*day-3*time.Hour), span(chart.Running, 5*day-3*time.Hour, 3*day),
		span(chart.Stopped, 3*day, 2*day), span(chart.Changing, 2*day, 2*day-time.Minute), span(chart.Running, 2*day-time.Minute, 8*time.Hour),
		span(chart.Out, 8*time.Hour, 8*time.Hour-12*time.Minute), span(chart.Changing, 8*time.Hour-12*time.Minute, 8*time.Hour-40*time.Minute),
		span(chart.Running, 8*time.Hour-40*time.Minute, 30*time.Minute), span(chart.Out, 30*time.Minute, 0),
	}
	return []chart.Strip{strip(day, "97.1 %", spans...), strip(7*day, "96.9 %", spans...), strip(30*day, "95.02 %", spans...)}
}

// symbols are units as English has them.
func symbols(d time.Duration) string {
	if d < time.Hour {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d h", d/time.Hour)
}

// drawn decodes a picture of strips.
func drawn(t *testing.T, strips ...chart.Strip) *image.Paletted {
	t.Helper()
	data, err := chart.Draw(symbols, strips...)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 20_000 {
		t.Errorf("the picture has %d bytes", len(data))
	}
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return decoded.(*image.Paletted)
}

// TestKindsDiffer has each kind differ from the others in its height or pattern as well
// as in its colour.
func TestKindsDiffer(t *testing.T) {
	heights := make(map[int]chart.Kind)
	colors := make(map[uint8]chart.Kind)
	for _, kind := range []chart.Kind{chart.Running, chart.Changing, chart.Stopped, chart.Out} {
		picture := drawn(t, strip(day, "", span(kind, 14*time.Hour, 10*time.Hour)))
		x, high, index := picture.Rect.Dx()/2+20, 0, uint8(0)
		for y := range picture.Rect.Dy() {
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
		picture := drawn(t, strip(30*day, "", span(chart.Running, 30*day, ago), span(chart.Out, ago, ago-time.Minute), span(chart.Running, ago-time.Minute, 0)))
		columns := make(map[int]bool)
		for i, index := range picture.Pix {
			if index == 19 {
				columns[i%picture.Stride] = true
			}
		}
		if len(columns) < 3 {
			t.Errorf("%v ago it is %d columns wide", ago, len(columns))
		}
	}
}

// The indexes of what has a colour begin with this; below are shades of the text's.
const firstColor = 16

// TestGapIsShownAsUnknown has nobody watch for some hours: there is a pattern without a
// colour, and neither a bot that runs nor one that is out.
func TestGapIsShownAsUnknown(t *testing.T) {
	picture := drawn(t, strip(day, "", span(chart.Running, 24*time.Hour, 16*time.Hour), span(chart.Running, 8*time.Hour, 0)))
	width := picture.Rect.Dx()
	for x := width * 2 / 5; x < width*3/5; x++ {
		shades, colored := make(map[uint8]bool), 0
		for y := 76; y < 124; y++ { // in the strip
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
	written := func(kind chart.Kind) (n int) {
		picture := drawn(t, strip(day, "", span(chart.Running, 24*time.Hour, 13*time.Hour), span(kind, 13*time.Hour, 11*time.Hour), span(chart.Running, 11*time.Hour, 0)))
		for y := 46; y < 74; y++ { // below the title, above the strip
			for x := range picture.Rect.Dx() {
				if index := picture.ColorIndexAt(x, y); index > 8 && index < firstColor {
					n++
				}
			}
		}
		return n
	}
	if without, with := written(chart.Stopped), written(chart.Out); without > 0 || with < 50 {
		t.Errorf("%d pixels of text without an outage, %d with one", without, with)
	}
}

func TestEverythingFits(t *testing.T) {
	picture := drawn(t, full()...)
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
	var spans []chart.Span
	for ago := 30 * day; ago > 0; ago -= 30 * time.Minute {
		spans = append(spans, span(chart.Running, ago, ago-20*time.Minute), span(chart.Out, ago-20*time.Minute, ago-30*time.Minute))
	}
	drawn(t, strip(day, "66.7 %", spans...), strip(7*day, "66.7 %", spans...), strip(30*day, "66.7 %", spans...))
}
