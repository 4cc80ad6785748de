package main

import (
	"io"
	"strings"
	"testing"
)

const fine = `apiVersion: apps/v1
kind: Deployment
metadata: {name: hostbot}
spec:
  template:
    spec:
      securityContext: {runAsNonRoot: true}
      containers:
        - name: hostbot
          securityContext: {readOnlyRootFilesystem: true}
          ports: [{name: interactions, containerPort: 8080}]
          startupProbe: {httpGet: {path: /healthz, port: http}}
          livenessProbe: {httpGet: {path: /healthz, port: http}}
          readinessProbe: {httpGet: {path: /readyz, port: http}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: hostbot}
spec:
  ingress:
    - ports: [{port: interactions}]
  egress:
    - ports: [{port: 53, protocol: UDP}, {port: 53}, {port: 5353, protocol: UDP}, {port: 5353}]
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: hostbot, labels: {release: stack}}
spec: {jobLabel: name, selector: {}, endpoints: []}
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: hostbot, labels: {release: stack}}
---
apiVersion: v1
kind: Service
metadata: {name: hostbot-interactions}
spec: {ports: [{name: web, port: 80, targetPort: interactions}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: hostbot}
spec:
  tls: [{hosts: [bot.example.com]}]
  rules: [{http: {paths: [{path: /interactions, pathType: Exact, backend: {service: {name: hostbot-interactions, port: {name: web}}}}]}}]
`

// TestWhatBreaksAClusterIsRefused changes a line of manifests that are fine.
func TestWhatBreaksAClusterIsRefused(t *testing.T) {
	if err := validate(strings.NewReader(fine), io.Discard); err != nil {
		t.Errorf("manifests that are fine: %v", err)
	}
	for _, change := range []struct{ from, to, why string }{
		{"startupProbe: {httpGet: {path: /healthz", "startupProbe: {httpGet: {path: /readyz", "startup probe"},
		{"runAsNonRoot: true", "runAsNonRoot: false", "root"},
		{"{runAsNonRoot: true", "{runAsNonRoot: true, runAsUser: 65532", "OpenShift"},
		{"{runAsNonRoot: true", "{runAsNonRoot: true, fsGroup: 65532", "OpenShift"},
		{"{readOnlyRootFilesystem: true", "{runAsUser: 65532", "user"},
		{"egress:\n    - ports", "egress:\n    - to: [{namespaceSelector: {matchLabels: {name: kube-system}}}]\n      ports", "name servers"},
		{"{port: 5353, protocol: UDP}, ", "", "5353 over UDP"},
		{"ingress:\n    - ports", "ingress:\n    - from: [{podSelector: {}}]\n      ports", "NodePort"},
		{"kind: ServiceMonitor\nmetadata: {name: hostbot, labels: {release: stack}}", "kind: ServiceMonitor\nmetadata: {name: hostbot}", "release"},
		{"kind: PrometheusRule\nmetadata: {name: hostbot, labels: {release: stack}}", "kind: PrometheusRule\nmetadata: {name: hostbot}", "release"},
		{"jobLabel: name, ", "", "job"},
		{"selector: {}", "selektor: {}", "selektor"},
		{"tls: [{hosts: [bot.example.com]}]", "tls: []", "https"},
		{"path: /interactions", "path: /", "/interactions"},
		{"service: {name: hostbot-interactions", "service: {name: hostbot", "no Service"},
		{"targetPort: interactions", "targetPort: http", "no container"},
	} {
		if !strings.Contains(fine, change.from) {
			t.Fatalf("%q is not in the manifests", change.from)
		}
		err := validate(strings.NewReader(strings.Replace(fine, change.from, change.to, 1)), io.Discard)
		if err == nil || !strings.Contains(err.Error(), change.why) {
			t.Errorf("with %q: %v; want %q in it", change.to, err, change.why)
		}
	}
}
