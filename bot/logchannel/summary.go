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

// summary stands for the oldest errors where too much was waiting.
type summary struct {
	Tally tally          `json:"tally"`
	Kinds map[string]int `json:"kinds"` // by group, or by title where there is none
	Other int            `json:"other"` // of further kinds
}

func (s *summary) add(r record) {
	s.Tally.add(r.Tally)
	kind := cmp.Or(r.Group, r.Embed.Title)
	if _, known := s.Kinds[kind]; !known && len(s.Kinds) >= maxKinds {
		s.Other += r.Tally.Count
		return
	}
	s.Kinds[kind] += r.Tally.Count
}

func (s *summary) embed(t *locale.Texts) *discordgo.MessageEmbed {
	lines := []string{t.Format("log.summary.why", locale.Args{"Since": timestamp(s.Tally.Since, "f"), "Last": timestamp(s.Tally.Last, "f")})}
	kinds := slices.SortedFunc(maps.Keys(s.Kinds), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.Kinds[b], s.Kinds[a]), cmp.Compare(a, b))
	})
	for _, kind := range kinds {
		lines = append(lines, fmt.Sprintf("%d × %s", s.Kinds[kind], sanitize.Code(kind, kindLimit)))
	}
	if s.Other > 0 {
		lines = append(lines, fmt.Sprintf("%d × …", s.Other))
	}
	return notice("🗜️ "+t.Count("log.summary.title", s.Tally.Count, nil), strings.Join(lines, "\n"), orange, s.Tally.Last)
}

// summarise makes a summary of the oldest errors where too many records wait,
// and tells whether it did. Other records stay, however many there are.
func (d *deliverer) summarise(ctx context.Context, q queue, h head) (bool, error) {
	if h.waiting <= max(d.MaxWaiting, d.summariseAt) {
		return false, nil
	}
	sum := &summary{Kinds: make(map[string]int)}
	if before := h.state.Summary; before != nil {
		sum.Tally, sum.Other = before.Tally, before.Other
		maps.Copy(sum.Kinds, before.Kinds)
	}
	told := h.state.told()
	// More are taken than must be, so that not every error is one by itself.
	most := h.waiting - d.MaxWaiting + d.MaxWaiting/10
	var done []covered
	summarised := 0
	for r, err := range q.all(ctx) {
		if err != nil {
			return false, err
		}
		if r.Category == Errors && !told[r.ID] && !d.delivered.has(r.ID) {
			sum.add(r)
			summarised += r.Tally.Count
			done = append(done, r.covered())
		}
		if len(done) == most {
			break
		}
	}
	if len(done) == 0 {
		d.summariseAt = h.waiting + pageSize
		return false, nil
	}
	next := h.state
	next.Summary = sum
	if err := q.save(ctx, next, done); err != nil {
		return false, err
	}
	d.delivered.add(done)
	d.summariseAt = 0
	d.figures.set(func(s *Status) { s.Grouped += uint64(summarised) })
	d.log.Warn().Int("errors", summarised).Int("waiting", h.waiting).Msg("a log channel is too far behind: its oldest errors are summed up")
	return true, nil
}
