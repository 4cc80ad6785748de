// Package chart draws how a bot fared: a strip for each of the last spans of time, and a
// bar for each of thirty days, in a PNG.
//
// It is how an answer looks and nothing else, so it is below commands, and knows
// neither Redis nor Discord. The two fonts of the Go project have Latin, Greek and Cyrillic
// letters. Where a language has others, numbers, dates and the international symbols min, h
// and d say it; words are in the message beside the picture and in the picture's description.
//
// A picture has the colours of the squares that Discord draws for emoji, so that squares in a
// text are its key. Heights say the same again to who does not tell the colours apart: what is
// down rises above everything. The background is the picture's own, so that it reads
// alike in Discord's dark and light theme.
package chart

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"time"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"

	"hostbot/bot/watch/history"
)

// Strip is a line of the picture in which each moment has its place.
type Strip struct {
	From, To  time.Time
	Stretches []history.Stretch // in their order, without overlaps; what has none is unknown
	Uptime    string            // as the reader writes it, such as 99.8 %
}

// Picture is what is drawn: strips, and below them the days, the last of which is today.
type Picture struct {
	Strips []Strip
	Days   []history.Day
	Uptime string // of the days
}

// Words are how the reader writes what is in a picture.
type Words struct {
	Length func(time.Duration) string // "12 min", "3 h", "7 days"
	Date   func(time.Time) string     // a day without its year: "11/25"
	Now    string
}

// Sizes in pixels. Discord shows the picture with about 400 of its own pixels in width
// (https://docs.discord.com/developers/resources/message#embed-object), and a phone with 300,
// so letters have half of these sizes on a screen or less.
const (
	width    = 800
	margin   = 24
	textSize = 28
	boldSize = 36

	titleBase = 38  // the baseline of a title, from the upper edge of its part
	markBase  = 72  // of the lengths of outages
	barTop    = 80  // to barTop + barHeight
	barHeight = 48  // of what is down
	tickBase  = 163 // the baseline of the times below
	height    = 184 // of a part

	outWidth = 8 // an outage is not narrower, however short it was: 3 px on a phone
	dayGap   = 6 // between two days

	dayHeight = 76 // of a day with an outage; above it is no text
)

// Size is that of every picture, in pixels.
func Size() image.Point { return image.Pt(width, 3*height+margin/2) }

// Color is what a kind or a grade has in a picture, and as a square in a text.
type Color uint8

// The colours. Unknown is hatched in a picture.
const (
	Unknown Color = iota
	Running
	Changing
	Stopped
	Out
	Short
)

// OfKind returns the colour of a kind.
func OfKind(k history.Kind) Color {
	return [...]Color{history.Running: Running, history.Changing: Changing, history.Stopped: Stopped, history.Out: Out}[k]
}

// OfGrade returns the colour of a day's grade.
func OfGrade(g history.Grade) Color {
	return [...]Color{history.GradeUp: Running, history.GradeShort: Short, history.GradeLong: Out, history.GradeStopped: Stopped}[g]
}

// Square returns the emoji of the colour: a key to the picture.
func (c Color) Square() string { return [...]string{"⬛", "🟩", "🟦", "⬜", "🟥", "🟨"}[c] }

// height is how high a bar of the colour is where what is down has a height of tall. Each kind has a height of its own.
func (c Color) height(tall int) int { return tall * [...]int{3, 3, 2, 1, 4, 4}[c] / 4 }

// shades is how many steps there are between the background and white text. The colours follow them, but for Unknown.
const shades = 16

func (c Color) index() uint8 { return shades - 1 + uint8(c) }

// palette has the colours of Twemoji's squares, which Discord shows
// (https://github.com/jdecked/twemoji/tree/main/assets/svg, 1f7e9.svg and its neighbours).
func palette() color.Palette {
	p := make(color.Palette, 0, shades+5)
	for i := range shades {
		mix := func(dark, light int) uint8 { return uint8(dark + (light-dark)*i/(shades-1)) }
		p = append(p, color.RGBA{mix(0x1e, 0xf2), mix(0x1f, 0xf3), mix(0x22, 0xf5), 0xff})
	}
	return append(p,
		color.RGBA{0x78, 0xb1, 0x59, 0xff}, // 🟩
		color.RGBA{0x55, 0xac, 0xee, 0xff}, // 🟦
		color.RGBA{0xe6, 0xe7, 0xe8, 0xff}, // ⬜
		color.RGBA{0xdd, 0x2e, 0x44, 0xff}, // 🟥
		color.RGBA{0xfd, 0xcb, 0x58, 0xff}, // 🟨
	)
}

// Draw returns a picture as a PNG. Words that the fonts cannot write are replaced by symbols and
// numbers.
func Draw(p Picture, words Words) ([]byte, error) {
	bold, err := face(gobold.TTF, boldSize)
	if err != nil {
		return nil, err
	}
	regular, err := face(goregular.TTF, textSize)
	if err != nil {
		return nil, err
	}
	c := canvas{
		Paletted: image.NewPaletted(image.Rectangle{Max: Size()}, palette()),
		bold:     bold, regular: regular, words: words.readable(),
	}
	for i, s := range p.Strips {
		c.strip(s, i*height+margin/4)
	}
	if len(p.Days) > 0 {
		c.days(p, len(p.Strips)*height+margin/4)
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed} // 4 ms less than the usual one, for 2 KB more
	if err := encoder.Encode(&out, c.Paletted); err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	return out.Bytes(), nil
}

// readable returns the words with symbols and numbers in the place of those that the fonts have not.
func (w Words) readable() Words {
	all := "" // letters, in whichever form a language has for a number
	for _, d := range []time.Duration{time.Minute, 5 * time.Minute, time.Hour, day, 2 * day, 5 * day} {
		all += w.Length(d)
	}
	if !Readable(all) {
		w.Length = symbols
	}
	if !Readable(w.Date(time.Unix(0, 0))) {
		w.Date = func(t time.Time) string { return t.Format("01-02") }
	}
	if !Readable(w.Now) {
		w.Now = ""
	}
	return w
}

// Readable reports whether the fonts have all letters of a text.
func Readable(text string) bool {
	for _, ttf := range [][]byte{gobold.TTF, goregular.TTF} {
		parsed, err := opentype.Parse(ttf)
		if err != nil {
			return false
		}
		var buffer sfnt.Buffer
		for _, letter := range plainSpaces(text) {
			if glyph, err := parsed.GlyphIndex(&buffer, letter); err != nil || glyph == 0 {
				return false
			}
		}
	}
	return true
}

// plainSpaces replaces the narrow space that some languages have before a unit, which the fonts
// have not.
func plainSpaces(text string) string { return strings.ReplaceAll(text, "\u202f", "\u00a0") }

// face makes a font fit to draw with. To parse it takes microseconds.
func face(ttf []byte, size float64) (font.Face, error) {
	parsed, err := opentype.Parse(ttf)
	if err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	made, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	return made, nil
}
