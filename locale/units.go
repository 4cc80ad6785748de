package locale

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Size says megabytes as a person does: 512 MB, 2 GB, 1.5 GB. A gigabyte has
// 1024 megabytes, as plans count.
func (t *Texts) Size(mb int) string {
	if mb < 1024 {
		return strconv.Itoa(mb) + " " + t.Text("unit.mb")
	}
	return t.decimal(math.Round(float64(mb)/1024*100)/100, -1) + " " + t.Text("unit.gb")
}

// Percent says a share of a processor: 100 % is one core.
func (t *Texts) Percent(n int) string {
	return t.Format("unit.percent", Args{"N": n})
}

// Share says a share of a whole to a hundredth of a percent. Only the whole is 100 %.
func (t *Texts) Share(of float64) string {
	return t.Format("unit.percent", Args{"N": t.decimal(math.Floor(of*10_000)/100, -1)})
}

// Period says a length of time in hours, or in days where it is several of them.
func (t *Texts) Period(d time.Duration) string {
	if d <= 24*time.Hour {
		return t.Format("unit.hours", Args{"N": int(d.Hours())})
	}
	return t.Format("unit.days", Args{"N": int(d.Hours() / 24)})
}

// CPU says a limit in percent of a processor as plans do: 150 % is 1.5 vCPU.
func (t *Texts) CPU(percent int) string {
	return t.Format("unit.vcpu", Args{"N": t.decimal(float64(percent)/100, -1)})
}

// Duration says how long something took, as finely as matters to a person.
func (t *Texts) Duration(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return t.Format("unit.days", Args{"N": int(d.Hours() / 24)})
	case d >= 2*time.Hour:
		return t.Format("unit.hours", Args{"N": int(d.Round(time.Hour).Hours())})
	case d >= 2*time.Minute:
		return t.Format("unit.minutes", Args{"N": int(d.Round(time.Minute).Minutes())})
	case d >= 10*time.Second:
		return t.Format("unit.seconds", Args{"N": int(d.Round(time.Second).Seconds())})
	default:
		return t.Format("unit.seconds", Args{"N": t.decimal(d.Seconds(), 1)})
	}
}

// decimal writes a number with the language's decimal separator and so many digits
// after it; -1 for as many as it needs.
func (t *Texts) decimal(n float64, digits int) string {
	return strings.Replace(strconv.FormatFloat(n, 'f', digits, 64), ".", t.Text("unit.decimal"), 1)
}
