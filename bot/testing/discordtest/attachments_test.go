package discordtest_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
)

// upload sends a body with files, given as the parts' names and what is in them.
func (c *client) upload(method, path, payload string, files ...string) answer {
	c.t.Helper()
	var body bytes.Buffer
	parts := multipart.NewWriter(&body)
	_ = parts.WriteField("payload_json", payload)
	for i := 0; i < len(files); i += 2 {
		part, err := parts.CreateFormFile(files[i], "picture.png")
		if err != nil {
			c.t.Fatal(err)
		}
		_, _ = io.WriteString(part, files[i+1])
	}
	_ = parts.Close()
	got, err := c.tryTyped(method, path, parts.FormDataContentType(), body.String())
	if err != nil {
		c.t.Fatal(err)
	}
	return got
}

const shown = `"embeds":[{"title":"Uptime","image":{"url":"attachment://uptime.png","description":"up"}}],"attachments":[{"id":0,"filename":"uptime.png","description":"up"}]`

func TestFilesOfMessages(t *testing.T) {
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	_, open := s.command()
	s.upload("POST", open.path(), `{"type":4,"data":{"flags":64,`+shown+`}}`, "files[0]", "one").want(t, 204, 0)
	seen := func() discordtest.View {
		t.Helper()
		views := s.anna.Messages()
		return views[len(views)-1]
	}
	first := seen()
	if len(first.Attachments) != 1 || string(first.Attachments[0].Data) != "one" || first.Embeds[0].Image.URL != first.Attachments[0].URL ||
		first.Embeds[0].Image.Description != "up" || first.Attachments[0].Description != "up" {
		t.Fatalf("seen: %+v", first)
	}
	response, err := s.http.Get(first.Attachments[0].URL)
	if err != nil {
		t.Fatal(err)
	}
	data, _ := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if string(data) != "one" {
		t.Errorf("at its address is %q", data)
	}

	// What an embed shows is not among the attachments. An edit that says nothing of
	// attachments keeps it, and one that lists others drops it.
	edit := open.original(s.discord)
	if got := s.do("PATCH", edit, `{"content":"kept"}`); !strings.Contains(got.text, `"attachments":[]`) || len(seen().Attachments) != 1 {
		t.Errorf("after an edit without attachments: %s", got.text)
	}
	s.upload("PATCH", edit, `{`+shown+`}`, "files[0]", "two").want(t, 200, 0)
	if now := seen(); len(now.Attachments) != 1 || string(now.Attachments[0].Data) != "two" {
		t.Errorf("after another picture: %+v", now.Attachments)
	}
	s.do("PATCH", edit, `{"content":"without","embeds":[],"attachments":[]}`).want(t, 200, 0)
	if now := seen(); len(now.Attachments) != 0 {
		t.Errorf("after none: %+v", now.Attachments)
	}
	got := s.upload("POST", s.general(), `{"attachments":[{"id":0,"filename":"log.txt"}]}`, "files[0]", "three")
	got.want(t, 200, 0)
	if !strings.Contains(got.text, `"filename":"log.txt"`) {
		t.Errorf("a file by itself: %s", got.text)
	}
}

func TestRefusedFiles(t *testing.T) {
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	s.discord.ExpectFailures()
	for name, tc := range map[string]struct {
		payload      string
		files        []string
		status, code int
	}{
		"a number without a file": {`{"content":"x","attachments":[{"id":0}]}`, nil, 400, discordtest.CodeInvalidForm},
		"an id of nothing":        {`{"content":"x","attachments":[{"id":"123456789012345678"}]}`, nil, 400, discordtest.CodeInvalidForm},
		"a picture of no file":    {`{` + strings.Replace(shown, "//uptime", "//other", 1) + `}`, []string{"files[0]", "x"}, 400, discordtest.CodeInvalidForm},
		"an escaped name":         {`{"content":"x"}`, []string{"files%5B0%5D", "x"}, 400, discordtest.CodeInvalidForm},
		"a long description":      {`{"content":"x","attachments":[{"id":0,"description":"` + x(1025) + `"}]}`, []string{"files[0]", "x"}, 400, discordtest.CodeInvalidForm},
		"too many":                {`{"content":"x"}`, []string{"files[10]", "x"}, 400, discordtest.CodeInvalidForm},
		"too large":               {`{"content":"x"}`, []string{"files[0]", x(10<<20 + 1)}, http.StatusRequestEntityTooLarge, discordtest.CodeTooLarge},
		"no JSON":                 {`{`, nil, 400, discordtest.CodeInvalidJSON},
	} {
		t.Run(name, func(t *testing.T) { s.upload("POST", s.general(), tc.payload, tc.files...).want(t, tc.status, tc.code) })
	}
	if made := s.discord.Channels()[0].Messages(); len(made) > 0 {
		t.Errorf("messages were made: %+v", made)
	}
}

// TestLimitedUploads: a message with files is refused, and its interaction can be answered without.
func TestLimitedUploads(t *testing.T) {
	s := newStage(t, discordtest.Config{NoRateLimits: true})
	s.discord.LimitUploads(true)
	_, open := s.command()
	s.upload("POST", open.path(), `{"type":4,"data":{"flags":64,`+shown+`}}`, "files[0]", "one").want(t, 403, discordtest.CodeUploadsLimited)
	s.do("POST", open.path(), `{"type":4,"data":{"flags":64,"content":"Uptime"}}`).want(t, 204, 0)
}
