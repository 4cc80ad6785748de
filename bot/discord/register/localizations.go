package register

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/rest"
)

// maxRefusals is how often in a row a list is sent, each time without the translations that were refused.
const maxRefusals = 5

// write overwrites a list unless it is as wanted, and returns it. there is the list before. Discord refuses a
// whole list for one translation, and its pattern of names is not the documented one (discord-api-docs#4724,
// #7712). So translations that it refuses are left out. The next process tries the whole list again, as
// Discord's rules change (discord-api-docs#7371).
func (r *Registrar) write(ctx context.Context, s Scope, there []command) (now []command, err error) {
	wanted, learned := r.application.definitions(s), false
	for range maxRefusals {
		commands, without := withoutPaths(wanted, r.refused[s.GuildID])
		if now = there; !equal(there, commands) {
			if now, err = r.overwrite(ctx, s.GuildID, commands, there); err == nil {
				r.config.Log.Info().Str("guild", s.GuildID).Int("commands", len(commands)).Msg("a list of commands was overwritten")
				r.config.Staff.CommandsUpdated()
			}
		}
		if err == nil {
			if learned {
				which := inWords(without)
				r.config.Log.Warn().Str("guild", s.GuildID).Strs("left_out", which).Msg("the commands are registered without the translations that discord refuses")
				r.config.Staff.LocalizationsRefused(which)
			}
			return now, nil
		}
		refused := append(r.refused[s.GuildID], refusedLocalizations(err)...)
		if _, more := withoutPaths(wanted, refused); len(more) == len(without) {
			return nil, err // something else is refused
		}
		r.refused[s.GuildID], learned, err = refused, true, nil
	}
	return nil, errors.New("discord refuses further translations each time")
}

// refusedLocalizations returns the paths that Discord refuses, if all of them are translations.
func refusedLocalizations(err error) []string {
	e, ok := errors.AsType[*rest.Error](err)
	other := func(path string) bool {
		return !slices.ContainsFunc(strings.Split(path, "."), isLocalizations)
	}
	if !ok || e.Code != rest.CodeInvalidForm || slices.ContainsFunc(e.Form, other) {
		return nil
	}
	return e.Form
}

func isLocalizations(member string) bool { return strings.HasSuffix(member, localizations) }

// localizations ends the names of the members that hold translations.
const localizations = "_localizations"

// localization is one translation.
type localization struct{ text, locale string }

// withoutPaths returns commands without the translations at some paths, and those translations. Discord does not
// always name the locale (discord-api-docs#7712): a path that ends before it stands for all locales.
func withoutPaths(commands []*discordgo.ApplicationCommand, paths []string) (left []*discordgo.ApplicationCommand, removed []localization) {
	var list any
	text, err := json.Marshal(commands)
	if len(paths) == 0 || err != nil || json.Unmarshal(text, &list) != nil {
		return commands, nil
	}
	for _, path := range paths {
		removed = append(removed, remove(list, nil, strings.Split(path, "."))...)
	}
	text, err = json.Marshal(list)
	if err != nil || json.Unmarshal(text, &left) != nil {
		return commands, nil
	}
	slices.SortFunc(removed, func(a, b localization) int {
		return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.locale, b.locale))
	})
	return left, removed
}

// remove removes the translations at a path below node. names are those of the commands and options above it.
func remove(node any, names, path []string) (removed []localization) {
	if len(path) == 0 {
		return nil
	}
	switch node := node.(type) {
	case []any:
		if i, err := strconv.Atoi(path[0]); err == nil && i >= 0 && i < len(node) {
			return remove(node[i], names, path[1:])
		}
	case map[string]any:
		if name, ok := node["name"].(string); ok {
			names = append(names, name)
		}
		if !isLocalizations(path[0]) {
			return remove(node[path[0]], names, path[1:])
		}
		texts, _ := node[path[0]].(map[string]any)
		for locale := range texts {
			if len(path) == 1 || path[1] == locale {
				removed = append(removed, localization{strings.Join(names, " ") + ": " + strings.TrimSuffix(path[0], localizations), locale})
				delete(texts, locale)
			}
		}
		if len(texts) == 0 {
			delete(node, path[0])
		}
	}
	return removed
}

// inWords describes translations for staff, one line for each text.
func inWords(list []localization) []string {
	var words []string
	for i, l := range list {
		if i > 0 && list[i-1].text == l.text {
			words[len(words)-1] += ", " + l.locale
		} else {
			words = append(words, l.text+" · "+l.locale)
		}
	}
	return words
}
