package discordtest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"hostbot/bot/testing/discordtest"
)

// wire is a gateway connection without a library.
type wire struct {
	t       *testing.T
	discord *discordtest.Server
	conn    *websocket.Conn
}

// packet is a frame as it came.
type packet struct {
	Op   int             `json:"op"`
	Type string          `json:"t"`
	Data json.RawMessage `json:"d"`
}

// Opcodes of the gateway.
const (
	opInvalidSession = 9
	opHello          = 10
	opACK            = 11
)

// dial opens a connection and reads HELLO.
func dial(t *testing.T, discord *discordtest.Server) *wire {
	t.Helper()
	w := dialQuiet(t, discord, "/?v=9&encoding=json")
	w.wantsHello()
	return w
}

func (w *wire) wantsHello() {
	w.t.Helper()
	if p := w.read(); p.Op != opHello {
		w.t.Fatalf("got op %d first, want HELLO", p.Op)
	}
}

func dialQuiet(t *testing.T, discord *discordtest.Server, query string) *wire {
	t.Helper()
	return dialAt(t, discord, discord.GatewayURL()+query)
}

func dialAt(t *testing.T, discord *discordtest.Server, address string) *wire {
	t.Helper()
	conn, response, err := websocket.DefaultDialer.Dial(address, nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	t.Cleanup(func() { _ = conn.Close() })
	return &wire{t, discord, conn}
}

// send sends text, in which test-token stands for the bot's token.
func (w *wire) send(text string) {
	w.t.Helper()
	text = strings.ReplaceAll(text, "test-token", w.discord.Token())
	if err := w.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) read() packet {
	w.t.Helper()
	_ = w.conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	_, data, err := w.conn.ReadMessage()
	if err != nil {
		w.t.Fatal(err)
	}
	return decode[packet](w.t, data)
}

// wants reads a frame, which must have the opcode and the data.
func (w *wire) wants(op int, data string) {
	w.t.Helper()
	if p := w.read(); p.Op != op || string(p.Data) != data {
		w.t.Fatalf("got op %d %s, want op %d %s", p.Op, p.Data, op, data)
	}
}

// wantsEvent reads an event of that name.
func (w *wire) wantsEvent(name string) packet {
	w.t.Helper()
	p := w.read()
	if p.Type != name {
		w.t.Fatalf("got %+v, want %s", p, name)
	}
	return p
}

// closed reads until the connection ends and returns the close code: 1006 where
// there was no close frame.
func (w *wire) closed() int {
	w.t.Helper()
	_ = w.conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	for {
		_, _, err := w.conn.ReadMessage()
		var code *websocket.CloseError
		if errors.As(err, &code) {
			return code.Code
		}
		if err != nil {
			return 0
		}
	}
}

const identifyTestToken = `{"op":2,"d":{"token":"test-token","intents":0,"properties":{}}}`

// resume goes on with a session of which the events up to seq were received.
func (w *wire) resume(id string, seq int64) {
	w.t.Helper()
	w.send(fmt.Sprintf(`{"op":6,"d":{"token":"test-token","session_id":%q,"seq":%d}}`, id, seq))
}

// identify starts a session and returns its id.
func (w *wire) identify() string {
	w.t.Helper()
	w.send(identifyTestToken)
	p := w.wantsEvent("READY")
	ready := decode[struct {
		SessionID string `json:"session_id"`
		ResumeURL string `json:"resume_gateway_url"`
	}](w.t, p.Data)
	if ready.SessionID == "" || ready.ResumeURL == "" {
		w.t.Fatalf("READY is %s", p.Data)
	}
	return ready.SessionID
}

// event is an INTERACTION_CREATE.
type event struct {
	ID    string `json:"id"`
	Token string `json:"token"`
}

// interaction reads events up to the next INTERACTION_CREATE.
func (w *wire) interaction() event {
	w.t.Helper()
	for {
		if p := w.read(); p.Type == "INTERACTION_CREATE" {
			return decode[event](w.t, p.Data)
		}
	}
}

// path is that of the callback.
func (e event) path() string { return "/interactions/" + e.ID + "/" + e.Token + "/callback" }

// hook is the path of what follows the callback.
func (e event) hook(discord *discordtest.Server) string {
	return "/webhooks/" + discord.ApplicationID() + "/" + e.Token
}

// original is the path of the first response.
func (e event) original(discord *discordtest.Server) string {
	return e.hook(discord) + "/messages/@original"
}

// stage is a server with a bot of hand-made requests and a user.
type stage struct {
	*client
	wire *wire
	anna *discordtest.User
}

const rawCommands = `[{"name":"bot","description":"Bots","options":[{"type":3,"name":"bot","description":"Bot","autocomplete":true}]}]`

func newStage(t *testing.T, config discordtest.Config) *stage {
	t.Helper()
	c := start(t, config)
	c.register(rawCommands).want(t, 200, 0)
	w := dial(t, c.discord)
	w.identify()
	return &stage{c, w, c.discord.User("anna")}
}

// uses has a user type a command, and leaves its event to be read.
func (s *stage) uses(user *discordtest.User, command string, options discordtest.Options) *discordtest.Reply {
	s.t.Helper()
	r, err := user.Start(command, options)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// command types /bot.
func (s *stage) command() (*discordtest.Reply, event) {
	s.t.Helper()
	return s.uses(s.anna, "/bot", nil), s.wire.interaction()
}

// message types /bot and answers with a message of these components.
func (s *stage) message(components string) (*discordtest.Reply, event) {
	s.t.Helper()
	r, e := s.command()
	s.do("POST", e.path(), `{"type":4,"data":{"content":"hello","flags":64,"components":`+components+`}}`).want(s.t, 204, 0)
	return r, e
}

// press presses a button in the background, as its answer is still to come. What
// comes of it is nil where it was never answered.
func (s *stage) press(r *discordtest.Reply, label string) (event, func() *discordtest.Reply) {
	s.t.Helper()
	done := make(chan *discordtest.Reply, 1)
	go func() {
		reply, _ := r.Click(limit(s.t), label)
		done <- reply
	}()
	return s.wire.interaction(), func() *discordtest.Reply { return <-done }
}

const oneButton = `[{"type":1,"components":[{"type":2,"style":1,"label":"Go","custom_id":"go"}]}]`
