package gateway

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestALibraryThatIsWedgedIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over, wedged := make(chan struct{}), make(chan struct{})
		defer close(wedged)
		time.AfterFunc(time.Hour, func() { close(over) }) // until then it may take its time
		started := time.Now()
		_, done := finish(over, letGoLimit, func() error {
			<-wedged
			return nil
		})
		if took := time.Since(started); done || took != time.Hour+letGoLimit {
			t.Errorf("done %v after %v", done, took)
		}
	})
}

func TestWhatTheLibraryEndsIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over, failure := make(chan struct{}), errors.New("failure")
		time.AfterFunc(time.Second, func() { close(over) })
		err, done := finish(over, letGoLimit, func() error {
			<-time.After(2 * time.Second)
			return failure
		})
		if !done || !errors.Is(err, failure) {
			t.Errorf("done %v, error %v", done, err)
		}
	})
}
