//go:build integration

package processes_test

import (
	"os/exec"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
)

// TestOperatorsSeeThatRedisRefusesWrites has a Redis that answers, and takes nothing until its trouble
// is over.
func TestOperatorsSeeThatRedisRefusesWrites(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		words, check  string // of what the running bot says, and of what check finds
		refuse, mends []string
	}{
		"full":        {"OOM", "it answers, and takes no writes: OOM", []string{"CONFIG SET maxmemory-policy noeviction maxmemory 1"}, []string{"CONFIG SET maxmemory 0"}},
		"a replica":   {"READONLY", "it answers, and takes no writes: READONLY", []string{"REPLICAOF 127.0.0.1 1"}, []string{"REPLICAOF NO ONE"}},
		"cannot save": {"MISCONF", "it answers, and takes no writes: MISCONF", nil, []string{"CONFIG SET stop-writes-on-bgsave-error no"}},
		"for readers": {"NOPERM", "its user may not run: ", []string{"ACL SETUSER bot -@write"}, []string{"ACL SETUSER bot +@all"}},
		"no scripts":  {"NOPERM", "its user may not run: ", []string{"ACL SETUSER bot -@scripting"}, []string{"ACL SETUSER bot +@all"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newScene(t, instantly, discordtest.Config{})
			w.order(t, "ACL SETUSER bot on >secret ~* &* +@all")
			sam := w.discord.User("sam", discordtest.Permissions(1<<5)) // manages the guild
			r := w.start(t, "REDIS_URL=redis://bot:secret@"+w.redis.Addr(), "ADMIN_GUILD_ID="+w.discord.GuildID(), "ADMIN_USER_IDS="+sam.ID)
			shows := func(what string, lines ...string) {
				t.Helper()
				page := ""
				if !wait(func() bool {
					_, page = r.get("/healthz?verbose")
					_, metrics := r.get("/metrics")
					page += metrics
					for _, line := range lines {
						if !strings.Contains(page, line) {
							return false
						}
					}
					return true
				}) {
					t.Fatalf("%s: want %q in\n%.3000s", what, lines, page)
				}
			}
			shows("before", "✓ redis: ", "\nhostbot_redis_up 1\n")
			if name == "cannot save" {
				w.keepFromSaving(t)
			}
			w.order(t, test.refuse...)
			shows("while it refuses", "Redis refuses writes", "✗ redis: "+test.words, "\nhostbot_redis_up 0\n")
			sam.Types(t, "/admin status").WaitFor(t, "Redis refuses writes")
			check := exec.Command(program, "check")
			check.Env = r.cmd.Env
			if found, err := check.Output(); err == nil || !strings.Contains(string(found), "✗ redis rights: "+test.check) {
				t.Errorf("check: %v\n%s", err, found)
			}
			w.order(t, test.mends...)
			shows("afterwards", "✓ redis: ", "\nhostbot_redis_up 1\n")
		})
	}
}
