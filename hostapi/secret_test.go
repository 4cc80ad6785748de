package hostapi_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"hostbot/hostapi"
	"hostbot/hostapi/secret"
)

// TestSetSecret has requests carry another secret. No error tells either, as the service may repeat
// what requests under way have carried.
func TestSetSecret(t *testing.T) {
	const another = "an0ther-of-the-service"
	var sent string
	client := serve(t, func(w http.ResponseWriter, r *http.Request) {
		sent = r.Header.Get("Authorization")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, theSecret+" and "+another)
	})
	for _, step := range []struct {
		secret  secret.Text
		changed bool
		wrong   string // what is wrong with it
		sends   string
	}{
		{theSecret, false, "", theSecret},
		{another, true, "", another},
		{another, false, "", another},
		{"", false, "is missing", another},
		{"with a space", false, "white space", another},
		{theSecret, true, "", theSecret},
	} {
		changed, err := client.SetSecret(step.secret)
		if changed != step.changed || (err == nil) != (step.wrong == "") || err != nil && !strings.Contains(err.Error(), step.wrong) {
			t.Errorf("%q: %v, %v", step.secret.Reveal(), changed, err)
		}
		_, err = client.List(hostapi.Once(t.Context()), "1")
		if sent != "Bearer "+step.sends {
			t.Errorf("%q: the request carries %q", step.secret.Reveal(), sent)
		}
		for _, text := range []string{fmt.Sprint(err), fmt.Sprintf("%v %+v %#v", client, client, client)} {
			if strings.Contains(text, step.sends) || changed && (strings.Contains(text, theSecret) || strings.Contains(text, another)) {
				t.Errorf("it tells %s", text)
			}
		}
	}
}
