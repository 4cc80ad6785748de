package discordtest

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of messages, in characters where they are of text
// (docs:resources/message#create-message and #embed-object-embed-limits); maxURL
// is that of Discord's OpenAPI description (RichEmbed).
const (
	maxContent     = 2000
	maxEmbeds      = 10
	maxEmbedText   = 6000 // over all embeds of a message
	maxFields      = 25
	maxTitle       = 256
	maxDescription = 4096
	maxFieldName   = 256
	maxFieldValue  = 1024
	maxFooter      = 2048
	maxAuthor      = 256
	maxURL         = 2048
)

// maxWeight is how heavy the embeds and components of a message may be together. Discord documents no
// such limit. Text components pass as long as their texts in UTF-8 and 12 bytes for each of them have
// no more than 10,170 bytes (#8554, to the byte); embeds fail between 9,960 and 9,964 bytes of text
// (go-gitea/gitea#34084); embeds, components and options count together (#7448, alike #6965, #7310).
const (
	maxWeight  = 10_000
	partWeight = 12
)

// weight is what counts towards maxWeight: each text, and something for each part that has some.
func (b *messageBody) weight() (n int) {
	add := func(texts ...string) {
		n += partWeight
		for _, text := range texts {
			n += len(text)
		}
	}
	for _, e := range b.Embeds.value {
		add(e.Title, e.Description, e.URL)
		if e.Footer != nil {
			add(e.Footer.Text, e.Footer.IconURL)
		}
		if e.Author != nil {
			add(e.Author.Name, e.Author.URL, e.Author.IconURL)
		}
		for _, media := range []*EmbedMedia{e.Image, e.Thumbnail} {
			if media != nil {
				add(media.URL, media.Description)
			}
		}
		for _, f := range e.Fields {
			add(f.Name, f.Value)
		}
	}
	emoji := func(e *Emoji) {
		if e != nil {
			add(e.ID, e.Name)
		}
	}
	for _, c := range flatten(b.Components.value) {
		add(c.CustomID, c.Label, c.Description, c.URL, c.Placeholder, c.Value, c.Content)
		emoji(c.Emoji)
		for _, o := range c.Options {
			add(o.Label, o.Value, o.Description)
			emoji(o.Emoji)
		}
	}
	return n
}

// tooHeavy refuses a message that is heavier than may be, as Discord does: without a word of why.
func (b *messageBody) tooHeavy() *refusal {
	if b.weight() <= maxWeight {
		return nil
	}
	return refuse(http.StatusInternalServerError, 0, "500: Internal Server Error") // #2335, #8554
}

// messageBody is a message as the bot sends it.
type messageBody struct {
	Content         optional[string]           `json:"content"`
	Embeds          optional[[]Embed]          `json:"embeds"`
	Components      optional[[]Component]      `json:"components"`
	Flags           optional[int]              `json:"flags"`
	AllowedMentions optional[allowedMentions]  `json:"allowed_mentions"`
	Attachments     optional[[]sentAttachment] `json:"attachments"`
	TTS             bool                       `json:"tts"`

	files map[int]*file // that come with it
}

// readMessage reads a message, which may have these flags, and checks it by the
// rules and against a component of Discord's description.
func (s *Server) readMessage(c *call, flags int, schema string) (*messageBody, *refusal) {
	body := &messageBody{}
	if refused := c.decode(body); refused != nil {
		return nil, refused
	}
	body.files = c.files
	p := &problems{}
	body.validate(p, "", flags)
	return body, cmp.Or(s.check(c, p, schema), body.tooHeavy())
}

type allowedMentions struct {
	Parse       []string `json:"parse"`
	Users       []sentID `json:"users"`
	Roles       []sentID `json:"roles"`
	RepliedUser bool     `json:"replied_user"`
}

// anyFlags are the flags of an edit: those that cannot be changed are ignored
// (docs:resources/message#edit-message).
const anyFlags = -1

// validate checks all that is present. flags are those that may be set here.
func (b *messageBody) validate(p *problems, path string, flags int) {
	longest(p, at(path, "content"), b.Content.value, maxContent)
	if len(b.Embeds.value) > maxEmbeds {
		p.add(at(path, "embeds"), "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxEmbeds)
	}
	total := 0
	for i := range b.Embeds.value {
		b.Embeds.value[i] = b.Embeds.value[i].trimmed()
		total += validateEmbed(p, at(path, "embeds", i), &b.Embeds.value[i])
	}
	if total > maxEmbedText {
		p.add(at(path, "embeds"), "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of %d", maxEmbedText)
	}
	if b.Flags.value&^flags != 0 {
		p.add(at(path, "flags"), "BASE_TYPE_CHOICES", "Flags %d cannot be set here.", b.Flags.value&^flags)
	}
	b.AllowedMentions.value.validate(p, at(path, "allowed_mentions"))
	validateRows(p, at(path, "components"), b.Components.value)
	b.validateFiles(p, path)
}

// validate checks that no kind of mention is both listed and parsed
// (docs:resources/message#allowed-mentions-object).
func (m *allowedMentions) validate(p *problems, path string) {
	for i, kind := range m.Parse {
		oneOf(p, at(path, "parse", i), kind, "everyone", "roles", "users")
	}
	for name, ids := range map[string][]sentID{"users": m.Users, "roles": m.Roles} {
		if len(ids) > 100 {
			p.add(at(path, name), "BASE_TYPE_MAX_LENGTH", "Must be 100 or fewer in length.")
		}
		if len(ids) > 0 && slices.Contains(m.Parse, name) {
			p.add(at(path, "parse"), "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", "parse:[%q] and %s: [ids...] are mutually exclusive.", name, name)
		}
	}
}

// trimmed is the embed without white space around its texts, which Discord takes
// away before it counts (docs:resources/message#embed-object-embed-limits).
func (e Embed) trimmed() Embed {
	e.Title, e.Description = strings.TrimSpace(e.Title), strings.TrimSpace(e.Description)
	if e.Footer != nil {
		e.Footer = &EmbedFooter{strings.TrimSpace(e.Footer.Text), e.Footer.IconURL}
	}
	if e.Author != nil {
		e.Author = &EmbedAuthor{strings.TrimSpace(e.Author.Name), e.Author.URL, e.Author.IconURL}
	}
	e.Fields = slices.Clone(e.Fields)
	for i, f := range e.Fields {
		e.Fields[i] = EmbedField{strings.TrimSpace(f.Name), strings.TrimSpace(f.Value), f.Inline}
	}
	return e
}

// validateEmbed returns how many characters count towards the message's limit.
func validateEmbed(p *problems, path string, e *Embed) int {
	longest(p, at(path, "title"), e.Title, maxTitle)
	longest(p, at(path, "description"), e.Description, maxDescription)
	validURL(p, at(path, "url"), e.URL, "http", "https")
	total := length(e.Title) + length(e.Description)
	if e.Timestamp != "" {
		if _, err := time.Parse(time.RFC3339, e.Timestamp); err != nil {
			p.add(at(path, "timestamp"), "DATE_TIME_TYPE_PARSE", "Could not parse %s. Should be ISO8601.", e.Timestamp)
		}
	}
	if e.Color != nil && (*e.Color < 0 || *e.Color > 0xFFFFFF) {
		p.add(at(path, "color"), "NUMBER_TYPE_MAX", "int value should be between 0 and 16777215.")
	}
	if e.Footer != nil {
		filled(p, at(path, "footer", "text"), e.Footer.Text, maxFooter)
		validURL(p, at(path, "footer", "icon_url"), e.Footer.IconURL, "http", "https", "attachment")
		total += length(e.Footer.Text)
	}
	if e.Author != nil {
		filled(p, at(path, "author", "name"), e.Author.Name, maxAuthor)
		validURL(p, at(path, "author", "url"), e.Author.URL, "http", "https")
		validURL(p, at(path, "author", "icon_url"), e.Author.IconURL, "http", "https", "attachment")
		total += length(e.Author.Name)
	}
	for name, media := range map[string]*EmbedMedia{"image": e.Image, "thumbnail": e.Thumbnail} {
		if media != nil {
			validURL(p, at(path, name, "url"), media.URL, "http", "https", "attachment")
		}
	}
	if len(e.Fields) > maxFields {
		p.add(at(path, "fields"), "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxFields)
	}
	for i, f := range e.Fields {
		filled(p, at(path, "fields", i, "name"), f.Name, maxFieldName)
		filled(p, at(path, "fields", i, "value"), f.Value, maxFieldValue)
		total += length(f.Name) + length(f.Value)
	}
	// No source says what an embed must hold. Of a message, at least one part is
	// required (docs:resources/message#create-message).
	if e.Title+e.Description == "" && e.Image == nil && e.Thumbnail == nil && e.Footer == nil && e.Author == nil && len(e.Fields) == 0 {
		p.required(at(path, "description"))
	}
	return total
}

// apply puts what is present into a message and refuses to leave it empty
// (code 50006). No source says whether Discord trims the content; it is trimmed
// here once it was counted.
func (s *Server) apply(b *messageBody, m *message) *refusal {
	applied := *m
	if refused := s.attach(&applied, b); refused != nil {
		return refused
	}
	changed := &applied.wire
	if b.Content.set {
		changed.Content = strings.TrimSpace(b.Content.value)
	}
	if b.Embeds.set {
		changed.Embeds = make([]Embed, len(b.Embeds.value))
		for i, e := range b.Embeds.value {
			e.Type = "rich" // docs:resources/message#create-message-limitations
			e.Timestamp = s.embedTime(e.Timestamp)
			changed.Embeds[i] = e
		}
	}
	if b.Components.set {
		changed.Components = numbered(b.Components.value)
		s.offerRoles(changed.Components)
	}
	if changed.Content == "" && len(changed.Embeds) == 0 && len(changed.Components) == 0 && len(applied.files) == 0 {
		return refuse(http.StatusBadRequest, CodeEmptyMessage, "Cannot send an empty message")
	}
	if refused := applied.show(); refused != nil {
		return refused
	}
	*m = applied
	return nil
}

// numbered returns components with the ids that Discord gives them, in order
// (docs:components/reference#anatomy-of-a-component).
func numbered(components []Component) []Component {
	next := 0
	var number func([]Component) []Component
	number = func(list []Component) []Component {
		out := make([]Component, len(list))
		for i, c := range list {
			if next++; c.ID == 0 {
				c.ID = next
			}
			if c.Components != nil {
				c.Components = number(c.Components)
			}
			if c.Component != nil {
				c.Component = &number([]Component{*c.Component})[0]
			}
			out[i] = c
		}
		return out
	}
	return number(components)
}

// length counts characters, which are code points (#1315, staff).
func length(text string) int { return utf8.RuneCountInString(text) }

func longest(p *problems, path, text string, most int) {
	if length(text) > most {
		p.add(path, "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", most)
	}
}

// filled checks that there is text, of most characters. White space alone is
// no text.
func filled(p *problems, path, text string, most int) {
	switch {
	case text == "":
		p.required(path)
	case length(text) > most || strings.TrimSpace(text) == "":
		p.add(path, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", most)
	}
}

func oneOf(p *problems, path, text string, allowed ...string) {
	if !slices.Contains(allowed, text) {
		p.add(path, "BASE_TYPE_CHOICES", "Value must be one of {%s}.", strings.Join(allowed, ", "))
	}
}

func inRange(p *problems, path string, n *int, least, most int) {
	if n != nil && (*n < least || *n > most) {
		p.add(path, "NUMBER_TYPE_MAX", "int value should be between %d and %d.", least, most)
	}
}

// validURL checks an address. An attachment is named by one as well
// (docs:reference#uploading-files).
func validURL(p *problems, path, text string, schemes ...string) {
	if text == "" {
		return
	}
	longest(p, path, text, maxURL)
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" || !slices.Contains(schemes, parsed.Scheme) {
		p.add(path, "URL_TYPE_INVALID_URL", "Not a well formed URL: scheme must be one of (%s).", quoted(schemes))
	}
}

func quoted(list []string) string {
	out := make([]string, len(list))
	for i, text := range list {
		out[i] = fmt.Sprintf("'%s'", text)
	}
	return strings.Join(out, ", ")
}
