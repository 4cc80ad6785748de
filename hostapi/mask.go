package hostapi

import (
	"encoding/json"
	"html"
	"net/url"
	"strconv"
	"strings"

	"hostbot/configs/secret"
)

// masking returns a function that masks a secret wherever text holds it: as it
// is, or as JSON, an address or a page writes it.
func masking(s secret.Text) func(text string) string {
	plain := s.Reveal()
	forms := []string{plain, unquoted(strconv.Quote(plain)), url.QueryEscape(plain), url.PathEscape(plain), html.EscapeString(plain)}
	if encoded, err := json.Marshal(plain); err == nil {
		forms = append(forms, unquoted(string(encoded)))
	}
	var pairs []string
	for _, form := range forms {
		slashed := strings.ReplaceAll(form, "/", `\/`) // as some write JSON
		pairs = append(pairs, form, s.String(), slashed, s.String())
	}
	return strings.NewReplacer(pairs...).Replace
}

func unquoted(text string) string { return text[1 : len(text)-1] }
