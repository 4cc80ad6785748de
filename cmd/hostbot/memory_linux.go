package main

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// unmapBinary takes the pages of the binary out of the process's memory. The kernel brings a page back,
// with the 64 kB around it, when it is used next; the file stays in the page cache. Starting goes
// through all packages, and so through nearly the whole binary, of which an idle bot uses two thirds.
//
// Mappings are left alone of which a page is the process's own: the linker has written to it, or a
// debugger (https://man7.org/linux/man-pages/man5/proc_pid_smaps.5.html, "Anonymous", and "Swap", which
// comes after it). It would be lost (https://man7.org/linux/man-pages/man2/madvise.2.html, MADV_DONTNEED).
func unmapBinary() {
	binary, err := os.Executable()
	if err != nil {
		return
	}
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	var from, to uint64 // of the mapping that lines are about, if it is one of the binary
	clean := false      // nothing of it that is in memory is the process's own
	for line := range strings.Lines(string(smaps)) {
		switch fields := strings.Fields(line); {
		case len(fields) < 2:
		case !strings.HasSuffix(fields[0], ":"):
			from, to = 0, 0
			if len(fields) == 6 && fields[5] == binary && fields[1][1] == '-' { // nothing writes to it
				first, last, _ := strings.Cut(fields[0], "-")
				from, _ = strconv.ParseUint(first, 16, 64)
				to, _ = strconv.ParseUint(last, 16, 64)
			}
		case fields[0] == "Anonymous:":
			clean = fields[1] == "0"
		case fields[0] == "Swap:" && fields[1] == "0" && clean && from < to:
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(from), uintptr(to-from), unix.MADV_DONTNEED) // or it stays
		}
	}
}
