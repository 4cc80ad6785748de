package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// visitor uses the playground as its page does.
type visitor struct {
	t    *testing.T
	base string
}

// open starts the playground, and waits for the address that it prints.
func open(t *testing.T) visitor {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, printed := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, []string{"--addr", "127.0.0.1:0"}, printed, io.Discard) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the playground ended with %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`http://\S+`).FindString(line)
	if address == "" {
		t.Fatalf("no address in %q", line)
	}
	return visitor{t, address}
}

// ask sends a request as the page does; body nil is a GET.
func (v visitor) ask(path string, body, out any) {
	v.t.Helper()
	method, sent := http.MethodGet, []byte(nil)
	if body != nil {
		method = http.MethodPost
		var err error
		if sent, err = json.Marshal(body); err != nil {
			v.t.Fatal(err)
		}
	}
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.base+path, bytes.NewReader(sent))
	if err != nil {
		v.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		v.t.Fatalf("%s: status %d, error %v: %s", path, res.StatusCode, err, answer)
	}
	if out != nil {
		if err := json.Unmarshal(answer, out); err != nil {
			v.t.Fatalf("%s: %v in %s", path, err, answer)
		}
	}
}

type seen struct {
	Modal    struct{ ID, Title string }
	Messages []struct {
		ID     string
		State  string
		Embeds []struct {
			Title, Description string
			Fields             []struct{ Value string }
		}
		Components []struct {
			Components []struct {
				Label    string
				CustomID string `json:"custom_id"`
				Options  []struct{ Label, Value string }
			}
		}
	}
}

// waitFor looks at a channel until text is in the last message.
func (v visitor) waitFor(user, channel, text string) seen {
	v.t.Helper()
	var now seen
	v.until("there is "+text, func() bool {
		now = seen{}
		v.ask("/api/messages?user="+user+"&channel="+channel, nil, &now)
		if len(now.Messages) == 0 {
			return false
		}
		last, _ := json.Marshal(now.Messages[len(now.Messages)-1])
		return strings.Contains(string(last), text)
	})
	return now
}

// until waits for a condition, which is asked after each change that the page
// is told of.
func (v visitor) until(what string, holds func() bool) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.t.Context(), 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.base+"/api/events", nil)
	if err != nil {
		v.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	for told := bufio.NewScanner(res.Body); told.Scan(); {
		if holds() {
			return
		}
	}
	v.t.Fatalf("it did not come about that %s", what)
}

// anna returns the first customer and the channel that all are in, once the
// commands are there.
func (v visitor) anna() (user, channel string) {
	v.t.Helper()
	var world struct{ Users, Channels []struct{ ID string } }
	v.ask("/api/world", nil, &world)
	v.ask("/api/commands?user="+world.Users[0].ID, nil, nil)
	return world.Users[0].ID, world.Channels[0].ID
}

func TestAVisitorsWay(t *testing.T) {
	v := open(t)
	var world struct {
		Users    []struct{ ID, Name string }
		Channels []struct{ ID, Name string }
		Locales  []string
	}
	v.ask("/api/world", nil, &world)
	if len(world.Users) < 6 || len(world.Channels) != 1 || len(world.Locales) < 30 {
		t.Fatalf("a customer's world is %+v", world)
	}
	anna, general, sam := world.Users[0].ID, world.Channels[0].ID, world.Users[len(world.Users)-1].ID
	v.ask("/api/world?user="+sam, nil, &world)
	if len(world.Channels) != 4 {
		t.Fatalf("staff see the channels %+v", world.Channels)
	}
	log := world.Channels[1].ID

	var commands struct {
		Typed []struct{ Name, Shown string }
	}
	v.ask("/api/locale", map[string]string{"user": anna, "locale": "de"}, nil)
	v.ask("/api/commands?user="+anna, nil, &commands)
	if len(commands.Typed) != 11 || commands.Typed[0].Shown != "bot liste" {
		t.Errorf("commands %+v", commands)
	}
	v.ask("/api/locale", map[string]string{"user": anna, "locale": "en-US"}, nil)

	var completed struct{ Choices []struct{ Name string } }
	v.ask("/api/complete", map[string]any{
		"user": anna, "channel": general, "name": "bot restart", "option": "bot", "options": map[string]string{"bot": "sh"},
	}, &completed)
	if len(completed.Choices) != 1 || completed.Choices[0].Name != "🟢 Shop" {
		t.Errorf("suggested %+v", completed)
	}

	v.ask("/api/command", map[string]any{"user": anna, "channel": general, "name": "bot list"}, nil)
	list := v.waitFor(anna, general, "Your bots").Messages[0]
	menu := list.Components[0].Components[0]
	press := map[string]any{"user": anna, "channel": general, "message": list.ID, "customID": menu.CustomID, "values": []string{menu.Options[0].Value}}
	v.ask("/api/press", press, nil)
	card := v.waitFor(anna, general, "Restart").Messages[0]
	button := card.Components[0].Components[0]
	v.ask("/api/press", map[string]any{"user": anna, "channel": general, "message": card.ID, "customID": button.CustomID}, nil)
	v.waitFor(anna, general, "was restarted")
	v.waitFor(sam, log, "✅ Restart")

	startup := v.waitFor(anna, general, "was restarted").Messages[0].Components[1].Components[0]
	v.ask("/api/press", map[string]any{"user": anna, "channel": general, "message": card.ID, "customID": startup.CustomID}, nil)
	var asking seen
	v.ask("/api/messages?user="+anna+"&channel="+general, nil, &asking)
	if asking.Modal.Title != "Startup" {
		t.Fatalf("after %s the modal is %+v", startup.Label, asking.Modal)
	}
	v.ask("/api/modal", map[string]any{"user": anna, "channel": general, "modal": asking.Modal.ID, "fields": map[string]string{"command": "node main.js"}}, nil)
	v.waitFor(anna, general, "node main.js")
	asking = seen{}
	v.ask("/api/messages?user="+anna+"&channel="+general, nil, &asking)
	if asking.Modal.ID != "" {
		t.Errorf("after it was sent the modal is still there: %+v", asking.Modal)
	}

	v.ask("/api/dismiss", map[string]string{"user": anna, "channel": general, "message": card.ID}, nil)
	var empty seen
	v.ask("/api/messages?user="+anna+"&channel="+general, nil, &empty)
	if len(empty.Messages) != 0 {
		t.Errorf("after dismissing there is %+v", empty)
	}
}

func TestThePageIsThere(t *testing.T) {
	v := open(t)
	for _, file := range []string{"", "main.js", "style/theme.css"} {
		res, err := http.Get(v.base + "/" + file)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("/%s: status %d", file, res.StatusCode)
		}
	}
}
