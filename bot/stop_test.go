package bot

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestStoppingHasOneDeadline has each stage use all of its time, and some not end at all.
func TestStoppingHasOneDeadline(t *testing.T) {
	for name, hangs := range map[string]bool{"each ends with its context": false, "none ends": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				var reached atomic.Int32
				slow := func(ctx context.Context) {
					reached.Add(1)
					<-ctx.Done()
					if hangs {
						<-release
					}
				}
				started := time.Now()
				var stages []stage
				for range 7 {
					stages = append(stages, stage{limit: 14 * time.Second, over: time.Second, kept: 2 * time.Second, do: slow})
				}
				runStages(started.Add(stopLimit), append(stages, stage{limit: flushLimit, do: slow})...)
				synctest.Wait()
				if took := time.Since(started); took > stopLimit || reached.Load() != 8 {
					t.Errorf("%d stages took %v", reached.Load(), took)
				}
				close(release)
			})
		})
	}
}
