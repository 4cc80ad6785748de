package staff_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"go.yaml.in/yaml/v4"

	"hostbot/bot/discord/register"
	"hostbot/bot/discord/rest"
	"hostbot/bot/interaction"
	"hostbot/bot/leader"
	"hostbot/bot/staff/logchannel"
	"hostbot/bot/staff/stafflog"
	"hostbot/bot/testing/discordtest"
	"hostbot/bot/watch/notify"
	"hostbot/bot/watch/outages"
	"hostbot/bot/watch/watcher"
	"hostbot/hostapi"
	"hostbot/locale"
)

// TestEveryEntryOfEveryLanguageIsSendable writes each entry in each language with the
// longest values.
func TestEveryEntryOfEveryLanguageIsSendable(t *testing.T) {
	paths, err := filepath.Glob("../../locale/texts/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("text files: %v, %v", paths, err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		t.Run(name, func(t *testing.T) {
			p := posted{}
			writeEverything(newLogIn(t, p, name))
			for _, entry := range slices.Concat(slices.Collect(maps.Values(p))...) {
				takenByDiscord(t, entry)
				if said := text(entry); strings.Contains(said, "log.") {
					t.Errorf("a text is missing in:\n%s", said)
				}
			}
			kinds := make(map[string]bool)
			for _, e := range p["errors"] {
				if strings.HasPrefix(e.Embed.Title, "⚠️ ") {
					kinds[e.GroupKey] = true
				}
			}
			if len(kinds) != 11 || kinds[""] {
				t.Errorf("eleven kinds of problems count as %v", kinds)
			}
		})
	}
}

// TestEveryTextIsWritten names each text of the log channels in English that no entry has. Beside those of
// entries, log channels have texts of their own (package logchannel), support has some, and some are read with a
// reference (commands).
func TestEveryTextIsWritten(t *testing.T) {
	content, err := os.ReadFile("../../locale/texts/en-US.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var english map[string]any
	if err := yaml.Unmarshal(content, &english); err != nil {
		t.Fatal(err)
	}
	p := posted{}
	writeEverything(newLog(t, p))
	var written strings.Builder
	for _, e := range slices.Concat(slices.Collect(maps.Values(p))...) {
		written.WriteString(text(e) + "\n")
		if e.Embed != nil && e.Embed.Footer != nil {
			written.WriteString(e.Embed.Footer.Text + "\n")
		}
	}
	elsewhere := regexp.MustCompile(`^log\.(channel|group|refused|support)\.|^log\.(cause\.unreachable|field\.(duration|error|state)|todo\.crashes)$`)
	placeholder := regexp.MustCompile(`\{\{\.\w+\}\}`)
	for _, key := range slices.Sorted(maps.Keys(english)) {
		if !strings.HasPrefix(key, "log.") || elsewhere.MatchString(key) {
			continue
		}
		forms, counted := english[key].(map[string]any)
		if !counted {
			forms = map[string]any{"other": english[key]}
		}
		missing := func(part string) bool { return !strings.Contains(written.String(), part) }
		if !slices.ContainsFunc(slices.Collect(maps.Values(forms)), func(form any) bool {
			return !slices.ContainsFunc(placeholder.Split(fmt.Sprint(form), -1), missing)
		}) {
			t.Errorf("%s: nothing writes this text: write it in writeEverything() of bot/staff/stafflog_language_test.go", key)
		}
	}
}

func takenByDiscord(t *testing.T, e logchannel.Entry) {
	t.Helper()
	data := map[string]any{"content": e.Line}
	if e.Embed != nil {
		embed := *e.Embed
		embed.Fields = slices.Concat(e.Own, embed.Fields)
		data["embeds"] = []*discordgo.MessageEmbed{&embed}
	}
	message, err := json.Marshal(map[string]any{"type": 4, "data": data})
	if err != nil {
		t.Fatal(err)
	}
	for _, mistake := range discordtest.Mistakes(message) {
		t.Errorf("%s in:\n%s", mistake, text(e))
	}
}

// writeEverything writes an entry of each kind.
func writeEverything(log *stafflog.Log) {
	long := strings.Repeat("W", 2000)
	failure := errors.New(long)
	byStaff := *request
	byStaff.CustomerID = "43"
	for _, action := range []string{"start", "restart", "stop", "reinstall", "startup", "delete", "create"} {
		for _, outcome := range []interaction.Outcome{interaction.Done, interaction.Failed, interaction.Unconfirmed} {
			for _, r := range []*interaction.Request{request, &byStaff} {
				a := interaction.Action{Name: action, BotID: long, BotName: long, Outcome: outcome, Interrupted: outcome == interaction.Unconfirmed, Duration: 999 * time.Hour}
				log.Action(r, a, map[interaction.Outcome]error{interaction.Failed: &hostapi.Error{Code: hostapi.CodeConflict, Status: 409}}[outcome])
			}
		}
	}
	byProgram := *request
	byProgram.Kind = interaction.Program
	log.Action(&byProgram, interaction.Action{Name: "restart", BotName: long, Outcome: interaction.Done}, nil)
	byProgram.Name = interaction.Schedule
	log.Action(&byProgram, interaction.Action{Name: "restart", BotName: long, Outcome: interaction.Done}, nil)
	log.Action(request, interaction.Action{Name: "create", BotName: long, Outcome: interaction.Refused}, &hostapi.Error{Code: hostapi.CodeInvalid, Status: 422})
	log.Audit(&byStaff, interaction.Audit{Detail: long})
	log.Audit(request, interaction.Audit{Detail: long, Refused: true})
	for _, err := range causes() {
		log.Failure(&byStaff, fmt.Errorf("%s: %w", long, err))
	}
	inDM := *request
	inDM.GuildID, inDM.Running = "", &interaction.Action{BotID: long, BotName: long}
	log.Failure(&inDM, failure)
	log.Test(request)
	log.Started(long)
	for _, n := range []stafflog.Notice{stafflog.Disconnected, stafflog.RedisLost, stafflog.CacheGarbage, stafflog.ServiceDown, stafflog.AccountLost} {
		log.Tell(n, stafflog.Facts{Reason: failure})
	}
	for _, n := range []stafflog.Notice{stafflog.Resumed, stafflog.RedisBack, stafflog.ServiceUp, stafflog.SecretAccepted, stafflog.AccountsFound} {
		log.Tell(n, stafflog.Facts{After: 999 * time.Hour})
	}
	for _, n := range []stafflog.Notice{stafflog.Connected, stafflog.SecretRefused, stafflog.InvalidRequests, stafflog.Outgrown, stafflog.AccountsLost, stafflog.AccountsMissing} {
		log.Tell(n, stafflog.Facts{Args: locale.Args{"Recommended": 9999, "Running": 9999, "Failed": 9999, "Calls": 9999}})
	}
	log.CommandsUpdated()
	log.WatchSlow(watcher.Status{Accounts: 99_999, Interval: 999 * time.Hour})
	limits := watcher.Limits{Since: time.Now().Add(-999 * time.Hour), Accounts: 99_999}
	log.PollsLimited(watcher.Limits{}, limits)
	log.PollsLimited(limits, watcher.Limits{})
	limits.All = true
	log.PollsLimited(watcher.Limits{}, limits)
	log.CommandsRefused(failure)
	log.LocalizationsRefused(slices.Repeat([]string{long}, 100))
	log.GuildRefused(long, "https://discord.com/"+long[:100], failure)
	for _, fault := range []register.Fault{register.Elsewhere, register.ForeignKey, register.NoEndpoint, register.Unanswered} {
		log.Unreached(register.Arrival{Fault: fault, Host: long, Answer: long})
	}
	log.Reached(999 * time.Hour)
	log.Stopping(long)
	plans := map[string]int{}
	for i := range 10 {
		plans[fmt.Sprint(i, long)] = 9999
	}
	log.Outage(outages.Outage{Bots: 9999, Customers: 9999, Recovered: 99, First: time.Unix(1, 0), Within: 999 * time.Hour, Plans: plans})
	log.RedisEmbedded()
	log.DeadLetter(leader.Letter{Kind: "panels", ID: "1", Reason: failure.Error()})
	log.AccountUnread("42", long)
	log.EventUnreadable(failure)
	log.InteractionStuck()
	log.MessagesPaused(notify.Pause{Code: rest.CodeQuarantined}, failure)
	log.MessagesPaused(notify.Pause{Code: rest.CodeDMsTooFast}, failure)
	log.FollowersBudget()
}
