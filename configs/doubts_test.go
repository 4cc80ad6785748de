package configs_test

import (
	"strings"
	"testing"

	"hostbot/configs"
)

func TestDoubts(t *testing.T) {
	for variable, meant := range map[string]string{
		"HOSTAPI_TIMOUT=20s":        "HOSTAPI_TIMEOUT",
		"HOSTAPI_TIEMOUT=20s":       "HOSTAPI_TIMEOUT",
		"ADMIN_USER_ID=1":           "ADMIN_USER_IDS",
		"DISCORD_TOKEN_FLIE=/a":     "DISCORD_TOKEN_FILE",
		"discord_guild_id=1":        "DISCORD_GUILD_ID",
		"REDIS_URI=redis://other":   "REDIS_URL",
		"REDIS_ULR=redis://other":   "REDIS_URL",
		"LOG_CHANEL_ACTION=1":       "LOG_CHANNEL_ACTIONS",
		"HOSTAPI_RETRIES=3":         "configs/README.md",
		"LOG_CHANNEL_AUDIT=1":       "configs/README.md",
		"HOSTAPI_LIFETIME=30s":      "configs/README.md",
		"CACHE_LIFETIME=30s":        "",
		"HOSTAPI_TIMOUT=":           "",
		"HOSTAPI_TIMEOUT=20s":       "",
		"LANGUAGE=de:en":            "",
		"HTTP_PROXY=http://proxy:1": "",
		"HTTPS_PROXY=http://p:1":    "",
		"LOG_DIR=/var/log":          "",
		"DISCORD_WEBHOOK_URL=x":     "",
		"REDIS_PORT=tcp://10.0.0.1": "",
		"REDIS_SERVICE_HOST=10.0.1": "",
		"CACHE_PORT_6379_TCP_PORT=": "",
		"HOSTAPI_SERVICE_HOST=10.1": "",
		"STATUS_PAGE=x":             "",
		"PATH=/bin":                 "",
		"ADMIN_GUILD_ID=1":          "",
	} {
		s, err := configs.Load("", required())
		if err != nil {
			t.Fatal(err)
		}
		doubts := configs.Doubts(s, required(variable))
		if meant == "" && len(doubts) > 0 || meant != "" && (len(doubts) != 1 || !strings.Contains(doubts[0].Cure, meant)) {
			t.Errorf("%s: %+v, want %q", variable, doubts, meant)
		}
	}
}

// TestStaffWithoutAGuildAreDoubted: they would have no commands.
func TestStaffWithoutAGuildAreDoubted(t *testing.T) {
	for variable, doubted := range map[string]bool{"ADMIN_USER_IDS=1": true, "ADMIN_ROLE_IDS=1": true, "ADMIN_GUILD_ID=1": false} {
		s, err := configs.Load("", required(variable))
		if err != nil {
			t.Fatal(err)
		}
		if doubts := configs.Doubts(s, required(variable)); len(doubts) > 0 != doubted {
			t.Errorf("%s: %+v", variable, doubts)
		}
	}
}

func TestOneAddressForTwo(t *testing.T) {
	const key = "DISCORD_PUBLIC_KEY=d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a" // of RFC 8032
	for addresses, wrong := range map[[2]string]bool{
		{":8080", ":8080"}:                   true,
		{":8080", "127.0.0.1:8080"}:          true,
		{"127.0.0.1:9090", ""}:               true, // which is the default
		{"[::]:8080", "0.0.0.0:8080"}:        true,
		{":8080", ":9090"}:                   false,
		{"127.0.0.1:8080", "127.0.0.2:8080"}: false,
		{"127.0.0.1:0", "127.0.0.1:0"}:       false,
		{":8080", "off"}:                     false,
	} {
		_, err := configs.Load("", required(key, "INTERACTIONS_ADDR="+addresses[0], "HTTP_ADDR="+addresses[1]))
		if (err != nil) != wrong || wrong && !strings.Contains(err.Error(), "INTERACTIONS_ADDR is the address of HTTP_ADDR") {
			t.Errorf("%q: %v", addresses, err)
		}
	}
}
