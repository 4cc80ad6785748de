//go:build integration

package discordtest

import (
	"io"

	"github.com/klauspost/compress/zstd"
)

// newZstd compresses to w. Without concurrency no goroutine outlives the connection.
func newZstd(w io.Writer) stream {
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil // unreachable: the options are valid
	}
	return z
}
