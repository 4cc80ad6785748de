package discordtest

import (
	"bytes"
	"compress/zlib"
	"io"
)

// compression is the transport compression of one connection: what is sent over
// it is one stream, flushed after each frame. discord.py asks for zlib-stream and
// disgo for zstd-stream unless they are told otherwise. zstd-stream needs the build tag "integration".
// Source: docs:events/gateway#transport-compression.
type compression struct {
	packed bytes.Buffer
	stream stream
}

// stream compresses what is written. Flush writes all of that out.
type stream interface {
	io.Writer
	Flush() error
}

// newCompression returns the compression that the query of a connection names,
// or nil for none.
func newCompression(name string) *compression {
	c := &compression{}
	switch name {
	case "zlib-stream":
		c.stream = zlib.NewWriter(&c.packed)
	case "zstd-stream":
		c.stream = newZstd(&c.packed)
	}
	if c.stream == nil {
		return nil
	}
	return c
}

// pack returns the part of the stream that holds one frame. It is valid until the
// next call.
func (c *compression) pack(frame []byte) []byte {
	c.packed.Reset()
	_, _ = c.stream.Write(frame) // to memory
	_ = c.stream.Flush()
	return c.packed.Bytes()
}
