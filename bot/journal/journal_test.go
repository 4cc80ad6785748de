package journal_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/bot/journal"
	"hostbot/bot/reference"
	"hostbot/hostapi"
	"hostbot/locale"
)

// posted notes entries by channel.
type posted map[string][]*discordgo.MessageEmbed

func (p posted) Post(channelID string, entry *discordgo.MessageEmbed) {
	p[channelID] = append(p[channelID], entry)
}

// kept notes what is kept behind references.
type kept map[string]reference.Story

func (k kept) Keep(s reference.Story) { k[s.Reference] = s }

func newJournal(t *testing.T, p posted) *journal.Journal {
	t.Helper()
	texts, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	return journal.New(p, kept{}, journal.Channels{Actions: "actions", Errors: "errors", Lifecycle: "lifecycle"}, texts.For("en-US"))
}

func text(e *discordgo.MessageEmbed) string {
	parts := []string{e.Title, e.Description}
	for _, f := range e.Fields {
		parts = append(parts, f.Name, f.Value)
	}
	return strings.Join(parts, "\n")
}

func want(t *testing.T, e *discordgo.MessageEmbed, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text(e), part) {
			t.Errorf("no %q in:\n%s", part, text(e))
		}
	}
}

var request = &interaction.Request{
	Kind: interaction.Component, Route: "restart/{bot...}", UserID: "42", CustomerID: "42", GuildID: "7", ChannelID: "8", Reference: "ABC1234",
}

func TestActions(t *testing.T) {
	p := posted{}
	j := newJournal(t, p)
	for _, outcome := range []interaction.Outcome{interaction.Done, interaction.Failed, interaction.Unconfirmed} {
		j.Action(request, interaction.Action{Name: "restart", BotID: "id-1", BotName: "My *shop*", Outcome: outcome, Duration: 4200 * time.Millisecond})
	}
	entries := p["actions"]
	if len(entries) != 3 || len(p) != 1 {
		t.Fatalf("posted %v", p)
	}
	want(t, entries[0], "✅ Restart", "<@42>", "`42`", `My \*shop\*`, "`id-1`", "Done", "4.2 s", "<#8> Guild `7`")
	want(t, entries[1], "❌ Restart", "Failed", "`ABC1234`")
	want(t, entries[2], "⚠️ Restart", "Not confirmed", "`ABC1234`")
	if entries[0].Color == entries[1].Color || entries[1].Color == entries[2].Color {
		t.Error("outcomes share a colour")
	}
}

func TestFailures(t *testing.T) {
	p := posted{}
	j := newJournal(t, p)
	j.Failure(request, errors.New("told before"), true)
	j.Failure(request, &hostapi.Error{Code: hostapi.CodeUnavailable, Op: hostapi.OpRestart, Status: 503, Detail: "<@1> *down*"}, false)
	inDM := *request
	inDM.GuildID = ""
	j.Failure(&inDM, errors.New(strings.Repeat("@everyone ", 1000)), false)
	entries := p["errors"]
	if len(entries) != 2 {
		t.Fatalf("posted %v", p)
	}
	want(t, entries[0], "❗ Failure", "`ABC1234`", "<@42>", "component restart/{bot...}", "restart: unavailable (503)", `\<\@1> \*down\*`)
	want(t, entries[1], "Direct message")
	for _, f := range entries[1].Fields {
		if n := len([]rune(f.Value)); n == 0 || n > 1024 {
			t.Errorf("%s has %d characters", f.Name, n)
		}
	}
}

func TestLifecycle(t *testing.T) {
	p := posted{}
	j := newJournal(t, p)
	j.Started("1.2.3")
	j.Connected()
	j.Disconnected(errors.New("EOF"))
	j.Resumed(90 * time.Second)
	j.CommandsUpdated()
	j.CommandsRefused(errors.New("status 403"))
	j.Stopping("told to stop")
	entries := p["lifecycle"]
	for i, part := range []string{"1.2.3 started", "Connected", "EOF", "90 s", "Commands", "status 403", "told to stop"} {
		if i >= len(entries) {
			t.Fatalf("%d entries", len(entries))
		}
		want(t, entries[i], part)
	}
}

func TestEveryTextIsThere(t *testing.T) {
	texts, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"log.action.title.restart", "log.action.title.reinstall", "log.outcome.done", "log.outcome.failed", "log.outcome.unconfirmed",
		"log.field.user", "log.field.bot", "log.field.outcome", "log.field.duration", "log.field.where", "log.field.reference",
		"log.field.operation", "log.field.error", "log.field.detail", "log.where.dm", "log.where.guild", "log.failure.title",
	} {
		if !texts.Has(key) {
			t.Errorf("there is no text %s", key)
		}
	}
}

func TestStaffStandOut(t *testing.T) {
	p := posted{}
	j := newJournal(t, p)
	byStaff := *request
	byStaff.CustomerID = "43"
	j.Action(&byStaff, interaction.Action{Name: "restart", BotID: "id-1", BotName: "Shop", Outcome: interaction.Done})
	j.Audit(&byStaff, interaction.Audit{Detail: "`ABC`"})
	j.Audit(request, interaction.Audit{Refused: true})
	entries := p["actions"]
	if len(entries) != 3 {
		t.Fatalf("posted %v", p)
	}
	want(t, entries[0], "✅ Restart", "staff for a customer", "<@42>", "<@43>")
	want(t, entries[1], "Staff command", "<@42>", "<@43>", "ABC", "restart/{bot...}")
	want(t, entries[2], "⛔ Staff command refused", "<@42>")
	if entries[1].Color == entries[2].Color {
		t.Error("a refusal looks like a use")
	}
}
