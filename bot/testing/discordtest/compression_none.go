//go:build !integration

package discordtest

// compression is none: only other libraries ask for it, which tests with the build tag alone use.
type compression struct{}

func newCompression(string) *compression      { return nil }
func (*compression) pack(frame []byte) []byte { return frame }
