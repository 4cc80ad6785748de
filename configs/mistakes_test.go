package configs_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hostbot/configs"
)

func TestMistakesInVariables(t *testing.T) {
	long := strings.Repeat("x", 1025)
	for _, test := range []struct{ variable, value, want string }{
		{"DISCORD_TOKEN", "Bot abc", "without Bot"},
		{"DISCORD_TOKEN", "bot abc", "without Bot"},
		{"DISCORD_TOKEN", "abc ", "white space"},
		{"DISCORD_TOKEN", "a\nb", "white space"},
		{"DISCORD_TOKEN", "tökén", "not printable ASCII"},
		{"DISCORD_TOKEN", long, "longer than 1024 bytes"},
		{"DISCORD_API_URL", "discord.com", "not an http or https address"},
		{"DISCORD_API_URL", "https://discord.com/api?v=9", "without ?"},
		{"DISCORD_GUILD_ID", "guild", "not an ID"},
		{"DISCORD_GUILD_ID", "0", "not an ID"},
		{"DISCORD_GUILD_ID", "-5", "not an ID"},
		{"DISCORD_GUILD_ID", "99999999999999999999999", "not an ID"},
		{"HOSTAPI_URL", "ftp://panel.example.com", "not an http or https address"},
		{"HOSTAPI_URL", "https://", "not an http or https address"},
		{"HOSTAPI_URL", "https://user:word@panel.example.com", "user name or password"},
		{"HOSTAPI_URL", "https://panel.example.com/#x", "without ? or #"},
		{"HOSTAPI_URL", "http://panel.example.com", "HOSTAPI_ALLOW_HTTP"},
		{"HOSTAPI_URL", "http://127.0.0.1.example.com", "HOSTAPI_ALLOW_HTTP"},
		{"HOSTAPI_SECRET", "two words", "white space"},
		{"HOSTAPI_ALLOW_HTTP", "maybe", "neither true nor false"},
		{"HOSTAPI_TIMEOUT", "10", "not a duration"},
		{"HOSTAPI_TIMEOUT", "99ms", "not between 100ms and 2m"},
		{"HOSTAPI_TIMEOUT", "121s", "not between 100ms and 2m"},
		{"REDIS_URL", "localhost:6379", "redis://"},
		{"REDIS_URL", "redis://h?pool=1", "parameter"},
		{"CACHE_FRESH", "0s", "not between 1s and 1h"},
		{"CACHE_FRESH", "-1s", "not between 1s and 1h"},
		{"CACHE_KEEP", "721h", "not between 1s and 720h"},
		{"CACHE_KEEP", "29s", "shorter than CACHE_FRESH"},
		{"LOG_CHANNEL_ID", "#general", "not an ID"},
		{"LOG_CHANNEL_ID", "off", "not an ID"},
		{"LOG_CHANNEL_ACTIONS", "Off", "neither a channel's ID nor off"},
		{"LOG_CHANNEL_ERRORS", "none", "neither a channel's ID nor off"},
		{"LOG_CHANNEL_LIFECYCLE", "1x", "neither a channel's ID nor off"},
		{"ADMIN_GUILD_ID", "x", "not an ID"},
		{"ADMIN_USER_IDS", "1,,2", "not a list"},
		{"ADMIN_USER_IDS", "1;2", "not a list"},
		{"ADMIN_ROLE_IDS", "admin", "not a list"},
		{"HTTP_ADDR", "9090", "neither a host and port"},
		{"HTTP_ADDR", "localhost:http", "neither a host and port"},
		{"HTTP_ADDR", ":70000", "neither a host and port"},
		{"LOG_LEVEL", "loud", "none of trace, debug"},
		{"LOG_LEVEL", "fatal", "none of trace, debug"},
		{"LOG_FORMAT", "xml", "none of json, console"},
		{"LOG_LOCALE", "en", "none of bg, cs"},
	} {
		t.Run(test.variable+"="+test.value[:min(len(test.value), 20)], func(t *testing.T) {
			_, err := configs.Load("", required(test.variable+"="+test.value))
			if err == nil {
				t.Fatal("no error")
			}
			got := lines(t, err)
			if len(got) != 1 || !strings.HasPrefix(got[0], test.variable+" ") || !strings.Contains(got[0], test.want) {
				t.Errorf("mistakes %q, want one of %s that says %q", got, test.variable, test.want)
			}
		})
	}
}

func TestAccepted(t *testing.T) {
	for _, variable := range []string{
		"HOSTAPI_URL=http://localhost:8080", "HOSTAPI_URL=http://127.0.0.53", "HOSTAPI_URL=http://[::1]:80/base/",
		"HOSTAPI_TIMEOUT=100ms", "HOSTAPI_TIMEOUT=2m", "CACHE_KEEP=30s", "HTTP_ADDR=:9090", "HTTP_ADDR=[::]:9090",
		"LOG_CHANNEL_ACTIONS=off", "ADMIN_USER_IDS=1", "LOG_LOCALE=es-419", "LOG_LEVEL=trace",
		"REDIS_URL=rediss://user:p%40ss@h:1?addr=g:2", "UNKNOWN_VARIABLE=x", "DISCORD_GUILD_ID_FILE=/does/not/exist",
	} {
		if _, err := configs.Load("", required(variable)); err != nil {
			t.Errorf("%s: %v", variable, err)
		}
	}
}

func TestEveryMistakeAtOnce(t *testing.T) {
	path := write(t, `discord:
  tokn: x
  token: Bot x
hostapi:
  timeout: soon
  operations:
    restart: {method: GET, path: restart, chat_user_id: header, enabled: perhaps}
    get: {method: GET, chat_user_id: body}
    rename: {enabled: false}
cache: 30s
admin:
  user_ids: {a: 1}
log:
  level: [info]
  locale: &anchor de
`)
	_, err := configs.Load(path, []string{"CACHE_FRESH=x", "LOG_FORMAT=x", "HOSTAPI_SECRET=a", "HOSTAPI_SECRET_FILE=b"})
	got := lines(t, err)
	for i := range got {
		got[i] = strings.ReplaceAll(got[i], path, "F")
	}
	slices.Sort(got)
	want := []string{
		"CACHE_FRESH is not a duration such as 30s or 2h",
		"DISCORD_TOKEN (discord.token in F, line 3) must be the token alone, without Bot before it",
		"F, line 10: cache must hold fresh, keep",
		"F, line 12: admin.user_ids must be a list of plain values",
		"F, line 14: log.level must be one plain value",
		"F, line 15: log.locale must be one plain value",
		"F, line 2: unknown key; known are api_url, guild_id, token, token_file",
		"F, line 9: unknown key; known are create, delete, get, list, reinstall, restart, start, stop, update_startup",
		"HOSTAPI_SECRET and HOSTAPI_SECRET_FILE are both set",
		"HOSTAPI_TIMEOUT (hostapi.timeout in F, line 5) is not a duration such as 30s or 2h",
		"HOSTAPI_URL is missing",
		"LOG_FORMAT is none of json, console",
		"hostapi.operations.get has a method that can not carry chat_user_id in that place",
		"hostapi.operations.restart.chat_user_id in F, line 7 is neither query nor body",
		"hostapi.operations.restart.enabled in F, line 7 is neither true nor false",
		"hostapi.operations.restart.method in F, line 7 is not a method that the operation can have: GET or POST where it reads, else POST, PUT, PATCH or DELETE",
		"hostapi.operations.restart.path in F, line 7 is not a path from the base URL on, with one segment :id exactly where the operation is about one bot",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mistakes (-want +got):\n%s", diff)
	}
}

func TestNothingSet(t *testing.T) {
	_, err := configs.Load("", nil)
	want := []string{"DISCORD_TOKEN is missing", "HOSTAPI_URL is missing", "HOSTAPI_SECRET is missing"}
	if diff := cmp.Diff(want, lines(t, err)); diff != "" {
		t.Errorf("mistakes (-want +got):\n%s", diff)
	}
}

func TestUnreadableFiles(t *testing.T) {
	huge := strings.Repeat("#", 64<<10+1)
	for name, test := range map[string]struct{ path, want string }{
		"absent":               {filepath.Join(t.TempDir(), "absent"), "can not be read: no such file"},
		"directory":            {t.TempDir(), "can not be read"},
		"huge":                 {write(t, huge), "is larger than 64 KiB"},
		"tab":                  {write(t, "discord:\n\ttoken: x\n"), "line 2: is not YAML"},
		"open quote":           {write(t, "log:\n  level: \"info\n"), "is not YAML"},
		"duplicate key":        {write(t, "log: {}\nlog: {}\n"), "line 2: log was there before"},
		"list":                 {write(t, "- a\n"), "the file must hold admin, cache"},
		"text":                 {write(t, "settings\n"), "the file must hold admin, cache"},
		"two documents":        {write(t, "log:\n---\nlog:\n"), "line 3: the file must hold one document"},
		"key that is a number": {write(t, "1: b\n"), "unknown key"},
		"merge key":            {write(t, "log: &l {level: info}\n"), "log must hold format, level, locale"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := configs.Load(test.path, required())
			if err == nil {
				t.Fatal("no error")
			}
			got := lines(t, err)
			if len(got) != 1 || !strings.HasPrefix(got[0], test.path) || !strings.Contains(got[0], test.want) {
				t.Errorf("mistakes %q, want one that says %q", got, test.want)
			}
		})
	}
}

func TestSecretFileMistakes(t *testing.T) {
	for name, test := range map[string]struct{ variable, want string }{
		"absent":   {"DISCORD_TOKEN_FILE=/does/not/exist", "DISCORD_TOKEN_FILE names a file that can not be read: no such file or directory"},
		"empty":    {"DISCORD_TOKEN_FILE=" + write(t, "\n"), "DISCORD_TOKEN_FILE names a file that is empty"},
		"huge":     {"DISCORD_TOKEN_FILE=" + write(t, strings.Repeat("x", 64<<10+1)), "DISCORD_TOKEN_FILE names a file that is larger than 64 KiB"},
		"two rows": {"DISCORD_TOKEN_FILE=" + write(t, "a\nb\n"), "DISCORD_TOKEN_FILE holds white space, or a character that is not printable ASCII"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := configs.Load("", append(required()[1:], test.variable))
			if diff := cmp.Diff([]string{test.want}, lines(t, err)); diff != "" {
				t.Errorf("mistakes (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("both keys", func(t *testing.T) {
		_, err := load(t, "redis: {url: redis://h, url_file: x}", required()...)
		if got := lines(t, err); len(got) != 1 || !strings.HasSuffix(got[0], "and redis.url_file are both set") {
			t.Errorf("mistakes %q", got)
		}
	})
}
