package hostapitest

import (
	"net/http"
	"time"
)

// RealLimits are limits of requests as services have been seen to have them. A limit by user is one
// of these with a Fault.UserID.
func RealLimits() []NamedFault {
	limited := func(header http.Header) Fault {
		return Fault{Status: http.StatusTooManyRequests, Header: header, Body: `{"errors":[{"code":"TooManyRequestsHttpException","status":"429","detail":"Too Many Attempts."}]}`}
	}
	// dates has a clock be ahead of ours, and the client wait for 20 s.
	dates := func(ahead time.Duration) http.Header {
		now := time.Now().UTC().Add(ahead)
		return http.Header{"Date": {now.Format(http.TimeFormat)}, "Retry-After": {now.Add(20 * time.Second).Format(http.TimeFormat)}}
	}
	return []NamedFault{
		{"limit for ten minutes", limited(http.Header{"Retry-After": {"600"}})}, // pterodactyl/panel#3043
		{"limit for a second", limited(http.Header{"Retry-After": {"1"}})},
		{"limit without an end", limited(nil)},
		{"limit by a clock that is an hour ahead", limited(dates(time.Hour))}, // wso2/carbon-apimgt#7059
		{"limit by a clock that is an hour behind", limited(dates(-time.Hour))},
		{"maintenance by a clock that is an hour ahead", Fault{Status: http.StatusServiceUnavailable, Header: dates(time.Hour)}},
	}
}
