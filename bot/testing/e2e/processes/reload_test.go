//go:build integration

package processes_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
)

// TestTheServicesSecretIsReadAgainAtSIGHUP has the service take another secret while a replica
// serves, and a third one, of which the replica is sent no signal. It is not restarted, and what its file holds is told nobody.
func TestTheServicesSecretIsReadAgainAtSIGHUP(t *testing.T) {
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	dir := t.TempDir()
	shared, token := filepath.Join(dir, "secret"), filepath.Join(dir, "token")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(shared, w.service.Secret())
	write(token, w.discord.Token())
	var log world.Log
	r := w.launch(t, &log, "HOSTAPI_SECRET=", "HOSTAPI_SECRET_FILE="+shared, "DISCORD_TOKEN=", "DISCORD_TOKEN_FILE="+token, "CACHE_TTL=1s", "LOG_LEVEL=debug")
	w.waitFor(t, r)
	reload := func(says string, times int) {
		t.Helper()
		_ = r.cmd.Process.Signal(syscall.SIGHUP)
		log.WaitForTimes(t, says, times)
	}
	who := w.customers("c", 20)
	list := func() bool {
		t.Helper()
		c := who[0]
		who = who[1:]
		return settled([]*discordtest.Reply{c.Types(t, "/bot list")})[0].Contains("Shop")
	}
	staffRead := func(text string) {
		t.Helper()
		eventually(t, "staff read "+text, func() bool { return strings.Contains(texts(w.staff), text) })
	}
	const readAgain, kept = "secret was read again", "cannot be read again and stays as it was"
	if !list() {
		t.Fatal("the bots are not listed")
	}
	reload(`"changed":false`, 1)

	w.service.SetSecret("another-secret")
	if list() {
		t.Fatal("the service takes a secret that is over")
	}
	staffRead("secret refused")
	for i, spoil := range []func(){func() { write(shared, "") }, func() { write(shared, "not a secret") }, func() { _ = os.Remove(shared) }} {
		spoil()
		reload(kept, i+1)
	}
	write(shared, "another-secret")
	write(token, "another-token")
	reload(`"changed":true`, 1)
	if !list() {
		t.Error("the bots are not listed with the new secret")
	}
	staffRead("accepts the secret again")

	w.service.SetSecret("a-third-secret")
	write(shared, "a-third-secret") // of which nobody tells the bot but the service, by its 401
	if !list() {
		t.Error("the bots are not listed with the secret that the file holds by now")
	}
	log.WaitFor(t, "refused the secret, and is sent the one that the file holds by now")
	log.WaitFor(t, "a secret has changed that counts from the next start on")
	if !r.alive() || log.Count("hostbot starts") != 1 || log.Count(readAgain) != 2 || log.Count(`"level":"error"`) < 3 {
		t.Errorf("the log says\n%s", &log)
	}
	for _, secret := range []string{"another-secret", "a-third-secret", "another-token", "not a secret", w.discord.Token(), "hosting-secret", dir} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log tells %s", secret)
		}
	}
}
