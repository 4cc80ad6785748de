//go:build integration

package processes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/store/keyspace"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/testing/e2e/world"
	"hostbot/hostapi/hostapitest"
)

// spoiled is a scene in which what Redis holds of one customer, or of all, makes no sense.
type spoiled struct {
	*scene
	redis  *redis.Client
	space  keyspace.Space
	odd    []customer           // of each of whom one record makes no sense
	others []customer           // each with alerts and a panel, as the odd ones
	panels *discordtest.Channel // where theirs are
	acting []customer           // without, who restart their bots
}

func newSpoiled(t *testing.T, odd int) *spoiled {
	t.Helper()
	s := &spoiled{scene: newScene(t, instantly, discordtest.Config{})}
	for range 2 {
		s.start(t, "DISCORD_SHARDS=2", "WATCH_INTERVAL=10s", "WATCH_RATE=4") // so that one that is looked at all the time would keep others back
	}
	s.redis, s.space, s.panels = s.redisClient(t), keyspace.Space(s.discord.ApplicationID()), s.discord.AddChannel("panels")
	s.odd, s.others, s.acting = s.managers("odd", odd), s.managers("other", 3), s.customers("acting", 3)
	for i := range s.others {
		s.others[i].User = s.others[i].In(s.panels)
	}
	who := slices.Concat(s.odd, s.others)
	s.alerted(t, who)
	s.paneled(t, who)
	s.service.WaitFor(t, hostapitest.OpList, s.service.Count(hostapitest.OpList)+len(who)) // as they are now
	return s
}

// write has Redis carry out an order: a word that begins with @ names a key, ID, BOT and PANEL are
// the odd customer's, and CHANNEL is the log channel of actions.
func (s *spoiled) write(t *testing.T, command string, odd customer) {
	t.Helper()
	panel := "none"
	if strings.Contains(command, "PANEL") {
		panel = s.redis.SRandMember(t.Context(), s.space.Key("{panels}:of:"+odd.ID)).Val()
	}
	var words []any
	for _, word := range strings.Split(command, " ") {
		word = strings.NewReplacer("ID", odd.ID, "BOT", odd.bot, "CHANNEL", s.actions.ID, "PANEL", panel).Replace(word)
		if name, isKey := strings.CutPrefix(word, "@"); isKey {
			word = s.space.Key(name)
		}
		words = append(words, word)
	}
	if err := s.redis.Do(t.Context(), words...).Err(); err != nil {
		t.Fatalf("%s: %v", command, err)
	}
}

// missing counts what the others lack whose bots have crashed, and those who have restarted theirs.
func (s *spoiled) missing(replies []*discordtest.Reply) (missing int, what string) {
	var lacks []string
	lack := func(it string, lacking bool) {
		if lacking {
			lacks = append(lacks, it)
		}
	}
	crashed := 0
	for _, v := range s.panels.Messages() {
		if v.Contains("🔴 **Shop** · Crashed") {
			crashed++
		}
	}
	for range len(s.others) - crashed {
		lack("panel", true)
	}
	for _, c := range s.others {
		lack("alert", alertsOf(c) == 0)
	}
	for i, c := range s.acting {
		lack("line", s.logged(c.bot) == 0)
		lack("answer", !isSettled(replies[i].View()))
	}
	return len(lacks), strings.Join(lacks, ", ")
}

// giveUp is how long what is known to be missing today is waited for.
const giveUp = 45 * time.Second

// records are orders that spoil one record of each kind, by what they spoil: by another text, by
// another Redis type, or by what a later version may write there.
func records() map[string][]string {
	return map[string][]string{
		"settings, garbage":          {"SET @{alerts}:customer:ID {"},
		"settings, type":             {"DEL @{alerts}:customer:ID", "RPUSH @{alerts}:customer:ID x"},
		"settings, later":            {`SET @{alerts}:customer:ID {"version":9,"all":"later"}`},
		"alert, garbage":             {"HSET @{alerts}:record:ID/BOT v 1 f 1 r {", "ZADD @{alerts}:due 0 ID/BOT", "SADD @{alerts}:of:ID ID/BOT"},
		"alert, type":                {"SET @{alerts}:record:ID/BOT x", "ZADD @{alerts}:due 0 ID/BOT", "SADD @{alerts}:of:ID ID/BOT"},
		"alert, later":               {`HSET @{alerts}:record:ID/BOT v 1 f 9 r {"name":9}`, "ZADD @{alerts}:due 0 ID/BOT", "SADD @{alerts}:of:ID ID/BOT"},
		"alerts of a customer, type": {"SET @{alerts}:of:ID x"},
		"panel, garbage":             {"HSET @{panels}:record:PANEL r {", "ZADD @{panels}:due 0 PANEL"},
		"panel, later":               {`HSET @{panels}:record:PANEL f 9 r {"id":9}`, "ZADD @{panels}:due 0 PANEL"},
		"panel, type":                {"DEL @{panels}:record:PANEL", "SET @{panels}:record:PANEL x", "ZADD @{panels}:due 0 PANEL"},
		"panels of a customer, type": {"DEL @{panels}:of:ID", "SET @{panels}:of:ID x"},
		"account, garbage":           {"HSET @{watch}:record:ID b:BOT x at x"},
		"account, type":              {"DEL @{watch}:record:ID", "SET @{watch}:record:ID x"},
		"log entry, garbage":         {"ZADD @{logs}:waiting:CHANNEL 1 x", "HSET @{logs}:entries:CHANNEL x {"},
		"log entry, later":           {"ZADD @{logs}:waiting:CHANNEL 2 y", `HSET @{logs}:entries:CHANNEL y {"version":9,"id":9}`},
		"log's state, garbage":       {"HSET @{logs}:record:CHANNEL v 1 f 1 r {"},
		"log's state, later":         {`HSET @{logs}:record:CHANNEL v 1 f 1 r {"version":9,"plan":9}`},
		"action, garbage":            {"HSET hostbot:actions:{ID} x:id x x:state running x:record {", "ZADD @{actions}:due 0 ID/x/x"},
		"action, type":               {"SET hostbot:actions:{ID} x", "ZADD @{actions}:due 0 ID/x/x"},
		"action, later":              {`HSET hostbot:actions:{ID} x:id x x:state running x:record {"format":9,"action":9}`, "ZADD @{actions}:due 0 ID/x/x"},
		"cached account, garbage":    {"SET @v6:account:{ID} {"},
		"cached account, type":       {"DEL @v6:account:{ID}", "RPUSH @v6:account:{ID} x"},
	}
}

// indexes are orders that spoil what all records of a kind depend on.
func indexes() map[string][]string {
	return map[string][]string{
		"index of alerts":           {"DEL @{alerts}:due", "SET @{alerts}:due x"},
		"index of panels":           {"DEL @{panels}:due", "SET @{panels}:due x"},
		"index of accounts":         {"DEL @{watch}:due", "SET @{watch}:due x"},
		"outage":                    {"DEL @{watch}:outage", "SET @{watch}:outage x"},
		"index of actions":          {"DEL @{actions}:due", "SET @{actions}:due x"},
		"log":                       {"DEL @{logs}:waiting:CHANNEL", "SET @{logs}:waiting:CHANNEL x"},
		"log's entries, type":       {"DEL @{logs}:entries:CHANNEL", "SET @{logs}:entries:CHANNEL x"},
		"index of log channels":     {"DEL @{logs}:due", "SET @{logs}:due x"},
		"log's state, type":         {"DEL @{logs}:record:CHANNEL", "SET @{logs}:record:CHANNEL x"},
		"log's deliveries, type":    {"DEL @{logs}:delivered:CHANNEL", "SET @{logs}:delivered:CHANNEL x"},
		"lease of the leader, type": {"DEL @{leader}:lease", "RPUSH @{leader}:lease x"},
	}
}

// manyPanels are orders for as many panels that cannot be read and are due: more than the leader
// reads at once.
func manyPanels(n int) (orders []string) {
	for i := range n {
		orders = append(orders, fmt.Sprintf("HSET @{panels}:record:p%d r {", i), fmt.Sprintf("ZADD @{panels}:due 0 p%d", i))
	}
	return orders
}

// TestWhatMakesNoSenseStopsNobodyElse spoils one record of each kind, each of another customer, or
// an index of all. Others go on.
func TestWhatMakesNoSenseStopsNobodyElse(t *testing.T) {
	t.Parallel()
	all := make(map[string][][]string) // by what they spoil: the orders for each customer
	for name, orders := range records() {
		_, how, _ := strings.Cut(name, ", ")
		all["one record of each kind, "+how] = append(all["one record of each kind, "+how], orders)
	}
	all["two accounts and 110 panels"] = [][]string{
		append(records()["account, type"], manyPanels(110)...), records()["account, type"],
	}
	if world.Everything() {
		for name, orders := range indexes() {
			all[name] = [][]string{orders}
		}
	}
	for name, each := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSpoiled(t, len(each))
			for i, orders := range each {
				for _, order := range orders {
					s.write(t, order, s.odd[i])
				}
			}
			s.judge(t, name)
		})
	}
}

// judge has all bots crash that are watched, and others restarted, and sees what becomes of that.
func (s *spoiled) judge(t *testing.T, name string) {
	t.Helper()
	entries := len(s.staff.Embeds())
	for _, c := range slices.Concat(s.others, s.odd) {
		s.service.SetStatus(c.ID, c.bot, hostapitest.Crashed)
	}
	since, most := time.Now(), figures()["spoiled, "+name].most
	replies := allRestart(t, s.acting)
	wait(func() bool {
		n, _ := s.missing(replies)
		return n == 0 || most > 0 && time.Since(since) > giveUp
	})
	n, what := s.missing(replies)
	took(t, name, since, 10*time.Second)
	t.Logf("missing: %s; staff read %d entries", what, len(s.staff.Embeds())-entries)
	within(t, "spoiled, "+name, n)
}
