package discordtest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"hostbot/bot/discordtest"
)

func TestGatewayClosesOnMistakes(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{ShardingRequired: true})
	sharded := func(rest string) string {
		return `{"op":2,"d":{"token":"test-token","properties":{},"shard":[0,2],` + rest + `}}`
	}
	for name, tc := range map[string]struct {
		send []string
		code int
	}{
		"wrong token":      {[]string{`{"op":2,"d":{"token":"x","intents":0,"properties":{},"shard":[0,2]}}`}, 4004},
		"wrong shard":      {[]string{`{"op":2,"d":{"token":"test-token","intents":0,"properties":{},"shard":[2,2]}}`}, 4010},
		"no shard":         {[]string{identifyTestToken}, 4011},
		"unknown intents":  {[]string{sharded(`"intents":1073741824`)}, 4013},
		"privileged":       {[]string{sharded(`"intents":32768`)}, 4014},
		"no intents":       {[]string{`{"op":2,"d":{"token":"test-token","properties":{}}}`}, 4002},
		"no JSON":          {[]string{`{`}, 4002},
		"too long":         {[]string{`{"op":1,"d":null,"x":"` + x(4096) + `"}`}, 4002},
		"unknown opcode":   {[]string{`{"op":99}`}, 4001},
		"presence first":   {[]string{`{"op":3,"d":{}}`}, 4003},
		"identify twice":   {[]string{sharded(`"intents":0`), sharded(`"intents":0`)}, 4005},
		"resume as well":   {[]string{sharded(`"intents":0`), `{"op":6,"d":{"token":"test-token","session_id":"x","seq":1}}`}, 4005},
		"resume, token":    {[]string{`{"op":6,"d":{"token":"x","session_id":"x","seq":1}}`}, 4004},
		"121 in a minute":  {strings.Split(strings.Repeat(`{"op":1,"d":null}|`, 121), "|")[:121], 4008},
		"heartbeat's data": {[]string{`{"op":1,"d":"x"}`}, 4002},
	} {
		t.Run(name, func(t *testing.T) {
			w := dial(t, discord)
			for _, text := range tc.send {
				w.send(text)
			}
			if code := w.closed(); code != tc.code {
				t.Errorf("closed with %d, want %d", code, tc.code)
			}
		})
	}
	if code := dialQuiet(t, discord, "/?v=8&encoding=json").closed(); code != 4012 {
		t.Errorf("version 8 closed with %d", code)
	}
}

func TestHeartbeats(t *testing.T) {
	discord := discordtest.RunT(t)
	w := dial(t, discord)
	w.identify()
	w.send(`{"op":1,"d":1}`)
	if p := w.read(); p.Op != 11 {
		t.Errorf("got op %d, want an ACK", p.Op)
	}
	discord.AskHeartbeat()
	if p := w.read(); p.Op != 1 {
		t.Errorf("got op %d, want a request", p.Op)
	}
	if err := discord.WaitGateway(limit(t), func(g discordtest.GatewayStats) bool { return g.Heartbeats == 1 }); err != nil {
		t.Error(err)
	}
}

// What comes while the bot is away is replayed, in order, and no event twice.
func TestResume(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	w := dial(t, s.discord)
	id := w.identify()
	_, first := s.command()
	if got := w.interaction(); got.ID != first.ID {
		t.Errorf("the sessions got different events")
	}
	s.discord.Drop()
	if code := w.closed(); code != websocket.CloseAbnormalClosure {
		t.Errorf("closed with %d, want no close frame", code)
	}
	var missed []string
	for range 3 {
		r, err := s.anna.Start("/bot", nil)
		if err != nil {
			t.Fatal(err)
		}
		missed = append(missed, r.ID())
	}
	w = dial(t, s.discord)
	w.send(`{"op":6,"d":{"token":"Bot test-token","session_id":"` + id + `","seq":` + fmt.Sprint(first.seq) + `}}`)
	for i, want := range missed {
		if got := w.interaction(); got.ID != want || got.seq != first.seq+1+int64(i) {
			t.Errorf("event %d: %s with number %d, want %s", i, got.ID, got.seq, want)
		}
	}
	if p := w.read(); p.Type != "RESUMED" {
		t.Errorf("got %s, want RESUMED", p.Type)
	}
	if err := s.discord.WaitConnected(limit(t), 3); err != nil {
		t.Error(err)
	}
	if g := s.discord.Gateway(); g.Connections != 3 || g.Identifies != 2 || g.Resumes != 1 {
		t.Errorf("counted %+v", g)
	}
}

func TestSessionsThatCanNotBeResumed(t *testing.T) {
	discord := discordtest.RunT(t)
	resume := func(t *testing.T, id string, seq int) {
		t.Helper()
		w := dial(t, discord)
		w.resume(id, int64(seq))
		if p := w.read(); p.Op != 9 || string(p.Data) != "false" {
			t.Fatalf("got op %d %s, want op 9 false", p.Op, p.Data)
		}
		w.identify() // over the same connection
	}
	t.Run("unknown", func(t *testing.T) { resume(t, "nobody", 1) })
	t.Run("events that were never sent", func(t *testing.T) {
		w := dial(t, discord)
		resume(t, w.identify(), 5)
	})
	t.Run("closed with 1000", func(t *testing.T) {
		w := dial(t, discord)
		id := w.identify()
		open := discord.Gateway().Open
		message := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
		if err := w.conn.WriteControl(websocket.CloseMessage, message, time.Now().Add(10*time.Second)); err != nil {
			t.Fatal(err)
		}
		if err := discord.WaitGateway(limit(t), func(g discordtest.GatewayStats) bool { return g.Open < open }); err != nil {
			t.Fatal(err)
		}
		resume(t, id, 1)
	})
	t.Run("invalidated", func(t *testing.T) {
		w := dial(t, discord)
		id := w.identify()
		discord.InvalidateSession(false)
		if p := w.read(); p.Op != 9 || string(p.Data) != "false" {
			t.Fatalf("got op %d %s", p.Op, p.Data)
		}
		resume(t, id, 1)
	})
	t.Run("closed with 4004", func(t *testing.T) {
		w := dial(t, discord)
		id := w.identify()
		discord.CloseWith(4004)
		if code := w.closed(); code != 4004 {
			t.Errorf("closed with %d", code)
		}
		resume(t, id, 1)
	})
}

func TestResumableControls(t *testing.T) {
	for name, tc := range map[string]struct {
		control func(*discordtest.Server)
		seen    func(*wire) string
		want    string
	}{
		"op 7": {(*discordtest.Server).AskReconnect, func(w *wire) string { return fmt.Sprint(w.read().Op) }, "7"},
		"op 9": {func(s *discordtest.Server) { s.InvalidateSession(true) }, func(w *wire) string { p := w.read(); return fmt.Sprint(p.Op, string(p.Data)) }, "9true"},
		"1000": {func(s *discordtest.Server) { s.CloseWith(1000) }, func(w *wire) string { return fmt.Sprint(w.closed()) }, "1000"},
		"1005": {func(s *discordtest.Server) { s.CloseWith(1005) }, func(w *wire) string { return fmt.Sprint(w.closed()) }, "1005"},
		"1006": {func(s *discordtest.Server) { s.CloseWith(1006) }, func(w *wire) string { return fmt.Sprint(w.closed()) }, "1006"},
		"4000": {func(s *discordtest.Server) { s.CloseWith(4000) }, func(w *wire) string { return fmt.Sprint(w.closed()) }, "4000"},
	} {
		t.Run(name, func(t *testing.T) {
			discord := discordtest.RunT(t)
			w := dial(t, discord)
			id := w.identify()
			tc.control(discord)
			if got := tc.seen(w); got != tc.want {
				t.Fatalf("got %s, want %s", got, tc.want)
			}
			w = dial(t, discord)
			w.resume(id, 1)
			if p := w.read(); p.Type != "RESUMED" {
				t.Errorf("got %+v, want RESUMED", p)
			}
		})
	}
}

func TestSilence(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	s.discord.Silence(true)
	s.wire.send(`{"op":1,"d":1}`)
	r, err := s.anna.Start("/bot", nil)
	if err != nil {
		t.Fatal(err)
	}
	late := dialQuiet(t, s.discord, "/?v=10&encoding=json")
	if err := s.discord.WaitGateway(limit(t), func(g discordtest.GatewayStats) bool { return g.Heartbeats == 1 && g.Connections == 2 }); err != nil {
		t.Fatal(err)
	}
	s.discord.Silence(false)
	// The ACK is lost, the event is not.
	if p := s.wire.read(); p.Type != "INTERACTION_CREATE" || !strings.Contains(string(p.Data), r.ID()) {
		t.Errorf("got %+v, want the event", p)
	}
	if p := late.read(); p.Op != 10 {
		t.Errorf("got op %d, want HELLO", p.Op)
	}
}

func TestRefuseConnections(t *testing.T) {
	discord := discordtest.RunT(t)
	discord.RefuseConnections(true)
	if conn, _, err := websocket.DefaultDialer.Dial(discord.GatewayURL()+"/?v=9&encoding=json", nil); err == nil {
		_ = conn.Close()
		t.Error("a connection was accepted")
	}
	discord.RefuseConnections(false)
	dial(t, discord).identify()
}

func TestReconnectInsteadOfReady(t *testing.T) {
	discord := discordtest.RunT(t)
	discord.AskReconnectInsteadOfReady(1)
	w := dial(t, discord)
	w.send(identifyTestToken)
	if p := w.read(); p.Op != 7 {
		t.Errorf("got op %d, want 7", p.Op)
	}
	dial(t, discord).identify()
}

func TestShards(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	s.discord.Drop()
	wires := make([]*wire, 4)
	for i := range wires {
		wires[i] = dial(t, s.discord)
		wires[i].send(fmt.Sprintf(`{"op":2,"d":{"token":"test-token","intents":0,"properties":{},"shard":[%d,4]}}`, i))
		if p := wires[i].read(); p.Type != "READY" {
			t.Fatalf("got %+v", p)
		}
	}
	if _, err := s.anna.InDM().Start("/bot", nil); err != nil {
		t.Fatal(err)
	}
	inDM := wires[0].interaction()
	var guild uint64
	if _, err := fmt.Sscan(s.discord.GuildID(), &guild); err != nil {
		t.Fatal(err)
	}
	r, err := s.anna.Start("/bot", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := wires[(guild>>22)%4].interaction(); got.ID != r.ID() || got.ID == inDM.ID {
		t.Errorf("shard %d got %s, want %s", (guild>>22)%4, got.ID, r.ID())
	}
}

// discordgo resumes its session when it is opened again.
func TestDiscordgoResumes(t *testing.T) {
	discord := discordtest.RunT(t, discordtest.Config{Clock: still()})
	s := session(t, discord)
	s.AddHandler(func(s *discordgo.Session, i *discordgo.InteractionCreate) {
		respond(t, s, i, discordgo.InteractionResponseChannelMessageWithSource, &discordgo.InteractionResponseData{Content: "here"})
	})
	lost := make(chan struct{}, 10)
	s.AddHandler(func(*discordgo.Session, *discordgo.Disconnect) { lost <- struct{}{} })
	if err := s.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	newClient(t, discord).register(rawCommands).want(t, 200, 0)
	discord.Drop()
	reply, err := discord.User("anna").Start("/bot", nil) // while the bot is away
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-lost:
	case <-limit(t).Done():
		t.Fatal("the loss was never noticed")
	}
	if err := s.Open(); err != nil {
		t.Fatal(err)
	}
	reply.WaitFor(t, "here")
	if g := discord.Gateway(); g.Resumes != 1 || g.Identifies != 1 {
		t.Errorf("counted %+v, want one resume", g)
	}
}

func TestEventsOfTheTestsOwn(t *testing.T) {
	s := newStage(t, discordtest.Config{})
	s.discord.SendEvent("INTERACTION_CREATE", []byte(`{"id":7}`))
	if p := s.wire.read(); string(p.Data) != `{"id":7}` || p.Seq != 2 {
		t.Errorf("got %+v", p)
	}
	s.discord.SendRaw(`{"op":0,"t":"X","s":3}`)
	if p := s.wire.read(); p.Type != "X" {
		t.Errorf("got %+v", p)
	}
	r, first := s.command()
	s.discord.Redeliver(r)
	if again := s.wire.interaction(); again.ID != first.ID || again.Token != first.Token || again.seq != first.seq+1 {
		t.Errorf("got %+v, want %+v once more", again, first)
	}
}

func TestSessionsThatAreNotLetIn(t *testing.T) {
	discord := discordtest.RunT(t)
	discord.RefuseSessions(4008)
	w := dial(t, discord)
	w.send(identifyTestToken)
	if code := w.closed(); code != 4008 {
		t.Errorf("closed with %d", code)
	}
	discord.RefuseSessions(0)

	discord.IgnoreSessions(1)
	w = dial(t, discord)
	w.send(identifyTestToken)
	w.send(`{"op":1,"d":null}`)
	if p := w.read(); p.Op != 11 {
		t.Errorf("got op %d, want nothing but an ACK", p.Op)
	}
	w.identify()

	discord.RefuseConnections(true)
	if _, _, err := websocket.DefaultDialer.Dial(discord.GatewayURL()+"/?v=9&encoding=json", nil); err == nil {
		t.Error("a connection was let in")
	}
	if s := discord.Gateway(); s.Refused != 1 {
		t.Errorf("%d connections were refused", s.Refused)
	}
}
