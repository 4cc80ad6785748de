package accounts

import (
	"errors"
	"time"
	"unicode/utf8"

	"github.com/valyala/fastjson"

	"hostbot/hostapi"
)

// decode reads a user's entry, which another machine's clock must not date in the
// future. It is done for each interaction, and takes a third of the time that
// encoding/json would.
func decode(parsers *fastjson.ParserPool, data, userID string, now time.Time) (*entry, error) {
	if !utf8.ValidString(data) { // which the parser lets through, and nobody who is sent it
		return nil, errors.New("it is no text")
	}
	parser := parsers.Get()
	defer parsers.Put(parser)
	parsed, err := parser.Parse(data)
	if err != nil {
		return nil, errors.New("it is no JSON") // the parser's error repeats what it read
	}
	v := value{parsed}
	e := &entry{UserID: v.text("userId"), FetchedAt: v.time("fetchedAt"), Missing: v.GetBool("missing")}
	switch {
	case e.UserID != userID:
		return nil, errors.New("the account of another user")
	case e.FetchedAt.IsZero():
		return nil, errors.New("the account has no date")
	case e.FetchedAt.After(now):
		e.FetchedAt = now
	}
	if !e.Missing {
		if e.List, err = v.child("list").list(); err != nil {
			return nil, err
		}
	}
	v.GetObject("notes").Visit(func(id []byte, parsed *fastjson.Value) {
		note := value{parsed}.note()
		for _, at := range []*time.Time{&note.At, &note.StartupAt, &note.Seen} {
			if at.After(now) {
				*at = now
			}
		}
		if e.Notes == nil {
			e.Notes = make(map[string]Note)
		}
		e.Notes[string(id)] = note
	})
	return e, nil
}

// value is a JSON value. A member that is not there, or of another type, is read as zero.
type value struct{ *fastjson.Value }

func (v value) child(name string) value { return value{v.Get(name)} }

func (v value) text(name string) string { return string(v.GetStringBytes(name)) }

func (v value) time(name string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, v.text(name)) // as encoding/json writes it
	return at
}

func (v value) list() (hostapi.List, error) {
	if servers := v.Get("servers"); servers == nil || servers.Type() != fastjson.TypeArray {
		return hostapi.List{}, errors.New("the account has no list of servers")
	}
	servers := v.GetArray("servers")
	l := hostapi.List{Servers: make([]hostapi.Server, len(servers))}
	var before hostapi.Server
	for i, server := range servers {
		if before = (value{server}).server(before); before.ID == "" {
			return hostapi.List{}, errors.New("a server has no ID")
		}
		l.Servers[i] = before
	}
	a := v.child("account")
	l.Account = hostapi.Account{
		PlanName: a.text("planName"), PlanRAMMB: a.GetInt("planRamMb"),
		MaxServers: a.GetInt("maxServers"), ServerCount: a.GetInt("serverCount"),
	}
	return l, nil
}

// server reads a server. What it shares with the one before, it holds only once.
func (v value) server(before hostapi.Server) hostapi.Server {
	return hostapi.Server{
		ID: v.text("id"), Name: v.text("name"), Language: v.textOr("language", before.Language), Status: v.textOr("status", before.Status),
		Subdomain: v.text("subdomain"), StartupCommand: v.textOr("startupCommand", before.StartupCommand),
		EntryFile: v.textOr("entryFile", before.EntryFile),
		RAMMB:     v.GetInt("ramMb"), DiskMB: v.GetInt("diskMb"), CPUPercent: v.GetInt("cpuPercent"),
		PlanName: v.textOr("planName", before.PlanName), CreatedAt: v.time("createdAt"),
	}
}

// textOr is text. Where that is the same as a text that is there, it is that one.
func (v value) textOr(name, same string) string {
	if text := v.GetStringBytes(name); string(text) != same {
		return string(text)
	}
	return same
}

func (v value) note() Note {
	return Note{Action: v.text("action"), At: v.time("at"), Settled: v.GetBool("settled"), StartupAt: v.time("startupAt"), Seen: v.time("seen")}
}
