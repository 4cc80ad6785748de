package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	imagedraw "image/draw"
	"image/png"
	"io"
	"slices"
	"testing"
	"time"
)

// apngFrame is a picture of a film, and how long it is shown.
type apngFrame struct {
	picture *image.RGBA // opaque, and as large as the others
	shown   time.Duration
}

// encodeAPNG writes an animated PNG, which goes on forever. Of each frame but the first it
// holds only the rectangle that differs from the one before.
// https://www.w3.org/TR/png-3/#apng-frame-based-animation
func encodeAPNG(w io.Writer, frames []apngFrame) error {
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	out := &chunkWriter{w: w}
	for i, frame := range frames {
		part := frame.picture
		if i > 0 {
			part = part.SubImage(changedIn(frames[i-1].picture, part)).(*image.RGBA)
		}
		var encoded bytes.Buffer
		if err := encoder.Encode(&encoded, part); err != nil {
			return err
		}
		still, err := readChunks(encoded.Bytes())
		if err != nil {
			return err
		}
		if i == 0 {
			out.bytes([]byte(pngSignature))
			out.chunk("IHDR", still["IHDR"])
			out.chunk("acTL", be32(nil, len(frames), 0)) // which is forever
		}
		at := part.Bounds().Sub(frame.picture.Bounds().Min)
		control := be32(nil, out.next(), at.Dx(), at.Dy(), at.Min.X, at.Min.Y)
		control = binary.BigEndian.AppendUint16(control, uint16(frame.shown.Milliseconds()))
		control = binary.BigEndian.AppendUint16(control, 1000) // parts of a second
		out.chunk("fcTL", append(control, 0, 0))               // the frame stays, and replaces what it covers
		if i == 0 {
			out.chunk("IDAT", still["IDAT"])
			continue
		}
		out.chunk("fdAT", append(be32(nil, out.next()), still["IDAT"]...))
	}
	out.chunk("IEND", nil)
	return out.err
}

const pngSignature = "\x89PNG\r\n\x1a\n"

// changedIn returns the smallest rectangle outside of which two pictures are the same, and
// at least one pixel.
func changedIn(before, after *image.RGBA) image.Rectangle {
	var changed image.Rectangle
	for y := after.Rect.Min.Y; y < after.Rect.Max.Y; y++ {
		for x := after.Rect.Min.X; x < after.Rect.Max.X; x++ {
			if before.RGBAAt(x, y) != after.RGBAAt(x, y) {
				changed = changed.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if changed.Empty() {
		changed = image.Rectangle{after.Rect.Min, after.Rect.Min.Add(image.Pt(1, 1))}
	}
	return changed
}

// readChunks returns the content of a PNG's chunks by their types.
func readChunks(encoded []byte) (map[string][]byte, error) {
	chunks := make(map[string][]byte)
	rest, ok := bytes.CutPrefix(encoded, []byte(pngSignature))
	if !ok {
		return nil, errors.New("no PNG")
	}
	for len(rest) >= 12 {
		size := int(binary.BigEndian.Uint32(rest))
		if size > len(rest)-12 {
			return nil, errors.New("a chunk is cut off")
		}
		kind := string(rest[4:8])
		chunks[kind] = append(chunks[kind], rest[8:8+size]...)
		rest = rest[12+size:]
	}
	return chunks, nil
}

// chunkWriter writes the chunks of a PNG until there is an error.
type chunkWriter struct {
	w        io.Writer
	sequence int // of the next fcTL or fdAT
	err      error
}

func (c *chunkWriter) next() int { c.sequence++; return c.sequence - 1 }

func (c *chunkWriter) chunk(kind string, content []byte) {
	checked := append([]byte(kind), content...)
	c.bytes(be32(nil, len(content)))
	c.bytes(checked)
	c.bytes(be32(nil, int(crc32.ChecksumIEEE(checked))))
}

func (c *chunkWriter) bytes(b []byte) {
	if c.err == nil {
		_, c.err = c.w.Write(b)
	}
}

func be32(to []byte, values ...int) []byte {
	for _, value := range values {
		to = binary.BigEndian.AppendUint32(to, uint32(value))
	}
	return to
}

// opaque returns a picture as a frame has to be.
func opaque(picture image.Image) *image.RGBA {
	frame := image.NewRGBA(image.Rectangle{Max: picture.Bounds().Size()})
	imagedraw.Draw(frame, frame.Rect, image.Black, image.Point{}, imagedraw.Src)
	imagedraw.Draw(frame, frame.Rect, picture, picture.Bounds().Min, imagedraw.Over)
	return frame
}

// TestAPNG reads the first frame back, which is what a reader sees who knows no animation,
// and the size, the place and the time of the second.
func TestAPNG(t *testing.T) {
	first := opaque(image.NewGray(image.Rect(0, 0, 8, 6)))
	second := opaque(first)
	second.SetRGBA(3, 2, color.RGBA{255, 0, 0, 255})
	second.SetRGBA(5, 3, color.RGBA{0, 255, 0, 255})
	var encoded bytes.Buffer
	if err := encodeAPNG(&encoded, []apngFrame{{first, 2 * time.Second}, {second, 1500 * time.Millisecond}}); err != nil {
		t.Fatal(err)
	}
	still, err := png.Decode(bytes.NewReader(encoded.Bytes()))
	if err != nil || still.Bounds() != first.Rect || still.At(3, 2) != first.At(3, 2) {
		t.Errorf("without animation it is %v, %v", still, err)
	}
	chunks, err := readChunks(encoded.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Concat(be32(nil, 0, 8, 6, 0, 0), []byte{0x07, 0xd0, 0x03, 0xe8, 0, 0}, be32(nil, 1, 3, 2, 3, 2), []byte{0x05, 0xdc, 0x03, 0xe8, 0, 0})
	if !bytes.Equal(chunks["fcTL"], want) || !bytes.Equal(chunks["acTL"], be32(nil, 2, 0)) || !bytes.HasPrefix(chunks["fdAT"], be32(nil, 2)) {
		t.Errorf("the frames are %x of %x", chunks["fcTL"], chunks["acTL"])
	}
}
