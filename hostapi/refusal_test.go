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
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/secret"
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
	return asError(t, err)
}

func TestRefusals(t *testing.T) {
	const gatewaysPage = "<html>\r\n<head><title>404 Not Found</title></head>"
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
		{404, "", hostapi.CodeUnavailable, "no reason given (Not Found)", false},
		{405, "", hostapi.CodeInternal, "no reason given (Method Not Allowed)", false},
		{408, "", hostapi.CodeUnavailable, "no reason given (Request Timeout)", true},
		{409, `{"error":{"code":"BUSY","message":"restarting"}}`, hostapi.CodeConflict, "restarting: BUSY", false},
		{409, `{"error":{"message":"no"},"code":"limit_reached"}`, hostapi.CodeLimitReached, "no: limit_reached", false},
		{410, "{}", hostapi.CodeUnavailable, "no reason given (Gone)", false},
		{418, `[{"message":"a"}]`, hostapi.CodeInternal, "a", false},
		{418, `{"teapot":true,"code":7}`, hostapi.CodeInternal, `{"teapot":true,"code":7}`, false},
		{423, "", hostapi.CodeConflict, "no reason given (Locked)", false},
		{429, "slow down", hostapi.CodeRateLimited, "slow down", false},
		{500, `{"error":"x","message":"x","code":"y"}`, hostapi.CodeUnavailable, "x: y", true},
		{501, "null", hostapi.CodeInternal, "no reason given (Not Implemented)", true},
		{502, "<html><head><title>502 Bad\nGateway</title></head><body>nginx</body></html>", hostapi.CodeUnavailable, "502 Bad Gateway nginx", true},
		{503, "<!DOCTYPE html><style>b{}</style><body><h1>Down</h1>for &lt;repair&gt;</body>", hostapi.CodeUnavailable, "Down for <repair>", true},
		{524, "", hostapi.CodeUnavailable, "no reason given ()", true},

		// A gateway that does not find the service has a page of its own for that.
		{404, gatewaysPage, hostapi.CodeUnavailable, "a page of text/plain, not the service's JSON: 404 Not Found", false},
		{404, "<!-- none -->\n" + gatewaysPage, hostapi.CodeUnavailable, "", false},
		{404, "\n<!DOCTYPE html>" + gatewaysPage, hostapi.CodeUnavailable, "", false},
		{404, `{"error":"no such account"}`, hostapi.CodeNotFound, "no such account", false},
		{404, "no such account", hostapi.CodeUnavailable, "no such account", false},

		// The code decides where the status leaves it open, and the words never do.
		{400, `{"error":"no","code":"limit_reached"}`, hostapi.CodeLimitReached, "no: limit_reached", false},
		{403, `{"error":"no","code":"PLAN_LIMIT_REACHED"}`, hostapi.CodeLimitReached, "no: PLAN_LIMIT_REACHED", false},
		{409, `{"code":"quota-exceeded"}`, hostapi.CodeLimitReached, "quota-exceeded", false},
		{409, `{"code":"too_many_requests"}`, hostapi.CodeRateLimited, "too_many_requests", false},
		{404, `{"code":"forbidden"}`, hostapi.CodeUnavailable, "forbidden", false},
		{500, `{"code":"not_found"}`, hostapi.CodeUnavailable, "not_found", true},
		{403, "API rate limit exceeded", hostapi.CodeForbidden, "API rate limit exceeded", false},
		{400, `{"message":"You have reached your plan's limit of 3 bots"}`, hostapi.CodeInternal, "You have reached your plan's limit of 3 bots", false},

		{200, `{"ok":false}`, hostapi.CodeInternal, `{"ok":false}`, false},
		{200, `{"ok":false,"error":"already restarting"}`, hostapi.CodeConflict, "already restarting", false},
		{200, `{"ok":false,"code":"BUSY"}`, hostapi.CodeConflict, "BUSY", false},
		{200, `{"ok":false,"code":"SERVER_NOT_FOUND"}`, hostapi.CodeNotFound, "SERVER_NOT_FOUND", false},
		{200, `{"ok":false,"error":"now","code":"maintenance"}`, hostapi.CodeUnavailable, "now: maintenance", false},
		{201, `{"ok":false,"error":{"code":"forbidden"}}`, hostapi.CodeForbidden, "forbidden", false},
		{200, `{"ok":false,"code":"unauthorized"}`, hostapi.CodeUnauthorized, "unauthorized", false},

		{200, `{"ok":false,"error":"server_not_found"}`, hostapi.CodeNotFound, "server_not_found", false}, // as Slack's API
		{200, `{"ok":false,"error":"PLAN_LIMIT_REACHED"}`, hostapi.CodeLimitReached, "PLAN_LIMIT_REACHED", false},
		{200, `{"ok":false,"error":"busy","code":7}`, hostapi.CodeConflict, "busy", false},
		{403, `{"error":"limit_reached","message":"no more"}`, hostapi.CodeLimitReached, "no more", false},
		{403, `{"statusCode":403,"message":"not yours","error":"Unauthorized"}`, hostapi.CodeForbidden, "not yours", false}, // a status, and no code

		{200, ``, hostapi.CodeMalformed, "", true},
		{200, `<html>login</html>`, hostapi.CodeMalformed, "malformed answer: a page of text/plain, not the service's JSON: login", true},
		{200, `{"status":"RUNNING"}`, hostapi.CodeMalformed, `malformed answer: no "ok": true`, true},
		{200, `{"ok":true} {"ok":true}`, hostapi.CodeMalformed, "", true},
	} {
		got := restartError(t, test.status, http.Header{"Content-Type": {"text/plain"}}, test.body)
		if got.Code != test.code || got.Uncertain != test.uncertain || got.Status != test.status || got.Op != hostapi.OpRestart {
			t.Errorf("%d %s: %s, uncertain %v, status %d, want %s, %v", test.status, test.body, got.Code, got.Uncertain, got.Status, test.code, test.uncertain)
		}
		if test.detail != "" && got.Detail != test.detail {
			t.Errorf("%d %s: detail %q, want %q", test.status, test.body, got.Detail, test.detail)
		}
		if wrapped := fmt.Errorf("wrapped: %w", got); hostapi.IsUncertain(wrapped) != test.uncertain || hostapi.CodeOf(wrapped) != test.code {
			t.Errorf("%d %s: lost where it is wrapped", test.status, test.body)
		}
	}
}

// TestWhatWasEnteredIsRefused has services refuse a form in all the ways that are in use, and an action.
func TestWhatWasEnteredIsRefused(t *testing.T) {
	service := hostapitest.RunT(t)
	client := newClient(t, service.URL(), func(c *hostapi.Config) { c.Secret = secret.Text(service.Secret()) })
	for _, refusal := range hostapitest.RealRefusals() {
		t.Run(refusal.Name, func(t *testing.T) {
			want := hostapitest.Said
			if strings.HasPrefix(refusal.Name, "no words") {
				want = ""
			}
			service.Fail("", refusal.Fault, 4)
			_, created := client.Create(t.Context(), "42", hostapi.NewServer{Name: "a"})
			_, changed := client.UpdateStartup(t.Context(), "42", "srv-1", hostapi.Startup{Command: "a"})
			deleted := client.Delete(t.Context(), "42", "srv-1")
			for _, err := range []error{created, changed, deleted} {
				got, code := asError(t, err), hostapi.CodeInvalid
				if got.Op == hostapi.OpDelete && want == "" { // nothing was entered that could be wrong
					code = hostapi.CodeInternal
				}
				if got.Code != code || got.Words != want || got.Uncertain {
					t.Errorf("%s: %s, uncertain %v, %q", got.Op, got.Code, got.Uncertain, got.Words)
				}
			}
			_, err := client.Restart(t.Context(), "42", "srv-1")
			got, code := asError(t, err), hostapi.CodeInternal                                                                  // the request is ours alone
			if got.Status < 300 || got.Status == http.StatusUnprocessableEntity && want != "" && refusal.Name != "plain text" { // which a gateway may say
				code = hostapi.CodeConflict
			}
			if got.Code != code {
				t.Errorf("%s: %s", got.Op, got.Code)
			}
		})
	}
}

// TestWordsOfRefusals are for customers: the more exact ones, each once, none of a gateway's.
func TestWordsOfRefusals(t *testing.T) {
	for _, test := range []struct {
		status int
		body   string
		want   string
	}{
		{422, `{"errors":{"name":["is too long","must be unique"],"entryFile":["The entry file is missing."]}}`, "The entry file is missing. · name: is too long · name: must be unique"},
		{422, `{"detail":[{"loc":["body","ramMb"],"msg":"must be positive"}]}`, "ramMb: must be positive"},
		{400, `{"message":["a b","c d","a b"],"error":"Bad Request"}`, "a b · c d"},
		{400, `{"error":"No such language","message":"Choose NODE or PYTHON"}`, "No such language · Choose NODE or PYTHON"},
		{422, `{"violations":[{"field":"create.request.name","message":"must not be blank"}]}`, "name: must not be blank"}, // Jakarta's property path
		{422, `{"errors":{"$.ramMb":["must be a number"],"data[0].name":["is too long"]}}`, "ramMb: must be a number · name: is too long"},
		{422, `{"messages":["Choose another name"]}`, "Choose another name"},
		{422, `{"errorMessages":["Choose another name"],"errors":{}}`, "Choose another name"}, // Jira
		{422, `{"ok":false,"error":{"type":"validation","fields":[{"name":"name","error":"Choose another one"}]}}`, "Choose another one"},
		{422, `{"failures":[{"propertyName":"Name","errorMessage":"is taken"}]}`, "Name: is taken"}, // FluentValidation
		{422, `{"errcode":40001,"errmsg":"Choose another name"}`, "Choose another name"},
		{422, `{"message":"The name &quot;a &amp; b&#039;s&quot; is taken"}`, `The name "a & b's" is taken`}, // escaped for a page
		{422, `{"message":"&lt;p&gt;Oops&lt;/p&gt;"}`, ""},
		{422, `{"errors":[{"resource":"Server","field":"name","code":"taken"}],"message":"Validation Failed"}`, ""},
		{422, `{"error":"name_taken"}`, "name_taken"},
		{422, `{"error":"name_taken","message":"Der Name ist vergeben"}`, "Der Name ist vergeben"},
		{422, `{"error":"名前は既に使われています"}`, "名前は既に使われています"},
		{422, `{"message":"Plan limit reached","details":{"max":"3","plan":"FREE"}}`, "Plan limit reached"},
		{422, `{"message":"Failed","trace":["at a b","at c d"],"server":{"name":"my bot","description":7}}`, ""},
		{422, `{"apiError":{"message":"The name is taken"}}`, "The name is taken"},
		{200, `{"ok":false,"error":"The name is taken","server":{"name":"My bot","description":"It does this and that","tags":["a b"]}}`, "The name is taken"},
		{422, `{"message":"Not created","data":{"errors":{"name":["is too long"]}}}`, "name: is too long"},
		{422, `{"message":"Invalid Form Body","errors":{"name":{"_errors":[{"code":"TOO_LONG","message":"Must be 30 or fewer in length."}]}}}`, "name: Must be 30 or fewer in length."},
		{422, `{"code":"CONFLICT","message":"The name is taken"}`, "The name is taken"},
		{422, `{"message":"<html><body>Oops"}`, ""},
		{422, `["The name is`, ""},
		{422, `{"message":"bad: {'name': ['taken']}"}`, ""},
		{422, "error: no such thing\n  at a\n  at b", ""},
		{422, "<html><body>Your request was blocked</body></html>", ""},
		{409, `{"error":"The name is taken"}`, "The name is taken"},
		{409, "The name is taken", "The name is taken"},
		{409, "Conflict", ""},
		{403, `{"error":"No bots for accounts that have not paid"}`, "No bots for accounts that have not paid"},
		{403, "RBAC: access denied", ""},
		{403, "error code: 1020", ""},
		{402, `{"message":"Add a card first"}`, "Add a card first"},
	} {
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, test.body)
		})
		_, err := client.Create(t.Context(), "42", hostapi.NewServer{Name: "a"})
		if got := asError(t, err).Words; got != test.want {
			t.Errorf("%d %s: %q, want %q", test.status, test.body, got, test.want)
		}
	}
	if got := restartError(t, 409, nil, `{"error":"another action is under way","code":"BUSY"}`); got.Words != "" {
		t.Errorf("what our own text says in the customer's language is said by %q", got.Words)
	}
	if got := restartError(t, 409, nil, `{"message":"`+strings.Repeat("<@1> `x` \u202e "+theSecret, 500)+`"}`).Words; utf8.RuneCountInString(got) > 300 || strings.Contains(got, theSecret) || strings.Contains(got, "\u202e") {
		t.Errorf("hostile words: %q", got)
	}
}

func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"7":                             7 * time.Second,
		"-7":                            0,
		"soon":                          0,
		"999999":                        24 * time.Hour,
		"999999999999":                  24 * time.Hour,
		"1e9":                           24 * time.Hour,
		"1m":                            0,
		"NaN":                           0,
		"20, 30":                        0,
		"Mon, 02 Jan 2006 15:04:05 GMT": 0,
		"Mon, 02 Jan 2090 15:04:05 GMT": 24 * time.Hour,
	} {
		got := restartError(t, http.StatusTooManyRequests, http.Header{"Retry-After": {header}}, "")
		if got.RetryAfter != want {
			t.Errorf("%q: %v, want %v", header, got.RetryAfter, want)
		}
	}
	in := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	for _, sent := range [][]string{nil, {"yesterday"}} { // which leaves our clock
		header := http.Header{"Retry-After": {in(time.Hour)}, "Date": sent}
		if got := restartError(t, http.StatusServiceUnavailable, header, "").RetryAfter; got <= 0 || got > time.Hour {
			t.Errorf("an hour from now, sent %q: %v", sent, got)
		}
	}
	header := http.Header{"Date": {in(time.Hour)}, "Retry-After": {in(time.Hour - time.Minute)}}
	if got := restartError(t, http.StatusTooManyRequests, header, "").RetryAfter; got != 0 {
		t.Errorf("a minute before the answer was sent: %v", got)
	}
	for _, real := range hostapitest.RealLimits() {
		if !strings.Contains(real.Name, "clock") {
			continue
		}
		if got := restartError(t, real.Fault.Status, real.Fault.Header, "").RetryAfter; got != 20*time.Second {
			t.Errorf("%s: %v, want 20 s", real.Name, got)
		}
	}
}

// TestSecretStaysSecret has the service send the secret back in every way
// that might slip through.
func TestSecretStaysSecret(t *testing.T) {
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

// TestSecretIsFoundAsOthersWriteIt has the service send back a secret of
// which JSON, addresses and pages change characters.
func TestSecretIsFoundAsOthersWriteIt(t *testing.T) {
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
