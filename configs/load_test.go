package configs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rs/zerolog"

	"hostbot/configs"
	"hostbot/hostapi"
	"hostbot/hostapi/secret"
)

// required is an environment with what has no default.
func required(more ...string) []string {
	return append([]string{"DISCORD_TOKEN=token", "HOSTAPI_SECRET=shared", "HOSTAPI_URL=https://panel.example.com"}, more...)
}

// defaults are the settings of required().
func defaults() *configs.Settings {
	return &configs.Settings{
		Discord:   configs.Discord{Token: "token", APIURL: "https://discord.com/api/v10"},
		HostAPI:   configs.HostAPI{URL: "https://panel.example.com", Secret: "shared", Timeout: 10 * time.Second},
		Cache:     configs.Cache{TTL: 30 * time.Second, MaxStale: 24 * time.Hour},
		Watch:     configs.Watch{Interval: configs.Interval(time.Minute), Rate: 10, AutoRestart: true},
		Languages: usualLanguages(),
		HTTP:      configs.HTTP{Addr: "127.0.0.1:9090"},
		Log:       configs.Log{Level: zerolog.InfoLevel, Format: "json", Locale: "en-US"},
	}
}

// usualLanguages are those of the default.
func usualLanguages() configs.Languages {
	return configs.Languages{
		{ID: "NODE", Label: "NODE", Startup: hostapi.Startup{Command: "node index.js", EntryFile: "index.js"}},
		{ID: "PYTHON", Label: "PYTHON", Startup: hostapi.Startup{Command: "python main.py", EntryFile: "main.py"}},
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
	paths := cmpopts.IgnoreFields(configs.Settings{}, "Discord.TokenFile", "HostAPI.SecretFile", "Redis.URLFile")
	if diff := cmp.Diff(want, got, reveal, paths); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestEnvironment(t *testing.T) {
	got, err := configs.Load("", []string{
		"DISCORD_TOKEN=a.b.c", "DISCORD_API_URL=http://127.0.0.1:8000/api/v9", "DISCORD_GUILD_ID=11",
		"HOSTAPI_URL=http://panel:8080/base", "HOSTAPI_ALLOW_HTTP=1", "HOSTAPI_SECRET=s", "HOSTAPI_TIMEOUT=1500ms",
		"REDIS_URL=redis://:p@h:1/2", "CACHE_TTL=5s", "CACHE_MAX_STALE=1h",
		"WATCH_INTERVAL=off", "WATCH_RATE=025", "AUTO_RESTART=off",
		`=C:=C:\hostbot`, // as Windows has it
		"LOG_CHANNEL_ID=21", "LOG_CHANNEL_ACTIONS=22", "LOG_CHANNEL_ERRORS=off",
		"ADMIN_GUILD_ID=31", "ADMIN_USER_IDS=32, 33", "ADMIN_ROLE_IDS=34",
		"HTTP_ADDR=off", "HTTP_PPROF_ADDR=127.0.0.1:6060", "LOG_LEVEL=debug", "LOG_FORMAT=console", "LOG_LOCALE=de",
		"LANGUAGES=node, RUBY=Ruby 3 | cat x | ruby main.rb | main.rb,PYTHON=Python|python -m bot,GO",
	})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, got, &configs.Settings{
		Discord: configs.Discord{Token: "a.b.c", APIURL: "http://127.0.0.1:8000/api/v9", GuildID: "11"},
		HostAPI: configs.HostAPI{URL: "http://panel:8080/base", Secret: "s", AllowHTTP: true, Timeout: 1500 * time.Millisecond},
		Redis:   configs.Redis{URL: "redis://:p@h:1/2"},
		Cache:   configs.Cache{TTL: 5 * time.Second, MaxStale: time.Hour},
		Watch:   configs.Watch{Rate: 25},
		Languages: configs.Languages{
			{ID: "node", Label: "node", Startup: hostapi.Startup{Command: "node index.js", EntryFile: "index.js"}},
			{ID: "RUBY", Label: "Ruby 3", Startup: hostapi.Startup{Command: "cat x | ruby main.rb", EntryFile: "main.rb"}},
			{ID: "PYTHON", Label: "Python", Startup: hostapi.Startup{Command: "python -m bot", EntryFile: "main.py"}},
			{ID: "GO", Label: "GO"},
		},
		LogChannels: configs.LogChannels{Default: "21", Actions: "22", Errors: "", Lifecycle: "21", Staff: "21"},
		Admin:       configs.Admin{GuildID: "31", UserIDs: []string{"32", "33"}, RoleIDs: []string{"34"}},
		HTTP:        configs.HTTP{PprofAddr: "127.0.0.1:6060"},
		Log:         configs.Log{Level: zerolog.DebugLevel, Format: "console", Locale: "de"},
	})
}

func TestFile(t *testing.T) {
	got, err := load(t, `
discord: {token: a.b.c, guild_id: 123456789012345678, api_url: "", token_file: }
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
watch:
  interval: off
  rate: 3
languages: ["GO=Go|go run . -a,b|main.go", PYTHON]
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
	want.Watch = configs.Watch{Rate: 3, AutoRestart: true}
	want.Discord.Token, want.Discord.GuildID = "a.b.c", "123456789012345678"
	want.HostAPI.Secret, want.HostAPI.AllowHTTP = "007", true
	want.HostAPI.Operations = map[hostapi.Operation]hostapi.Override{
		hostapi.OpDelete:  {Enabled: new(false)},
		hostapi.OpRestart: {Method: "PUT", Path: "/v2/apps/:id/restart", UserIDIn: hostapi.InQuery},
	}
	want.Redis.URL = "redis://localhost"
	want.Languages = configs.Languages{
		{ID: "GO", Label: "Go", Startup: hostapi.Startup{Command: "go run . -a,b", EntryFile: "main.go"}}, usualLanguages()[1],
	}
	const channel = "987654321098765432"
	want.LogChannels = configs.LogChannels{Default: channel, Errors: channel, Lifecycle: channel, Staff: channel}
	want.Admin.UserIDs, want.Admin.RoleIDs = []string{"11", "12"}, []string{"13", "14"}
	want.Log.Level = zerolog.WarnLevel
	compare(t, got, want)
}

func TestEmptyFileLeavesTheDefaults(t *testing.T) {
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
	const file = "hostapi: {timeout: 20s, secret_file: /does/not/exist}\ncache: {max_stale: 12h}\n"
	got, err := load(t, file, required("HOSTAPI_TIMEOUT=30s", "CACHE_MAX_STALE=", "LOG_FORMAT=")...)
	if err != nil {
		t.Fatal(err)
	}
	want := defaults()
	want.HostAPI.Timeout = 30 * time.Second
	want.Cache.MaxStale = 12 * time.Hour // an empty variable counts as none
	compare(t, got, want)
}

func TestSecretFiles(t *testing.T) {
	token, shared, redis := write(t, "token\n"), write(t, "shared\r\n"), write(t, "redis://:p@h")
	file := fmt.Sprintf("discord: {token_file: %s}\nhostapi: {secret_file: %s, secret: }\nredis: {url_file: %s}\n", token, shared, redis)
	for name, load := range map[string]func() (*configs.Settings, error){
		"variables": func() (*configs.Settings, error) {
			return configs.Load("", append(required()[2:], "DISCORD_TOKEN_FILE="+token, "HOSTAPI_SECRET_FILE="+shared, "REDIS_URL_FILE="+redis))
		},
		"keys": func() (*configs.Settings, error) { return load(t, file, required()[2:]...) },
	} {
		t.Run(name, func(t *testing.T) {
			got, err := load()
			if err != nil {
				t.Fatal(err)
			}
			want := defaults()
			want.Redis.URL = "redis://:p@h"
			compare(t, got, want)
		})
	}
}

// lines returns the mistakes that an error is.
func lines(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	return strings.Split(err.Error(), "\n")
}

// TestStatusMapCanBeWritten in each of its forms, of which the environment's wins.
func TestStatusMapCanBeWritten(t *testing.T) {
	const file = "hostapi:\n  status_map:"
	for written, environ := range map[string][]string{
		"": {"STATUS_MAP=On ice=STOPPED, 20 = running"},
		file + "\n    On ice: STOPPED\n    20: running\n":     nil,
		file + " [On ice=STOPPED, 20=running]\n":              nil,
		file + " On ice=STOPPED, 20=running\n":                nil,
		file + "\n    frozen: STOPPED\n    frosty: CRASHED\n": {"STATUS_MAP=on_ice=stopped,20=RUNNING"},
	} {
		got, err := load(t, written, required(environ...)...)
		if err != nil {
			t.Fatalf("%q: %v", written, err)
		}
		want := hostapi.StatusMap{"ONICE": hostapi.StateStopped, "20": hostapi.StateRunning}
		if diff := cmp.Diff(want, got.HostAPI.Config().StatusMap); diff != "" {
			t.Errorf("%q, %q (-want +got):\n%s", written, environ, diff)
		}
	}
	_, err := load(t, file+"\n    frozen: STOPPED\n    iced:\n", required()...)
	if got := lines(t, err); len(got) != 1 || !strings.Contains(got[0], "hostapi.status_map in ") || !strings.Contains(got[0], "no state behind the = in entry 2") {
		t.Errorf("mistakes %q", got)
	}
}
