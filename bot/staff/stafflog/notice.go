package stafflog

import (
	"strings"
	"time"

	"hostbot/hostapi"
	"hostbot/locale"
)

// Notice is something about the program, or about what it depends on, that staff read. Its text is
// log.lifecycle.<notice>, or log.problem.<notice> if it is a problem of the program itself.
type Notice string

// Notices.
const (
	Connected       Notice = "connected"        // Discord delivers interactions in a new session
	Disconnected    Notice = "disconnected"     // Discord delivers none
	Resumed         Notice = "resumed"          // the connection is back, with nothing lost
	Outgrown        Notice = "outgrown"         // Discord recommends more shards than run
	RedisLost       Notice = "redis_lost"       // Redis cannot be used
	RedisBack       Notice = "redis_back"       // Redis can be used again
	CacheGarbage    Notice = "cache"            // a key of the cache held something else than an account
	ServiceDown     Notice = "service_down"     // the hosting service is taken to be away
	ServiceUp       Notice = "service_up"       // the hosting service is back
	SecretRefused   Notice = "secret_refused"   // the hosting service does not accept the shared secret
	SecretAccepted  Notice = "secret_accepted"  // the hosting service accepts the shared secret again
	AccountLost     Notice = "account_lost"     // the hosting service does not find an account that it has listed
	AccountsLost    Notice = "accounts_lost"    // the hosting service does not find several accounts that it has listed
	AccountsMissing Notice = "accounts_missing" // the hosting service does not find most accounts
	AccountsFound   Notice = "accounts_found"   // the hosting service finds accounts again
	InvalidRequests Notice = "invalid_requests" // Discord refused so many requests that it may ban the machine's address
)

// look is how an entry looks.
type look struct {
	emoji string
	color int
	cure  string // the key of the text that says what can be done; empty for none
}

// look returns how the entry of a notice looks. One without an emoji, or that is not here, is a problem of the program itself.
func (n Notice) look() look {
	return map[Notice]look{
		Connected:       {"🔗", green, ""},
		Disconnected:    {"🔌", orange, ""},
		Resumed:         {"🔗", green, ""},
		Outgrown:        {"📈", orange, "log.cure.outgrown"},
		RedisLost:       {"🗄️", orange, ""},
		RedisBack:       {"🗄️", green, ""},
		ServiceDown:     {"🏚️", red, ""},
		ServiceUp:       {"🏠", green, ""},
		SecretRefused:   {"🔑", red, "log.todo." + string(hostapi.CodeUnauthorized)},
		SecretAccepted:  {"🔑", green, ""},
		AccountsLost:    {"🔍", red, "log.cure.accounts_lost"},
		AccountsMissing: {"🔍", red, "log.cure.accounts_missing"},
		AccountsFound:   {"🔍", green, ""},
		InvalidRequests: {cure: "log.cure.invalid_requests"},
	}[n]
}

// Facts are what is known beside a notice. Each may be zero.
type Facts struct {
	Reason error
	After  time.Duration // for how long that was away which is back
	Args   locale.Args   // what else its text names
}

// Tell writes a notice.
func (l *Log) Tell(n Notice, f Facts) {
	var about []string
	look := n.look()
	if look.cure != "" {
		about = append(about, l.t.Text(look.cure))
	}
	if f.Reason != nil {
		about = append(about, because(f.Reason))
	}
	text := strings.Join(about, "\n")
	if look.emoji == "" {
		l.warn(string(n), text)
		return
	}
	args := f.Args
	if args == nil {
		args = locale.Args{"Duration": l.t.Duration(f.After)}
	}
	l.lifecycle(look.emoji, look.color, l.t.Format("log.lifecycle."+string(n), args), text, "")
}
