package configs_test

import (
	"strings"
	"testing"

	"hostbot/configs"
)

// FuzzEnvironment reads any value of any variable beside those that are
// required: without a crash, and without telling the secrets.
func FuzzEnvironment(f *testing.F) {
	for _, pair := range []string{
		"HOSTAPI_TIMEOUT=10s", "HOSTAPI_TIMEOUT=-1h", "REDIS_URL=redis://:" + redisMark + "@localhost:6379/0", "REDIS_URL=rediss://a:b@[::1]?addr=x",
		"DISCORD_API_URL=http://127.0.0.1:1/api/v9", "DISCORD_GUILD_ID=123456789012345678", "ADMIN_USER_IDS=1,2, 3", "LOG_CHANNEL_ACTIONS=off",
		"LOG_LEVEL=debug", "LOG_LOCALE=de", "HTTP_ADDR=:9090", "HTTP_ADDR=[::1]:http", "CACHE_TTL=1ns", "HOSTAPI_ALLOW_HTTP=maybe",
		"DISCORD_TOKEN_FILE=/does/not/exist", "DISCORD_TOKEN=Bot " + tokenMark, "HOSTAPI_SECRET=" + sharedMark + "\n",
	} {
		name, value, _ := strings.Cut(pair, "=")
		f.Add(name, value)
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		if strings.ContainsAny(name, "=\x00") || strings.HasSuffix(name, "_FILE") && value != "/does/not/exist" {
			return // no variable has such a name, and files are another test's
		}
		environ := []string{"DISCORD_TOKEN=" + tokenMark, "HOSTAPI_URL=https://panel.example", "HOSTAPI_SECRET=" + sharedMark, name + "=" + value}
		settings, err := configs.Load("", environ)
		if err != nil {
			lines(t, err)
			leaks(t, err.Error())
			return
		}
		if settings.Discord.Token.Reveal() == "" || settings.HostAPI.Secret.Reveal() == "" || settings.HostAPI.Timeout <= 0 {
			t.Errorf("taken: %+v", settings)
		}
	})
}
