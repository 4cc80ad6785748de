//go:build integration

package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

// testDrawing has one page draw what it may be given.
func testDrawing(t *testing.T, chrome browser) {
	b := chrome.visit(t, desktop())
	for name, test := range map[string]func(*testing.T, *tab){
		"markdown": testMarkdown, "timestamps": testTimestamps, "fields of embeds": testEmbedFields, "forms": testForms,
	} {
		t.Run(name, func(t *testing.T) {
			here := *b
			here.t = t // what fails is this test, and not the one around it
			test(t, &here)
		})
	}
}

// testMarkdown draws markdown as Discord does, and never as HTML.
func testMarkdown(t *testing.T, b *tab) {
	for text, want := range map[string]string{
		"plain":                            "plain",
		"**bold** and *slanted* _too_":     "<strong>bold</strong> and <em>slanted</em> <em>too</em>",
		"my_prod_bot, _my_ bot, _a_b":      "my_prod_bot, <em>my</em> bot, _a_b",
		"**bold *and slanted***":           "<strong>bold <em>and slanted</em></strong>",
		"__under__ ~~struck~~":             "<u>under</u> <s>struck</s>",
		"*slanted **and bold** text*":      "<em>slanted <strong>and bold</strong> text</em>",
		"`code **as it is**`":              "<code>code **as it is**</code>",
		`\*not slanted\* \<@1>`:            "*not slanted* &lt;@1&gt;",
		`*a \* in it*`:                     "<em>a * in it</em>",
		"not *closed":                      "not *closed",
		"a\nb":                             "a<br>b",
		"# Title\ntext":                    `<p class="heading-1">Title</p>text`,
		"-# small":                         `<p class="subtext">small</p>`,
		"> quoted":                         "<blockquote>quoted</blockquote>",
		"- one\n- *two*":                   `<p class="item">one</p><p class="item"><em>two</em></p>`,
		"```js\nlet **a**;\n```":           "<pre>let **a**;</pre>",
		"<@1> in <#2>":                     `<span class="mention">@Anna</span> in <span class="mention">#2</span>`,
		"</bot list:3>":                    `<button class="mention" type="button" data-command="bot list">/bot list</button>`,
		"[here](https://example.com/a_b_)": `<a href="https://example.com/a_b_" target="_blank" rel="noreferrer">here</a>`,
		"[no](javascript:alert(1))":        "[no](javascript:alert(1))",
		"see https://example.com/x.":       `see <a href="https://example.com/x" target="_blank" rel="noreferrer">https://example.com/x</a>.`,
		"<img src=x onerror=alert(1)>":     "&lt;img src=x onerror=alert(1)&gt;",
		"<t:99999999999999999:R>":          "&lt;t:99999999999999999:R&gt;",
	} {
		given, _ := json.Marshal(text)
		got := asks[string](b, `import("/markdown.js").then(({ markdown }) => {
			const box = document.createElement("div");
			box.append(markdown(`+string(given)+`, { 1: "Anna" }));
			return box.innerHTML;
		})`)
		if got != want {
			t.Errorf("%q is drawn as\n%s, want\n%s", text, got, want)
		}
	}
}

// testTimestamps writes times in the language of the reader, and lets
// relative ones go on.
func testTimestamps(t *testing.T, b *tab) {
	b.evaluate("have an hour ago written", `import("/markdown.js").then(({ markdown }) => {
		document.querySelector("#messages").lang = "de";
		const now = Math.floor(Date.now() / 1000);
		document.querySelector("#beginning").append(markdown("<t:" + (now - 3600) + ":R>, <t:" + (now - 10) + ":R>, <t:0:d>"));
	})`)
	b.sees("#beginning", "vor 1 Stunde")
	b.sees("#beginning", "01.01.70")
	// Which seconds are shown is for the machine's speed to say; that they go on, is not.
	const seconds = `(document.querySelector("#beginning").innerText.match(/vor (\d+) (?:Sekunden|Minuten?)/g) || []).join()`
	first := asks[string](b, seconds)
	b.until("the seconds go on from "+first, fmt.Sprintf(`%s && %s !== %q`, seconds, seconds, first))
}

// testEmbedFields lays inline fields out as Discord does: in rows of up to
// three, which share twelve columns.
func testEmbedFields(t *testing.T, b *tab) {
	for fields, want := range map[string][]int{
		"[1,1,1,1,1]":   {4, 4, 4, 6, 6},
		"[0,1,0]":       {12, 12, 12},
		"[1,1,0,1,1,1]": {6, 6, 12, 4, 4, 4},
		"[]":            {},
	} {
		got := asks[[]int](b, `import("/embed.js").then(({ widths }) => widths(`+fields+`.map((inline) => ({ inline }))))`)
		if !slices.Equal(got, want) {
			t.Errorf("%s have the widths %v, want %v", fields, got, want)
		}
	}
}

// testForms draws what a form may consist of, and reads what was entered.
func testForms(t *testing.T, b *tab) {
	got := asks[string](b, `import("/fields.js").then(({ drawField }) => {
		const options = [{ label: "Node", value: "n" }, { label: "Python", value: "p", default: true, description: "3.13" }];
		const fields = [
			{ type: 10, content: "**Read**" },
			{ type: 1, components: [{ type: 4, custom_id: "row", label: "Name", style: 1, value: "a" }] },
			{ type: 18, label: "Entry", component: { type: 4, custom_id: "text", style: 2 } },
			{ type: 18, label: "Language", component: { type: 3, custom_id: "menu", options } },
			{ type: 18, label: "Language", component: { type: 21, custom_id: "radios", options } },
			{ type: 18, label: "Languages", component: { type: 22, custom_id: "ticks", options, required: false } },
			{ type: 18, label: "Start it", component: { type: 23, custom_id: "tick", default: true } },
		].map(drawField);
		document.querySelector("#beginning").append(...fields.map((field) => field.element));
		document.querySelector("input[name=ticks]").click();
		document.querySelector("input[name=tick]").click();
		return JSON.stringify(Object.fromEntries(fields.filter((field) => field.name).map((field) => [field.name, field.value()])));
	})`)
	const want = `{"row":"a","text":"","menu":["p"],"radios":"p","ticks":["n","p"],"tick":false}`
	if got != want {
		t.Errorf("entered was %s, want %s", got, want)
	}
	called := asks[string](b, `[...document.querySelectorAll("#beginning input, #beginning textarea, #beginning select")]
		.map((e) => e.labels[0].querySelector("span").innerText.replace(/\s+/g, " ")).join(", ")`)
	if called != "Name *, Entry *, Language *, Node, Python 3.13, Node, Python 3.13, Start it" {
		t.Errorf("they are called %q", called)
	}
}
