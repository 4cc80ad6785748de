package register_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/register"
	"hostbot/bot/testing/discordtest"
)

// misnamed returns commands of which Discord refuses four translations.
func misnamed() []*discordgo.ApplicationCommand {
	list := customers()
	list[0].NameLocalizations = &map[discordgo.Locale]string{"de": "Mein Bot", "tr": "bot"}
	list[0].DescriptionLocalizations = &map[discordgo.Locale]string{"de": "Deine Bots"}
	show := list[0].Options[0]
	show.NameLocalizations = map[discordgo.Locale]string{"tr": "göster", "fr": "l'afficher", "it": "vedi"}
	show.Options[0].DescriptionLocalizations = map[discordgo.Locale]string{"de": strings.Repeat("w", 101), "fr": "Lequel"}
	return list
}

// TestRefusedTranslationsAreLeftOut: the commands stand all the same, with all else that
// is said of them. The next start asks Discord once, and changes nothing.
func TestRefusedTranslationsAreLeftOut(t *testing.T) {
	t.Parallel()
	const leftOut = "left out: bot show bot: description · de; bot show: name · fr; bot: name · de, tr"
	for name, readBack := range discordtest.ReadBacks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.discord.ExpectFailures()
			s.discord.SetReadBack(readBack)
			starts := func(writes int, told ...string) {
				t.Helper()
				before := s.writes()
				s.staff.told = nil
				s.sync(t, in("", misnamed()), in(s.discord.GuildID(), staffs()))
				if n := s.writes() - before; n != writes || !slices.Equal(s.staff.told, told) {
					t.Errorf("a start sent %d lists, want %d; staff read %q, want %q", n, writes, s.staff.told, told)
				}
			}
			starts(3, "updated", leftOut, "updated")
			starts(1, leftOut)
			list := s.discord.CommandsIn("")
			slices.SortFunc(list, func(a, b discordtest.Command) int { return strings.Compare(a.Name, b.Name) })
			bot, show := list[0], list[0].Options[0]
			if len(bot.NameLocalizations) != 0 || bot.DescriptionLocalizations["de"] != "Deine Bots" {
				t.Errorf("of /bot stand %v and %v", bot.NameLocalizations, bot.DescriptionLocalizations)
			}
			if n := show.NameLocalizations; len(n) != 2 || n["tr"] != "göster" || n["it"] != "vedi" || show.Options[0].DescriptionLocalizations["fr"] != "Lequel" {
				t.Errorf("of /bot show stand %v and %v", n, show.Options[0].DescriptionLocalizations)
			}
		})
	}
}

// TestRefusalOneByOneIsBounded has Discord name one translation at a time, or one that
// is not sent at all.
func TestRefusalOneByOneIsBounded(t *testing.T) {
	t.Parallel()
	refuse := func(s *stage, path ...string) {
		tree := `"_errors": [{"code": "STRING_TYPE_REGEX", "message": "No"}]`
		for _, step := range slices.Backward(path) {
			tree = `"` + step + `": {` + tree + `}`
		}
		s.discord.Inject(discordtest.Fault{
			Method: http.MethodPut, Status: 400, Times: 1, Body: `{"message": "Invalid Form Body", "code": 50035, "errors": {` + tree + `}}`,
		})
	}
	german := map[discordgo.Locale]string{"de": "d", "fr": "f", "it": "i", "nl": "n", "pl": "p", "tr": "t"}
	wanted := func() []register.Scope {
		return []register.Scope{in("", []*discordgo.ApplicationCommand{{Name: "bot", Type: discordgo.ChatApplicationCommand, Description: "Bots", DescriptionLocalizations: &german}})}
	}
	t.Run("one by one", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		for _, locale := range []string{"de", "fr", "it", "nl", "pl", "tr"} {
			refuse(s, "0", "description_localizations", locale)
		}
		r := s.registrar()
		if err := r.Sync(t.Context(), wanted()); err == nil || s.writes() != 5 {
			t.Errorf("error %v after %d lists", err, s.writes())
		}
		if err := r.Sync(t.Context(), wanted()); err != nil || s.names("") != "bot" || s.writes() != 7 {
			t.Errorf("error %v after %d lists; %q stand", err, s.writes(), s.names(""))
		}
		if last := s.staff.told[len(s.staff.told)-1]; last != "left out: bot: description · de, fr, it, nl, pl, tr" {
			t.Errorf("staff read %q", last)
		}
	})
	for name, path := range map[string][]string{
		"not sent":       {"0", "name_localizations", "de"},
		"no such index":  {"7", "description_localizations", "de"},
		"a description":  {"0", "description"},
		"the whole form": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			refuse(s, path...)
			if err := s.registrar().Sync(t.Context(), wanted()); err == nil || s.writes() != 1 {
				t.Errorf("error %v after %d lists", err, s.writes())
			}
			if told := s.staff.told; len(told) != 1 || !strings.HasPrefix(told[0], "refused: ") {
				t.Errorf("staff read %q", told)
			}
		})
	}
	t.Run("another mistake beside it", func(t *testing.T) {
		t.Parallel()
		s := newStage(t)
		s.discord.ExpectFailures()
		list := misnamed()
		list[1].Description = ""
		if err := s.registrar().Sync(t.Context(), []register.Scope{in("", list)}); err == nil || s.writes() != 1 {
			t.Errorf("error %v after %d lists", err, s.writes())
		}
	})
}
