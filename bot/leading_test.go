package bot

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestReplicasOfOneMachineHaveDifferentNames whether they serve their health at a port that is known or not.
func TestReplicasOfOneMachineHaveDifferentNames(t *testing.T) {
	t.Parallel()
	for addr, end := range map[string]string{
		"127.0.0.1:9191": ":9191", ":9192": ":9192", "[::1]:9193": ":9193",
		"127.0.0.1:0": "/" + strconv.Itoa(os.Getpid()), "": "/" + strconv.Itoa(os.Getpid()),
	} {
		if name := replicaName(addr); !strings.HasSuffix(name, end) || len(name) == len(end) || strings.ContainsAny(name, " \t\n") {
			t.Errorf("at %q it is called %q", addr, name)
		}
	}
}
