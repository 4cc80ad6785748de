package loadgen

import (
	"math"
	"sync"
	"time"
)

// Latencies counts times from an event to its callback, in whole microseconds
// up to 100 ms and in whole milliseconds up to 3 s, and however many there are
// takes no more memory. The zero value is ready.
type Latencies struct {
	mu     sync.Mutex
	count  int
	by     [100_000]int32 // by microseconds
	longer [3_000]int32   // by milliseconds; the last one for all that took longer
}

func (l *Latencies) add(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	if micros := d.Microseconds(); micros < int64(len(l.by)) {
		l.by[micros]++
	} else {
		l.longer[min(d.Milliseconds(), int64(len(l.longer)-1))]++
	}
}

// Quantile returns the time within which a share of the answers came, 0.99 for
// instance; 0 where there were none.
func (l *Latencies) Quantile(share float64) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := int(math.Ceil(share * float64(l.count)))
	for micros, n := range l.by {
		if left -= int(n); n > 0 && left <= 0 {
			return time.Duration(micros) * time.Microsecond
		}
	}
	for millis, n := range l.longer {
		if left -= int(n); n > 0 && left <= 0 {
			return time.Duration(millis) * time.Millisecond
		}
	}
	return 0
}
