package hostapitest

import "net/http"

// page is an answer of something else than the service.
func page(status int, body string, header ...string) Fault {
	f := Fault{Status: status, Body: body, Header: http.Header{"Content-Type": {"text/html; charset=UTF-8"}}}
	for i := 0; i < len(header); i += 2 {
		f.Header[header[i]] = []string{header[i+1]}
	}
	return f
}

// plainly is an answer without markup.
func plainly(status int, body string) Fault {
	return Fault{Status: status, Body: body, Header: http.Header{"Content-Type": {"text/plain; charset=UTF-8"}}}
}

// forbidden is a refusal in JSON.
func forbidden(body string) Fault {
	return Fault{Status: http.StatusForbidden, Body: body, Header: http.Header{"Content-Type": {"application/json"}}}
}

const nginx = "<html>\r\n<head><title>405 Not Allowed</title></head>\r\n<body>\r\n<center><h1>405 Not Allowed</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"

// ChallengePage is what a CDN answers in place of the service where it takes the caller for a robot.
func ChallengePage() Fault {
	return page(http.StatusForbidden, `<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title>`+
		`<style>*{box-sizing:border-box}</style></head><body><script>window._cf_chl_opt={}</script>`+
		`<noscript>Enable JavaScript and cookies to continue</noscript></body></html>`, "Cf-Mitigated", "challenge", "Server", "cloudflare")
}

// RealBarriers are answers of firewalls and CDNs that let nobody through from this machine's address, or no
// program.
func RealBarriers() []NamedFault {
	return []NamedFault{
		{"a challenge page", ChallengePage()},
		{"a challenge page without its header", page(http.StatusForbidden, "<html><title>Just a moment...</title></html>")},
		{"a challenge page with 503", page(http.StatusServiceUnavailable, "<html><title>Just a moment...</title><body>Checking your browser before accessing</body></html>")},
		{"a blocked address", page(http.StatusForbidden, "<!DOCTYPE html><title>Attention Required! | Cloudflare</title><h1>Sorry, you have been blocked</h1>")},
		{"a blocked address without a page", plainly(http.StatusForbidden, "error code: 1020")},
		{"a policy without a page", plainly(http.StatusForbidden, "RBAC: access denied")},
		{"a captcha", page(http.StatusMethodNotAllowed, "<html><title>Human Verification</title></html>", "X-Amzn-Waf-Action", "captcha")},
		{"access denied", page(http.StatusForbidden, "<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>Reference&#32;&#35;18&#46;2</BODY></HTML>")},
		{"Kong's list of addresses", forbidden(`{"message":"IP address not allowed: 203.0.113.7"}`)},
		{"Pterodactyl's list of addresses", forbidden(`{"errors":[{"code":"AccessDeniedHttpException","status":"403","detail":"This IP address (203.0.113.7) does not have permission to access the API using these credentials."}]}`)},
		{"a list of addresses", forbidden(`{"error":"Your IP has been banned."}`)},
		{"a blocked address in JSON", forbidden(`{"type":"https://developers.cloudflare.com/","title":"Error 1020: Access denied","status":403,"cloudflare_error":true}`)},
	}
}

// RealPages are answers under 3xx and 4xx that are not the service's, whatever was asked, and which say that
// nothing was done.
func RealPages() []NamedFault {
	return append(RealBarriers()[:2:2],
		NamedFault{"400", page(http.StatusBadRequest, "<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>")},
		NamedFault{"402", page(http.StatusPaymentRequired, "<!doctype html><title>This deployment is paused</title>")},
		NamedFault{"403", page(http.StatusForbidden, "<html><head><title>403 Forbidden</title></head></html>")},
		NamedFault{"403 of an API gateway", forbidden(`{"message":"Missing Authentication Token"}`)},
		NamedFault{"403 of an API gateway's policy", Fault{Status: http.StatusForbidden, Body: `{"message":"Forbidden"}`, Header: http.Header{"Content-Type": {"application/json"}, "X-Amzn-Errortype": {"ForbiddenException"}}}},
		NamedFault{"403 in XML", Fault{Status: http.StatusForbidden, Body: `<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>`, Header: http.Header{"Content-Type": {"application/xml"}}}},
		NamedFault{"403 without markup", page(http.StatusForbidden, "Forbidden")},
		NamedFault{"404", page(http.StatusNotFound, "\uFEFF\n<!-- none --><html><title>404 Not Found</title></html>")},
		NamedFault{"405", page(http.StatusMethodNotAllowed, nginx)},
		NamedFault{"409", page(http.StatusConflict, "<html><title>DNS points to prohibited IP</title></html>")},
		NamedFault{"429", page(http.StatusTooManyRequests, "<html><head><title>429 Too Many Requests</title></head></html>", "Retry-After", "1")},
		NamedFault{"451", page(http.StatusUnavailableForLegalReasons, "<html><title>Unavailable For Legal Reasons</title></html>")},
		NamedFault{"a redirect to a login", Fault{Redirect: "https://login.example.com/signin?next=/api"}},
		NamedFault{"a redirect that stays", page(http.StatusMovedPermanently, "<html><title>301 Moved Permanently</title></html>", "Location", "https://www.example.com/")},
	)
}
