package hostapitest

import "net/http"

// Gateways are what gateways and routers answer where they do not find the service, or not the path: a status of 404 that
// is no word of the service's on an account or a server.
func Gateways() []NamedFault {
	gone := func(name, contentType, body string) NamedFault {
		return NamedFault{name, Fault{Status: http.StatusNotFound, Header: http.Header{"Content-Type": {contentType}}, Body: body}}
	}
	const text, page, json = "text/plain; charset=utf-8", "text/html", "application/json"
	return []NamedFault{
		gone("a gateway's 404", text, "404 page not found\n"),            // Traefik (traefik/traefik#621), and net/http
		gone("ingress without a backend", text, "default backend - 404"), // kubernetes/ingress-nginx#3888
		gone("404 without a body", text, ""),                             // Envoy without a route
		gone("Kong's 404", json, `{"message":"no Route matched with those values"}`),
		gone("Spring's 404", json, `{"timestamp":"2026-11-28T07:00:00Z","status":404,"error":"Not Found","message":"No message available","path":"/users/api/bot/servers"}`),
		gone("FastAPI's 404", json, `{"detail":"Not Found"}`),
		gone("Nest's 404", json, `{"statusCode":404,"message":"Cannot GET /api/bot/servers?chatUserId=80351110224678912","error":"Not Found"}`),
		gone("Fastify's 404", json, `{"message":"Route GET:/api/bot/servers?chatUserId=1 not found","error":"Not Found","statusCode":404}`),
		gone("Laravel's 404", json, `{"message":"The route api/bot/servers could not be found."}`),
		gone("a panel's 404", json, `{"errors":[{"code":"NotFoundHttpException","status":"404","detail":"The requested resource could not be found on the server."}]}`), // Pterodactyl
		gone("a problem without words", "application/problem+json", `{"type":"about:blank","title":"Not Found","status":404,"instance":"/api/account/servers"}`),
		gone("a platform without the application", json, `{"status":"error","code":404,"message":"Application not found","request_id":"x"}`), // Railway
		gone("a gateway without the upstream", json, `{"message":"Upstream user-service not found"}`),
		gone("a cluster's 404", json, `{"kind":"Status","message":"the server could not find the requested resource","reason":"NotFound","code":404}`), // Kubernetes
		gone("JSON that is no object", json, `"account not found"`),
		gone("Express's 404", page, "<!DOCTYPE html>\n<html lang=\"en\"><body><pre>Cannot GET /api/bot/servers</pre></body></html>"),
		gone("nginx's 404", page, "<html>\r\n<head><title>404 Not Found</title></head>\r\n<body><center><h1>404 Not Found</h1></center></body></html>"),
		{"a gateway's 410", Fault{Status: http.StatusGone, Body: "{}"}},
	}
}

// EmptyLists are lists without servers of which the account does not say that it has none.
func EmptyLists() []NamedFault {
	return []NamedFault{
		{"an empty list", Fault{Body: `{"servers":[]}`}},
		{"an empty list of an empty account", Fault{Body: `{"servers":[],"account":{}}`}},
		{"an empty list that counts servers", Fault{Body: `{"servers":[],"account":{"planName":"Pro","serverCount":2}}`}},
	}
}
