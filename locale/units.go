package locale

import (
	"math"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"
)

// Size says megabytes as a person does: 512 MB, 2 GB, 1.5 GB. A gigabyte has
// 1024 megabytes, as plans count.
func (t *Texts) Size(mb int) string {
	if mb < 1024 {
		return t.Format("unit.mb", Args{"N": mb})
	}
	return t.Format("unit.gb", Args{"N": t.decimal(math.Round(float64(mb)/1024*100)/100, -1)})
}

// Percent says a share of a processor: 100% is one core.
func (t *Texts) Percent(n int) string { return t.Format("unit.percent", Args{"N": n}) }

// Share says a share of a whole to a tenth of a percent. Only the whole is 100%.
func (t *Texts) Share(of float64) string {
	return t.Format("unit.percent", Args{"N": t.decimal(math.Floor(of*1000)/10, -1)})
}

// CPU says a limit in percent of a processor as plans do: 150% is 1.5 vCPU.
func (t *Texts) CPU(percent int) string {
	return t.Format("unit.vcpu", Args{"N": t.decimal(float64(percent)/100, -1)})
}

// Duration says how long something took, as finely as matters to a person.
func (t *Texts) Duration(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return t.Count("unit.days", int(d.Hours()/24), nil)
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

// DurationWithin says how long something took whose beginning and end are known to so much. It says
// nothing finer.
func (t *Texts) DurationWithin(d, precision time.Duration) string {
	if d = d.Round(precision); d < precision {
		d = precision
	}
	switch {
	case precision >= time.Minute && d < 2*time.Minute:
		return t.Format("unit.minutes", Args{"N": int(d.Minutes())})
	case precision >= time.Second && d < 10*time.Second:
		return t.Format("unit.seconds", Args{"N": int(d.Seconds())})
	}
	return t.Duration(d)
}

// Length is DurationWithin for what people remember: from two hours on it has two units, such
// as 2 h 30 min or 3 days 4 h.
func (t *Texts) Length(d, precision time.Duration) string {
	var first, key string
	var rest int
	switch {
	case d < 2*time.Hour:
		return t.DurationWithin(d, precision)
	case d < 48*time.Hour:
		minutes := int(d.Round(time.Minute).Minutes())
		first, key, rest = t.Format("unit.hours", Args{"N": minutes / 60}), "unit.minutes", minutes%60
	default:
		hours := int(d.Round(time.Hour).Hours())
		first, key, rest = t.Count("unit.days", hours/24, nil), "unit.hours", hours%24
	}
	if rest == 0 {
		return first
	}
	return t.Format("unit.joined", Args{"First": first, "Second": t.Format(key, Args{"N": rest})})
}

// Milliseconds says a latency. Nothing takes less than one.
func (t *Texts) Milliseconds(d time.Duration) string {
	return t.Format("unit.milliseconds", Args{"N": int(max(1, d.Milliseconds()))})
}

// Number writes a whole number with the language's separator between groups of digits.
// Four digits are one group: some languages ask for that, and it is wrong in none.
func (t *Texts) Number(n int) string {
	digits := strconv.Itoa(n)
	if -10_000 < n && n < 10_000 {
		return digits
	}
	separator, size, grouped := t.Text("unit.group"), 3, ""
	for len(digits) > size && digits[len(digits)-size-1] != '-' {
		digits, grouped = digits[:len(digits)-size], separator+digits[len(digits)-size:]+grouped
		if t.language == language.Hindi {
			size = 2 // 12,34,567: thousands, then lakhs
		}
	}
	return digits + grouped
}

// decimal writes a number with the language's separators and so many digits after the
// decimal one; -1 for as many as it needs.
func (t *Texts) decimal(n float64, digits int) string {
	whole, fraction, found := strings.Cut(strconv.FormatFloat(n, 'f', digits, 64), ".")
	if grouped, err := strconv.Atoi(whole); err == nil {
		whole = t.Number(grouped)
	}
	if !found {
		return whole
	}
	return whole + t.Text("unit.decimal") + fraction
}
