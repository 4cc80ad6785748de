package logchannel

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestMemoryIsBounded: errors that are counted are dropped before all others, the oldest first.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	var b buffer
	b.failed()
	keep := func(line, group string) {
		if !b.keeps(newKept(Entry{Line: line, GroupKey: group}, time.Now()), true) {
			t.Fatal("it is not kept")
		}
	}
	keep("first", "")
	for i := range 3 {
		keep(fmt.Sprint(i), fmt.Sprint("group ", i))
		keep(fmt.Sprint(i), fmt.Sprint("group ", i)) // which is counted
	}
	for range maxBuffered - 2 {
		keep("action", "")
	}
	list := b.first(maxBuffered+1, true)
	if n, _ := b.begin(); n != 2 || len(list) != maxBuffered || list[0].Line != "first" || list[1].GroupKey != "group 2" || list[1].Tally.Count != 2 {
		t.Errorf("%d were dropped of %d, and the first are %+v", n, len(list), list[:2])
	}
	keep("last", "")
	keep("very last", "")
	list = b.first(maxBuffered+1, true)
	if n, _ := b.begin(); n != 2 || list[0].Line != "action" || list[len(list)-1].Line != "very last" {
		t.Errorf("%d were dropped, and the first is %+v", n, list[0])
	}
}

// TestWhatMayBeInRedisCountsNoMore, as Redis would not learn of it.
func TestWhatMayBeInRedisCountsNoMore(t *testing.T) {
	t.Parallel()
	var b buffer
	e := newKept(Entry{Line: "x", GroupKey: "g"}, time.Now())
	if b.keeps(e, true) {
		t.Error("the first of a second is not added at once")
	}
	b.failed(e)
	var counts []int
	for range 3 {
		b.keeps(newKept(Entry{Line: "x", GroupKey: "g"}, time.Now()), true)
		b.keeps(newKept(Entry{Line: "x", GroupKey: "g"}, time.Now()), true)
		b.first(maxBuffered, true)
	}
	for _, e := range b.first(maxBuffered, true) {
		counts = append(counts, e.Tally.Count)
	}
	if !slices.Equal(counts, []int{1, 2, 2, 2}) {
		t.Errorf("the counts are %v", counts)
	}
}
