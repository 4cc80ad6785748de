package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"
)

// asProgram has the test program be the playground, if the environment holds it.
const asProgram = "PLAYGROUND_TEST_MAIN"

// patience is how long a test waits for what must come to be seen.
const patience = 2 * time.Minute

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	// Tests wait for most of the time, so several run at once; with more the bot itself
	// would be late on a small machine.
	if err := flag.Set("test.parallel", "3"); err != nil {
		log.Fatal(err)
	}
	m.Run()
}

func TestHelpIsAllThatIsSaid(t *testing.T) {
	var help bytes.Buffer
	if err := run(t.Context(), usualTiming(), []string{"--help"}, io.Discard, &help); err != nil || !strings.Contains(help.String(), "-addr") {
		t.Errorf("the help says %q, %v", &help, err)
	}
	program := exec.Command(os.Args[0], "--help")
	program.Env = append(program.Environ(), asProgram+"=1")
	if said, err := program.CombinedOutput(); err != nil || string(said) != help.String() {
		t.Errorf("the program says %q, %v", said, err)
	}
}

// visitor uses the playground as its page does.
type visitor struct {
	t    *testing.T
	base string
}

// open starts the playground as it is used, with arguments.
func open(t *testing.T, args ...string) visitor {
	t.Helper()
	return start(t, usualTiming(), args...)
}

// start starts the playground, and waits for the address that it prints.
func start(t *testing.T, timing timing, args ...string) visitor {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, printed := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, timing, append(args, "--addr", "127.0.0.1:0"), printed, io.Discard) }()
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

// get returns what is at a path.
func (v visitor) get(path string) []byte {
	v.t.Helper()
	return v.read(http.Get(v.base + path))
}

// post sends a request as the page does, and returns the answer.
func (v visitor) post(path string, body any) []byte {
	v.t.Helper()
	sent, err := json.Marshal(body)
	if err != nil {
		v.t.Fatal(err)
	}
	return v.read(http.Post(v.base+path, "application/json", bytes.NewReader(sent)))
}

func (v visitor) read(res *http.Response, err error) []byte {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		v.t.Fatalf("%s: status %d, error %v: %s", res.Request.URL, res.StatusCode, err, answer)
	}
	return answer
}

// waitFor waits until text is at a path, which is looked at after each change that
// the page is told of.
func (v visitor) waitFor(path, text string) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.t.Context(), patience)
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
		if strings.Contains(string(v.get(path)), text) {
			return
		}
	}
	v.t.Fatalf("%s never showed %s, but %s", path, text, v.get(path))
}

// customer uses the playground by its API.
type customer struct {
	visitor
	user, channel, bot string
}

func (v visitor) customer() customer {
	v.t.Helper()
	world := reads[struct{ Users, Channels []struct{ ID string } }](v, v.get("/api/world"))
	c := customer{v, world.Users[0].ID, world.Channels[0].ID, ""}
	v.get("/api/commands?user=" + c.user) // which waits until they are registered
	c.bot = reads[struct{ Bots []struct{ ID string } }](v, v.get("/api/breaking?user="+c.user)).Bots[0].ID
	return c
}

// reads reads JSON.
func reads[T any](v visitor, body []byte) (read T) {
	v.t.Helper()
	if err := json.Unmarshal(body, &read); err != nil {
		v.t.Fatalf("%v: %s", err, body)
	}
	return read
}

// What the page does in a browser is TestPage's.
func TestPlaygroundAnswers(t *testing.T) {
	t.Parallel()
	v := open(t)
	for _, file := range []string{"/", "/main.js", "/style/theme.css"} {
		v.get(file)
	}
	var world struct{ Users, Channels []struct{ ID string } }
	if err := json.Unmarshal(v.get("/api/world"), &world); err != nil || len(world.Users) < 6 || len(world.Channels) != 1 {
		t.Fatalf("a customer's world is %+v, %v", world, err)
	}
	user, channel := world.Users[0].ID, world.Channels[0].ID
	v.get("/api/commands?user=" + user) // which waits until they are registered
	v.post("/api/command", map[string]string{"user": user, "channel": channel, "name": "bot list"})
	v.waitFor("/api/messages?user="+user+"&channel="+channel, "Your bots")
	for _, step := range []string{"INTERACTION_CREATE", "GET", "list", "first response: a message"} {
		v.waitFor("/api/activity", `"title":"`+step+`"`)
	}
}

// The panel in the first channel says how each bot is before the bot has looked at any.
func TestPanelIsWholeAtOnce(t *testing.T) {
	p, err := startParts(usualTiming(), func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if err := remember(p, settle(p)[0]); err != nil {
		t.Fatal(err)
	}
	posted := p.discord.Channels()[0].Messages()
	shown, err := json.Marshal(posted)
	if err != nil || len(posted) != 1 {
		t.Fatalf("%d messages are posted: %v", len(posted), err)
	}
	for _, part := range []string{"🔴 **1 of 3 is down**", "🟢 **Shop** · Running · since", "🟩🟩", "Follow"} {
		if !strings.Contains(string(shown), part) {
			t.Errorf("no %q in %s", part, shown)
		}
	}
}

// A form is in the answer to what opened it, and nobody else's.
func TestFormIsOfThePageThatOpenedIt(t *testing.T) {
	t.Parallel()
	v := open(t)
	anna := v.customer()
	opened := v.post("/api/command", map[string]any{
		"user": anna.user, "channel": anna.channel, "name": "bot startup", "options": map[string]string{"bot": anna.bot},
	})
	if modal := reads[struct{ Modal openModal }](v, opened).Modal; modal.ID == "" || len(modal.Components) == 0 {
		t.Errorf("the command is answered with %s", opened)
	}
	if seen := v.get("/api/messages?user=" + anna.user + "&channel=" + anna.channel); strings.Contains(string(seen), "modal") || strings.Contains(string(seen), "bot startup") {
		t.Errorf("among the messages is the form: %s", seen)
	}
}

// Every state can be entered and left again, one at a time for each part.
func TestSwitches(t *testing.T) {
	t.Parallel()
	v := open(t)
	parts := func() map[string]switchable {
		t.Helper()
		var state struct{ Parts []switchable }
		if err := json.Unmarshal(v.get("/api/breaking"), &state); err != nil || len(state.Parts) != 5 {
			t.Fatalf("the parts are %+v, %v", state.Parts, err)
		}
		byName := make(map[string]switchable)
		for _, part := range state.Parts {
			byName[part.Name] = part
		}
		return byName
	}
	for name, part := range parts() {
		want := normal
		for _, m := range append(part.Modes, part.Modes[0]) {
			if !m.Once {
				want = m.Name
			}
			v.post("/api/break", map[string]string{"part": name, "mode": m.Name})
			if got := parts()[name].Mode; got != want {
				t.Errorf("after %s of %s the mode is %q", m.Name, name, got)
			}
		}
	}
}

// TestAnnouncedMaintenanceIsRead by a customer who lists her bots.
func TestAnnouncedMaintenanceIsRead(t *testing.T) {
	t.Parallel()
	v := open(t)
	anna := v.customer()
	world := reads[struct{ Users []struct{ ID, Name string } }](v, v.get("/api/world"))
	sam := world.Users[len(world.Users)-1]
	v.post("/api/break", map[string]string{"part": "service", "mode": "maintenance"})
	v.waitFor("/api/messages?user="+sam.ID+"&channel="+anna.channel, "Saved.")
	v.post("/api/command", map[string]string{"user": anna.user, "channel": anna.channel, "name": "bot list"})
	seen := "/api/messages?user=" + anna.user + "&channel=" + anna.channel
	v.waitFor(seen, "Your bots")
	if read := string(v.get(seen)); !strings.Contains(read, "🛠️ We move our servers to a new data centre · until") {
		t.Errorf("%s reads %s", sam.Name, read)
	}
}

// TestWaitIsTold repairs a service that had asked for a pause, and reads for how long the bot keeps it.
func TestWaitIsTold(t *testing.T) {
	t.Parallel()
	pause := time.Minute // is longer than the bot has a customer wait, who is answered at once
	timing := usualTiming()
	timing.Pause = pause
	v := start(t, timing)
	v.customer()
	world := reads[struct{ Users, Channels []struct{ ID string } }](v, v.get("/api/world"))
	unknown := world.Users[len(world.Users)-1].ID // whose account is asked for
	v.post("/api/break", map[string]string{"part": "service", "mode": "429"})
	v.post("/api/command", map[string]string{"user": unknown, "channel": world.Channels[0].ID, "name": "plan"})
	v.waitFor("/api/activity", `"outcome":"429"`)
	v.post("/api/repair", map[string]string{})
	part := reads[struct{ Parts []switchable }](v, v.get("/api/breaking?user="+unknown)).Parts[0]
	if part.Mode != normal || part.Waits <= 0 || part.Waits > pause.Milliseconds() {
		t.Errorf("it is %s, and the bot waits for %d ms", part.Mode, part.Waits)
	}
	for _, mode := range part.Modes {
		if mode.Name != normal && mode.Reads.Quote == "" && mode.Reads.Else == "" {
			t.Errorf("%s does not say what a customer reads", mode.Name)
		}
	}
}
