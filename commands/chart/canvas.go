package chart

import (
	"cmp"
	"image"
	"slices"
	"strconv"
	"time"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
)

// canvas is a picture that is being drawn.
type canvas struct {
	*image.Paletted
	bold, regular font.Face
	units         Units
}

// The shades in which text is written.
const (
	white = shades - 1
	pale  = shades * 2 / 3
	faint = shades / 4
)

// day is a calendar day as the picture counts it.
const day = 24 * time.Hour

// strip draws a strip whose upper edge is at top.
func (c canvas) strip(s Strip, top int) {
	c.text(c.bold, white, margin, top+titleBase, c.units(s.To.Sub(s.From)))
	c.text(c.bold, white, width-margin-c.measure(c.bold, s.Uptime), top+titleBase, s.Uptime)
	c.hatch(image.Rect(margin, top+barTop, width-margin, top+barTop+barHeight))
	var out []Span
	for _, span := range s.Spans {
		if !span.From.Before(s.To) || !span.To.After(s.From) {
			continue
		}
		if span.Kind == Out {
			out = append(out, span)
			continue
		}
		c.bar(span.Kind, s.x(span.From), s.x(span.To), top)
	}
	for _, span := range out { // after the rest, of which they take some where they are short
		from, to := s.x(span.From), s.x(span.To)
		from = min(from, max(margin, min((from+to-outWidth)/2, width-margin-outWidth)))
		c.bar(Out, from, max(to, from+outWidth), top)
	}
	c.marks(s, out, top)
	c.ticks(s, top)
}

// x returns where a time is in a strip.
func (s Strip) x(at time.Time) int {
	share := float64(at.Sub(s.From)) / float64(s.To.Sub(s.From))
	return margin + int(min(max(share, 0), 1)*(width-2*margin)+0.5)
}

// bar draws a span as high as its kind is.
func (c canvas) bar(k Kind, from, to, top int) {
	index, high := uint8(0), 0
	switch k {
	case Running:
		index, high = runningColor, barHeight
	case Changing:
		index, high = changingColor, barHeight*3/4
	case Out:
		index, high = outColor, barHeight/2
	case Stopped:
		index, high = stoppedColor, barHeight/6
	default:
		return // which the hatching shows
	}
	bottom := top + barTop + barHeight
	c.fill(image.Rect(from, top+barTop, to, bottom-high), 0)
	c.fill(image.Rect(from, bottom-high, to, bottom), index)
}

// hatch draws what is not known.
func (c canvas) hatch(r image.Rectangle) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if (x+y)%12 < 3 {
				c.SetColorIndex(x, y, faint)
			}
		}
	}
}

func (c canvas) fill(r image.Rectangle, index uint8) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c.SetColorIndex(x, y, index)
		}
	}
}

// marks writes above outages how long they were: above the longest first, and then
// above those that have the room.
func (c canvas) marks(s Strip, out []Span, top int) {
	out = slices.Clone(out)
	slices.SortStableFunc(out, func(one, other Span) int {
		return cmp.Compare(other.To.Sub(other.From), one.To.Sub(one.From))
	})
	var taken [][2]int
	for _, span := range out {
		text := c.units(span.To.Sub(span.From))
		wide := c.measure(c.regular, text)
		from := min(max(margin, (s.x(span.From)+s.x(span.To)-wide)/2), width-margin-wide)
		to := from + wide
		if slices.ContainsFunc(taken, func(t [2]int) bool { return from < t[1]+12 && t[0] < to+12 }) {
			continue
		}
		taken = append(taken, [2]int{from, to})
		c.text(c.regular, white, from, top+markBase, text)
	}
}

// ticks writes below a strip how long ago it was, in the unit of its title.
func (c canvas) ticks(s Strip, top int) {
	all := s.To.Sub(s.From)
	step, unit := all/4, time.Hour
	switch {
	case all%(6*day) == 0:
		step, unit = all/6, day
	case all > day:
		step, unit = day, day
	}
	for ago := all; ago >= 0; ago -= step {
		text := "0" // now
		if ago > 0 {
			text = "−" + strconv.Itoa(int(ago/unit))
		}
		x, wide := s.x(s.To.Add(-ago)), c.measure(c.regular, text)
		c.fill(image.Rect(x, top+barTop+barHeight+2, x+1, top+barTop+barHeight+7), pale)
		c.text(c.regular, pale, min(max(margin, x-wide/2), width-margin-wide), top+tickBase, text)
	}
}

// symbols are the units that everybody understands: 12 min, 3 h, 7 d.
func symbols(d time.Duration) string {
	switch {
	case d <= 90*time.Minute:
		return strconv.Itoa(max(1, int(d.Round(time.Minute).Minutes()))) + " min"
	case d <= day, d < 2*day && d%day != 0:
		return strconv.Itoa(int(d.Round(time.Hour).Hours())) + " h"
	default:
		return strconv.Itoa(int(d.Round(day)/day)) + " d"
	}
}

func (c canvas) measure(f font.Face, text string) int {
	return font.MeasureString(f, plainSpaces(text)).Ceil()
}

func (c canvas) text(f font.Face, index, x, y int, text string) {
	d := font.Drawer{Dst: c, Src: image.NewUniform(c.Palette[index]), Face: f, Dot: fixed.P(x, y)}
	d.DrawString(plainSpaces(text))
}
