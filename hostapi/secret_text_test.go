package hostapi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"hostbot/hostapi/secret"
)

const plain = "MTk4NjIy.hunter2"

func TestCheckHeader(t *testing.T) {
	for _, test := range []struct {
		value secret.Text
		want  string // empty: nothing is wrong
	}{
		{plain, ""},
		{"!~", ""},
		{secret.Text(strings.Repeat("x", 1024)), ""},
		{"", "is missing"},
		{"two words", "white space"},
		{"line\n", "white space"},
		{"tökén", "not printable ASCII"},
		{secret.Text(strings.Repeat("x", 1025)), "longer than 1024 bytes"},
	} {
		err := test.value.CheckHeader()
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%.20q: error %v, want %q", test.value.Reveal(), err, test.want)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, verb := range []string{"v", "+v", "#v", "s", "q", "x", "X", "#x", "d", "t", "c", "U", "e", "z", "10s", ".3s", "-20v"} {
		t.Run(verb, func(t *testing.T) {
			for _, value := range []any{secret.Text(plain), struct{ S secret.Text }{plain}, []any{secret.Text(plain)}, map[string]secret.Text{"k": plain}} {
				hidden(t, fmt.Sprintf("%"+verb, value))
			}
			if got := fmt.Sprintf("%"+verb, secret.Text(plain)); got != "<secret>" {
				t.Errorf("prints %q, want <secret>", got)
			}
		})
	}
	t.Run("error", func(t *testing.T) {
		hidden(t, errors.Join(fmt.Errorf("token %v", secret.Text(plain))).Error())
	})
}

// hidden fails where out holds the secret, plainly or in hexadecimal.
func hidden(t *testing.T, out string) {
	t.Helper()
	for _, form := range []string{plain, fmt.Sprintf("%x", plain), fmt.Sprintf("%X", plain), "hunter2"} {
		if strings.Contains(out, form) {
			t.Errorf("the secret shows in %s", out)
		}
	}
}
