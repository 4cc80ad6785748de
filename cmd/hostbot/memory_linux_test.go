package main

import (
	"testing"

	"github.com/prometheus/procfs"
)

// TestUnmapBinary: the process holds less, and goes on.
func TestUnmapBinary(t *testing.T) {
	before := residentFiles(t)
	unmapBinary()
	if after := residentFiles(t); after >= before {
		t.Errorf("%d kB of files are resident, %d kB before", after, before)
	}
}

// residentFiles returns how much of files the kernel counts as the process's, in kB.
func residentFiles(t *testing.T) int {
	t.Helper()
	self, err := procfs.Self()
	if err != nil {
		t.Fatal(err)
	}
	status, err := self.NewStatus()
	if err != nil {
		t.Fatal(err)
	}
	return int(status.RssFile / 1024)
}
