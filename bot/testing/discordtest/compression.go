//go:build integration

package discordtest

import (
	"bytes"

	"github.com/klauspost/compress/zstd"
)

// compression is the transport compression of one connection: what is sent over
// it is one stream, flushed after each frame. disgo asks for zstd-stream unless it is
// told otherwise.
// Source: docs:events/gateway#transport-compression.
type compression struct {
	packed bytes.Buffer
	stream *zstd.Encoder
}

// newCompression returns the compression that the query of a connection names,
// or nil for none.
func newCompression(name string) *compression {
	if name != "zstd-stream" {
		return nil
	}
	c := &compression{}
	// Without concurrency no goroutine outlives the connection.
	stream, err := zstd.NewWriter(&c.packed, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil // unreachable: the options are valid
	}
	c.stream = stream
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
