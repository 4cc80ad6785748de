package discordtest_test

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/klauspost/compress/zstd"

	"hostbot/bot/discordtest"
)

// What a connection sends is one compressed stream, of which each message holds a
// whole frame.
func TestTransportCompression(t *testing.T) {
	for name, inflate := range map[string]func(io.Reader) (io.Reader, error){
		"zlib-stream": func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) },
		"zstd-stream": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) },
	} {
		t.Run(name, func(t *testing.T) {
			discord := discordtest.RunT(t)
			w := dialQuiet(t, discord, "/?v=10&encoding=json&compress="+name)
			r, err := inflate(&messages{wire: w, compress: name})
			if err != nil {
				t.Fatal(err)
			}
			decoder := json.NewDecoder(r)
			wants := []packet{{Op: 10}, {Type: "READY", Seq: 1}, {Op: 11}}
			for i, sent := range []string{"", identifyTestToken, `{"op":1,"d":1}`} {
				if sent != "" {
					w.send(sent)
				}
				var got packet
				if err := decoder.Decode(&got); err != nil {
					t.Fatal(err)
				}
				if want := wants[i]; got.Op != want.Op || got.Type != want.Type || got.Seq != want.Seq {
					t.Errorf("got %+v, want %+v", got, want)
				}
			}
		})
	}
}

// messages reads the payloads of a connection's messages, one after the other, and
// checks how each ends.
type messages struct {
	wire     *wire
	compress string
	rest     []byte // of the latest message
}

func (m *messages) Read(p []byte) (int, error) {
	if len(m.rest) == 0 {
		_ = m.wire.conn.SetReadDeadline(time.Now().Add(30 * time.Second))
		kind, data, err := m.wire.conn.ReadMessage()
		if err != nil {
			return 0, err
		}
		if kind != websocket.BinaryMessage {
			m.wire.t.Errorf("got a message of type %d", kind)
		}
		if m.compress == "zlib-stream" && !bytes.HasSuffix(data, []byte{0, 0, 0xff, 0xff}) {
			m.wire.t.Errorf("a message ends in %x", data[max(0, len(data)-4):])
		}
		m.rest = data
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}
