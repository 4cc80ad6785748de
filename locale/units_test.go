package locale_test

import (
	"testing"
	"time"

	"hostbot/locale"
)

func TestUnits(t *testing.T) {
	bundle, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	en, de, tr := bundle.For("en-US"), bundle.For("de"), bundle.For("tr")
	tests := []struct{ got, want string }{
		{en.Size(0), "0 MB"},
		{en.Size(512), "512 MB"},
		{en.Size(1023), "1023 MB"},
		{en.Size(1024), "1 GB"},
		{en.Size(2048), "2 GB"},
		{en.Size(1536), "1.5 GB"},
		{de.Size(1536), "1,5 GB"},
		{en.Size(10240), "10 GB"},
		{en.Percent(150), "150 %"},
		{tr.Percent(150), "%150"},
		{en.CPU(100), "1 vCPU"},
		{de.CPU(150), "1,5 vCPU"},
		{en.CPU(5), "0.05 vCPU"},
		{en.Duration(0), "0.0 s"},
		{de.Duration(4321 * time.Millisecond), "4,3 s"},
		{en.Duration(59*time.Second + 700*time.Millisecond), "60 s"},
		{en.Duration(119 * time.Second), "119 s"},
		{en.Duration(150 * time.Second), "3 min"},
		{en.Duration(5*time.Hour + 40*time.Minute), "6 h"},
		{en.Duration(50 * time.Hour), "2 days"},
		{en.Period(24 * time.Hour), "24 h"},
		{de.Period(7 * 24 * time.Hour), "7 Tage"},
		{en.Share(1), "100 %"},
		{en.Share(0.999999), "99.99 %"},
		{de.Share(0.5), "50 %"},
		{tr.Share(0.98765), "%98,76"},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
