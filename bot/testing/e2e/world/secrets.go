package world

import (
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
	in := w.SecretsIn()
	for _, what := range in(w.Log.String()) {
		t.Errorf("the log holds the %s", what)
	}
	for _, call := range w.Discord.Calls() {
		for _, what := range in(string(call.Request)) {
			t.Errorf("%s %s sends the %s", call.Method, call.Route, what)
		}
	}
}

// SecretsIn returns a function that returns what the secrets in a text are, of those that there are now. It reads a
// text once for all of them. A secret has 8 bytes at least.
func (w *World) SecretsIn() func(text string) (found []string) {
	const start = 8
	secrets, byStart := w.Secrets(), make(map[string][]string)
	for secret := range secrets {
		byStart[secret[:start]] = append(byStart[secret[:start]], secret)
	}
	return func(text string) (found []string) {
		for i := range max(0, len(text)-start+1) {
			for _, secret := range byStart[text[i:i+start]] {
				if strings.HasPrefix(text[i:], secret) {
					found = append(found, secrets[secret])
				}
			}
		}
		return found
	}
}
