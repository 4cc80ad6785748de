package configs_test

import (
	"testing"

	"hostbot/configs"
)

// TestDoubts: staff who would have no commands, and variables that look like the program's own and are not.
func TestDoubts(t *testing.T) {
	for variable, doubted := range map[string]bool{
		"HOSTAPI_TIMOUT=20s":        true,
		"LOG_CHANNEL_AUDIT=1":       true,
		"ADMIN_USER_IDS=1":          true,
		"ADMIN_ROLE_IDS=1":          true,
		"ADMIN_GUILD_ID=1":          false,
		"HOSTAPI_TIMOUT=":           false,
		"HOSTAPI_TIMEOUT=20s":       false,
		"HOSTAPI_SERVICE_HOST=10.1": false,
		"CACHE_FRESH=30s":           false,
		"HTTP_PROXY=http://proxy:1": false,
	} {
		s, err := configs.Load("", required(variable))
		if err != nil {
			t.Fatal(err)
		}
		if doubts := configs.Doubts(s, required(variable)); len(doubts) > 0 != doubted {
			t.Errorf("%s: %+v", variable, doubts)
		}
	}
}
