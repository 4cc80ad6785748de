package hostapi

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter bounds what is believed of a Retry-After header.
const maxRetryAfter = 24 * time.Hour

// refused returns the error of an answer with which the service refuses: a
// status other than 2xx, or one of 2xx over a body that says "ok": false.
func (c *Client) refused(o operation, res *http.Response, body []byte) *Error {
	said := reasonIn(body)
	if said.code == "" && (res.StatusCode < http.StatusMultipleChoices || !isHollow(said.token)) {
		said.code = said.token
	}
	failure := &Error{Code: codeOf(o, res.StatusCode, said), Op: o.name, Status: res.StatusCode}
	switch page, blocked := pageIn(res, body); {
	case page == "", res.StatusCode >= 500 && !blocked: // which means the same, whoever says it
	case res.StatusCode == http.StatusUnauthorized, res.StatusCode >= 500:
		said.all = page
	case failure.Code == CodeNotFound && o.name == OpGet:
		// The page may be that of a service without the operation. The list tells.
		said.all = page
	default:
		// Nothing has looked for an account or a server.
		failure.Code, said.all = CodeUnavailable, page
	}
	if location, err := res.Location(); err == nil && res.StatusCode/100 == 3 {
		said.all = "redirect not followed: to " + location.Scheme + "://" + location.Host // whose path may hold the user's ID
	}
	failure.Detail = cmp.Or(c.printable(said.all), "no reason given ("+http.StatusText(res.StatusCode)+")")
	failure.Words = c.printableWithin(said.words, maxWords)
	if !said.json && failure.Code != CodeInvalid && failure.Code != CodeConflict || saysBusy(said.code) {
		// A gateway may have said it, or it is what our own text says in the user's language.
		failure.Words = ""
	}
	if failure.Code == CodeRateLimited || failure.Code == CodeUnavailable {
		failure.RetryAfter = retryAfter(res.Header, time.Now())
	}
	switch {
	case o.reads:
	case res.StatusCode >= 500, res.StatusCode == http.StatusRequestTimeout:
		failure.Uncertain = true // it may have failed half way
	case res.StatusCode == http.StatusFound, res.StatusCode == http.StatusSeeOther:
		failure.Uncertain = true // the outcome is to be read elsewhere
	}
	return failure
}

// codeOf returns what a status means. If the status alone leaves that open, the body decides.
func codeOf(o operation, status int, said reason) Code {
	switch {
	case status == http.StatusNotImplemented || status == http.StatusHTTPVersionNotSupported:
		return CodeInternal // the service works, and will never do this
	case status >= 500 || status == http.StatusRequestTimeout || status/100 == 3:
		return CodeUnavailable // a redirect leads to a login, or to where something else is
	case status == http.StatusUnauthorized:
		return CodeUnauthorized
	case status == http.StatusPaymentRequired:
		return CodeLimitReached
	case status == http.StatusNotFound || status == http.StatusGone:
		return CodeNotFound
	case status == http.StatusTooManyRequests:
		return CodeRateLimited
	}
	named := codeNamed(said.code)
	if named != "" && (named != CodeConflict || saysBusy(said.code)) { // what was entered may be in conflict as well
		return named
	}
	switch isOK := status < http.StatusMultipleChoices; {
	case o.refusesInput(status, said):
		return CodeInvalid
	case named != "":
		return named
	case !o.reads && said.words != "" && (isOK || status == http.StatusUnprocessableEntity && said.json):
		return CodeConflict // the words say why not
	}
	switch status {
	case http.StatusForbidden:
		return CodeForbidden
	case http.StatusConflict, http.StatusLocked:
		return CodeConflict
	default:
		return CodeInternal
	}
}

// refusesInput reports whether the service does not accept what was entered in a form. A 409 to a creation means that,
// since nothing else of a new server can be in conflict. The form of a deletion is not sent to the service, so its refusal
// counts only if it has words.
func (o operation) refusesInput(status int, said reason) bool {
	switch {
	case said.page, o.name != OpCreate && o.name != OpUpdateStartup && o.name != OpDelete, o.name == OpDelete && said.words == "":
		return false
	case status == http.StatusConflict:
		return o.name == OpCreate && said.words != ""
	case status < http.StatusMultipleChoices:
		return said.words != "" || said.code != ""
	default:
		return status == http.StatusBadRequest || status == http.StatusUnprocessableEntity
	}
}

// saysBusy reports whether a code says that a server is busy, or is already as the action would make it.
func saysBusy(code string) bool {
	return slices.Contains([]string{"busy", "already_running", "already_stopped"}, normal(code))
}

// normal returns a code in the form in which codes are compared.
func normal(code string) string { return strings.ReplaceAll(strings.ToLower(code), "-", "_") }

// codeNamed returns what the code in a body means, or "". The service's document shows no codes. So this takes the names
// of our own, and others in common use.
func codeNamed(code string) Code {
	if saysBusy(code) {
		return CodeConflict
	}
	switch named := Code(normal(code)); named {
	case CodeUnauthorized, CodeForbidden, CodeNotFound, CodeConflict, CodeLimitReached, CodeRateLimited, CodeUnavailable:
		return named
	case "account_not_found", "server_not_found":
		return CodeNotFound
	case "limit_exceeded", "plan_limit_reached", "plan_limit_exceeded", "quota_exceeded":
		return CodeLimitReached
	case "rate_limit_exceeded", "too_many_requests":
		return CodeRateLimited
	case "service_unavailable", "maintenance":
		return CodeUnavailable
	default:
		return ""
	}
}

// retryAfter returns the wait that an answer's Retry-After header asks for, in seconds or as a date; 0 if it has neither,
// or a past date. A date is compared with the answer's own Date, so that the service's clock may be wrong; without one,
// with this machine's clock.
func retryAfter(answer http.Header, now time.Time) time.Duration {
	value := answer.Get("Retry-After")
	seconds, err := strconv.ParseFloat(value, 64)
	wait := time.Duration(min(max(seconds, 0), maxRetryAfter.Seconds()) * float64(time.Second))
	if err != nil || math.IsNaN(seconds) {
		if sent, err := http.ParseTime(answer.Get("Date")); err == nil {
			now = sent
		}
		date, _ := http.ParseTime(value) // long ago where it is none
		wait = date.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}
