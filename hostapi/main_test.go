//go:debug x509usefallbackroots=1

package hostapi_test

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"hostbot/bot/relaytest"
)

// network is where services have names and certificates that are trusted.
var network = sync.OnceValues(relaytest.NewNetwork)

func TestMain(m *testing.M) {
	n, err := network()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	n.Join()
	goleak.VerifyTestMain(m)
}
