package bench_test

import (
	"fmt"
	"slices"
	"strings"
)

// table gathers the figures of all rounds, and shows their medians as the
// PERFORMANCE.md does.
type table struct {
	programs []string
	results  map[string][]figures // by cell
}

func newTable(programs []*program) *table {
	t := &table{results: make(map[string][]figures)}
	for _, p := range programs {
		t.programs = append(t.programs, p.name)
	}
	return t
}

func cell(l load, program string) string { return l.String() + " " + program }

func (t *table) add(l load, p *program, f figures) {
	t.results[cell(l, p.name)] = append(t.results[cell(l, p.name)], f)
}

func (t *table) String() string {
	var b strings.Builder
	line := func(first string, others func(program string) string) {
		_, _ = fmt.Fprintf(&b, "| %s |", first)
		for _, program := range t.programs {
			_, _ = fmt.Fprintf(&b, " %s |", others(program))
		}
		b.WriteByte('\n')
	}
	line("", func(program string) string { return program })
	line("---", func(string) string { return "---:" })
	for _, row := range []struct {
		title, unit, format string
		load                load
	}{
		{"CPU an interaction, closed loop of 32 (µs)", "cpu-µs/op", "%.0f", load{underWay: 32}},
		{"interactions/s, closed loop of 32", "interactions/s", "%.0f", load{underWay: 32}},
		{"p50 at 300/s (µs)", "p50-µs", "%.0f", load{perSecond: 300}},
		{"p99 at 300/s (µs)", "p99-µs", "%.0f", load{perSecond: 300}},
		{"p50 at 1,000/s (µs)", "p50-µs", "%.0f", load{perSecond: 1000}},
		{"p99 at 1,000/s (µs)", "p99-µs", "%.0f", load{perSecond: 1000}},
		{"allocations an interaction", "mallocs/op", "%.0f", load{underWay: 32}},
		{"allocated bytes an interaction", "malloc-B/op", "%.0f", load{underWay: 32}},
		{"Redis commands an interaction", "redis/op", "%.2f", load{underWay: 32}},
		{"service calls an interaction", "service/op", "%.2f", load{underWay: 32}},
		{"Discord calls an interaction", "discord/op", "%.2f", load{underWay: 32}},
		{"resident memory after that (MB)", "resident-MB", "%.0f", load{perSecond: 1000}},
	} {
		line(row.title, func(program string) string {
			return t.median(cell(row.load, program), row.unit, row.format)
		})
	}
	return b.String()
}

func (t *table) median(cell, unit, format string) string {
	var values []float64
	for _, f := range t.results[cell] {
		if value, ok := f[unit]; ok {
			values = append(values, value)
		}
	}
	if len(values) == 0 {
		return "–"
	}
	slices.Sort(values)
	return fmt.Sprintf(format, values[len(values)/2])
}
