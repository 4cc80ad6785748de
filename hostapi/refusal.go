package hostapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// maxRetryAfter bounds what is believed of a Retry-After header.
const maxRetryAfter = 24 * time.Hour

// saysNotOK tells of a body that reports a failure, whatever its status.
func saysNotOK(body []byte) bool {
	var said struct {
		OK *bool `json:"ok"`
	}
	return json.Unmarshal(body, &said) == nil && said.OK != nil && !*said.OK
}

// refused returns the error of an answer with which the service refuses: a
// status other than 2xx, or one of 2xx over a body that says "ok": false.
func (c *Client) refused(e endpoint, op Operation, res *http.Response, body []byte) *Error {
	why := reasonIn(res.Header.Get("Content-Type"), body)
	failure := &Error{
		Code:   codeOfStatus(res.StatusCode, why),
		Op:     op,
		Status: res.StatusCode,
		Detail: c.printable(why),
		// Who fails does not know how far the action got, and a redirect to read
		// the outcome elsewhere does not say what it is.
		Uncertain: !e.reads && (res.StatusCode >= 500 || slices.Contains([]int{
			http.StatusFound, http.StatusSeeOther, http.StatusRequestTimeout,
		}, res.StatusCode)),
	}
	if failure.Code == CodeNotFound && isPage(res.Header.Get("Content-Type"), body) {
		// It is a gateway's, which does not find the service: nobody has looked for
		// an account or a server.
		failure.Code = CodeUnavailable
	}
	if location := res.Header.Get("Location"); location != "" && res.StatusCode/100 == 3 {
		failure.Detail = c.printable("redirect not followed: " + redirectTarget(res, location))
	}
	if failure.Code == CodeRateLimited || failure.Code == CodeUnavailable {
		failure.RetryAfter = retryAfter(res.Header.Get("Retry-After"), time.Now())
	}
	if failure.Detail == "" {
		failure.Detail = fmt.Sprintf("no reason given (%s)", http.StatusText(res.StatusCode))
	}
	return failure
}

// redirectTarget returns the origin that a redirect points to. The rest of the
// address may hold the user's ID.
func redirectTarget(res *http.Response, location string) string {
	target, err := res.Request.URL.Parse(location)
	if err != nil {
		return "to an address that can not be read"
	}
	return "to " + origin(target)
}

// codeOfStatus says what a status means, or, where it means no more than that
// something is wrong, what the reason given with it does.
func codeOfStatus(status int, why string) Code {
	switch status {
	case http.StatusUnauthorized:
		return CodeUnauthorized
	case http.StatusPaymentRequired:
		return CodeLimitReached
	case http.StatusNotFound, http.StatusGone:
		return CodeNotFound
	case http.StatusTooManyRequests:
		return CodeRateLimited
	case http.StatusRequestTimeout:
		return CodeUnavailable
	}
	said := codeOfReason(why)
	declined := status == http.StatusForbidden || status == http.StatusConflict || status == http.StatusLocked
	switch {
	case status >= 500:
		return CodeUnavailable
	case status < 300:
		return said
	case said == CodeLimitReached && (declined || status == http.StatusBadRequest || status == http.StatusUnprocessableEntity):
		return CodeLimitReached
	case said == CodeRateLimited && declined:
		return CodeRateLimited
	case declined && namesLimit.MatchString(why[:min(len(why), maxTelling)]):
		return CodeLimitReached
	case status == http.StatusForbidden:
		return CodeForbidden
	case status == http.StatusConflict || status == http.StatusLocked:
		return CodeConflict
	default:
		return CodeInternal
	}
}

// The words by which a reason is recognised, most telling first. A word may be
// written like this, LIKE_THIS or like-this.
var (
	sep       = `[ _-]?`
	saysRate  = regexp.MustCompile(`(?i)rate` + sep + `limit|too` + sep + `many` + sep + `requests`)
	saysLimit = regexp.MustCompile(`(?i)(plan|server|bot|memory|ram)s?` + sep + `limit|limit[a-z0-9 _-]*(reached|exceeded)|reached[a-z' ]* limit|quota|max(imum)?` + sep + `(number` + sep + `of` + sep + `)?(servers|bots|applications)|exceeds?[a-z ]* plan|(not` + sep + `enough|insufficient)` + sep + `(ram|memory)`)
	// namesLimit tells only with a status that the word makes sense of: a 400
	// may speak of the limit of a field.
	namesLimit = regexp.MustCompile(`(?i)(^|[^a-z])limits?([^a-z]|$)`)
	saysSecret = regexp.MustCompile(`(?i)unauthori[sz]ed|unauthenticated|invalid` + sep + `(token|secret|credentials)`)
	saysNever  = regexp.MustCompile(`(?i)forbidden|permission|not` + sep + `allowed|access` + sep + `denied`)
	saysNone   = regexp.MustCompile(`(?i)not` + sep + `found|no` + sep + `such|not` + sep + `exist|unknown` + sep + `(user|account|server|bot|application)`)
	saysNotNow = regexp.MustCompile(`(?i)conflict|already|in` + sep + `progress|busy`)
	saysAway   = regexp.MustCompile(`(?i)unavailable|maintenance|time(d)?` + sep + `out`)
)

// maxTelling is how much of a reason is looked at to recognise it, in bytes.
const maxTelling = 1 << 10

// codeOfReason guesses the kind of a failure from what the service says.
func codeOfReason(why string) Code {
	why = why[:min(len(why), maxTelling)]
	for _, kind := range []struct {
		words *regexp.Regexp
		code  Code
	}{
		{saysRate, CodeRateLimited},
		{saysLimit, CodeLimitReached},
		{saysSecret, CodeUnauthorized},
		{saysNever, CodeForbidden},
		{saysNone, CodeNotFound},
		{saysNotNow, CodeConflict},
		{saysAway, CodeUnavailable},
	} {
		if kind.words.MatchString(why) {
			return kind.code
		}
	}
	return CodeInternal
}

// retryAfter reads a Retry-After header, which holds seconds or a date; 0 where
// it holds neither, or the past.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseInt(header, 10, 64); err == nil {
		seconds = min(max(seconds, 0), int64(maxRetryAfter/time.Second))
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return min(max(date.Sub(now), 0), maxRetryAfter)
}
