package accounts

import (
	"encoding/json"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/valyala/fastjson"

	"hostbot/hostapi"
)

// encode writes an entry as it is stored. Servers are lists of their fields without names: an
// account is read for each interaction, and names take longer to read than what they name.
func (e *entry) encode() ([]byte, error) {
	servers := make([][serverFields]any, len(e.List.Servers))
	for i, s := range e.List.Servers {
		servers[i] = fieldsOf(s)
	}
	return json.Marshal(struct {
		UserID     string              `json:"userId"`
		FetchedAt  time.Time           `json:"fetchedAt"`
		Generation string              `json:"generation"`
		Missing    bool                `json:"missing,omitempty"`
		Doubted    time.Time           `json:"doubted,omitzero"`
		Account    hostapi.Account     `json:"account,omitzero"`
		Servers    [][serverFields]any `json:"servers"`
		Notes      map[string]Note     `json:"notes,omitempty"`
	}{e.UserID, e.FetchedAt, e.Generation, e.Missing, e.DoubtedSince, e.List.Account, servers, e.Notes})
}

// decode reads a user's entry. It is done for each interaction, and takes a fraction of the time that
// encoding/json would.
func decode(parsers *fastjson.ParserPool, data, userID string) (*entry, error) {
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
	e := &entry{
		UserID: v.text("userId"), FetchedAt: v.time("fetchedAt"), Missing: v.GetBool("missing"), DoubtedSince: v.time("doubted"), Generation: v.text("generation"),
	}
	switch {
	case e.UserID != userID:
		return nil, errors.New("the account of another user")
	case e.FetchedAt.IsZero():
		return nil, errors.New("the account has no date")
	}
	if !e.Missing {
		if e.List, err = v.list(); err != nil {
			return nil, err
		}
	}
	v.GetObject("notes").Visit(func(id []byte, parsed *fastjson.Value) {
		if e.Notes == nil {
			e.Notes = make(map[string]Note)
		}
		e.Notes[string(id)] = value{parsed}.note()
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
	stored := v.Get("servers")
	if stored == nil || stored.Type() != fastjson.TypeArray {
		return hostapi.List{}, errors.New("the account has no list of servers")
	}
	servers := stored.GetArray()
	l := hostapi.List{Servers: make([]hostapi.Server, len(servers))}
	var before hostapi.Server
	for i, server := range servers {
		fields := server.GetArray()
		if len(fields) != serverFields {
			return hostapi.List{}, errors.New("a server has other fields")
		}
		if before = readServer(fields, before); before.ID == "" {
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

// serverFields is how many fields a server has.
const serverFields = 12

// fieldsOf returns a server's fields as they are stored. CreatedAt is in microseconds since 1970.
func fieldsOf(s hostapi.Server) [serverFields]any {
	return [...]any{
		s.ID, s.Name, s.Language, s.Status, s.Subdomain, s.StartupCommand, s.EntryFile,
		s.RAMMB, s.DiskMB, s.CPUPercent, s.PlanName, s.CreatedAt.UnixMicro(),
	}
}

// readServer reads the fields of a server. What it shares with the one before, it holds only once.
func readServer(f []*fastjson.Value, before hostapi.Server) hostapi.Server {
	return hostapi.Server{
		ID: textOr(f[0], ""), Name: textOr(f[1], ""), Language: textOr(f[2], before.Language), Status: textOr(f[3], before.Status),
		Subdomain: textOr(f[4], before.Subdomain), StartupCommand: textOr(f[5], before.StartupCommand), EntryFile: textOr(f[6], before.EntryFile),
		RAMMB: f[7].GetInt(), DiskMB: f[8].GetInt(), CPUPercent: f[9].GetInt(), PlanName: textOr(f[10], before.PlanName),
		CreatedAt: time.UnixMicro(f[11].GetInt64()).UTC(),
	}
}

// textOr returns a text. Where that is the same as one that is there, it is that one.
func textOr(v *fastjson.Value, same string) string {
	if text := v.GetStringBytes(); string(text) != same {
		return string(text)
	}
	return same
}

func (v value) note() Note {
	return Note{Action: v.text("action"), At: v.time("at"), Settled: v.GetBool("settled"), StartupAt: v.time("startupAt"), Seen: v.time("seen")}
}
