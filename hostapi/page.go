package hostapi

import (
	"bytes"
	"cmp"
	"errors"
	"html"
	"mime"
	"net/http"
	"regexp"
	"strings"
)

var (
	// markup is what a page holds beside its text.
	markup = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)>|<[^>]*>`)
	// barrier is what firewalls and CDNs say if they do not let a request through to the service.
	barrier = regexp.MustCompile(`(?i)just a moment|attention required|access denied|checking your browser|you have been blocked|` +
		`security check|verify (that )?you are (a )?human|captcha|ddos|incapsula|sucuri|application firewall`)
	// plainBarrier is the same as plain text, as Cloudflare and Envoy send it.
	// https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-1xxx-errors/
	// https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_filters/rbac_filter
	plainBarrier = regexp.MustCompile(`^(error code: 10(0[5-9]|1[0235]|20)|RBAC: access denied)$`)
	// addressBarrier is in the body of a 403, of whatever form, that refuses this machine's address.
	// https://github.com/Kong/kong/blob/master/kong/plugins/ip-restriction/handler.lua
	// https://github.com/pterodactyl/panel/blob/develop/app/Http/Middleware/Api/AuthenticateIPAccess.php
	addressBarrier = regexp.MustCompile(`(?i)"cloudflare_error"|\bIP(v[46])?( address(es)?)?\b[^"]{0,60}\b(not (allowed|permitted|authori[sz]ed|whitelisted|in )|not have (permission|access)|(is|was|been) (blocked|banned|denied|rejected|blacklisted))`)
)

// gatewayBarrier is in the body of a 403 with which Amazon's API gateway refuses every request.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
var gatewayBarrier = regexp.MustCompile(`"Missing Authentication Token"|\bexecute-api:`)

const addressBlocked = "this machine's address is blocked before the service, by a firewall or a CDN"

// isHTML reports whether a body is a page, or XML.
func isHTML(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) }

// textOf returns the text of a page.
func textOf(page []byte) string {
	return html.UnescapeString(markup.ReplaceAllString(string(page), " "))
}

// pageIn says for staff what an answer is if it is not the service's own; "" if it may be. The service answers in JSON, so
// a page comes from something before it, or HOSTAPI_URL leads elsewhere. blocked says that a firewall or a CDN lets
// nothing through from this machine.
func pageIn(res *http.Response, body []byte) (page string, blocked bool) {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	body = bytes.TrimSpace(body[:min(len(body), maxReason)])
	// What follows may be the answer that a page spoils, with its values.
	text, _, _ := strings.Cut(textOf(body), "{")
	if text = strings.TrimSpace(text); text != "" {
		text = ": " + text
	}
	isPage := isHTML(body) || kind == "text/html" && len(body) > 0 && !bytes.ContainsAny(body[:1], `{["`)
	switch {
	// https://developers.cloudflare.com/cloudflare-challenges/challenge-types/challenge-pages/detect-response/
	// https://docs.aws.amazon.com/waf/latest/developerguide/waf-captcha-and-challenge-how-it-works.html
	case res.Header.Get("Cf-Mitigated") != "", res.Header.Get("X-Amzn-Waf-Action") != "", plainBarrier.Match(body), isPage && barrier.MatchString(text):
		return addressBlocked + text, true
	case !isPage && res.StatusCode == http.StatusForbidden && addressBarrier.Match(body):
		return strings.TrimSuffix(addressBlocked+": "+reasonIn(body).all, ": "), true
	case !isPage && res.StatusCode == http.StatusForbidden && (gatewayBarrier.Match(body) || res.Header.Get("X-Amzn-Errortype") != ""):
		return "an API gateway before the service lets nothing through: " + reasonIn(body).all, false
	case isPage:
		return "a page of " + cmp.Or(kind, "no content type") + ", not the service's JSON" + text, false
	}
	return "", false
}

// whatIs says for staff what is wrong with an answer of 2xx.
func whatIs(res *http.Response, body []byte, mistake error) string {
	if page, _ := pageIn(res, body); page != "" {
		return page
	}
	text := string(bytes.TrimSpace(body[:min(len(body), maxReason)]))
	switch {
	case text == "":
		return "it is empty"
	case errors.Is(mistake, errNoJSON) && !strings.ContainsAny(text[:1], `{["`):
		text, _, _ = strings.Cut(text, "{") // as in pageIn
		return mistake.Error() + ": " + text
	}
	return mistake.Error()
}
