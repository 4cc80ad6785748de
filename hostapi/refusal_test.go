package hostapi_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"hostbot/hostapi"
)

// restartError restarts a server of a service that always gives one answer.
func restartError(t *testing.T, status int, header http.Header, body string) *hostapi.Error {
	t.Helper()
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		for name, values := range header {
			w.Header()[name] = values
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
	_, err := client.Restart(t.Context(), "42", "srv-1")
	var failure *hostapi.Error
	if !errors.As(err, &failure) {
		t.Fatalf("status %d with %q: error %v", status, body, err)
	}
	return failure
}

func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		status    int
		body      string
		code      hostapi.Code
		detail    string
		uncertain bool
	}{
		{401, `{"error":"bad secret"}`, hostapi.CodeUnauthorized, "bad secret", false},
		{402, `{"message":"upgrade"}`, hostapi.CodeLimitReached, "upgrade", false},
		{403, `{"error":"not yours"}`, hostapi.CodeForbidden, "not yours", false},
		{403, `{"error":"no","code":"PLAN_LIMIT_REACHED"}`, hostapi.CodeLimitReached, "no: PLAN_LIMIT_REACHED", false},
		{403, "API rate limit exceeded", hostapi.CodeRateLimited, "API rate limit exceeded", false},
		{400, `{"message":"You have reached your plan's limit of 3 bots"}`, hostapi.CodeLimitReached, "You have reached your plan's limit of 3 bots", false},
		{409, `{"code":"maxServers exceeded"}`, hostapi.CodeLimitReached, "maxServers exceeded", false},
		{409, "over the limit", hostapi.CodeLimitReached, "over the limit", false},
		{409, "rate limit", hostapi.CodeRateLimited, "rate limit", false},
		{423, "quota", hostapi.CodeLimitReached, "quota", false},
		{403, `{"error":"limit"}`, hostapi.CodeLimitReached, "limit", false},
		{400, "limit must be positive", hostapi.CodeInternal, "limit must be positive", false},
		{403, "Only for limited editions", hostapi.CodeForbidden, "Only for limited editions", false},
		{422, `{"error":"insufficient memory"}`, hostapi.CodeLimitReached, "insufficient memory", false},
		{400, `{"error":"no such field"}`, hostapi.CodeInternal, "no such field", false},
		{404, "", hostapi.CodeNotFound, "no reason given (Not Found)", false},
		{410, "{}", hostapi.CodeNotFound, "no reason given (Gone)", false},
		{409, `{"error":{"code":"BUSY","message":"restarting"}}`, hostapi.CodeConflict, "restarting: BUSY", false},
		{423, "", hostapi.CodeConflict, "no reason given (Locked)", false},
		{429, "slow down", hostapi.CodeRateLimited, "slow down", false},
		{405, "", hostapi.CodeInternal, "no reason given (Method Not Allowed)", false},
		{418, `[{"message":"a"},{"message":"b"}]`, hostapi.CodeInternal, "a: b", false},
		{500, `{"errors":["x","x","y"]}`, hostapi.CodeUnavailable, "x: y", true},
		{501, "null", hostapi.CodeUnavailable, "no reason given (Not Implemented)", true},
		{502, "<html><head><title>502 Bad\nGateway</title></head><body>nginx</body></html>", hostapi.CodeUnavailable, "502 Bad Gateway", true},
		{503, "<!DOCTYPE html><style>b{}</style><body><h1>Down</h1>for &lt;repair&gt;</body>", hostapi.CodeUnavailable, "Down for <repair>", true},
		{504, "", hostapi.CodeUnavailable, "no reason given (Gateway Timeout)", true},
		{524, "", hostapi.CodeUnavailable, "no reason given ()", true},
		{408, "", hostapi.CodeUnavailable, "no reason given (Request Timeout)", true},
		{418, `{"teapot":true}`, hostapi.CodeInternal, `{"teapot":true}`, false},
		{418, `"short and stout"`, hostapi.CodeInternal, "short and stout", false},

		{200, `{"ok":false}`, hostapi.CodeInternal, `{"ok":false}`, false},
		{200, `{"ok":false,"error":"already restarting"}`, hostapi.CodeConflict, "already restarting", false},
		{200, `{"ok":false,"code":"SERVER_NOT_FOUND"}`, hostapi.CodeNotFound, "SERVER_NOT_FOUND", false},
		{200, `{"ok":false,"error":"plan limit reached"}`, hostapi.CodeLimitReached, "plan limit reached", false},
		{200, `{"ok":false,"error":"Too many requests"}`, hostapi.CodeRateLimited, "Too many requests", false},
		{200, `{"ok":false,"error":"under maintenance"}`, hostapi.CodeUnavailable, "under maintenance", false},
		{201, `{"ok":false,"error":"not allowed"}`, hostapi.CodeForbidden, "not allowed", false},
		{200, `{"ok":false,"error":"invalid secret"}`, hostapi.CodeUnauthorized, "invalid secret", false},

		{200, ``, hostapi.CodeMalformed, "", true},
		{200, `<html>login</html>`, hostapi.CodeMalformed, "", true},
		{200, `{"status":"RUNNING"}`, hostapi.CodeMalformed, "malformed answer: no word of success", true},
		{200, `{"ok":"true"}`, hostapi.CodeMalformed, "", true},
		{200, `{"ok":true,"status":7}`, hostapi.CodeMalformed, "", true},
		{200, `{"ok":true} {"ok":true}`, hostapi.CodeMalformed, "", true},
	} {
		got := restartError(t, test.status, nil, test.body)
		if got.Code != test.code || got.Uncertain != test.uncertain || got.Status != test.status || got.Op != hostapi.OpRestart {
			t.Errorf("%d %s: %s, uncertain %v, status %d, want %s, %v", test.status, test.body, got.Code, got.Uncertain, got.Status, test.code, test.uncertain)
		}
		if test.detail != "" && got.Detail != test.detail {
			t.Errorf("%d %s: detail %q, want %q", test.status, test.body, got.Detail, test.detail)
		}
		if hostapi.IsUncertain(fmt.Errorf("wrapped: %w", got)) != test.uncertain || hostapi.CodeOf(fmt.Errorf("wrapped: %w", got)) != test.code {
			t.Errorf("%d %s: lost where it is wrapped", test.status, test.body)
		}
	}
}

// A gateway that does not find the service has a page of its own for that.
func TestAPageThatSaysNotFoundIsAGateways(t *testing.T) {
	const page, text, encoded = "<html>\r\n<head><title>404 Not Found</title></head>", "text/plain", "application/json"
	for _, test := range []struct {
		kind, body string
		want       hostapi.Code
	}{
		{"text/html", page, hostapi.CodeUnavailable},
		{"text/html; charset=utf-8", "<!-- none -->\n" + page, hostapi.CodeUnavailable},
		{text, "\n<!DOCTYPE html>" + page, hostapi.CodeUnavailable},
		{encoded, `{"error":"no such account"}`, hostapi.CodeNotFound},
		{"text/html", `{"error":"no such account"}`, hostapi.CodeNotFound},
		{"text/html", "no such account", hostapi.CodeNotFound},
		{text, "no such account", hostapi.CodeNotFound},
		{encoded, "", hostapi.CodeNotFound},
		{"text/html", "", hostapi.CodeNotFound},
	} {
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", test.kind)
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, test.body)
		})
		_, ofList := client.List(t.Context(), "42")
		_, ofAction := client.Restart(t.Context(), "42", "srv-1")
		for _, err := range []error{ofList, ofAction} {
			var got *hostapi.Error
			if !errors.As(err, &got) || got.Code != test.want || got.Status != http.StatusNotFound {
				t.Errorf("%s %q: %v, want %s", test.kind, test.body, err, test.want)
			}
		}
		if hostapi.IsUncertain(ofAction) {
			t.Errorf("%s %q: the action may have been carried out", test.kind, test.body)
		}
		var action *hostapi.Error
		if errors.As(ofAction, &action) && (action.Attempts != 1 || action.NotSent) {
			t.Errorf("%s %q: the action was sent %d times", test.kind, test.body, action.Attempts)
		}
	}
}

func TestNoContentIsASuccess(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	if err := client.Delete(t.Context(), "42", "srv-1"); err != nil {
		t.Error(err)
	}
	if status, err := client.Start(t.Context(), "42", "srv-1"); status != "" || err != nil {
		t.Errorf("%q, %v", status, err)
	}
}

func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"7":                             7 * time.Second,
		"-7":                            0,
		"soon":                          0,
		"99999999999":                   24 * time.Hour,
		"Mon, 02 Jan 2006 15:04:05 GMT": 0,
		"Mon, 02 Jan 2090 15:04:05 GMT": 24 * time.Hour,
	} {
		got := restartError(t, http.StatusTooManyRequests, http.Header{"Retry-After": {header}}, "")
		if got.RetryAfter != want {
			t.Errorf("%q: %v, want %v", header, got.RetryAfter, want)
		}
	}
	date := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	if got := restartError(t, http.StatusServiceUnavailable, http.Header{"Retry-After": {date}}, "").RetryAfter; got <= 0 || got > time.Hour {
		t.Errorf("an hour from now: %v", got)
	}
}

// TestTheSecretStaysSecret has the service send the secret back in every way
// that might slip through.
func TestTheSecretStaysSecret(t *testing.T) {
	const half = len(theSecret) / 2
	escaped := ""
	for _, r := range theSecret {
		escaped += fmt.Sprintf(`\u%04x`, r)
	}
	for name, answer := range map[string]struct {
		status int
		header http.Header
		body   string
	}{
		"text":         {500, nil, "got Bearer " + theSecret},
		"JSON":         {400, nil, `{"error":"` + theSecret + `"}`},
		"escapes":      {400, nil, `{"error":"` + escaped + `"}`},
		"HTML":         {500, nil, "<html><title>" + theSecret + "</title></html>"},
		"entities":     {500, nil, "<html><title>&#" + fmt.Sprint(theSecret[0]) + ";" + theSecret[1:] + "</title></html>"},
		"cut":          {500, nil, strings.Repeat("x", 190) + theSecret},
		"broken up":    {500, nil, theSecret[:half] + "\u200b" + theSecret[half:]},
		"many":         {500, nil, strings.Repeat(theSecret, 4000)},
		"location":     {302, http.Header{"Location": {"https://" + theSecret + ".example/" + theSecret}}, ""},
		"wrong type":   {200, nil, `{"ok":"` + theSecret + `"}`},
		"refused":      {200, nil, `{"ok":false,"` + theSecret + `":1}`},
		"content type": {500, http.Header{"Content-Type": {theSecret}}, theSecret},
	} {
		got := restartError(t, answer.status, answer.header, answer.body)
		for err := error(got); err != nil; err = errors.Unwrap(err) {
			if text := fmt.Sprintf("%v %+v %#v %s %q %d", err, err, err, err, err, err); strings.Contains(text, theSecret) || strings.Contains(text, theSecret[:half]) {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
}

// TestTheSecretIsFoundAsOthersWriteIt has the service send back a secret of
// which JSON, addresses and pages change characters.
func TestTheSecretIsFoundAsOthersWriteIt(t *testing.T) {
	const odd = `ab/cd+ef&gh"ij\kl`
	for _, written := range []string{
		odd, `ab/cd+ef&gh\"ij\\kl`, `ab\/cd+ef&gh\"ij\\kl`, `ab/cd+ef\u0026gh\"ij\\kl`, `ab\/cd+ef\u0026gh\"ij\\kl`,
		`ab%2Fcd%2Bef%26gh%22ij%5Ckl`, `ab%2Fcd+ef&gh%22ij%5Ckl`, `ab/cd+ef&amp;gh&#34;ij\kl`,
	} {
		for _, body := range []string{written, `{"unusual":"` + written + `"}`, `{"error":"` + written + `"}`, "<html><body>" + written + "</body></html>"} {
			client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, body)
			}, func(c *hostapi.Config) { c.Secret = odd })
			err := client.Reinstall(t.Context(), "42", "srv-1")
			if text := fmt.Sprint(err); !strings.Contains(text, "<secret>") || strings.Contains(text, "gh") {
				t.Errorf("%s: %s", body, text)
			}
		}
	}
}

func TestTheSecretIsNotInAPrintedClient(t *testing.T) {
	config := hostapi.Config{BaseURL: "https://hosting.example", Secret: theSecret}
	client := newClient(t, config.BaseURL)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		for _, value := range []any{config, &config, client, *client, struct{ c *hostapi.Client }{client}} {
			text := fmt.Sprintf(verb, value)
			for _, secret := range []string{theSecret, fmt.Sprintf("%x", theSecret), fmt.Sprintf("%X", theSecret)} {
				if strings.Contains(text, secret) {
					t.Errorf("%s of a %T: %s", verb, value, text)
				}
			}
		}
	}
}

func TestTheSecretStaysSecretInABrokenAnswer(t *testing.T) {
	client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "Bearer "+theSecret+"\r\n\r\n")
		_ = conn.Close()
	})
	_, err := client.Restart(t.Context(), "42", "srv-1")
	if err == nil || strings.Contains(fmt.Sprintf("%v %#v", err, err), theSecret) {
		t.Errorf("error %v", err)
	}
}

func TestDetailIsOnePrintableLine(t *testing.T) {
	hostile := "a\x00b\r\nc\x1b[31md\u202ee\u2066f\u200bg\u2028h" + strings.Repeat("\u0301", 50) + "\xff" + strings.Repeat("z", 5000)
	for _, body := range []string{
		hostile,
		"<html><title>" + hostile + "</title>",
		`{"error":"` + base64.StdEncoding.EncodeToString([]byte(hostile)) + `\u202e\u0000\n"}`,
		strings.Repeat(`{"error":`, 5000) + "1" + strings.Repeat("}", 5000),
		strings.Repeat("[", 60000),
	} {
		detail := restartError(t, http.StatusTeapot, nil, body).Detail
		if detail == "" || utf8.RuneCountInString(detail) > 200 || !utf8.ValidString(detail) {
			t.Errorf("%.40q: detail of %d characters: %q", body, utf8.RuneCountInString(detail), detail)
		}
		for _, r := range detail {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) {
				t.Errorf("%.40q: detail holds %U", body, r)
			}
		}
	}
}
