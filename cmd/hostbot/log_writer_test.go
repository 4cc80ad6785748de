package main_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hostbot/bot/ops/logging"
)

func TestWriterWritesLinesInOrder(t *testing.T) {
	var out bytes.Buffer
	w := logging.NewWriter(&out)
	line := []byte("one\n")
	_, _ = w.Write(line)
	copy(line, "two\n") // as zerolog does, which uses its buffers again
	_, _ = w.Write(line)
	w.Close()
	if out.String() != "one\ntwo\n" || w.Dropped() != 0 {
		t.Errorf("%q, %d dropped", out.String(), w.Dropped())
	}
}

func TestWriterDropsLinesWhileTheReaderIsStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lines = 3000
		reader, writer := io.Pipe()
		w := logging.NewWriter(writer)
		for range lines {
			_, _ = w.Write([]byte("a line\n"))
		}
		if w.Dropped() == 0 {
			t.Error("no line was dropped, though none was read")
		}
		read := make(chan int)
		go func() {
			all, _ := io.ReadAll(reader)
			read <- strings.Count(string(all), "\n")
		}()
		w.Close()
		_ = writer.Close()
		if n := <-read; n+int(w.Dropped()) != lines {
			t.Errorf("%d read and %d dropped of %d", n, w.Dropped(), lines)
		}
	})
}

func TestWriterCountsWhatCannotBeWritten(t *testing.T) {
	reader, writer := io.Pipe()
	_ = reader.Close()
	w := logging.NewWriter(writer)
	_, _ = w.Write([]byte("a line\n"))
	w.Close()
	if w.Dropped() != 1 {
		t.Errorf("%d dropped", w.Dropped())
	}
}

func TestWriterClosesWhileTheReaderIsStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, writer := io.Pipe()
		defer func() { _ = writer.Close() }()
		w := logging.NewWriter(writer)
		_, _ = w.Write([]byte("a line\n"))
		began := time.Now()
		w.Close()
		if took := time.Since(began); took != time.Second {
			t.Errorf("it waited for the reader for %v", took)
		}
	})
}
