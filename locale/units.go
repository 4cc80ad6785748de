package locale

import (
	"strconv"
	"strings"
	"time"
)

// Size says megabytes as a person does: 512 MB, 2 GB, 1.5 GB. A gigabyte has
// 1024 megabytes, as plans count.
func (t *Texts) Size(mb int) string {
	switch {
	case mb < 1024:
		return strconv.Itoa(mb) + " " + t.Text("unit.mb")
	case mb%1024 == 0:
		return strconv.Itoa(mb/1024) + " " + t.Text("unit.gb")
	default:
		gb := strconv.FormatFloat(float64(mb)/1024, 'f', 2, 64)
		return t.decimal(strings.TrimSuffix(strings.TrimRight(gb, "0"), ".")) + " " + t.Text("unit.gb")
	}
}

// Percent says a share of a processor: 100 % is one core.
func (t *Texts) Percent(n int) string {
	return t.Format("unit.percent", Args{"N": n})
}

// Duration says how long something took, as finely as matters to a person.
func (t *Texts) Duration(d time.Duration) string {
	switch {
	case d >= 2*time.Minute:
		return t.Format("unit.minutes", Args{"N": int(d.Round(time.Minute).Minutes())})
	case d >= 10*time.Second:
		return t.Format("unit.seconds", Args{"N": int(d.Round(time.Second).Seconds())})
	default:
		return t.Format("unit.seconds", Args{"N": t.decimal(strconv.FormatFloat(d.Seconds(), 'f', 1, 64))})
	}
}

// decimal writes a number with the language's decimal separator.
func (t *Texts) decimal(number string) string {
	return strings.Replace(number, ".", t.Text("unit.decimal"), 1)
}
