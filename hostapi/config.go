package hostapi

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"hostbot/hostapi/secret"
)

// Config is what a Client needs. Operations, StatusMap, Transport and OnRefused may be left out.
type Config struct {
	// BaseURL is the service's address. The paths of operations are relative to it.
	BaseURL string
	// Secret is the bearer token shared with the service.
	Secret secret.Text
	// Timeout bounds one request, from connecting to the last byte of the
	// answer. A call may take several requests.
	Timeout time.Duration
	// AllowHTTP permits a BaseURL with plain http to another machine.
	AllowHTTP bool
	UserAgent string
	// Operations turns operations off or changes how they are called.
	Operations map[Operation]Override
	// StatusMap is that of all servers.
	StatusMap StatusMap
	// Transport sends the requests; nil means a pool of connections of the
	// client's own, which uses the environment's proxy for https.
	Transport http.RoundTripper
	// Observe is called at the end of every call.
	Observe func(Call)
	// OnDown is called when the circuit breaker opens, with the failure that opened
	// it. OnUp is called when it closes, with the time for which it was open.
	OnDown func(reason error)
	OnUp   func(after time.Duration)
	// OnRefused is called when the service answers 401, once a second at most. It may give the client
	// another secret by SetSecret; the request is then sent once more.
	OnRefused func()
}

// ConfigError is a mistake in a Config. It repeats no value, since somebody may have put the secret into the wrong field.
type ConfigError struct {
	// Field is url, secret, or operations with the names of an operation
	// and of what is changed: operations.restart.path.
	Field   string
	Problem string
}

func (e *ConfigError) Error() string { return e.Field + ": " + e.Problem }

// Validate returns every mistake in c.
func (c Config) Validate() []*ConfigError {
	var mistakes []*ConfigError
	check := func(field string, err error) {
		if err != nil {
			mistakes = append(mistakes, &ConfigError{field, err.Error()})
		}
	}
	_, err := ParseURL(c.BaseURL, c.AllowHTTP)
	check("url", err)
	check("secret", c.Secret.CheckHeader())
	_, wrong := operationsWith(c.Operations)
	return append(mistakes, wrong...)
}

// ParseURL parses the base URL of an API. Its errors do not repeat the address: it may hold a password.
func ParseURL(address string, allowHTTP bool) (*url.URL, error) {
	if address == "" {
		return nil, errors.New("is missing")
	}
	u, err := url.Parse(address)
	switch {
	case err != nil, u.Hostname() == "", u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("is not an absolute http or https address")
	case u.User != nil:
		return nil, errors.New("must not hold a user name or password")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, errors.New("must end with its path, without ? or #")
	case u.Scheme == "http" && !allowHTTP && !IsLoopback(u.Hostname()):
		return nil, errors.New("is plain http to another machine, which shows the secret to everyone between; use https, or set HOSTAPI_ALLOW_HTTP=true")
	}
	return u, nil
}

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || (ip != nil && ip.IsLoopback())
}
