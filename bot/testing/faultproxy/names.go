package faultproxy

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"strings"
)

// resolver looks names up in the network. Go's resolver is given a connection
// that is no packet connection, over which it speaks as over TCP: each message
// behind its length.
func (n *Network) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go n.answer(server)
		return client, nil
	}}
}

// answer answers questions until the connection is closed.
func (n *Network) answer(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	for {
		var length [2]byte
		if _, err := io.ReadFull(conn, length[:]); err != nil {
			return
		}
		question := make([]byte, binary.BigEndian.Uint16(length[:]))
		if _, err := io.ReadFull(conn, question); err != nil {
			return
		}
		answer := n.reply(question)
		if answer == nil {
			return
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

// What a DNS message is made of (RFC 1035, section 4.1).
const (
	headerLength = 12
	flagsAnswer  = 0x8180 // an answer, with recursion wanted and available
	flagsNoName  = 0x8183 // the same, and there is no such name
	typeA        = 1
	classIN      = 1
	theQuestion  = 0xc00c // a name that is the one after the header
)

// reply answers a question, or returns nil where that makes no sense.
func (n *Network) reply(message []byte) []byte {
	if len(message) < headerLength {
		return nil
	}
	end := headerLength + bytes.IndexByte(message[headerLength:], 0) + 1 // of the name
	if end == headerLength || len(message) < end+4 {
		return nil
	}
	flags, answers := uint16(flagsNoName), uint16(0)
	address := n.lookUp(string(message[headerLength:end]))
	if address != nil {
		flags = flagsAnswer
		if binary.BigEndian.Uint16(message[end:]) == typeA {
			answers = 1
		}
	}
	reply := append([]byte{}, message[:2]...) // its number
	for _, word := range []uint16{flags, 1, answers, 0, 0} {
		reply = binary.BigEndian.AppendUint16(reply, word)
	}
	reply = append(reply, message[headerLength:end+4]...)
	if answers == 0 {
		return reply
	}
	for _, word := range []uint16{theQuestion, typeA, classIN, 0, 0, net.IPv4len} { // with a life of 0 s
		reply = binary.BigEndian.AppendUint16(reply, word)
	}
	return append(reply, address...)
}

// asked is a name as a question has it.
func asked(name string) string {
	var text strings.Builder
	for label := range strings.SplitSeq(name, ".") {
		text.WriteByte(byte(len(label)))
		text.WriteString(label)
	}
	return text.String() + "\x00"
}
