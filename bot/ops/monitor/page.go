package monitor

import (
	"maps"
	"strconv"
)

// page is what /metrics says, in Prometheus's text format. Its callers write
// all series of a metric in a row.
// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
type page struct {
	text      []byte
	help      map[string]string
	described string // the latest metric
}

// page returns the page as it is now.
func (m *Monitor) page() []byte {
	p := &page{help: help()}
	maps.Copy(p.help, processHelp())
	maps.Copy(p.help, runtimeHelp())
	m.counted.write(p)
	for _, read := range m.read {
		read(p)
	}
	p.runtime()
	p.process()
	// The kernel's word needs more of /proc than a hardened unit shows (ProcSubset=pid).
	p.gauge("process_start_time_seconds", float64(m.began.Unix()))
	return p.text
}

// gauge writes a series. The labels are names, each followed by its value.
func (p *page) gauge(name string, value float64, labels ...string) {
	p.describe(name, "gauge")
	p.sample(name, value, joined(labels))
}

// counter writes a series of what only grows. The labels are names, each followed by
// its value.
func (p *page) counter(name string, value uint64, labels ...string) {
	p.describe(name, "counter")
	p.sample(name, float64(value), joined(labels))
}

// seconds writes a counter of seconds.
func (p *page) seconds(name string, value float64) {
	p.describe(name, "counter")
	p.sample(name, value, "")
}

// describe writes what a metric means and its type, before its first series.
func (p *page) describe(name, kind string) {
	if name == p.described {
		return
	}
	p.described = name
	p.text = append(p.text, "# HELP "+name+" "+p.help[name]+"\n# TYPE "+name+" "+kind+"\n"...)
}

func (p *page) sample(name string, value float64, labels string) {
	p.text = append(p.text, name...)
	if labels != "" {
		p.text = append(append(append(p.text, '{'), labels...), '}')
	}
	p.text = append(strconv.AppendFloat(append(p.text, ' '), value, 'f', -1, 64), '\n')
}

// joined returns labels as the page shows them.
func joined(labels []string) string { return string(appendJoined(nil, labels)) }

// appendJoined is joined. The values of labels are few and printable, and none comes from customers.
func appendJoined(text []byte, labels []string) []byte {
	for i := 0; i+1 < len(labels); i += 2 {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendQuote(append(append(text, labels[i]...), '='), labels[i+1])
	}
	return text
}

// below returns labels with the upper bound of a histogram's bucket.
func below(bound, labels string) string {
	if labels != "" {
		labels += ","
	}
	return labels + `le="` + bound + `"`
}

// decimal writes a bound as Prometheus's own clients do.
func decimal(bound float64) string { return strconv.FormatFloat(bound, 'g', -1, 64) }
