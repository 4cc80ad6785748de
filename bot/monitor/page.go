package monitor

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/VictoriaMetrics/metrics"
)

// page is what /metrics says, in Prometheus's text format. Its callers write
// all series of a metric in a row.
// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
type page struct{ text bytes.Buffer }

// page returns the page as it is now.
func (m *Monitor) page() *page {
	p := &page{}
	m.counted.WritePrometheus(&p.text)
	for _, read := range m.read {
		read(p)
	}
	metrics.WriteProcessMetrics(&p.text)
	metrics.WriteFDMetrics(&p.text)
	return p
}

// gauge writes a series. The labels are names, each followed by its value.
func (p *page) gauge(name string, value float64, labels ...string) {
	metrics.WriteGaugeFloat64(&p.text, series(name, labels...), value)
}

// counter writes a series of what only grows. The labels are names, each followed by
// its value.
func (p *page) counter(name string, value uint64, labels ...string) {
	metrics.WriteCounterUint64(&p.text, series(name, labels...), value)
}

// series returns a metric's name with its labels. Their values are few and printable,
// and none comes from customers.
func series(name string, labels ...string) string {
	if len(labels) == 0 {
		return name
	}
	text := make([]byte, 0, 96)
	text = append(append(text, name...), '{')
	for i := 0; i+1 < len(labels); i += 2 {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendQuote(append(append(text, labels[i]...), '='), labels[i+1])
	}
	return string(append(text, '}'))
}

// described returns the page with what each metric means. Package metrics writes a
// metric's type before each of its series, and HELP without a text before that.
func (p *page) described() []byte {
	var text bytes.Buffer
	means, described := meanings(), make(map[string]bool)
	for line := range strings.Lines(p.text.String()) {
		if strings.HasPrefix(line, "# HELP ") {
			continue
		}
		if typed, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, _, _ := strings.Cut(typed, " ")
			if described[name] {
				continue
			}
			described[name] = true
			if help := means[name]; help != "" {
				text.WriteString("# HELP " + name + " " + help + "\n")
			}
		}
		text.WriteString(line)
	}
	return text.Bytes()
}
