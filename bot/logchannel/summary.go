package logchannel

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/sanitize"
	"hostbot/locale"
)

// maxKinds is how many kinds of errors a summary tells apart.
const maxKinds = 15

// summarise posts a summary in the place of the oldest errors where too many
// records wait, and tells whether it did. Other records stay, however many there
// are.
func (ch *channel) summarise(ctx context.Context, q queue, h head) (bool, error) {
	if h.waiting <= max(ch.MaxWaiting, ch.summariseAt) {
		return false, nil
	}
	records, err := q.oldest(ctx, h.waiting)
	if err != nil {
		return false, err
	}
	records = slices.DeleteFunc(records, func(r record) bool { return r.Category != Errors || h.state.Plan.covers(r.ID) })
	if len(records) == 0 {
		ch.summariseAt = h.waiting + ch.MaxWaiting/10
		return false, nil
	}
	ch.summariseAt = 0
	records = records[:min(len(records), ch.MaxWaiting/2)] // so many that there are few summaries
	ids := make([]string, len(records))
	for i, r := range records {
		ids[i] = r.ID
	}
	// Where this is cut off here, its repetition has the same key.
	ch.post(Entry{Category: Lifecycle, Embed: summary(records, ch.Texts), DedupKey: "summary " + ids[0]})
	if err := q.save(ctx, h.state, ids); err != nil {
		return false, err
	}
	ch.log.Warn().Int("records", len(ids)).Int("waiting", h.waiting).Msg("a log channel is too far behind: its oldest errors are summed up")
	return true, nil
}

// summary tells how often errors of each kind happened.
func summary(records []record, t *locale.Texts) *discordgo.MessageEmbed {
	var all tally
	counts := make(map[string]int) // by group, or by title where there is none
	for _, r := range records {
		all.add(r.Tally)
		counts[cmp.Or(r.Group, r.Embed.Title)] += r.Tally.Count
	}
	lines := []string{t.Format("log.summary.why", locale.Args{"Since": timestamp(all.Since, "f"), "Last": timestamp(all.Last, "f")})}
	others := all.Count
	kinds := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for _, kind := range kinds[:min(len(kinds), maxKinds)] {
		lines = append(lines, fmt.Sprintf("%d × %s", counts[kind], sanitize.Code(kind, kindLimit)))
		others -= counts[kind]
	}
	if others > 0 {
		lines = append(lines, fmt.Sprintf("%d × …", others))
	}
	return notice("🗜️ "+t.Count("log.summary.title", all.Count, nil), strings.Join(lines, "\n"), orange, all.Last)
}
