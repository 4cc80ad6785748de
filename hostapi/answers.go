package hostapi

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"github.com/valyala/fastjson"
)

// result is the content of an answer. Each operation has its own part of it.
type result struct {
	list   List
	server Server
	status string // of a server after an action; may be empty
}

// decoder reads an answer. serverID is the server that the call was about; empty if it was not about one.
type decoder func(answer object, serverID string) (result, error)

// decodeList reads a list, each record by itself. It leaves out a record without an ID. Of several records with the same
// ID it keeps the first, as no call could tell them apart.
func decodeList(answer object, _ string) (result, error) {
	records, err := answer.list("servers")
	if err != nil {
		return result{}, err
	}
	list := List{Servers: make([]Server, 0, len(records))}
	seen, unread := make(map[string]bool, len(records)), 0
	for _, record := range records {
		s := record.server()
		switch {
		case s.ID == "":
			unread++
		case !seen[s.ID]:
			seen[s.ID] = true
			list.Servers = append(list.Servers, s)
		}
	}
	if unread > 0 && len(list.Servers) == 0 {
		return result{}, errors.New("no server can be read: " + strings.Join(*answer.unread, ", "))
	}
	list.Account = answer.object("account").account()
	if v := answer.member("servers"); kindOf(v) != fastjson.TypeArray && len(records) == 0 && (kindOf(answer.member("account")) != fastjson.TypeObject || list.Account.ServerCount > 0) {
		return result{}, errors.New("servers: " + kindName(v)) // which is an empty list only where an account says no more
	}
	if list.Account.ServerCount == 0 {
		list.Account.ServerCount = len(list.Servers) + unread
	}
	list.Account.ServerCount = max(list.Account.ServerCount, len(list.Servers))
	if list.Missing() > unread {
		answer.note("servers", "fewer than account.serverCount")
	}
	list.Unread = *answer.unread
	return result{list: list}, nil
}

// decodeServer reads a record. The document does not say whether it is bare or under "server", so it may be either.
func decodeServer(answer object, serverID string) (result, error) {
	return about(answer.recordIn(), serverID)
}

// about returns a record if it is that of the server that the call was about, or else of any.
func about(s Server, serverID string) (result, error) {
	switch {
	case s.ID == "":
		return result{}, errNoID
	case serverID != "" && s.ID != serverID:
		return result{}, errOther
	}
	return result{server: s}, nil
}

var (
	errNoID  = errors.New("a server without an id")
	errOther = errors.New("the record of another server")
)

// decodeStatus reads the answer to an action. It must say that the action succeeded.
func decodeStatus(answer object, _ string) (result, error) {
	if ok, said := answer.ok(); !ok || !said {
		return result{}, errors.New(`no "ok": true`)
	}
	return result{status: answer.text("status")}, nil
}

// decodeChangedServer reads the answer to an action that created or changed a server. If it was to change one, the record
// may be missing: "ok" says that it succeeded.
func decodeChangedServer(answer object, serverID string) (result, error) {
	if _, err := decodeStatus(answer, ""); err != nil {
		return result{}, err
	}
	s := answer.recordIn()
	s.ID = cmp.Or(s.ID, serverID)
	return about(s, serverID)
}

// ok returns whether an answer says that the action succeeded, and whether it says anything about that. It also reads
// numbers and texts: some languages have no booleans, or write them in quotes.
func (o object) ok() (ok, said bool) {
	switch strings.ToLower(scalar(o.member("ok"))) {
	case "true", "1":
		return true, true
	case "false", "0":
		return false, true
	}
	return false, false
}

// recordIn reads the record of an answer that has one.
func (o object) recordIn() Server {
	if wrapped := o.member("server"); kindOf(wrapped) == fastjson.TypeObject {
		return o.within("server", wrapped).server()
	}
	return o.server()
}

// server reads a Server as the service sends it.
func (o object) server() Server {
	s := Server{
		ID: o.id("id"), Name: o.text("name"), Language: o.text("language"), Status: o.text("status"),
		Subdomain: o.subdomain(), StartupCommand: o.text("startupCommand"), EntryFile: o.text("entryFile"),
		RAMMB: o.number("ramMb"), DiskMB: o.number("diskMb"), CPUPercent: o.number("cpuPercent"), PlanName: o.text("planName"),
	}
	if status := o.member("status"); kindOf(status) == fastjson.TypeNumber && StateOf(s.Status) == StateUnknown {
		o.noteKind("status", status)
	}
	if at, err := time.Parse(time.RFC3339, o.text("createdAt")); err == nil {
		s.CreatedAt = at.UTC()
	}
	return s
}

// subdomain reads a server's subdomain. The document does not say of what type it is if it is not null, so an object or a
// list is kept as JSON.
func (o object) subdomain() string {
	switch v := o.member("subdomain"); kindOf(v) {
	case fastjson.TypeObject, fastjson.TypeArray:
		return valid(string(v.MarshalTo(nil)))
	case fastjson.TypeFalse:
		return ""
	}
	return o.text("subdomain")
}

func (o object) account() Account {
	return Account{
		PlanName: o.text("planName"), PlanRAMMB: o.number("planRamMb"),
		MaxServers: o.number("maxServers"), ServerCount: o.number("serverCount"),
	}
}
