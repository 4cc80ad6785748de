package discordtest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"hostbot/bot/discordtest"
)

// BenchmarkCommand is what the server itself costs: a command's way to a bot
// that does nothing else, and the way back.
func BenchmarkCommand(b *testing.B) {
	discord := discordtest.RunT(b, discordtest.Config{Lean: true, NoRateLimits: true})
	conn, response, err := websocket.DefaultDialer.Dial(discord.GatewayURL()+"/?v=9&encoding=json", nil)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = response.Body.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	send := func(method, path, body string) {
		r, err := http.NewRequestWithContext(context.Background(), method, discord.URL()+path, strings.NewReader(body))
		if err != nil {
			b.Error(err)
			return
		}
		r.Header.Set("User-Agent", testAgent)
		r.Header.Set("Authorization", "Bot "+discord.Token())
		r.Header.Set("Content-Type", "application/json")
		response, err := client.Do(r)
		if err != nil {
			b.Error(err)
			return
		}
		_ = response.Body.Close()
	}
	send("PUT", "/applications/"+discord.ApplicationID()+"/commands", rawCommands)
	if err := conn.WriteMessage(websocket.TextMessage, []byte(identifyTestToken)); err != nil {
		b.Fatal(err)
	}
	go func() {
		for {
			_, data, err := conn.ReadMessage()
			if err != nil {
				return
			}
			var p struct {
				Type string `json:"t"`
				Data event  `json:"d"`
			}
			if json.Unmarshal(data, &p) == nil && p.Type == "INTERACTION_CREATE" {
				send("POST", p.Data.path(), `{"type":4,"data":{"content":"here","flags":64}}`)
			}
		}
	}()
	if err := discord.WaitConnected(context.Background(), 1); err != nil {
		b.Fatal(err)
	}
	anna := discord.User("anna")
	b.ReportAllocs()
	for b.Loop() {
		r, err := anna.Command(context.Background(), "/bot", nil)
		if err != nil {
			b.Fatal(err)
		}
		r.Forget()
	}
}
