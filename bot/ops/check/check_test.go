package check_test

import (
	"flag"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"hostbot/bot/ops/check"
	"hostbot/bot/staff/health"
	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/hostapitest"
)

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil { // as the tests mostly wait for room under the limit on requests
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

func TestAllIsWellAndNothingIsChanged(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	found, passed := s.run(t)
	var names []string
	for _, f := range found {
		if names = append(names, f.Name); f.State != health.OK || f.Cure != "" {
			t.Errorf("%+v", f)
		}
	}
	want := []string{
		"token", "application", "interactions", "intents", "gateway", "clock", "commands guild", "staff guild", "staff roles", "staff users",
		"log channel actions, errors, lifecycle, staff", "health and metrics", "hosting service", "redis", "redis rights", "redis persistence", "redis eviction", "redis clock",
	}
	if diff := cmp.Diff(want, names); diff != "" || !passed {
		t.Errorf("passed %v, checks (-want +got):\n%s", passed, diff)
	}

	for _, call := range s.discord.Calls() {
		if call.Method != http.MethodGet {
			t.Errorf("Discord: %s %s", call.Method, call.Path)
		}
	}
	for _, request := range s.service.Requests() {
		if request.Operation != hostapitest.OpList {
			t.Errorf("the service: %s %s", request.Method, request.Path)
		}
	}
	for _, command := range s.redis.commands {
		if !slices.Contains([]string{"HELLO", "AUTH", "INFO", "TIME", "CONFIG GET", "WATCH", "UNWATCH"}, command) {
			t.Errorf("redis: %s", command)
		}
	}
}

// Each mistake is planted alone.
func TestMistakesAreFoundWithTheirCures(t *testing.T) {
	t.Parallel()
	application := func(settings discordtest.ApplicationSettings) func(*scene) {
		return func(s *scene) {
			if settings.Installs == nil {
				settings.Installs = []int{discordtest.GuildInstall, discordtest.UserInstall}
			}
			s.discord.SetApplication(settings)
		}
	}
	set := func(name, value string) func(*scene) { return func(s *scene) { s.env[name] = value } }
	allow := func(a discordtest.Access) func(*scene) { return func(s *scene) { s.staff.Allow(a) } }
	service := func(f hostapitest.Fault) func(*scene) {
		return func(s *scene) { s.service.Fail(hostapitest.OpList, f, 0) }
	}
	clock := func(skew time.Duration) func(*scene) {
		return func(s *scene) {
			date := http.Header{"Date": {time.Now().Add(skew).UTC().Format(http.TimeFormat)}}
			s.discord.Inject(discordtest.Fault{Route: discordtest.RouteGateway, Status: http.StatusOK, Header: date})
		}
	}
	limited := func(times int, body string) func(*scene) {
		return func(s *scene) { s.discord.Inject(tooMany("", times, body)) }
	}
	redis := func(name, value string) func(*scene) { return func(s *scene) { s.redis.info[name] = value } }
	const logs = "log channel actions, errors, lifecycle, staff"
	const unanswered = "127.0.0.1:1"

	for name, test := range map[string]struct {
		plant       func(*scene)
		check       string
		result      health.State
		found, cure string
	}{
		"wrong token":          {set("DISCORD_TOKEN", "wrong-token"), "token", health.Failure, "does not accept it", "DISCORD_TOKEN"},
		"what needs the token": {set("DISCORD_TOKEN", "wrong-token"), logs, health.Warning, "not checked", "mend the token first"},
		"Discord is away":      {set("DISCORD_API_URL", "http://"+unanswered), "token", health.Failure, "connection refused", "DISCORD_API_URL"},
		"Discord fails":        {func(s *scene) { s.discord.Inject(discordtest.Overloaded("", "")) }, "token", health.Failure, "503", "few minutes"},
		"a limit":              {limited(1, `{"message":"You are being rate limited.","retry_after":0.01,"global":false}`), "token", health.OK, "accepts it", ""},
		"a limit on the gateway": {func(s *scene) {
			s.discord.Inject(tooMany(discordtest.RouteGatewayBot, 2, `{"message":"limited","retry_after":0.01}`))
		}, "gateway", health.OK, "it answers", ""},
		"a long limit":        {limited(0, `{"message":"You are being rate limited.","retry_after":90,"global":true}`), "token", health.Failure, "not known", "try again in 1m30s"},
		"no API":              {func(s *scene) { s.env["DISCORD_API_URL"] += "/nowhere" }, "token", health.Failure, "404", "DISCORD_API_URL"},
		"no installation":     {application(discordtest.ApplicationSettings{Installs: []int{}}), "application", health.Warning, "installed", "Installation page"},
		"installed on users":  {application(discordtest.ApplicationSettings{Installs: []int{discordtest.UserInstall}}), "application", health.Warning, "on users", "Guild Install"},
		"private":             {application(discordtest.ApplicationSettings{Private: true}), "application", health.Warning, "its owner alone", "Public Bot"},
		"private, for guilds": {application(discordtest.ApplicationSettings{Private: true, Installs: []int{discordtest.GuildInstall}}), "application", health.OK, "its owner alone", ""},
		"endpoint":            {application(discordtest.ApplicationSettings{InteractionsEndpointURL: "https://bot.example.com/x"}), "interactions", health.Failure, "no command", "clear Interactions Endpoint URL"},
		"intents":             {application(discordtest.ApplicationSettings{Flags: 1<<15 | 1<<18}), "intents", health.Warning, "(Message Content, Server Members)", "turn them off"},
		"no sessions":         {func(s *scene) { s.discord.ExhaustSessions(3 * time.Hour) }, "gateway", health.Failure, "3h", "restarts"},
		"a hundred shards":    {set("DISCORD_SHARDS", "100"), "gateway", health.Warning, "more than 16 times", "auto"},
		"too few shards":      {func(s *scene) { s.env["DISCORD_SHARDS"] = "2"; s.discord.RecommendShards(6) }, "gateway", health.Failure, "recommends 6", "auto"},
		"few shards":          {func(s *scene) { s.env["DISCORD_SHARDS"] = "4"; s.discord.RecommendShards(6) }, "gateway", health.Warning, "recommends 6", "auto"},
		"shards enough":       {func(s *scene) { s.env["DISCORD_SHARDS"] = "6"; s.discord.RecommendShards(6) }, "gateway", health.OK, "it answers", ""},
		"no websockets":       {func(s *scene) { s.discord.RefuseConnections(true) }, "gateway", health.Failure, "does not answer", "let websockets through"},
		"a slow clock":        {clock(5 * time.Minute), "clock", health.Warning, "behind Discord's", "NTP"},
		"a fast clock":        {clock(-5 * time.Minute), "clock", health.Warning, "ahead of Discord's", "NTP"},
		"a clock of no use over HTTP": {func(s *scene) {
			s.env["INTERACTIONS_ADDR"], s.env["DISCORD_PUBLIC_KEY"] = ":8080", s.discord.PublicKey()
			clock(-6 * time.Minute)(s)
		}, "clock", health.Failure, "refuses all interactions", "NTP"},
		"a misspelt variable":    {set("HOSTAPI_TIMOUT", "20s"), "settings", health.Warning, "HOSTAPI_TIMOUT is set", "configs/README.md"},
		"staff without a guild":  {set("ADMIN_GUILD_ID", ""), "settings", health.Warning, "have no commands", "ADMIN_GUILD_ID"},
		"development":            {func(*scene) {}, "commands guild", health.OK, "alone", ""},
		"commands elsewhere":     {func(s *scene) { s.env["DISCORD_GUILD_ID"] = s.discord.AddGuild() }, "commands guild", health.Failure, "may not register", "https://discord.com/oauth2/authorize?client_id="},
		"staff elsewhere":        {func(s *scene) { s.env["ADMIN_GUILD_ID"] = s.discord.AddGuild() }, "staff guild", health.Failure, "may not register", "invite"},
		"roles of an absent one": {func(s *scene) { s.env["ADMIN_GUILD_ID"] = s.discord.AddGuild() }, "staff roles", health.Warning, "not checked", "staff guild"},
		"nobody is staff":        {func(s *scene) { s.env["ADMIN_ROLE_IDS"], s.env["ADMIN_USER_IDS"] = "", "" }, "staff roles", health.Warning, "nobody", "ADMIN_ROLE_IDS"},
		"unknown role":           {set("ADMIN_ROLE_IDS", "77"), "staff roles", health.Failure, "no role 77", "ADMIN_ROLE_IDS"},
		"everybody is staff":     {func(s *scene) { s.env["ADMIN_ROLE_IDS"] = s.discord.GuildID() }, "staff roles", health.Failure, "every member", "ADMIN_ROLE_IDS"},
		"unknown user":           {set("ADMIN_USER_IDS", "78"), "staff users", health.Warning, "not in the guild: 78", "ADMIN_USER_IDS"},
		"no log channel":         {set("LOG_CHANNEL_ID", ""), "log channel", health.Warning, "nobody is told", "LOG_CHANNEL_ID"},
		"no such channel":        {set("LOG_CHANNEL_ID", "79"), logs, health.Failure, "no channel 79", "ID anew"},
		"one channel of two":     {set("LOG_CHANNEL_ERRORS", "79"), "log channel errors", health.Failure, "no channel 79", "ID anew"},
		"the other of two":       {set("LOG_CHANNEL_ERRORS", "79"), "log channel actions, lifecycle, staff", health.OK, "#staff", ""},
		"hidden channel":         {allow(discordtest.MissingAccess), logs, health.Failure, "cannot see", "View Channel"},
		"mute in the channel":    {allow(discordtest.MissingPermissions), logs, health.Failure, "lacks in #staff: Send Messages", "permissions"},
		"mute in the thread":     {allow(discordtest.MissingThreadPermission), logs, health.Failure, "lacks in #staff: Send Messages in Threads", "permissions"},
		"closed thread":          {allow(discordtest.Locked), logs, health.Failure, "locked", "unlock"},
		"locked thread":          {allow(discordtest.LockedOpen), logs, health.Failure, "lacks Manage Threads", "unlock"},
		"a moderator's thread":   {func(s *scene) { s.staff.Allow(discordtest.LockedOpen); s.staff.Grant(discordtest.ManageThreads) }, logs, health.OK, "can write", ""},
		"its own closed thread":  {func(s *scene) { s.staff.Allow(discordtest.Locked); s.staff.Grant(discordtest.ManageThreads) }, logs, health.OK, "can write", ""},
		"forum":                  {allow(discordtest.Forum), logs, health.Failure, "forum", "one of the forum's threads"},
		"no embeds":              {func(s *scene) { s.staff.Deny(discordtest.EmbedLinks) }, logs, health.Failure, "lacks in #staff: Embed Links", "permissions"},
		"no history":             {allow(discordtest.NoHistory), logs, health.Warning, "twice", "Read Message History"},
		"open to all":            {func(s *scene) { s.env["LOG_CHANNEL_ID"] = s.discord.AddChannel("talk").ID }, logs, health.Warning, "everybody", "@everyone"},
		"threads":                {func(s *scene) { s.env["SUPPORT_CHANNEL_ID"] = s.staff.ID }, "support channel", health.OK, "can open threads in #staff", ""},
		"no threads": {func(s *scene) {
			s.env["SUPPORT_CHANNEL_ID"] = s.staff.ID
			s.staff.Deny(discordtest.CreatePublicThreads)
		}, "support channel", health.Failure, "lacks in #staff: Create Public Threads", "permissions"},
		"no support channel":     {set("SUPPORT_CHANNEL_ID", "79"), "support channel", health.Failure, "no channel 79", "ID anew"},
		"hidden support channel": {func(s *scene) { s.env["SUPPORT_CHANNEL_ID"] = s.staff.ID; s.staff.Allow(discordtest.MissingAccess) }, "support channel", health.Failure, "cannot see", "Create Public Threads"},
		"support elsewhere": {func(s *scene) {
			s.env["SUPPORT_CHANNEL_ID"], s.env["ADMIN_GUILD_ID"] = s.staff.ID, s.discord.AddGuild()
		},
			"staff guild", health.Failure, "may not register", "permissions=309237730304"},
		"another's port":     {set("HTTP_ADDR", listening(t, "prometheus_build_info 1\n")), "health and metrics", health.Failure, "address already in use", "HTTP_ADDR"},
		"the bot's own port": {set("HTTP_ADDR", listening(t, "go_goroutines 9\nhostbot_build_info{version=\"1.2.3\"} 1\n")), "health and metrics", health.OK, "serves there", ""},
		"no such address":    {set("HTTP_ADDR", "192.0.2.1:9090"), "health and metrics", health.Failure, "listen", "HTTP_ADDR"},
		"no pages":           {set("HTTP_ADDR", "off"), "hosting service", health.OK, "accepts the secret", ""},
		"wrong secret":       {set("HOSTAPI_SECRET", "wrong-secret"), "hosting service", health.Failure, "does not accept the secret", "HOSTAPI_SECRET"},
		"service is away":    {set("HOSTAPI_URL", "http://"+unanswered), "hosting service", health.Failure, "connection refused", "HOSTAPI_URL"},
		"service fails":      {service(hostapitest.Fault{Status: 500}), "hosting service", health.Failure, "500", "runs"},
		"some other page":    {service(hostapitest.Fault{Body: "<html>Welcome</html>"}), "hosting service", health.Failure, "not the service's JSON: Welcome", "another page"},
		"a challenge page":   {service(hostapitest.ChallengePage()), "hosting service", health.Failure, "this machine's address is blocked before the service", "let this machine's address through"},
		"a gateway's page":   {service(hostapitest.Fault{Status: 404, Body: "<html><title>404 Not Found</title></html>"}), "hosting service", health.Failure, "a page of text/html", "HOSTAPI_URL"},
		"a redirect":         {service(hostapitest.Fault{Redirect: "https://login.example.com/?user=1"}), "hosting service", health.Failure, "redirect not followed: to https://login.example.com", "HOSTAPI_URL"},
		"nobody is allowed":  {service(hostapitest.Fault{Status: 403, Body: `{"message":"Forbidden"}`}), "hosting service", health.Failure, "made up", "--user"},
		"an unreadable list": {service(hostapitest.Fault{Body: `{"servers":{}}`}), "hosting service", health.Failure, "servers: an object", "HOSTAPI_URL"},
		"an odd record":      {service(hostapitest.Fault{Body: `{"servers":[{"id":"a"},{"id":"b","ramMb":[]}]}`}), "hosting service", health.Warning, "servers[].ramMb: an array", "documentation"},
		"nothing is there":   {service(hostapitest.Fault{Status: 404, Body: `{"error":"no route"}`}), "hosting service", health.Failure, "whatever the secret", "correct HOSTAPI_URL"},
		"no such route":      {service(hostapitest.Fault{Status: 404, Body: "Cannot GET /api/bot/servers?chatUserId=1"}), "hosting service", health.Failure, "whatever the secret", "correct HOSTAPI_URL"},
		"any secret will do": {service(hostapitest.Fault{Status: 404, Body: `{"error":"account_not_found"}`}), "hosting service", health.Warning, "whatever the secret", "--user"},
		"the service limits": {func(s *scene) {
			// In all as often as its client asks by itself. Only the last answer says when to ask again.
			s.service.Fail(hostapitest.OpList, hostapitest.Fault{Status: 429}, 2)
			s.service.Fail(hostapitest.OpList, hostapitest.Fault{Status: 429, Header: http.Header{"Retry-After": {"1"}}}, 1)
		}, "hosting service", health.OK, "accepts the secret", ""},
		"a long limit of the service": {
			service(hostapitest.Fault{Status: 429, Header: http.Header{"Retry-After": {"600"}}}), "hosting service", health.Failure, "limits requests", "try again",
		},
		"nobody is refused": {service(hostapitest.Fault{Status: 400}), "hosting service", health.Failure, "made up", "--user"},
		"another secret is not refused, nor found": {func(s *scene) {
			s.service.Fail(hostapitest.OpList, hostapitest.Fault{Status: 404, Body: `{"error":"none"}`}, 1)
			s.service.Fail(hostapitest.OpList, hostapitest.Fault{Status: 400}, 0)
		}, "hosting service", health.Failure, "to a wrong secret", "--user"},
		"another secret is forbidden": {func(s *scene) {
			s.service.Fail(hostapitest.OpList, hostapitest.Fault{Status: 404, Body: `{"error":"none"}`}, 1)
			s.service.Fail(hostapitest.OpList, hostapitest.Fault{Status: 403, Body: `{"error":"no"}`}, 0)
		}, "hosting service", health.OK, "refuses another", ""},
		"no account":           {func(s *scene) { s.userID = "80" }, "hosting service", health.Failure, "no account", "HOSTAPI_URL"},
		"a customer":           {func(s *scene) { s.userID = s.anna.ID }, "hosting service", health.OK, "has 1 of 5 bots, plan Pro", ""},
		"redis in the process": {set("REDIS_URL", ""), "redis", health.Warning, "lost with the process", "REDIS_URL"},
		"redis is away":        {set("REDIS_URL", "redis://"+unanswered), "redis", health.Failure, "refused", "REDIS_URL"},
		"what needs redis":     {set("REDIS_URL", "redis://"+unanswered), "redis clock", health.Warning, "not checked", "mend redis first"},
		"wrong password":       {func(s *scene) { s.env["REDIS_URL"] = "redis://:wrong@" + s.redis.server.Addr().String() }, "redis", health.Failure, "does not accept the user and the password", "password"},
		"INFO is forbidden":    {func(s *scene) { s.redis.refusals["INFO"] = "NOPERM no" }, "redis", health.Warning, "INFO", "INFO"},
		"old redis":            {redis("redis_version", "6.0.16"), "redis", health.Failure, "6.0.16", "6.2"},
		"replica":              {redis("role", "slave"), "redis", health.Failure, "replica", "primary"},
		"no append-only file":  {redis("aof_enabled", "0"), "redis persistence", health.Warning, `snapshots: "3600 1"`, "appendonly yes"},
		"full disk":            {redis("aof_last_write_status", "err"), "redis persistence", health.Failure, "cannot be written", "disk"},
		"CONFIG is forbidden":  {func(s *scene) { s.redis.config = nil }, "redis persistence", health.OK, "file is on", ""},
		"evicts entries":       {redis("maxmemory_policy", "allkeys-lru"), "redis eviction", health.Warning, "log entries", "noeviction"},
		"evicts locks":         {redis("maxmemory_policy", "volatile-ttl"), "redis eviction", health.Warning, "drops locks", "noeviction"},
		"full":                 {redis("used_memory", "1000000"), "redis eviction", health.Failure, "it is full", "maxmemory"},
		"nearly full":          {redis("used_memory", "950000"), "redis eviction", health.Warning, "nearly full", "maxmemory"},
		"a failed snapshot": {func(s *scene) {
			s.redis.info["rdb_last_bgsave_status"], s.redis.config["stop-writes-on-bgsave-error"] = "err", "yes"
		}, "redis persistence", health.Failure, "takes no writes", "disk"},
		"one that stops nothing": {redis("rdb_last_bgsave_status", "err"), "redis persistence", health.Warning, "could not be saved", "disk"},
		"memory without limit":   {redis("maxmemory", "0"), "redis eviction", health.OK, "no limit", ""},
		"redis lives yesterday":  {func(s *scene) { s.redis.skew = -time.Hour }, "redis clock", health.Warning, "ahead of Redis's", "NTP"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.discord.ExpectFailures()
			test.plant(s)
			found, passed := s.run(t)
			i := slices.IndexFunc(found, func(f health.Item) bool { return f.Name == test.check })
			if i < 0 {
				t.Fatalf("there is no check %q: %v", test.check, found)
			}
			got := found[i]
			if got.State != test.result || !strings.Contains(got.Text, test.found) || !strings.Contains(got.Cure, test.cure) || (got.Cure == "") != (test.cure == "") {
				t.Errorf("%+v", got)
			}
			failed := slices.ContainsFunc(found, func(f health.Item) bool { return f.State == health.Failure })
			if passed == failed {
				t.Errorf("passed is %v: %v", passed, found)
			}
		})
	}
}

// listening returns the address of a program that has figures.
func listening(t *testing.T, figures string) string {
	t.Helper()
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, figures)
	}))
	t.Cleanup(program.Close)
	return program.Listener.Addr().String()
}

// tooMany is a limit that Discord's body alone tells, as the header counts whole seconds.
func tooMany(route string, times int, body string) discordtest.Fault {
	return discordtest.Fault{
		Route: route, Times: times, Status: http.StatusTooManyRequests, Body: body, Header: http.Header{"Content-Type": {"application/json"}},
	}
}

// TestBotsOfACustomer has two of one name, one of no status, and one whose name would write a line of its own on a
// terminal. They follow the line of the service.
func TestBotsOfACustomer(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.userID = s.anna.ID
	s.service.Fail(hostapitest.OpList, hostapitest.Fault{Body: `{"account":{},"servers":[{"id":"shop","name":"Shop","status":"RUNNING"},` +
		`{"id":"other","name":"Shop","status":"Suspended (non-payment)"},{"id":"4","name":"","status":""},` +
		`{"id":"\u001b[2J5","name":"\u001b[31mx\n✗ redis: down → restart","status":"\u001b]0;x\u0007STOPPED"}]}`}, 0)
	found, passed := s.run(t)
	i := slices.IndexFunc(found, func(f health.Item) bool { return f.Name == "hosting service" })
	want := "✓ bot shop: Shop, RUNNING\n✓ bot other: Shop, Suspended (non-payment)\n✓ bot 4: without a name, of unknown status\n✓ bot [2J5: [31mx ✗ redis: down → restart, ]0;x STOPPED\n"
	if got := health.Lines(found[i+1 : i+5]); got != want || !passed {
		t.Errorf("passed %v, and says\n%swant\n%s", passed, got, want)
	}
}

// TestSilentCounterparts has counterparts accept and say nothing, or nothing after a request has arrived. The checks end when their time is
// over, whatever is silent and for how long each request may last, and hide nothing that others have found.
func TestSilentCounterparts(t *testing.T) {
	t.Parallel()
	if check.Limit > 15*time.Second-3*time.Second {
		t.Errorf("checks may last for %v, and are to end within 15 s on a busy machine, too", check.Limit)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") // whose backlog accepts
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	silent := listener.Addr().String()
	set := func(name, value string) func(*scene) { return func(s *scene) { s.env[name] = value } }
	for name, test := range map[string]struct {
		silence func(*scene)
		failed  string // a check that fails
	}{
		"Discord":                  {set("DISCORD_API_URL", "http://"+silent), "token"},
		"Discord, before TLS":      {set("DISCORD_API_URL", "https://"+silent), "token"},
		"Discord, after a request": {func(s *scene) { s.discord.Inject(discordtest.Fault{Hang: true}) }, "token"},
		"the gateway's address":    {func(s *scene) { s.discord.Inject(discordtest.Fault{Route: discordtest.RouteGatewayBot, Hang: true}) }, "gateway"},
		"the gateway": {func(s *scene) {
			s.discord.Inject(discordtest.Fault{
				Route: discordtest.RouteGatewayBot, Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
				Body: `{"url":"ws://` + silent + `","shards":1,"session_start_limit":{"total":1000,"remaining":1000,"reset_after":0,"max_concurrency":1}}`,
			})
		}, "gateway"},
		"the service":                  {set("HOSTAPI_URL", "http://"+silent), "hosting service"},
		"the service, after a request": {func(s *scene) { s.service.Fail(hostapitest.OpList, hostapitest.Fault{Hang: true}, 0) }, "hosting service"},
		"Redis":                        {set("REDIS_URL", "redis://"+silent), "redis"},
		"Redis, before TLS":            {set("REDIS_URL", "rediss://"+silent), "redis"},
		"Sentinels":                    {set("REDIS_URL", "redis://"+silent+"?master_name=main&addr="+silent), "redis"},
		"a Cluster":                    {set("REDIS_URL", "redis://"+silent+"?addr="+silent), "redis"},
		"all": {func(s *scene) {
			s.env["DISCORD_API_URL"], s.env["HOSTAPI_URL"], s.env["REDIS_URL"] = "http://"+silent, "http://"+silent, "redis://"+silent
		}, "token"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.discord.ExpectFailures()
			s.limit, s.env["HOSTAPI_TIMEOUT"] = 2*time.Second, "2m"
			test.silence(s)
			found, passed := s.run(t)
			i := slices.IndexFunc(found, func(f health.Item) bool { return f.Name == test.failed })
			if passed || len(found) != 18 || i < 0 || found[i].State != health.Failure || !strings.Contains(found[i].Text, "no answer in time") && !strings.Contains(found[i].Text, "timeout") {
				t.Errorf("passed %v, and says\n%s", passed, health.Lines(found))
			}
		})
	}
}
