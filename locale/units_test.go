package locale_test

import (
	"math"
	"testing"
	"time"

	"hostbot/locale"
)

func TestUnits(t *testing.T) {
	bundle := embedded(t)
	en, de, tr, fr := bundle.For("en-US"), bundle.For("de"), bundle.For("tr"), bundle.For("fr")
	ko, hi, es := bundle.For("ko"), bundle.For("hi"), bundle.For("es-ES")
	tests := []struct{ got, want string }{
		{en.Size(0), "0\u00a0MB"},
		{en.Size(512), "512\u00a0MB"},
		{en.Size(1023), "1023\u00a0MB"},
		{en.Size(1024), "1\u00a0GB"},
		{en.Size(2048), "2\u00a0GB"},
		{en.Size(1536), "1.5\u00a0GB"},
		{de.Size(1536), "1,5\u00a0GB"},
		{en.Size(10240), "10\u00a0GB"},
		{en.Percent(150), "150%"},
		{tr.Percent(150), "%150"},
		{en.CPU(100), "1\u00a0vCPU"},
		{de.CPU(150), "1,5\u00a0vCPU"},
		{en.CPU(5), "0.05\u00a0vCPU"},
		{en.Duration(0), "0.0\u00a0s"},
		{de.Duration(4321 * time.Millisecond), "4,3\u00a0s"},
		{en.Duration(59*time.Second + 700*time.Millisecond), "60\u00a0s"},
		{en.Duration(119 * time.Second), "119\u00a0s"},
		{en.Duration(150 * time.Second), "3\u00a0min"},
		{en.Duration(110 * time.Minute), "110\u00a0min"},
		{en.Duration(500 * time.Minute), "8\u00a0h"},
		{en.Duration(49 * time.Hour), "2 days"},
		{en.DurationWithin(5*time.Second, time.Second), "5\u00a0s"},
		{en.DurationWithin(40*time.Second, time.Minute), "1\u00a0min"},
		{en.DurationWithin(119*time.Second, time.Minute), "2\u00a0min"},
		{en.DurationWithin(100*time.Minute, time.Minute), "100\u00a0min"},
		{en.Length(40*time.Second, time.Minute), "1\u00a0min"},
		{en.Length(100*time.Minute, time.Minute), "100\u00a0min"},
		{en.Length(2*time.Hour+29*time.Minute+40*time.Second, time.Minute), "2\u00a0h\u00a030\u00a0min"},
		{en.Length(3*time.Hour-10*time.Second, time.Second), "3\u00a0h"},
		{de.Length(76*time.Hour+20*time.Minute, time.Minute), "3 Tage\u00a04\u00a0h"},
		{en.Length(72*time.Hour-10*time.Second, time.Second), "3 days"},
		{tr.Milliseconds(0), "1\u00a0msn"},
		{en.Milliseconds(12345 * time.Millisecond), "12,345\u00a0ms"},
		{en.Size(20_000 << 10), "20,000\u00a0GB"},
		{de.Size(12_345<<10 + 512), "12.345,5\u00a0GB"},
		{fr.Size(1536), "1,5\u00a0Go"},
		{ko.Size(1536), "1.5GB"},
		{ko.Duration(3 * time.Minute), "3분"},
		{en.Number(-9999), "-9999"},
		{en.Number(-123456), "-123,456"},
		{es.Number(1234567), "1.234.567"},
		{fr.Number(10000), "10\u202f000"},
		{hi.Number(1234567), "12,34,567"},
		{hi.Number(12345), "12,345"},
		{en.Number(math.MinInt64), "-9,223,372,036,854,775,808"},
		{hi.Number(math.MaxInt64), "92,23,37,20,36,85,47,75,807"},
		{fr.Format("unit.percent", locale.Args{"N": 12345}), "12\u202f345\u00a0%"},
		{en.Duration(5*time.Hour + 40*time.Minute), "6\u00a0h"},
		{en.Duration(24 * time.Hour), "24\u00a0h"},
		{de.Duration(7 * 24 * time.Hour), "7 Tage"},
		{en.Share(1), "100%"},
		{en.Share(0.999999), "99.9%"},
		{de.Share(0.5), "50\u00a0%"},
		{tr.Share(0.98765), "%98,7"},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
