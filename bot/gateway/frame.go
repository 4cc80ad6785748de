package gateway

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// Opcodes of websocket frames (RFC 6455, section 5.2).
const (
	frameContinuation = 0
	frameText         = 1
	frameBinary       = 2
	frameClose        = 8
)

// maxControl is the longest payload of a control frame.
const maxControl = 125

// maxPayload is the longest frame that is passed on, in bytes; what Discord
// sends of interactions has kilobytes.
const maxPayload = 16 << 20

// frameHead is the head of a websocket frame.
type frameHead struct {
	raw    []byte // as it was on the wire
	opcode byte
	final  bool  // no more fragments of the message follow
	length int64 // of the payload, in bytes
}

var errFrame = errors.New("malformed websocket frame")

// readFrameHead reads the head of a frame from a server.
func readFrameHead(in *bufio.Reader) (frameHead, error) {
	raw := make([]byte, 2, 10)
	if _, err := io.ReadFull(in, raw); err != nil {
		return frameHead{}, err
	}
	head := frameHead{raw: raw, opcode: raw[0] & 0x0f, final: raw[0]&0x80 != 0}
	if masked := raw[1]&0x80 != 0; masked {
		return head, errFrame // servers never mask
	}
	switch short := raw[1] & 0x7f; short {
	case 126:
		head.raw = raw[:4]
	case 127:
		head.raw = raw[:10]
	default:
		head.length = int64(short)
		return head, nil
	}
	extended := head.raw[2:]
	if _, err := io.ReadFull(in, extended); err != nil {
		return head, err
	}
	if len(extended) == 2 {
		head.length = int64(binary.BigEndian.Uint16(extended))
		return head, nil
	}
	length := binary.BigEndian.Uint64(extended)
	if length > maxPayload {
		return head, errFrame // which the library would read into memory whole
	}
	head.length = int64(length)
	return head, nil
}

// appendFrame appends a message to b, as a server sends it in one frame.
func appendFrame(b, message []byte) []byte {
	b = append(b, 0x80|frameText)
	switch n := len(message); {
	case n <= maxControl:
		b = append(b, byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 127), uint64(n))
	}
	return append(b, message...)
}

// readClientFrame returns the opcode and the text of a short frame of the
// library's, which are all that need be known; 0 for anything else. Such frames
// are masked (RFC 6455, section 5.3).
func readClientFrame(p []byte) (opcode byte, payload []byte) {
	const head = 2 + 4 // with the mask
	if len(p) < head || p[0]&0xf0 != 0x80 || p[1] < 0x80 || len(p) != head+int(p[1]&0x7f) {
		return 0, nil
	}
	payload = make([]byte, len(p)-head)
	for i := range payload {
		payload[i] = p[head+i] ^ p[2+i%4]
	}
	return p[0] & 0x0f, payload
}

// parseClose reads the payload of a close frame.
func parseClose(payload []byte) *closeError {
	if len(payload) < 2 {
		return &closeError{code: 1005} // "no status", as RFC 6455 has it
	}
	return &closeError{code: int(binary.BigEndian.Uint16(payload)), text: string(payload[2:])}
}
