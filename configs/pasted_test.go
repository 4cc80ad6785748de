package configs_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hostbot/configs"
)

// spoilt are forms of a value that somebody copied with something that does not belong to it, each with what is said of it.
func spoilt() map[string]string {
	const quotes = "stands in quotes; write it without"
	return map[string]string{
		`"%s"`: quotes, `'%s'`: quotes, "`%s`": quotes, "“%s”": quotes, "„%s“": quotes, "‘%s’": quotes, "«%s»": quotes, "“%s\"": quotes, "＂%s＂": quotes,
		"%s\r":           "ends with a carriage return: its file has Windows line endings",
		"%s\r\n":         "ends with a carriage return: its file has Windows line endings",
		"%s\n":           "ends with a line break",
		"\uFEFF%s":       "begins with a byte order mark: save its file as UTF-8 without one",
		"\uFEFF\"%s\"":   "begins with a byte order mark: save its file as UTF-8 without one",
		"\u00A0%s":       "begins with a no-break space",
		"%s\u202F":       "ends with a no-break space",
		" %s":            "begins with a space",
		"%s ":            "ends with a space",
		"\t%s":           "begins with a tab",
		"%s\u200B":       "ends with an invisible character (U+200B)",
		"%s\u200Dx":      "holds an invisible character (U+200D)",
		"x\u00A0%s":      "holds a no-break space",
		"x\r%s":          "holds a carriage return: its file has Windows line endings",
		"x\u3000%s":      "holds a space that is not the usual one (U+3000)",
		"\x1b[200~%s":    "begins with a control character",
		"\xff\xfe%s\x00": "is not UTF-8: save its file as UTF-8 without a byte order mark",
	}
}

// TestPastedValues: whatever the setting, a value that is not what somebody meant is named as that, and not repeated.
func TestPastedValues(t *testing.T) {
	for variable := range variables("", reflect.TypeFor[configs.Settings]()) {
		for form, want := range spoilt() {
			value := fmt.Sprintf(form, tokenMark)
			environ := slices.DeleteFunc(required(), func(pair string) bool { return strings.HasPrefix(pair, strings.TrimSuffix(variable, "_FILE")+"=") })
			_, err := configs.Load("", append(environ, variable+"="+value))
			own := slices.DeleteFunc(lines(t, err), func(line string) bool { return !strings.HasPrefix(line, variable+" ") })
			if !slices.Equal(own, []string{variable + " " + want}) {
				t.Errorf("%s=%q: %q, want %q", variable, value, own, want)
			}
			leaks(t, err.Error())
		}
	}
}

// TestPastedInTheFile has such values in the file, in which YAML has no need of their quotes.
func TestPastedInTheFile(t *testing.T) {
	for content, want := range map[string]string{
		"discord: {token: '\"a.b.c\"'}":                                        "discord.token in F, line 1 stands in quotes; write it without",
		"hostapi: {secret: \"'x'\"}":                                           "hostapi.secret in F, line 1 stands in quotes; write it without",
		"hostapi: {url: “https://panel.example.com”}":                          "hostapi.url in F, line 1 stands in quotes; write it without",
		"hostapi: {timeout: \"'20s'\"}":                                        "hostapi.timeout in F, line 1 stands in quotes; write it without",
		"hostapi:\n  allow_http: \"'true'\"":                                   "hostapi.allow_http in F, line 2 stands in quotes; write it without",
		"hostapi: {operations: {restart: {path: '\"/a/:id\"'}}}":               "hostapi.operations.restart.path in F, line 1 stands in quotes; write it without",
		"redis: {url: \"redis://h\\r\"}":                                       "redis.url in F, line 1 ends with a carriage return: its file has Windows line endings",
		"redis: {url: \"\\uFEFFredis://h\"}":                                   "redis.url in F, line 1 begins with a byte order mark: save its file as UTF-8 without one",
		"log: {level: \u00A0info}":                                             "log.level in F, line 1 begins with a no-break space",
		"log:\n  \u00A0level: info":                                            "F, line 2: a key begins with a no-break space",
		"admin: {user_ids: [1, '\"2\"']}":                                      "admin.user_ids in F, line 1 is a list, of which an element stands in quotes; write it without",
		"admin: {role_ids: '1, \"2\"'}":                                        "admin.role_ids in F, line 1 is a list, of which an element stands in quotes; write it without",
		"languages: ['“NODE”']":                                                "languages in F, line 1 is a list, of which an element stands in quotes; write it without",
		"discord: {token_file: '\"/run/secrets/t\"'}":                          "discord.token_file in F, line 1 stands in quotes; write it without",
		"links: {support_url: 'https://example.com/a\u200B'}":                  "links.support_url in F, line 1 ends with an invisible character (U+200B)",
		"hostapi: {operations: {list: {chat_user_id: \"'query'\"}}}\nlog:\r\n": "hostapi.operations.list.chat_user_id in F, line 1 stands in quotes; write it without",
	} {
		file := write(t, content)
		environ := required()
		for _, variable := range []string{"DISCORD_TOKEN", "HOSTAPI_SECRET", "HOSTAPI_URL"} {
			section, key, _ := strings.Cut(strings.ToLower(variable), "_")
			if strings.HasPrefix(content, section+": {"+key) {
				environ = slices.DeleteFunc(environ, func(pair string) bool { return strings.HasPrefix(pair, variable+"=") })
			}
		}
		_, err := configs.Load(file, environ)
		if got := lines(t, err); !slices.Equal(got, []string{strings.Replace(want, "F,", file+",", 1)}) {
			t.Errorf("%q: %q, want %q", content, got, want)
		}
	}
}

// TestNothingWasPasted: YAML's own quotes, the line endings and the byte order mark of a file from Windows, the line break at a secret
// file's end, and what a text holds that is not about the whole of it.
func TestNothingWasPasted(t *testing.T) {
	for name, test := range map[string]struct{ file, variable string }{
		"a file of Windows":      {"\uFEFFlog:\r\n  level: \"info\"\r\n", ""},
		"lines in a list":        {"languages: |\n  NODE,\n  PYTHON\n", ""},
		"a secret's line break":  {"", "REDIS_URL_FILE=" + write(t, "redis://h\r\n")},
		"quotes in a command":    {"", `LANGUAGES=NODE=The "Node"|node "a b.js"|"a b.js"`},
		"joiners in a label":     {"", "LANGUAGES=NODE=👩\u200D💻 می\u200Cخواهم"},
		"an apostrophe":          {"", "LANGUAGES=NODE=Bob's Node"},
		"a secret with a quote":  {"", `HOSTAPI_SECRET="half`},
		"other programs' values": {"", `SHELL="x"`},
	} {
		if _, err := load(t, test.file, required(test.variable)...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPastedSecretFiles: a file is named by its variable. Nothing of it is told, whether it is read at the start or later.
func TestPastedSecretFiles(t *testing.T) {
	for form, want := range spoilt() {
		if strings.HasSuffix(form, "\n") || strings.HasSuffix(form, "\r") {
			continue // which is the file's end
		}
		path := write(t, fmt.Sprintf(form, sharedMark)+"\n")
		_, err := configs.Load("", append(required()[2:], "DISCORD_TOKEN=token", "HOSTAPI_SECRET_FILE="+path))
		if got := lines(t, err); !slices.Equal(got, []string{"HOSTAPI_SECRET_FILE names a file whose content " + want}) {
			t.Errorf("%q: %q, want %q", form, got, want)
		}
		settings := defaults()
		settings.HostAPI.SecretFile = path
		for _, f := range settings.SecretFiles() {
			if f.Err == nil || !strings.HasSuffix(f.Err.Error(), want) || f.Changed {
				t.Errorf("%q, read again: %v", form, f.Err)
			}
			leaks(t, fmt.Sprint(f))
		}
		leaks(t, err.Error())
	}
}

// TestPastedNames: the name of a file's first variable may begin with its byte order mark.
func TestPastedNames(t *testing.T) {
	for _, name := range []string{"\uFEFFDISCORD_TOKEN", `"DISCORD_TOKEN`, "DISCORD_TOKEN ", "\u00A0DISCORD_TOKEN"} {
		_, err := configs.Load("", append(required()[1:], name+"="+tokenMark))
		if got := lines(t, err); !slices.Equal(got, []string{"DISCORD_TOKEN has a quote, a space or a byte order mark before or after its name"}) {
			t.Errorf("%q: %q", name, got)
		}
	}
}

// TestPastedProxies: Go reads these. It takes quotes for a part of the host's name, and goes without a proxy past an address that
// it cannot read, as one with a carriage return.
func TestPastedProxies(t *testing.T) {
	for _, variable := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"} {
		for form, want := range spoilt() {
			_, err := configs.Load("", required(variable+"="+fmt.Sprintf(form, "http://user:"+sharedMark+"@proxy:3128")))
			if got := lines(t, err); !slices.Equal(got, []string{variable + " " + want}) {
				t.Errorf("%s as %q: %q, want %q", variable, form, got, want)
			}
			leaks(t, err.Error())
		}
	}
	if _, err := configs.Load("", required("HTTPS_PROXY=http://user:p%22w@proxy:3128", "NO_PROXY=localhost, 10.0.0.0/8,.svc")); err != nil {
		t.Error(err)
	}
}
