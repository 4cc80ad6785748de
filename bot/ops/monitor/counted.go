package monitor

import (
	"maps"
	"slices"
	"sync"
)

// counted holds what is counted as it happens. It is safe for concurrent use.
type counted struct {
	mu      sync.Mutex
	metrics map[string]map[string]*series // by name, and then by labels
}

// series is a counter or, if it has bounds, a histogram.
type series struct {
	count  uint64
	sum    float64
	upTo   []float64
	within []uint64 // how many values are not above each bound
}

// add counts a value. upTo is the upper bounds of a histogram, or nil for a counter.
func (c *counted) add(name string, upTo []float64, value float64, labels ...string) {
	var buffer [128]byte // a key is made for each value, and kept for the first one
	key := appendJoined(buffer[:0], labels)
	c.mu.Lock()
	defer c.mu.Unlock()
	metric := c.metrics[name]
	if metric == nil {
		metric = make(map[string]*series)
		c.metrics[name] = metric
	}
	s := metric[string(key)]
	if s == nil {
		s = &series{upTo: upTo, within: make([]uint64, len(upTo))}
		metric[string(key)] = s
	}
	s.count++
	s.sum += value
	for i, bound := range upTo {
		if value <= bound {
			s.within[i]++
		}
	}
}

// write writes all series in the order of their names and labels.
func (c *counted) write(p *page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(c.metrics)) {
		metric := c.metrics[name]
		for _, labels := range slices.Sorted(maps.Keys(metric)) {
			metric[labels].write(p, name, labels)
		}
	}
}

func (s *series) write(p *page, name, labels string) {
	if s.upTo == nil {
		p.describe(name, "counter")
		p.sample(name, float64(s.count), labels)
		return
	}
	p.describe(name, "histogram")
	for i, bound := range s.upTo {
		p.sample(name+"_bucket", float64(s.within[i]), below(decimal(bound), labels))
	}
	p.sample(name+"_bucket", float64(s.count), below("+Inf", labels))
	p.sample(name+"_sum", s.sum, labels)
	p.sample(name+"_count", float64(s.count), labels)
}
