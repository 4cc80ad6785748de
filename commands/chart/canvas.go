package chart

import (
	"cmp"
	"image"
	"slices"
	"strconv"
	"time"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"

	"hostbot/bot/watch/history"
)

// canvas is a picture that is being drawn.
type canvas struct {
	*image.Paletted
	bold, regular font.Face
	words         Words
}

// The shades in which text is written, and what is not known is drawn.
const (
	white = shades - 1
	pale  = shades * 2 / 3
	faint = shades / 5
)

// day is a calendar day as the picture counts it.
const day = 24 * time.Hour

// title writes over a part of the picture which time it shows, and the share.
func (c canvas) title(length time.Duration, uptime string, top int) {
	c.text(c.bold, white, margin, top+titleBase, c.words.Length(length))
	c.text(c.bold, white, width-margin-c.measure(c.bold, uptime), top+titleBase, uptime)
}

// strip draws a strip whose upper edge is at top.
func (c canvas) strip(s Strip, top int) {
	c.title(s.To.Sub(s.From), s.Uptime, top)
	c.bar(Unknown, margin, width-margin, top, barHeight)
	var out []history.Stretch
	for _, stretch := range s.Stretches {
		if !stretch.From.Before(s.To) || !stretch.To.After(s.From) {
			continue
		}
		if stretch.Kind == history.Out {
			out = append(out, stretch)
			continue
		}
		c.bar(OfKind(stretch.Kind), s.x(stretch.From), s.x(stretch.To), top, barHeight)
	}
	for _, stretch := range out { // after the rest, of which they take some where they are short
		from, to := s.x(stretch.From), s.x(stretch.To)
		from = min(from, max(margin, min((from+to-outWidth)/2, width-margin-outWidth)))
		c.bar(Out, from, max(to, from+outWidth), top, barHeight)
	}
	c.marks(s, out, top)
	if s.To.Sub(s.From) > day {
		c.dates(s, top)
	} else {
		c.hours(s, top)
	}
}

// x returns where a time is in a strip.
func (s Strip) x(at time.Time) int {
	share := float64(at.Sub(s.From)) / float64(s.To.Sub(s.From))
	return margin + int(min(max(share, 0), 1)*(width-2*margin)+0.5)
}

// bar draws something as high as what has its colour, where what is down has a height of tall.
func (c canvas) bar(color Color, from, to, top, tall int) {
	bottom := top + barTop + barHeight
	c.fill(image.Rect(from, bottom-tall, to, bottom), 0)
	if bar := image.Rect(from, bottom-color.height(tall), to, bottom); color == Unknown {
		c.hatch(bar)
	} else {
		c.fill(bar, color.index())
	}
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

// days draws a bar for each day.
func (c canvas) days(p Picture, top int) {
	c.title(time.Duration(len(p.Days))*day, p.Uptime, top)
	left := func(i int) int { return margin + (width-2*margin+dayGap)*i/len(p.Days) }
	row := c.row(top)
	for i, d := range p.Days {
		c.bar(OfGrade(d.Grade()), left(i), left(i+1)-dayGap, top, dayHeight)
	}
	last := len(p.Days) - 1
	row.now((left(last)+left(last+1)-dayGap)/2, c.words.Date(p.Days[last].From))
	for i := last - 7; i >= 0; i -= 7 {
		row.tick((left(i)+left(i+1)-dayGap)/2, c.words.Date(p.Days[i].From))
	}
}

// marks writes above outages how long they were: above the longest first, and then
// above those that have the room.
func (c canvas) marks(s Strip, out []history.Stretch, top int) {
	out = slices.Clone(out)
	slices.SortStableFunc(out, func(one, other history.Stretch) int {
		return cmp.Compare(other.To.Sub(other.From), one.To.Sub(one.From))
	})
	var taken spaces
	for _, stretch := range out {
		text := c.words.Length(stretch.To.Sub(stretch.From))
		if from, free := taken.take((s.x(stretch.From)+s.x(stretch.To))/2, c.measure(c.regular, text)); free {
			c.text(c.regular, white, from, top+markBase, text)
		}
	}
}

// hours writes below a strip of a day how many hours ago it was.
func (c canvas) hours(s Strip, top int) {
	row := c.row(top)
	row.now(width-margin, "0")
	all := s.To.Sub(s.From)
	for ago := all / 4; ago <= all; ago += all / 4 {
		row.tick(s.x(s.To.Add(-ago)), "−"+c.words.Length(ago))
	}
}

// dates writes below a strip of several days where each begins.
func (c canvas) dates(s Strip, top int) {
	row := c.row(top)
	today := s.To.UTC().Truncate(day)
	row.now(width-margin, "") // dates say it as well
	for at := today; !at.Before(s.From); at = at.Add(-day) {
		row.tick(s.x(at), c.words.Date(at))
	}
}

// row is a line of times below bars.
type row struct {
	canvas
	top   int
	taken *spaces
}

func (c canvas) row(top int) row { return row{c, top, new(spaces)} }

// now writes at the end of a row that it is now; in a language that the fonts have not, what
// stands for it, if anything.
func (r row) now(x int, instead string) { r.write(white, x, cmp.Or(r.words.Now, instead)) }

// tick writes when a place of a row was, if there is room.
func (r row) tick(x int, text string) { r.write(pale, x, text) }

func (r row) write(shade, x int, text string) {
	if text == "" {
		return
	}
	from, free := r.taken.take(x, r.measure(r.regular, text))
	if !free {
		return
	}
	x = min(x, width-margin-2)
	r.fill(image.Rect(x, r.top+barTop+barHeight+3, x+2, r.top+barTop+barHeight+9), uint8(shade))
	r.text(r.regular, shade, from, r.top+tickBase, text)
}

// spaces are what texts of a line take.
type spaces [][2]int

// take returns where a text begins whose middle is as near to x as the picture's edges allow, if
// that place is free.
func (s *spaces) take(x, wide int) (from int, free bool) {
	from = min(max(margin, x-wide/2), width-margin-wide)
	if slices.ContainsFunc(*s, func(t [2]int) bool { return from < t[1]+12 && t[0] < from+wide+12 }) {
		return 0, false
	}
	*s = append(*s, [2]int{from, from + wide})
	return from, true
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
