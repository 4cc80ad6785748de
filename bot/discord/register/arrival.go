package register

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"hostbot/bot/discord/rest"
)

// Fault is why no command or button reaches the bot. It is the end of the key of a text, log.cure.<fault>.
type Fault string

// Faults.
const (
	None       Fault = ""
	Elsewhere  Fault = "interactions_elsewhere" // Discord sends them to an endpoint, and the bot takes them from the gateway
	ForeignKey Fault = "foreign_key"            // Discord signs them with another key than the bot knows
	NoEndpoint Fault = "no_endpoint"            // Discord sends them over the gateway, and the bot takes them over HTTP
	Unanswered Fault = "endpoint_unanswered"    // Discord sends them to an address at which nothing answers as the bot does
)

// Arrival is whether interactions arrive where the bot takes them. The zero value is that of what was not looked
// at yet.
type Arrival struct {
	At    time.Time // of the look
	Fault Fault
	Since time.Time // when the fault was seen first; zero if there is none
	// Host and Path are those of the Interactions Endpoint URL. The rest of the address may be secret.
	Host, Path string
	// Answer is what was found at the address in the place of the bot's answer, if the fault is Unanswered.
	Answer string
	// Expires is when the certificate there expires; zero if the look has seen none.
	Expires time.Time
}

// RenewalLate is how long before its end a certificate is renewed at the latest: what renews them begins weeks
// before it.
const RenewalLate = 7 * 24 * time.Hour

// ExpiresSoon reports whether the certificate should have been renewed by now, and in how many whole days it expires.
func (a *Arrival) ExpiresSoon(now time.Time) (days int, soon bool) {
	left := a.Expires.Sub(now)
	return max(0, int(left.Hours()/24)), !a.Expires.IsZero() && left < RenewalLate
}

// Explain says to operators what the fault is, and what to do about it.
func (a *Arrival) Explain() (found, cure string) {
	const page = "on the portal's General Information page"
	switch a.Fault {
	case Elsewhere:
		return "Discord sends them to " + a.Host + ", and the bot uses the gateway", "clear Interactions Endpoint URL " + page
	case ForeignKey:
		return "DISCORD_PUBLIC_KEY is not the application's key, so that the bot refuses what Discord signs", "copy Public Key " + page + " to DISCORD_PUBLIC_KEY"
	case NoEndpoint:
		return "Discord sends them over the gateway, and the bot takes them at INTERACTIONS_ADDR",
			"set Interactions Endpoint URL " + page + " to https://…/interactions, where it leads to INTERACTIONS_ADDR"
	case Unanswered:
		return "Discord sends them to " + a.Host + ", which does not answer as the bot does: " + a.Answer,
			"see that the bot runs, and that the proxy at " + a.Host + " leads to INTERACTIONS_ADDR"
	case None:
	}
	return "", ""
}

// askLimit bounds the question to the bot's own address. Discord waits for 3 s.
const askLimit = 3 * time.Second

// Look compares where Discord sends interactions with where the bot takes them: over HTTP if there is a public
// key, in hex, or over the gateway. Over HTTP it asks the address that Discord has, too: the bot answers with 401 to what
// is not signed.
// https://docs.discord.com/developers/interactions/overview#preparing-for-interactions
func (a *Application) Look(ctx context.Context, publicKey string, via http.RoundTripper) Arrival {
	found := Arrival{At: time.Now()}
	if at, err := url.Parse(a.Endpoint); err == nil {
		found.Host, found.Path = at.Host, at.Path
	}
	switch {
	case publicKey == "" && a.Endpoint != "":
		found.Fault = Elsewhere
	case publicKey == "":
	case a.VerifyKey != "" && !strings.EqualFold(a.VerifyKey, publicKey):
		found.Fault = ForeignKey
	case a.Endpoint == "":
		found.Fault = NoEndpoint
	default:
		found.ask(ctx, a.Endpoint, via)
	}
	return found
}

// ask notes what an address answers.
func (a *Arrival) ask(ctx context.Context, address string, via http.RoundTripper) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader("{}"))
	if err != nil {
		a.Fault, a.Answer = Unanswered, "not an address" // the error repeats it
		return
	}
	req.Header = http.Header{"User-Agent": {rest.UserAgent}, "Content-Type": {"application/json"}}
	res, err := via.RoundTrip(req) // it follows no redirect
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		a.Fault, a.Answer = Unanswered, fmt.Sprintf("no answer within %v", askLimit)
		return
	case err != nil:
		a.Fault, a.Answer = Unanswered, err.Error()
		return
	}
	_ = res.Body.Close()
	if res.TLS != nil {
		a.Expires = res.TLS.PeerCertificates[0].NotAfter
	}
	// A proxy that wants a password answers with 401 as well, and says so.
	if res.StatusCode != http.StatusUnauthorized || res.Header.Get("WWW-Authenticate") != "" {
		a.Fault, a.Answer = Unanswered, "status "+res.Status
	}
}

const (
	// lookPause is between two looks, and lookAgain while interactions do not arrive or nothing is known. That is
	// short enough for an alert to tell an outage from the restart of a proxy.
	lookPause = 5 * time.Minute
	lookAgain = 30 * time.Second
)

// Lookout looks again and again whether interactions arrive. Each replica looks for itself: that is two requests in five
// minutes, and no record has to tell the others, of which any may be asked how the bot fares. While Redis is away,
// none leads, and all still look.
type Lookout struct {
	// Read reads the application.
	Read func(context.Context) (*Application, error)
	// PublicKey is that of interactions over HTTP, in hex; empty where they arrive over the gateway.
	PublicKey string
	Via       http.RoundTripper
	// Changed is told of another fault than before, and that there is none any more. It must not block.
	Changed func(before, now Arrival)

	latest atomic.Pointer[Arrival]
	doubt  time.Time // when nothing answered for the first time, if it is not noted yet; Run's alone
}

// Latest returns what the latest look has found; zero before the first one.
func (l *Lookout) Latest() Arrival {
	if a := l.latest.Load(); a != nil {
		return *a
	}
	return Arrival{}
}

// Run looks until ctx is done. While the application cannot be read, the latest look counts.
func (l *Lookout) Run(ctx context.Context) {
	for {
		pause := lookAgain
		if a, err := l.Read(ctx); err == nil {
			if now := a.Look(ctx, l.PublicKey, l.Via); ctx.Err() == nil && l.note(now) {
				pause = lookPause
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// note notes a look, and reports whether interactions arrive. That nothing answers counts from the second time on: a
// proxy may be restarted just then, or not know yet that this process has started.
func (l *Lookout) note(now Arrival) bool {
	before := l.Latest()
	if now.Fault == Unanswered && before.Fault != Unanswered && l.doubt.IsZero() {
		l.doubt = now.At
		return false
	}
	if now.Fault != None {
		now.Since = cmp.Or(before.Since, l.doubt, now.At)
	}
	l.doubt = time.Time{}
	l.latest.Store(&now)
	if now.Fault != before.Fault {
		l.Changed(before, now)
	}
	return now.Fault == None
}
