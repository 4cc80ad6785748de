package discordtest

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxFiles is how many files a message may have (docs:reference#uploading-files).
const maxFiles = 10

// maxAltText is how many characters a file's description may have (openapi.json,
// MessageAttachmentRequest).
const maxAltText = 1024

// RouteAttachment is where files are read. Discord has them at cdn.discordapp.com.
const RouteAttachment = "/attachments/{channel}/{attachment}/{name}"

// LimitUploads says whether files are limited in the guild from now on: a message that brings some is
// refused then, and one without is taken (#7796). No source says with which status; it is 403 here.
func (s *Server) LimitUploads(on bool) { s.uploadsLimited.Store(on) }

// Attachment is a file of a message, also one that an embed shows.
type Attachment struct {
	ID   string
	Name string
	URL  string
	Type string // its content type
	Data []byte
	// Description is its alternative text.
	Description string
}

// file is a file of a message.
type file struct {
	Attachment
	embedded bool // an embed shows it: it is not among the message's attachments (#1340)
}

// wire is the file as Discord shows it
// (docs:resources/message#attachment-object).
func (f *file) wire() map[string]any {
	shown := map[string]any{
		"id": f.ID, "filename": f.Name, "size": len(f.Data), "url": f.URL, "proxy_url": f.URL, "content_type": f.Type,
	}
	if f.Description != "" {
		shown["description"] = f.Description
	}
	return shown
}

// sentAttachment is what the bot says of a file: one that comes with the message, by
// its number, or one that the message has already, by its id
// (docs:reference#uploading-files).
type sentAttachment struct {
	ID          sentID `json:"id"`
	Filename    string `json:"filename"`
	Description string `json:"description"`
}

// readParts reads a body of several parts: the JSON takes the body's place
// (docs:reference#uploading-files).
func (c *call) readParts(boundary string) *refusal {
	reader := multipart.NewReader(bytes.NewReader(c.body), boundary)
	payload := []byte("{}")
	c.files = make(map[int]*file)
	for {
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			c.body = payload
			return nil
		}
		if err != nil {
			return refuse(http.StatusBadRequest, 0, "400: Bad Request")
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return refuse(http.StatusBadRequest, 0, "400: Bad Request")
		}
		name := part.FormName()
		number, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, "files["), "]"))
		switch {
		case name == "payload_json":
			payload = data
		case err != nil || name != "files["+strconv.Itoa(number)+"]" || number < 0 || number >= maxFiles || part.FileName() == "":
			p := &problems{}
			p.add(name, "NOT_SIMULATED", "This server knows payload_json and files[0] to files[%d].", maxFiles-1)
			return p.refusal()
		case len(data) > attachmentLimit:
			return refuse(http.StatusRequestEntityTooLarge, CodeTooLarge, "Request entity too large") // #8572
		default:
			kind := part.Header.Get("Content-Type")
			c.files[number] = &file{Attachment: Attachment{Name: part.FileName(), Type: kind, Data: data}}
		}
	}
}

// validateFiles checks that what is said of files is said of some that are there.
func (b *messageBody) validateFiles(p *problems, above string) {
	if len(b.Attachments.value) > maxFiles {
		p.add(at(above, "attachments"), "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxFiles)
	}
	for i, a := range b.Attachments.value {
		if number, err := strconv.Atoi(string(a.ID)); err == nil && number < maxFiles && b.files[number] == nil {
			p.add(at(above, "attachments", i), "ATTACHMENT_NOT_FOUND", "Attachment data for id %d not found", number)
		}
		if utf8.RuneCountInString(a.Description) > maxAltText {
			p.add(at(above, "attachments", i, "description"), "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxAltText)
		}
	}
}

// attach gives a message its files. Those that it has and that a list of attachments
// leaves out are dropped (docs:resources/message#edit-message).
func (s *Server) attach(m *message, b *messageBody) *refusal {
	if len(b.files) > 0 && s.uploadsLimited.Load() {
		limited := refuse(http.StatusForbidden, CodeUploadsLimited, "Access to file uploads has been limited for this guild")
		limited.innocent = true
		return limited
	}
	var kept []*file
	said := make(map[int]sentAttachment)
	for _, a := range b.Attachments.value {
		number, _ := strconv.Atoi(string(a.ID))
		if i := slices.IndexFunc(m.files, func(f *file) bool { return f.ID == string(a.ID) }); i >= 0 {
			kept = append(kept, m.files[i])
		} else if b.files[number] == nil {
			return unknownAttachment(string(a.ID))
		}
		said[number] = a
	}
	if !b.Attachments.set {
		kept = m.files
	}
	for number := range maxFiles {
		f := b.files[number]
		if f == nil {
			continue
		}
		if name := said[number].Filename; name != "" {
			f.Name = path.Base(name)
		}
		f.Description = said[number].Description
		f.ID = s.ids.next()
		f.URL = "http://" + s.listener.Addr().String() + "/attachments/" + m.channel.id + "/" + f.ID + "/" + url.PathEscape(f.Name)
		kept = append(kept, f)
	}
	m.files = kept
	return nil
}

func unknownAttachment(id string) *refusal {
	p := &problems{}
	p.add("attachments", "ATTACHMENT_NOT_FOUND", "Attachment %s not found", id)
	return p.refusal()
}

// show has a message's embeds show its files: the address attachment://name becomes
// the file's, and the file leaves the attachments (#1340, #5675). No source says what
// becomes of an address without a file; nobody would see a picture, so it is refused
// here. Nor whether a file's description becomes the picture's: it does not here.
func (m *message) show() *refusal {
	for i := range m.wire.Embeds {
		e := &m.wire.Embeds[i]
		for _, media := range []**EmbedMedia{&e.Image, &e.Thumbnail} {
			if *media == nil {
				continue
			}
			name, isFile := strings.CutPrefix((*media).URL, "attachment://")
			if !isFile {
				continue
			}
			k := slices.IndexFunc(m.files, func(f *file) bool { return f.Name == name })
			if k < 0 {
				return unknownAttachment(name)
			}
			m.files[k].embedded = true
			(*media).URL = m.files[k].URL
		}
	}
	m.wire.Attachments = []any{}
	for _, f := range m.files {
		if !f.embedded {
			m.wire.Attachments = append(m.wire.Attachments, f.wire())
		}
	}
	return nil
}

// getAttachment serves a file of a message that is still there.
func (s *Server) getAttachment(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	var found *file
	for _, m := range s.messages {
		for _, f := range m.files {
			if m.channel.id == r.PathValue("channel") && f.ID == r.PathValue("attachment") {
				found = f
			}
		}
	}
	s.mu.Unlock()
	if found == nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", found.Type)
	_, _ = w.Write(found.Data)
}
