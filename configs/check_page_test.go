package configs_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestCheckRunsAsTheBotDoes compares the commands of deploy/CHECK.md with the unit and the image: the check
// is given the bot's own credentials and settings.
func TestCheckRunsAsTheBotDoes(t *testing.T) {
	t.Parallel()
	page, unit := read(t, "deploy/CHECK.md"), read(t, "deploy/systemd/hostbot.service")
	var wanted []string
	for _, line := range regexp.MustCompile(`(?m)^LoadCredential=.*$`).FindAllString(unit, -1) {
		wanted = append(wanted, "--property="+line+" ")
	}
	credentials := len(wanted)
	for _, setting := range regexp.MustCompile(`\w+=%d/\w+`).FindAllString(unit, -1) {
		wanted = append(wanted, "--setenv="+strings.ReplaceAll(setting, "%d", "/run/credentials/hostbot-check.service")+" ")
	}
	if credentials < 2 || len(wanted) != 2*credentials {
		t.Errorf("the unit has %q", wanted)
	}
	wanted = append(wanted,
		regexp.MustCompile(`(?m)^ExecStart=(.*)$`).FindStringSubmatch(unit)[1]+" check\n",
		"-- "+regexp.MustCompile(`(?m)^ENTRYPOINT \["(.*)"\]$`).FindStringSubmatch(read(t, "../Dockerfile"))[1]+" check\n")
	for _, text := range wanted {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q", text)
		}
	}
}
