package hostapi

import (
	"encoding/json"
	"html"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxDetail bounds Error.Detail, in characters, and maxWords Error.Words.
	maxDetail = 200
	maxWords  = 300
)

// printable returns text from outside in the form of Error.Detail.
func (c *Client) printable(text string) string { return c.printableWithin(text, maxDetail) }

// printableWithin returns text from outside as one line. It masks the secret before it cuts the text: otherwise it might
// leave a part of the secret.
func (c *Client) printableWithin(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || !unicode.IsPrint(r): // as control and format characters
			return -1
		default:
			return r
		}
	}, text[:min(len(text), maxReason)])
	runes := []rune(strings.Join(strings.Fields(c.secret.Load().mask(text)), " "))
	if len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return string(runes)
}

// masking returns a function that replaces a secret by mask. It finds the secret as it is, and as Go, JSON, a URL or a
// page writes it.
func masking(secret, mask string) func(text string) string {
	encoded, _ := json.Marshal(secret) // which cannot fail for a string
	var pairs []string
	for _, form := range []string{
		secret, strings.Trim(strconv.Quote(secret), `"`), strings.Trim(string(encoded), `"`),
		url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret),
	} {
		pairs = append(pairs, form, mask, strings.ReplaceAll(form, "/", `\/`), mask) // some write JSON with \/
	}
	return strings.NewReplacer(pairs...).Replace
}
