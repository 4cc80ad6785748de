package accounts

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"hostbot/hostapi"
)

const (
	// version begins every entry. It is changed with the encoding; an entry of
	// another version makes no sense.
	version = 2
	// maxEntry bounds an entry, in bytes: twice the longest answer that the
	// service's client reads.
	maxEntry = 8 << 20
	// minServer is how many bytes a server takes at least: its texts' lengths,
	// its numbers and its time.
	minServer = 13
)

// An entry is encoded as its fields one after another, in the order of encode:
// numbers as varints, texts as their length and bytes, times as seconds and
// nanoseconds, and what may be missing after a byte that is 1 where it is there.

// encode returns the encoding of an account's entry.
func encode(userID string, e entry) ([]byte, error) {
	w := writer{version}
	w.text(userID)
	w.time(e.askedAt)
	w.flag(e.expired)
	if w.flag(e.answer != nil); e.answer != nil {
		w.answer(e.answer)
	}
	if w.flag(e.claim != nil); e.claim != nil {
		w.claim(e.claim)
	}
	if w.flag(e.failure != nil); e.failure != nil {
		w.failure(e.failure)
	}
	if len(w) > maxEntry {
		return nil, fmt.Errorf("the account is longer than %d bytes", maxEntry)
	}
	return w, nil
}

type writer []byte

func (w *writer) number(n int64) { *w = binary.AppendVarint(*w, n) }
func (w *writer) text(s string)  { w.number(int64(len(s))); *w = append(*w, s...) }
func (w *writer) time(t time.Time) {
	w.number(t.Unix())
	w.number(int64(t.Nanosecond()))
}

func (w *writer) flag(set bool) {
	var b byte
	if set {
		b = 1
	}
	*w = append(*w, b)
}

func (w *writer) answer(a *answer) {
	w.time(a.at)
	w.flag(a.none)
	plan := a.list.Account
	w.text(plan.PlanName)
	w.number(int64(plan.PlanRAMMB))
	w.number(int64(plan.MaxServers))
	w.number(int64(plan.ServerCount))
	w.number(int64(len(a.list.Servers)))
	for _, s := range a.list.Servers {
		for _, text := range []string{s.ID, s.Name, s.Language, s.Status, s.Subdomain, s.StartupCommand, s.EntryFile, s.PlanName} {
			w.text(text)
		}
		w.number(int64(s.RAMMB))
		w.number(int64(s.DiskMB))
		w.number(int64(s.CPUPercent))
		w.time(s.CreatedAt)
	}
}

func (w *writer) claim(c *claim) {
	w.text(c.token)
	w.time(c.until)
	w.number(int64(len(c.statuses)))
	for _, serverID := range slices.Sorted(maps.Keys(c.statuses)) {
		w.text(serverID)
		w.text(c.statuses[serverID])
	}
}

func (w *writer) failure(f *failure) {
	w.text(string(f.err.Code))
	w.number(int64(f.err.Status))
	w.text(f.err.Detail)
	w.number(int64(f.err.RetryAfter))
	w.number(int64(f.times))
	w.time(f.at)
	w.time(f.until)
}

// decode reads an entry and believes nothing in it. The texts of the entry are
// parts of data.
func decode(data string, userID string, now time.Time) (entry, error) {
	if len(data) > maxEntry {
		return entry{}, fmt.Errorf("longer than %d bytes", maxEntry)
	}
	r := reader{rest: data}
	if r.byte() != version {
		return entry{}, errors.New("of another version")
	}
	owner := r.text()
	e := entry{askedAt: r.time(), expired: r.flag()}
	if r.flag() {
		e.answer = r.answer()
	}
	if r.flag() {
		e.claim = r.claim()
	}
	if r.flag() {
		e.failure = r.failure()
	}
	switch {
	case r.err != nil:
		return entry{}, r.err
	case r.rest != "":
		return entry{}, errors.New("longer than it should be")
	case owner != userID:
		return entry{}, errors.New("of another user")
	case e.answer != nil && e.answer.at.After(now.Add(maxSkew)):
		return entry{}, errors.New("from the future")
	}
	return e, nil
}

// reader reads what a writer wrote. After a mistake all that it reads is zero.
type reader struct {
	rest string
	err  error
}

func (r *reader) fail(mistake string) {
	if r.err == nil {
		r.err = errors.New(mistake)
	}
	r.rest = ""
}

func (r *reader) byte() byte {
	if r.rest == "" {
		r.fail("broken off")
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *reader) flag() bool {
	switch r.byte() {
	case 0:
		return false
	case 1:
	default:
		r.fail("neither yes nor no")
	}
	return r.err == nil
}

func (r *reader) number() int64 {
	n, length := binary.Varint([]byte(r.rest[:min(len(r.rest), binary.MaxVarintLen64)]))
	if length <= 0 {
		r.fail("not a number")
		return 0
	}
	r.rest = r.rest[length:]
	return n
}

// count reads how many things follow that take at least so many bytes each.
func (r *reader) count(size int) int {
	n := r.number()
	if n < 0 || n > int64(len(r.rest)/size) {
		r.fail("broken off")
		return 0
	}
	return int(n)
}

func (r *reader) text() string {
	length := r.count(1)
	text := r.rest[:length]
	r.rest = r.rest[length:]
	if !utf8.ValidString(text) {
		r.fail("not text")
		return ""
	}
	return text
}

func (r *reader) int() int {
	n := r.number()
	if n < math.MinInt || n > math.MaxInt {
		r.fail("not a number")
		return 0
	}
	return int(n)
}

// time reads a time within the years that hostapi lets through.
func (r *reader) time() time.Time {
	seconds, nanoseconds := r.number(), r.number()
	t := time.Unix(seconds, nanoseconds).UTC()
	if nanoseconds < 0 || nanoseconds >= int64(time.Second) || t.Year() < 1 || t.Year() > 9999 {
		r.fail("not a time")
		return time.Time{}
	}
	return t
}

func (r *reader) answer() *answer {
	a := answer{at: r.time(), none: r.flag()}
	a.list.Account = hostapi.Account{PlanName: r.text(), PlanRAMMB: r.int(), MaxServers: r.int(), ServerCount: r.int()}
	a.list.Servers = make([]hostapi.Server, r.count(minServer))
	for i := range a.list.Servers {
		s := hostapi.Server{
			ID: r.text(), Name: r.text(), Language: r.text(), Status: r.text(), Subdomain: r.text(),
			StartupCommand: r.text(), EntryFile: r.text(), PlanName: r.text(),
			RAMMB: r.int(), DiskMB: r.int(), CPUPercent: r.int(), CreatedAt: r.time(),
		}
		if s.ID == "" {
			r.fail("a server without an id")
			return nil
		}
		a.list.Servers[i] = s
	}
	return &a
}

func (r *reader) claim() *claim {
	c := claim{token: r.text(), until: r.time()}
	for n := r.count(2); n > 0; n-- {
		if c.statuses == nil {
			c.statuses = make(map[string]string, n)
		}
		serverID := r.text()
		c.statuses[serverID] = r.text()
	}
	return &c
}

func (r *reader) failure() *failure {
	return &failure{
		err: hostapi.Error{
			Code: hostapi.Code(r.text()), Op: hostapi.OpList, Status: r.int(), Detail: r.text(), RetryAfter: time.Duration(r.number()),
		},
		times: r.int(), at: r.time(), until: r.time(),
	}
}
