package configs_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"hostbot/configs"
	"hostbot/configs/secret"
)

// required is an environment with what has no default.
func required(more ...string) []string {
	return append([]string{"DISCORD_TOKEN=token", "HOSTAPI_URL=https://panel.example.com", "HOSTAPI_SECRET=shared"}, more...)
}

// defaults are the settings of required().
func defaults() *configs.Settings {
	return &configs.Settings{
		Discord: configs.Discord{Token: "token", APIURL: "https://discord.com/api/v9"},
		HostAPI: configs.HostAPI{
			URL: "https://panel.example.com", Secret: "shared", Timeout: 10 * time.Second,
			Operations: map[string]configs.Operation{},
		},
		Cache: configs.Cache{Fresh: 30 * time.Second, Keep: 24 * time.Hour},
		HTTP:  configs.HTTP{Addr: "127.0.0.1:9090"},
		Log:   configs.Log{Level: zerolog.InfoLevel, Format: "json", Locale: "en-US"},
	}
}

// write returns the path of a file that holds content.
func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// load is Load with a file that holds content.
func load(t *testing.T, content string, environ ...string) (*configs.Settings, error) {
	t.Helper()
	return configs.Load(write(t, content), environ)
}

// compare fails where settings, the secrets in them included, are not as wanted.
func compare(t *testing.T, got, want *configs.Settings) {
	t.Helper()
	reveal := cmp.Transformer("Reveal", func(s secret.Text) string { return s.Reveal() })
	if diff := cmp.Diff(want, got, reveal); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestDefaults(t *testing.T) {
	got, err := configs.Load("", required())
	if err != nil {
		t.Fatal(err)
	}
	compare(t, got, defaults())
}

func TestEnvironment(t *testing.T) {
	got, err := configs.Load("", []string{
		"DISCORD_TOKEN=a.b.c", "DISCORD_API_URL=http://127.0.0.1:8000/api/v9", "DISCORD_GUILD_ID=11",
		"HOSTAPI_URL=http://panel:8080/base", "HOSTAPI_ALLOW_HTTP=true", "HOSTAPI_SECRET=s", "HOSTAPI_TIMEOUT=1500ms",
		"REDIS_URL=redis://:p@h:1/2", "CACHE_FRESH=5s", "CACHE_KEEP=1h",
		"LOG_CHANNEL_ID=21", "LOG_CHANNEL_ACTIONS=22", "LOG_CHANNEL_ERRORS=off",
		"ADMIN_GUILD_ID=31", "ADMIN_USER_IDS=32, 33", "ADMIN_ROLE_IDS=34",
		"HTTP_ADDR=off", "LOG_LEVEL=debug", "LOG_FORMAT=console", "LOG_LOCALE=de",
	})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, got, &configs.Settings{
		Discord: configs.Discord{Token: "a.b.c", APIURL: "http://127.0.0.1:8000/api/v9", GuildID: "11"},
		HostAPI: configs.HostAPI{
			URL: "http://panel:8080/base", Secret: "s", AllowHTTP: true, Timeout: 1500 * time.Millisecond,
			Operations: map[string]configs.Operation{},
		},
		Redis:        configs.Redis{URL: "redis://:p@h:1/2"},
		Cache:        configs.Cache{Fresh: 5 * time.Second, Keep: time.Hour},
		LogChannelID: "21",
		LogChannels:  configs.LogChannels{Actions: "22", Errors: "", Lifecycle: "21"},
		Admin:        configs.Admin{GuildID: "31", UserIDs: []string{"32", "33"}, RoleIDs: []string{"34"}},
		Log:          configs.Log{Level: zerolog.DebugLevel, Format: "console", Locale: "de"},
	})
}

func TestFile(t *testing.T) {
	got, err := load(t, `
discord: {token: a.b.c, guild_id: 123456789012345678}
hostapi:
  url: https://panel.example.com
  secret: "007"
  allow_http: true
  operations:
    delete: {enabled: false}
    restart:
      method: PUT
      path: /v2/apps/:id/restart
      chat_user_id: query
redis:
  url: |
    redis://localhost
log_channels:
  default: 987654321098765432
  actions: off
admin:
  user_ids: [11, "12"]
  role_ids: 13, 14
http:
log:
  level: warn
`)
	if err != nil {
		t.Fatal(err)
	}
	want := defaults()
	want.Discord.Token, want.Discord.GuildID = "a.b.c", "123456789012345678"
	want.HostAPI.Secret, want.HostAPI.AllowHTTP = "007", true
	want.HostAPI.Operations = map[string]configs.Operation{
		"delete":  {Enabled: false},
		"restart": {Enabled: true, Method: "PUT", Path: "/v2/apps/:id/restart", ChatUserID: "query"},
	}
	want.Redis.URL = "redis://localhost"
	want.LogChannelID = "987654321098765432"
	want.LogChannels = configs.LogChannels{Errors: "987654321098765432", Lifecycle: "987654321098765432"}
	want.Admin.UserIDs, want.Admin.RoleIDs = []string{"11", "12"}, []string{"13", "14"}
	want.Log.Level = zerolog.WarnLevel
	compare(t, got, want)
}

func TestEmptyFile(t *testing.T) {
	for name, content := range map[string]string{"nothing": "", "comment": "# nothing\n", "null": "---\n", "sections": "discord:\nlog:\n"} {
		t.Run(name, func(t *testing.T) {
			got, err := load(t, content, required()...)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, got, defaults())
		})
	}
}

func TestEnvironmentWins(t *testing.T) {
	const file = "hostapi: {timeout: 20s, secret_file: /does/not/exist}\ncache: {keep: 12h}\n"
	got, err := load(t, file, required("HOSTAPI_TIMEOUT=30s", "CACHE_KEEP=", "LOG_FORMAT=")...)
	if err != nil {
		t.Fatal(err)
	}
	want := defaults()
	want.HostAPI.Timeout = 30 * time.Second
	want.Cache.Keep = 12 * time.Hour // an empty variable counts as none
	compare(t, got, want)
}

func TestSecretFiles(t *testing.T) {
	t.Run("variables", func(t *testing.T) {
		got, err := configs.Load("", []string{
			"DISCORD_TOKEN_FILE=" + write(t, "token\n"), "HOSTAPI_SECRET_FILE=" + write(t, "shared\r\n"),
			"REDIS_URL_FILE=" + write(t, "redis://:p@h"), "HOSTAPI_URL=https://panel.example.com",
		})
		if err != nil {
			t.Fatal(err)
		}
		want := defaults()
		want.Redis.URL = "redis://:p@h"
		compare(t, got, want)
	})
	t.Run("keys", func(t *testing.T) {
		got, err := load(t, "discord: {token_file: "+write(t, "token\n")+"}\nhostapi: {secret_file: "+write(t, "shared")+"}\n",
			"HOSTAPI_URL=https://panel.example.com")
		if err != nil {
			t.Fatal(err)
		}
		compare(t, got, defaults())
	})
}

// lines returns the mistakes that an error is.
func lines(t *testing.T, err error) []string {
	t.Helper()
	var mistakes *configs.Error
	if !errors.As(err, &mistakes) {
		t.Fatalf("error %v is not an *Error", err)
	}
	if joined := strings.Join(mistakes.Lines(), "\n"); joined != err.Error() {
		t.Errorf("the error reads %q, and its lines %q", err, joined)
	}
	return mistakes.Lines()
}
