package faultmatrix_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"hostbot/bot/interaction"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/commands"
	"hostbot/hostapi"
	"hostbot/locale"
)

// offersAll is a hosting service that has every operation.
type offersAll struct{ commands.Hosting }

func (offersAll) Offers(hostapi.Operation) bool { return true }

// allCommands returns the commands with those for staff, to be drawn and not to be used.
func allCommands(t testing.TB) *commands.Commands {
	t.Helper()
	texts, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	return commands.New(commands.Config{
		Hosting: offersAll{}, Texts: texts, Staff: commands.Staff{GuildID: "1"}, Watch: commands.Watch{Interval: func() time.Duration { return time.Minute }},
	})
}

// TestEveryRouteHasAFlow compares the flows with the table of commands, by which production
// code finds its handlers.
func TestEveryRouteHasAFlow(t *testing.T) {
	t.Parallel()
	router := interaction.NewRouter()
	allCommands(t).Route(router)
	routes := make(map[string]bool)
	for _, kind := range []interaction.Kind{interaction.Command, interaction.Autocomplete, interaction.Component, interaction.Modal} {
		for _, pattern := range router.Patterns(kind) {
			routes[string(kind)+" "+pattern] = false
		}
	}
	for _, f := range flows() {
		if _, is := routes[f.route]; !is {
			t.Errorf("the flow %s has a route that is none: %s", f.name(), f.route)
			continue
		}
		routes[f.route] = true
	}
	for _, route := range slices.Sorted(maps.Keys(routes)) {
		if !routes[route] {
			t.Errorf("no flow has the route %s", route)
		}
	}
}

// TestFlowsTakeTheirRoutes carries all flows out while nothing is broken. The bot's own
// metrics tell which routes they took. As how they end depends on the bot's limits of time, it
// tries again more slowly on a machine that is too busy.
func TestFlowsTakeTheirRoutes(t *testing.T) {
	if world.RaceDetector {
		t.Skip("runs without the race detector: go test ./bot/testing/faultmatrix")
	}
	m := &machine{pulse: startPulse(t)}
	for _, p := range paces() {
		wrong, tooSlow := routesTaken(t, p.people, m)
		if tooSlow && len(wrong) > 0 {
			continue
		}
		for _, what := range wrong {
			t.Error(what)
		}
		return
	}
	t.Skip("this machine is too slow to judge how the flows end")
}

// routesTaken carries all flows out once, so many at once, and returns what is wrong with that.
func routesTaken(t *testing.T, people int, m *machine) (wrong []string, tooSlow bool) {
	t.Helper()
	s := attempt{fault: fault{env: []string{"HTTP_ADDR=127.0.0.1:0"}}}.start(t, people, m)
	var sent atomic.Int64
	defer s.Discord.Observe(func(e discordtest.Event) {
		if e.Dispatch != nil && e.Dispatch.Name == "INTERACTION_CREATE" {
			sent.Add(1)
		}
	})()
	p, trials := newPhrasebook(t), s.trials(flows())
	each(trials, func(one *trial) { one.begin(t) })
	before := s.servedAll(t, &sent)
	s.began = time.Now()
	want := make(map[string]int)
	each(trials, func(one *trial) { one.reading = p.read(t.Context(), one.flow, one.person, one.from) })
	for _, one := range trials {
		want[one.route]++
		is := p.endingOf(one.flow, one.reading)
		if lie := untrue(one.flow, one.reading, is, one.justDone(), false); is != usual || lie != "" {
			wrong = append(wrong, fmt.Sprintf("%s ends %s: %v %s\n%s", one.name(), is, one.err, lie, one.view.Text()))
		}
	}
	after := s.servedAll(t, &sent)
	for route := range after {
		want[route] += 0
	}
	for route, n := range want {
		if took := after[route] - before[route]; took != n {
			wrong = append(wrong, fmt.Sprintf("%s was used %d times, want %d", route, took, n))
		}
	}
	return wrong, s.tooSlow()
}

// servedAll returns how many interactions the bot has answered once these are all that were sent: it
// counts one after its answer is seen.
func (s *scene) servedAll(t *testing.T, sent *atomic.Int64) (served map[string]int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if !world.Eventually(ctx, func() bool {
		served = s.served(t)
		var sum int64
		for _, n := range served {
			sum += int64(n)
		}
		return sum >= sent.Load()
	}) {
		t.Errorf("of %d interactions the bot has counted %v", sent.Load(), served)
	}
	return served
}

// served returns how many interactions the bot has answered, by their routes.
func (s *scene) served(t *testing.T) map[string]int {
	t.Helper()
	_, page := s.Operator(t, "/metrics")
	for _, what := range s.SecretsIn()(page) {
		t.Errorf("the metrics hold the %s", what)
	}
	served := make(map[string]int)
	for _, line := range regexp.MustCompile(`(?m)^hostbot_interactions_total\{kind="(.*)",outcome=".*",route="(.*)"\} (\d+)$`).FindAllStringSubmatch(page, -1) {
		n, err := strconv.Atoi(line[3])
		if err != nil {
			t.Fatal(err)
		}
		served[line[1]+" "+line[2]] += n
	}
	return served
}
