package main

import (
	"os"
	"strconv"
	"strings"
	"testing"
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
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "RssFile:")
	kB, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kB
}
