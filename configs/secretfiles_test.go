package configs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"hostbot/configs"
)

// TestSecretFilesAreReadAgain: what they hold now is told beside the settings, which stay.
func TestSecretFilesAreReadAgain(t *testing.T) {
	dir := t.TempDir()
	token, shared := filepath.Join(dir, "token"), filepath.Join(dir, "secret")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(token, "a.b.c\n")
	write(shared, sharedMark+"\n")
	settings, err := configs.Load("", []string{
		"DISCORD_TOKEN_FILE=" + token, "HOSTAPI_SECRET_FILE=" + shared, "REDIS_URL=redis://h", "HOSTAPI_URL=https://panel.example.com",
	})
	if err != nil {
		t.Fatal(err)
	}
	now := func() string {
		t.Helper()
		text := ""
		for _, f := range settings.SecretFiles() {
			text += fmt.Sprint(f.Variable, " ", f.Changed, " ", f.Err, "\n")
			leaks(t, fmt.Sprintf("%v %+v %#v", f, f, f))
		}
		return text
	}
	if got := now(); got != "DISCORD_TOKEN_FILE false <nil>\nHOSTAPI_SECRET_FILE false <nil>\n" {
		t.Errorf("at first: %s", got)
	}
	write(shared, sharedMark+"2\n")
	if got := now(); got != "DISCORD_TOKEN_FILE false <nil>\nHOSTAPI_SECRET_FILE true <nil>\n" {
		t.Errorf("with another secret: %s", got)
	}
	if files := settings.SecretFiles(); files[1].Text.Reveal() != sharedMark+"2" || settings.HostAPI.Secret.Reveal() != sharedMark {
		t.Error("the file's secret and that of the settings are mixed up")
	}
	write(shared, "\n")
	_ = os.Remove(token)
	want := "DISCORD_TOKEN_FILE false DISCORD_TOKEN_FILE names a file that cannot be read: no such file or directory\n" +
		"HOSTAPI_SECRET_FILE false HOSTAPI_SECRET_FILE names a file that is empty\n"
	if got := now(); got != want {
		t.Errorf("without them: %s", got)
	}
}
