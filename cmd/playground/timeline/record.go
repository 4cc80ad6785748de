package timeline

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2/proto"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/hostapitest"
)

// snowflake matches an ID of Discord's.
var snowflake = regexp.MustCompile(`\b\d{17,20}\b`)

// hidden stands where a secret was.
const hidden = "<secret>"

// RedisCommand records a command about a known user and, once it is known, the reply as
// Redis writes it; "" where the connection ended without one. What the bot does by itself,
// again and again, is about nobody.
func (r *Recorder) RedisCommand(command []string) (replied func(reply string)) {
	s := &step{began: time.Now(), users: r.usersIn(strings.Join(command, " "))}
	if len(s.users) == 0 {
		return func(string) {}
	}
	s.Kind = Redis
	s.Title = strings.ToUpper(command[0])
	if isScript(command) {
		s.Title = "script"
	}
	s.Detail = strings.Join(keysOf(command), " ")
	s.Request = strings.Join(command, " ")
	change := r.add(s)
	return func(reply string) {
		change(func(s *step) {
			s.end(time.Since(s.began))
			s.Response, s.Outcome, s.Failed = readable(reply)
		})
	}
}

// message begins what Redis sends to a subscriber (RESP2).
const message = "*3\r\n$7\r\nmessage\r\n"

// RedisConnection returns where the two sides of a connection to Redis are to be
// written, and records its commands and replies.
func (r *Recorder) RedisConnection() (commands, replies io.WriteCloser) {
	sent, commands := io.Pipe()
	answered, replies := io.Pipe()
	waiting := make(chan func(reply string), 1024) // replies come in the commands' order
	go func() {
		defer close(waiting)
		eachValue(sent, func(value string) {
			words, err := proto.ReadStrings(value)
			if err != nil {
				words = []string{value}
			}
			waiting <- r.RedisCommand(words)
		})
	}()
	go func() {
		eachValue(answered, func(value string) {
			if strings.HasPrefix(value, message) { // which answers nothing
				return
			}
			if replied, ok := <-waiting; ok {
				replied(value)
			}
		})
		for replied := range waiting {
			replied("")
		}
	}()
	return commands, replies
}

// eachValue reads values of the Redis protocol until the other side closes.
func eachValue(from *io.PipeReader, see func(string)) {
	defer func() { _ = from.Close() }()
	reader := bufio.NewReader(from)
	for {
		value, err := proto.Read(reader)
		if err != nil {
			return
		}
		see(value)
	}
}

// keysOf returns the keys that a command is about, as far as they are told by
// their place in it.
func keysOf(command []string) []string {
	if isScript(command) {
		count, err := strconv.Atoi(command[2])
		if err == nil && count >= 0 && count <= len(command)-3 {
			return command[3 : 3+count]
		}
	}
	return command[1:min(len(command), 2)]
}

func isScript(command []string) bool {
	name := strings.ToUpper(command[0])
	return (name == "EVAL" || name == "EVALSHA") && len(command) > 2
}

// readable turns a reply into its text and a word for it.
func readable(reply string) (text, outcome string, failed bool) {
	text = strings.TrimSpace(reply)
	switch {
	case text == "":
		return "", "connection lost", true
	case text == "$-1" || text == "_":
		return "", "nothing", false
	case strings.HasPrefix(text, "-NOSCRIPT"):
		return text[1:], "script not known yet", false // and it is sent next
	case text[0] == '-':
		return text[1:], "error", true
	case text[0] == '+' || text[0] == ':':
		return text[1:], text[1:], false
	case text[0] == '$':
		if value, err := proto.ReadString(reply); err == nil {
			return value, fmt.Sprintf("%d bytes", len(value)), false
		}
	}
	return text, "", false
}

// ServiceRequest records a request to the hosting service and, once it is
// known, the answer; status 0 means that the connection was broken off.
func (r *Recorder) ServiceRequest(request hostapitest.Request) (answered func(status int, body string)) {
	s := &step{began: request.At, users: []string{request.UserID}}
	s.Kind = Service
	s.Title = string(request.Operation)
	s.Detail = request.Method + " " + request.Path
	s.Request = request.Body
	change := r.add(s)
	return func(status int, body string) {
		change(func(s *step) {
			s.end(time.Since(s.began))
			s.Response = body
			s.judge(status)
		})
	}
}

// Discord records what happens at the fake Discord: events and calls.
func (r *Recorder) Discord(e discordtest.Event) {
	switch {
	case e.Dispatch != nil:
		r.dispatch(e.Dispatch)
	case e.Call != nil:
		r.call(e.Call)
	}
}

func (r *Recorder) dispatch(d *discordtest.Dispatch) {
	s := &step{began: d.At}
	s.Kind, s.Title, s.Request = Gateway, d.Name, string(d.Data)
	s.Detail = fmt.Sprintf("event %d of the session", d.Sequence)
	s.end(0)
	if in, ok := interactionOf(d); ok {
		s.token = in.token
		s.hideToken()
		r.begin(in)
	}
	r.add(s)
}

func (r *Recorder) call(c *discordtest.Call) {
	s := &step{began: c.Started, token: tokenIn(c), first: c.Route == discordtest.RouteCallback}
	s.Kind, s.Title, s.Detail = Discord, meaning(c), c.Method+" "+c.Path
	s.Request, s.Response = string(c.Request), string(c.Response)
	s.judge(c.Status)
	s.end(c.Duration)
	if s.token == "" {
		s.users = r.usersIn(s.Request)
		s.ours = strings.HasPrefix(c.Route, discordtest.RouteMessages)
	}
	s.hideToken()
	r.add(s)
}

func (s *step) end(took time.Duration) {
	ms := milliseconds(took)
	s.Took = &ms
}

// judge notes an HTTP status; 0 means that there was no answer.
func (s *step) judge(status int) {
	s.Outcome, s.Failed = fmt.Sprint(status), status == 0 || status >= 400
	if status == 0 {
		s.Outcome = "no answer"
	}
}

func (s *step) hideToken() {
	if s.token == "" {
		return
	}
	for _, text := range []*string{&s.Detail, &s.Request, &s.Response} {
		*text = strings.ReplaceAll(*text, s.token, hidden)
	}
}
