//go:build integration

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
	"unicode"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// last is the latest message.
const last = "#messages > li:last-child"

// tab is the playground's page in a browser.
type tab struct {
	t   *testing.T
	ctx context.Context
	v   visitor // of the same playground
}

// look says how a page is looked at.
type look struct {
	width, height int64
	light         bool
}

// desktop is wide enough for everything at once.
func desktop() look { return look{width: 1400, height: 900} }

// phone is a narrow one of today.
func phone() look { return look{width: 390, height: 844} }

// browser is a Chromium that runs.
type browser struct{ ctx context.Context }

// startBrowser starts Chromium for a test and its subtests.
func startBrowser(t *testing.T) browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.WSURLReadTimeout(patience))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium has none for root
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil { // which starts it
		t.Fatal(err)
	}
	return browser{ctx}
}

// visit starts a playground and opens its page.
func (chrome browser) visit(t *testing.T, l look) *tab {
	t.Helper()
	return chrome.looks(t, open(t), l)
}

// looks opens the page of a playground, with nothing remembered of other visits.
// Complaints in the browser's console fail the test.
func (chrome browser) looks(t *testing.T, v visitor, l look) *tab {
	t.Helper()
	ctx, end := chromedp.NewContext(chrome.ctx, chromedp.WithNewBrowserContext())
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	b := &tab{t: t, ctx: ctx, v: v}
	complaints := make(chan string, 1)
	go b.listen(complaints)
	t.Cleanup(func() {
		end()
		for complaint := range complaints {
			t.Errorf("the page complains: %s", complaint)
		}
	})

	b.lights(l.light)
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err) // several pages are looked at, each as if it were in front
	}
	b.do("choose the window's size", chromedp.EmulateViewport(l.width, l.height))
	b.loads()
	return b
}

// lights has the system be light or dark.
func (b *tab) lights(light bool) {
	b.t.Helper()
	scheme := "dark"
	if light {
		scheme = "light"
	}
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	if err != nil {
		b.t.Fatal(err)
	}
}

// loads loads the page, also once more.
func (b *tab) loads() {
	b.t.Helper()
	b.do("load the page", chromedp.Navigate(b.v.base))
	b.sees("#beginning", "Welcome to #general")
}

// chromium finds the browser.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("there is no Chromium in PATH: install it to run this in a browser")
	return ""
}

// listen passes on what the page complains about, until the browser ends.
func (b *tab) listen(complaints chan<- string) {
	defer close(complaints)
	for message, err := range chromedp.Console(b.ctx) {
		if err != nil {
			return
		}
		// An answer other than 200 is an entry too, and no mistake of the page.
		if message.Source != "network" && (message.Type == chromedp.ConsoleError || message.IsException()) {
			complaints <- message.Text
		}
	}
}

// do lets the browser do something.
func (b *tab) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

// middle is where the middle of the element that a selector finds is to be
// clicked, once nothing covers it. The page finds it in one step: it may draw
// itself anew at any time, and then an element that chromedp found is gone.
const middle = `((selector) => {
	const e = document.querySelector(selector);
	if (!e?.checkVisibility()) return null;
	e.scrollIntoView({ block: "nearest", behavior: "instant" });
	const box = e.getBoundingClientRect();
	const at = [box.x + box.width / 2, box.y + box.height / 2];
	return e.contains(document.elementFromPoint(...at)) ? at : null;
})`

// clicks presses the element that a selector finds, once it can be.
func (b *tab) clicks(selector string) {
	b.t.Helper()
	at := awaits[[]float64](b, selector+" can be clicked", fmt.Sprintf("%s(%q)", middle, selector))
	b.do("click "+selector, chromedp.MouseClickXY(at[0], at[1]))
}

// focuses gives the element that a selector finds the focus, once it is there.
func (b *tab) focuses(selector string) {
	b.t.Helper()
	b.until(selector+" has the focus", fmt.Sprintf(
		`((e) => { e?.focus(); return e !== null && document.activeElement === e; })(document.querySelector(%q))`, selector))
}

// nameOf is what somebody who listens hears of an element.
const nameOf = `((e) => {
	const walker = document.createTreeWalker(e, NodeFilter.SHOW_TEXT);
	const words = [];
	while (walker.nextNode()) {
		if (!walker.currentNode.parentElement.closest("[aria-hidden=true]")) words.push(walker.currentNode.data.trim());
	}
	return words.filter(Boolean).join(" ");
})`

// presses presses the button whose name is a label, or begins with those words,
// within what a selector finds.
func (b *tab) presses(within, label string) {
	b.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll(%q)].find((e) => !e.disabled && e.checkVisibility() && (%s(e) + " ").startsWith(%q))`,
		within+" button", nameOf, label+" ")
	b.until("there is a button "+label, "Boolean("+find+")")
	b.evaluate("press "+label, find+".click()")
}

// types types text, or keys of package kb, where the focus is.
func (b *tab) types(text string) {
	b.t.Helper()
	for _, r := range text {
		if isLatinExtended(r) {
			if _, err := chromedp.Call(b.ctx, input.InsertText, input.InsertTextParams{Text: string(r)}); err != nil {
				b.t.Fatalf("type %q: %v", text, err)
			}
			continue
		}
		keys := kb.Encode(r)
		// As a keyboard does it, a key that the page takes for itself has no text.
		down, up := *keys[0], *keys[len(keys)-1]
		if len(keys) == 3 {
			down.Text, down.UnmodifiedText = keys[1].Text, keys[1].UnmodifiedText
		}
		for _, key := range []input.DispatchKeyEventParams{down, up} {
			if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, key); err != nil {
				b.t.Fatalf("type %q: %v", text, err)
			}
		}
	}
}

// isLatinExtended tells of letters such as ą, in whose place package kb has keys such as
// Control.
func isLatinExtended(r rune) bool {
	return unicode.Is(unicode.Latin, r) && r >= '\u0100' && r <= '\u017f'
}

// uses types a command and sends it with the keyboard, as one does on Discord.
// suggestion, where it is not empty, is typed for its option and taken.
func (b *tab) uses(command, suggestion string) {
	b.t.Helper()
	b.clicks("#command")
	b.picks(command)
	if suggestion != "" {
		b.types(suggestion)
		b.sees("#picker [aria-selected=true]", suggestion)
		b.types(kb.Enter)
	}
	b.types(kb.Enter)
	b.until("the command is sent", `document.querySelector("#chosen").hidden`)
}

// reads uses a command, and waits for a text in the answer.
func (b *tab) reads(command, suggestion, text string) {
	b.t.Helper()
	b.uses(command, suggestion)
	b.sees(last, text)
}

// picks types a command into the box, which has the focus, and takes it.
func (b *tab) picks(command string) {
	b.t.Helper()
	b.types(command)
	b.sees("#picker [aria-selected=true]", command)
	b.types(kb.Enter)
	b.sees("#chosen", command)
}

// tries does something again and again, as a person would, until a text is in
// the latest message.
func (b *tab) tries(text string, again func()) {
	b.t.Helper()
	settled := fmt.Sprintf(`(document.querySelector(%q)?.querySelector(".thinking, .pressed") ?? null) === null`, last)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		again()
		b.until("there is an answer", settled)
		if asks[bool](b, fmt.Sprintf(`document.querySelector(%q)?.innerText.includes(%q) ?? false`, last, text)) {
			return
		}
	}
	b.t.Fatalf("however often it was tried, the latest message does not show %q", text)
}

// chooses takes an option of the latest message's select menu.
func (b *tab) chooses(option string) {
	b.t.Helper()
	b.clicks("#messages > li:last-child .select")
	b.takes(option)
}

// opens opens a select menu of the latest message.
func (b *tab) opens(placeholder string) {
	b.t.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll("#messages > li:last-child .select")].find((e) => e.ariaLabel.startsWith(%q))`, placeholder)
	b.until("there is a menu "+placeholder, "Boolean("+find+")")
	b.evaluate("open "+placeholder, find+".click()")
}

// takes takes an option of the menu that is open.
func (b *tab) takes(option string) {
	b.t.Helper()
	b.sees(".choices:popover-open", option)
	b.evaluate("choose "+option, fmt.Sprintf(`[...document.querySelectorAll(".choices:popover-open li")].find((o) => o.textContent.includes(%q)).click()`, option))
}

// sees waits until text is in what a selector finds. A no-break space reads as a space.
func (b *tab) sees(selector, text string) {
	b.t.Helper()
	b.until(fmt.Sprintf("%s shows %q", selector, text), fmt.Sprintf(
		`[...document.querySelectorAll(%q)].some((e) => e.checkVisibility() && e.innerText.replaceAll("\u00a0", " ").includes(%q))`, selector, text))
}

// until waits until an expression of JavaScript is true.
func (b *tab) until(what, expression string) {
	b.t.Helper()
	awaits[bool](b, what, expression)
}

// awaits waits until an expression of JavaScript is something, and returns it.
func awaits[T any](b *tab, what, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	answer, err := chromedp.Run(ctx, chromedp.Poll[T](expression, chromedp.WithPollingTimeout(0)))
	if errors.Is(err, context.DeadlineExceeded) {
		text, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.body.innerText`))
		b.t.Fatalf("it did not come about that %s; the page shows:\n%s", what, text)
	}
	if err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
	return answer
}

func (b *tab) evaluate(what, expression string) {
	b.t.Helper()
	b.do(what, chromedp.Evaluate[chromedp.Void](expression))
}

// asks returns what an expression of JavaScript is, or what its promise comes to.
func asks[T any](b *tab, expression string) T {
	b.t.Helper()
	answer, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return answer
}
