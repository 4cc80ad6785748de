package configs_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hostbot/configs"
)

func TestMistakesInVariables(t *testing.T) {
	for _, test := range []struct{ variable, value, want string }{
		{"DISCORD_TOKEN", "Bot abc", "without Bot"},
		{"DISCORD_TOKEN", "a c", "white space"},
		{"DISCORD_TOKEN", "a\nb", "white space"},
		{"DISCORD_API_URL", "discord.com", "not an absolute http or https address"},
		{"DISCORD_API_URL", "https://discord.com/api?v=9", "without ?"},
		{"DISCORD_API_URL", "http://discord.example/api/v10", "plain http"},
		{"DISCORD_GUILD_ID", "guild", "not an ID"},
		{"DISCORD_GUILD_ID", "0", "not an ID"},
		{"DISCORD_GUILD_ID", "99999999999999999999999", "not an ID"},
		{"HOSTAPI_URL", "https://user:word@panel.example.com", "user name or password"},
		{"HOSTAPI_URL", "http://panel.example.com", "HOSTAPI_ALLOW_HTTP"},
		{"HOSTAPI_URL", "http://localhost.example", "HOSTAPI_ALLOW_HTTP"},
		{"HOSTAPI_URL", "panel.example.com", "not an absolute http or https address"},
		{"HOSTAPI_URL", "ftp://panel.example.com", "not an absolute http or https address"},
		{"HOSTAPI_URL", "https://", "not an absolute http or https address"},
		{"HOSTAPI_URL", "https://panel.example.com:port", "not an absolute http or https address"},
		{"HOSTAPI_URL", "https://panel.example.com#x", "without ? or #"},
		{"HOSTAPI_SECRET", "two words", "white space"},
		{"HOSTAPI_ALLOW_HTTP", "maybe", "neither true nor false"},
		{"DISCORD_SHARDS", "0", "neither auto nor a number of shards"},
		{"HOSTAPI_TIMEOUT", "10", "not a duration"},
		{"HOSTAPI_TIMEOUT", "99ms", "not between 100ms and 2m"},
		{"HOSTAPI_TIMEOUT", "121s", "not between 100ms and 2m"},
		{"STATUS_MAP", "frozen", "no = in entry 1"},
		{"STATUS_MAP", "frozen=STOPPED,", "no = in entry 2"},
		{"STATUS_MAP", "frozen=STOPPED, =RUNNING", "no word before the = in entry 2"},
		{"STATUS_MAP", "-_=RUNNING", "no word before the = in entry 1"},
		{"STATUS_MAP", "frozen=", "no state behind the = in entry 1"},
		{"STATUS_MAP", "frozen=STOPPED,iced=COLD", "a state in entry 2 that is none of RUNNING, STOPPED, STARTING, STOPPING, CRASHED, SUSPENDED, INSTALLING"},
		{"STATUS_MAP", "on ice=STOPPED,frozen=STOPPED,On-Ice=STOPPED", "the word of entry 1 again in entry 3"},
		{"REDIS_URL", "localhost:6379", "redis://"},
		{"REDIS_URL", "redis://h?pool=1", "parameter"},
		{"CACHE_TTL", "0s", "not between 1s and 1h"},
		{"CACHE_MAX_STALE", "721h", "not between 1s and 720h"},
		{"CACHE_MAX_STALE", "29s", "shorter than CACHE_TTL"},
		{"WATCH_INTERVAL", "0", "not between 10s and 1h"},
		{"WATCH_INTERVAL", "9s", "not between 10s and 1h"},
		{"WATCH_INTERVAL", "never", "neither a duration such as 60s nor off"},
		{"WATCH_RATE", "0", "not between 1 and 1000"},
		{"AUTO_RESTART", "true", "neither on nor off"},
		{"WATCH_RATE", "1.5", "not a whole number"},
		{"WATCH_RATE", "1e2", "not a whole number"},
		{"WATCH_RATE", "~", "not a whole number"},
		{"LANGUAGES", "NODE,,PYTHON", "not a list"},
		{"LANGUAGES", "=Node", "not a list"},
		{"LANGUAGES", "NODE=" + strings.Repeat("x", 101), "not a list"},
		{"LANGUAGES", "NODE,node=Node", "twice"},
		{"LANGUAGES", "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z", "more than 25"},
		{"LOG_CHANNEL_ID", "#general", "not an ID"},
		{"LOG_CHANNEL_ID", "off", "not an ID"},
		{"LOG_CHANNEL_ACTIONS", "Off", "neither a channel's ID nor off"},
		{"LOG_CHANNEL_LIFECYCLE", "1x", "neither a channel's ID nor off"},
		{"ADMIN_GUILD_ID", "x", "not an ID"},
		{"ADMIN_USER_IDS", "1,,2", "not a list"},
		{"ADMIN_USER_IDS", "1;2", "not a list"},
		{"ADMIN_ROLE_IDS", "admin", "not a list"},
		{"PANEL_URL", "http://panel.example.com", "https://"},
		{"PANEL_BOT_URL", "https://panel.example.com/bots", "has no {id}"},
		{"PANEL_BOT_URL", "http://panel.example.com/{id}", "https://"},
		{"STATUS_URL", "status.example.com", "https://"},
		{"SIGNUP_URL", "panel.example.com", "https://"},
		{"UPGRADE_URL", "https:///upgrade", "https://"},
		{"SUPPORT_URL", "https://example.com/" + strings.Repeat("x", 500), "512 characters"},
		{"HTTP_ADDR", "9090", "neither a host and port"},
		{"HTTP_ADDR", "localhost:http", "neither a host and port"},
		{"HTTP_ADDR", ":70000", "neither a host and port"},
		{"HTTP_ADDR", "a b:1", "neither a host and port"},
		{"SUPPORT_URL", "https://:443/", "not the address of a page"},
		{"SUPPORT_URL", "https://example.com/a b", "not the address of a page"},
		{"LOG_LEVEL", "loud", "none of trace, debug"},
		{"LOG_LEVEL", "fatal", "none of trace, debug"},
		{"LOG_FORMAT", "xml", "none of json, console"},
		{"LOG_LOCALE", "en", "none of id, da"},
	} {
		t.Run(test.variable+"="+test.value, func(t *testing.T) {
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

// TestInteractionsNeedAnAddressAndAKey: one of the two alone does nothing.
func TestInteractionsNeedAnAddressAndAKey(t *testing.T) {
	key := strings.Repeat("0a", 32)
	for _, test := range []struct {
		address, key, variable, want string
	}{
		{":8080", "", "DISCORD_PUBLIC_KEY", "INTERACTIONS_ADDR is set"},
		{"", key, "INTERACTIONS_ADDR", "DISCORD_PUBLIC_KEY is set"},
		{"off", key, "INTERACTIONS_ADDR", "not a host and port"},
		{"localhost", key, "INTERACTIONS_ADDR", "not a host and port"},
		{":8080", key[2:], "DISCORD_PUBLIC_KEY", "not a public key: 64"},
		{":8080", "xy" + key[2:], "DISCORD_PUBLIC_KEY", "not a public key: 64"},
		{":8080", strings.Repeat("0", 64), "DISCORD_PUBLIC_KEY", "placeholder"}, // with which anybody could sign
	} {
		_, err := configs.Load("", required("INTERACTIONS_ADDR="+test.address, "DISCORD_PUBLIC_KEY="+test.key))
		if got := lines(t, err); len(got) != 1 || !strings.HasPrefix(got[0], test.variable+" ") || !strings.Contains(got[0], test.want) {
			t.Errorf("address %q and key %q: mistakes %q, want one of %s that says %q", test.address, test.key, got, test.variable, test.want)
		}
	}
	settings, err := configs.Load("", required("INTERACTIONS_ADDR=:8080", "DISCORD_PUBLIC_KEY="+strings.ToUpper(key)))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x", settings.Discord.PublicKey.Key()); got != key {
		t.Errorf("the key is %s, want %s", got, key)
	}
}

func TestProfilesAreForThisMachineAlone(t *testing.T) {
	for addr, ok := range map[string]bool{
		"127.0.0.1:6060": true, "localhost:0": true, "[::1]:6060": true, "": true,
		":6060": false, "0.0.0.0:6060": false, "[::]:6060": false, "10.0.0.1:6060": false, "panel.example.com:6060": false, "127.0.0.1": false, "off": false, "true": false,
	} {
		_, err := configs.Load("", required("HTTP_PPROF_ADDR="+addr))
		if (err == nil) != ok || err != nil && !strings.HasPrefix(err.Error(), "HTTP_PPROF_ADDR is not a loopback address") {
			t.Errorf("HTTP_PPROF_ADDR=%s: %v", addr, err)
		}
	}
}

// TestEachListenerHasAnAddressOfItsOwn, of profiles, operators' pages and interactions.
func TestEachListenerHasAnAddressOfItsOwn(t *testing.T) {
	const key = "DISCORD_PUBLIC_KEY=d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a" // of RFC 8032
	for addresses, want := range map[[3]string]string{
		{"127.0.0.1:9090", "", ""}:                    "HTTP_PPROF_ADDR is the address of HTTP_ADDR", // which is the default
		{"localhost:9090", "127.0.0.1:9090", ""}:      "HTTP_PPROF_ADDR is the address of HTTP_ADDR",
		{"[::1]:9090", ":9090", ""}:                   "HTTP_PPROF_ADDR is the address of HTTP_ADDR",
		{"127.0.0.1:8080", "off", "0.0.0.0:8080"}:     "HTTP_PPROF_ADDR is the address of INTERACTIONS_ADDR",
		{"", "[::]:8080", "127.0.0.1:8080"}:           "INTERACTIONS_ADDR is the address of HTTP_ADDR",
		{"127.0.0.1:6060", ":9090", ":8080"}:          "",
		{"127.0.0.1:9090", "10.0.0.1:9090", ""}:       "",
		{"127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"}: "",
		{"", "127.0.0.1:8080", "127.0.0.2:8080"}:      "",
		{"127.0.0.1:9090", "off", ":8080"}:            "",
	} {
		environ := required("HTTP_PPROF_ADDR="+addresses[0], "HTTP_ADDR="+addresses[1])
		if addresses[2] != "" {
			environ = append(environ, "INTERACTIONS_ADDR="+addresses[2], key)
		}
		_, err := configs.Load("", environ)
		if (err != nil) != (want != "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", addresses, err, want)
		}
	}
}

func TestAcceptedVariables(t *testing.T) {
	for _, variable := range []string{
		"HOSTAPI_URL=https://panel.example.com/base/", "HOSTAPI_URL=http://localhost:8080", "HOSTAPI_URL=http://127.0.0.53", "HOSTAPI_URL=http://[::1]:80/base/",
		"HOSTAPI_TIMEOUT=100ms", "HOSTAPI_TIMEOUT=2m", "CACHE_MAX_STALE=30s", "WATCH_INTERVAL=10s", "HTTP_ADDR=:9090", "HTTP_ADDR=[::]:9090",
		"LOG_CHANNEL_ACTIONS=off", "ADMIN_USER_IDS=1", "LOG_LOCALE=es-419", "LOG_LEVEL=trace",
		"PANEL_URL=https://panel.example.com", "PANEL_BOT_URL=https://panel.example.com/b/{id}?x=1", "SUPPORT_URL=https://discord.gg/help?a=b#c",
		"REDIS_URL=rediss://user:p%40ss@h:1?addr=g:2", "UNKNOWN_VARIABLE=x", "DISCORD_GUILD_ID_FILE=/does/not/exist",
	} {
		if _, err := configs.Load("", required(variable)); err != nil {
			t.Errorf("%s: %v", variable, err)
		}
	}
}

func TestMistakesAreReportedAllAtOnce(t *testing.T) {
	path := write(t, `discord:
  tokn: x
  token: Bot x
hostapi:
  timeout: soon
  operations:
    restart: {method: GET, path: restart, chat_user_id: header, enabled: perhaps}
    get: {method: GET, chat_user_id: body, enabled: [true]}
    list: {path: /bots/:id}
    rename: {enabled: perhaps}
    reinstall: {path: /servers/reinstall}
    stop: {path: /servers/../:id}
    start: {path: "/servers/:id?force=1"}
    delete:
      mehtod: PUT
      path: /users/:user/servers/:id
cache: 30s
languages: {NODE: Node}
admin:
  user_ids: {a: 1}
  role_ids: [[1]]
log:
  level: [info]
  level: debug
`)
	_, err := configs.Load(path, []string{"CACHE_TTL=x", "LOG_FORMAT=x", "HOSTAPI_SECRET=a", "HOSTAPI_SECRET_FILE=b"})
	got := lines(t, err)
	for i := range got {
		got[i] = strings.ReplaceAll(got[i], path, "F")
	}
	slices.Sort(got)
	want := []string{
		"CACHE_TTL is not a duration such as 30s or 2h",
		"F, line 10: unknown key; configs/hostbot.example.yaml has all that there are",
		"F, line 15: unknown key; configs/hostbot.example.yaml has all that there are",
		"F, line 24: the key was there before",
		"F, line 2: unknown key; configs/hostbot.example.yaml has all that there are",
		"HOSTAPI_SECRET and HOSTAPI_SECRET_FILE are both set",
		"HOSTAPI_URL is missing",
		"LOG_FORMAT is none of json, console",
		"admin.role_ids in F, line 21 is not a list of plain values",
		"admin.user_ids in F, line 20 is not a list of plain values",
		"cache in F, line 17 must hold keys with values",
		"discord.token in F, line 3 must be the token alone, without Bot before it",
		"hostapi.operations.delete.path in F, line 16 has a colon, and only a segment :id stands for something",
		"hostapi.operations.get in F, line 8 is a GET, which has no body to carry chat_user_id",
		"hostapi.operations.get.enabled in F, line 8 is not one plain value",
		"hostapi.operations.list.path in F, line 9 has a segment :id, and the operation is not about one server",
		"hostapi.operations.reinstall.path in F, line 11 must have one segment :id",
		"hostapi.operations.restart.chat_user_id in F, line 7 is neither query nor body",
		"hostapi.operations.restart.enabled in F, line 7 is neither true nor false",
		"hostapi.operations.restart.method in F, line 7 is none of POST, PUT, PATCH, DELETE",
		"hostapi.operations.restart.path in F, line 7 is not a path as it stands in an address, from its first slash on",
		"hostapi.operations.start.path in F, line 13 is not a path as it stands in an address, from its first slash on",
		"hostapi.operations.stop.path in F, line 12 is not a path as it stands in an address, from its first slash on",
		"hostapi.timeout in F, line 5 is not a duration such as 30s or 2h",
		"languages in F, line 18 is not a list of plain values",
		"log.level in F, line 23 is not one plain value",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mistakes (-want +got):\n%s", diff)
	}
}

func TestUnreadableFiles(t *testing.T) {
	huge := strings.Repeat("#", 64<<10+1)
	for name, test := range map[string]struct{ path, want string }{
		"absent":               {filepath.Join(t.TempDir(), "absent"), "cannot be read: no such file"},
		"directory":            {t.TempDir(), "cannot be read"},
		"huge":                 {write(t, huge), "is larger than 64 KiB"},
		"tab":                  {write(t, "discord:\n\ttoken: x\n"), "line 2: is not YAML"},
		"open quote":           {write(t, "log:\n  level: \"info\n"), "is not YAML"},
		"duplicate key":        {write(t, "log: {}\nlog: {}\n"), "line 2: the key was there before"},
		"list":                 {write(t, "- a\n"), "line 1: must hold keys with values"},
		"text":                 {write(t, "settings\n"), "line 1: must hold keys with values"},
		"two documents":        {write(t, "log:\n---\nlog:\n"), "line 2: the file must hold one document"},
		"key that is a number": {write(t, "1: b\n"), "unknown key"},
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
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ path, want string }{
		"absent":    {"/does/not/exist", "names a file that cannot be read: no such file or directory"},
		"directory": {t.TempDir(), "names a file that is not a regular file"},
		"device":    {"/dev/zero", "names a file that is not a regular file"},
		"pipe":      {pipe, "names a file that is not a regular file"}, // to which nobody writes
		"empty":     {write(t, "\n"), "names a file that is empty"},
		"huge":      {write(t, strings.Repeat("x", 64<<10+1)), "names a file that is larger than 64 KiB"},
		"two rows":  {write(t, "a\nb\n"), "holds white space, or a character that is not printable ASCII"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := configs.Load("", append(required()[1:], "DISCORD_TOKEN_FILE="+test.path))
			if diff := cmp.Diff([]string{"DISCORD_TOKEN_FILE " + test.want}, lines(t, err)); diff != "" {
				t.Errorf("mistakes (-want +got):\n%s", diff)
			}
			file := write(t, "discord: {token_file: "+test.path+"}")
			_, err = configs.Load(file, required()[1:])
			if diff := cmp.Diff([]string{"discord.token_file in " + file + ", line 1 " + test.want}, lines(t, err)); diff != "" {
				t.Errorf("mistakes (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("both keys", func(t *testing.T) {
		file := write(t, "redis: {url: redis://h, url_file: x}")
		_, err := configs.Load(file, required())
		want := []string{fmt.Sprintf("redis.url in %s, line 1 and redis.url_file in %[1]s, line 1 are both set", file)}
		if diff := cmp.Diff(want, lines(t, err)); diff != "" {
			t.Errorf("mistakes (-want +got):\n%s", diff)
		}
	})
	t.Run("not of one secret", func(t *testing.T) { // the environment wins over both keys
		if _, err := load(t, "discord: {token: a, token_file: b}", required()...); err != nil {
			t.Error(err)
		}
	})
}
