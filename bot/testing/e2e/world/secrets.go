package world

import (
	"bytes"
	"maps"
	"strings"
	"testing"
)

// AddSecret adds something that must be told nobody, and what it is, before a bot is started.
func (w *World) AddSecret(secret, what string) {
	if w.secrets == nil {
		w.secrets = make(map[string]string)
	}
	w.secrets[secret] = what
}

// Secrets returns what must be told nobody, and what it is.
func (w *World) Secrets() map[string]string {
	secrets := map[string]string{w.Discord.Token(): "bot token", w.Service.Secret(): "shared secret"}
	maps.Copy(secrets, w.secrets)
	for _, token := range w.Discord.InteractionTokens() {
		secrets[token] = "interaction token"
	}
	return secrets
}

// findSecrets fails the test where a secret is in a body that Discord was sent,
// or in the log, down to its debug level.
func (w *World) findSecrets(t testing.TB) {
	t.Helper()
	secrets, log := w.Secrets(), w.Log.String()
	for secret, what := range secrets {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds the %s", what)
		}
	}
	for _, call := range w.Discord.Calls() {
		for secret, what := range secrets {
			if bytes.Contains(call.Request, []byte(secret)) {
				t.Errorf("%s %s sends the %s", call.Method, call.Route, what)
			}
		}
	}
}
