package configs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"go.yaml.in/yaml/v4"

	"hostbot/configs"
)

// Secrets that can be recognised wherever they turn up.
const (
	tokenMark  = "TOKENmark"
	sharedMark = "SHAREDmark"
	redisMark  = "REDISmark"
)

// leaks fails where text holds a secret, plainly or in hexadecimal.
func leaks(t *testing.T, text string) {
	t.Helper()
	for _, mark := range []string{tokenMark, sharedMark, redisMark} {
		for _, form := range []string{mark, fmt.Sprintf("%x", mark), fmt.Sprintf("%X", mark)} {
			if strings.Contains(text, form) {
				t.Errorf("%s shows in %s", mark, text)
			}
		}
	}
}

func TestSettingsHideSecrets(t *testing.T) {
	settings, err := configs.Load("", []string{
		"DISCORD_TOKEN=" + tokenMark, "HOSTAPI_SECRET=" + sharedMark, "REDIS_URL=redis://:" + redisMark + "@localhost",
		"HOSTAPI_URL=https://panel.example.com",
	})
	if err != nil {
		t.Fatal(err)
	}
	if settings.Discord.Token.Reveal() != tokenMark || settings.HostAPI.Secret.Reveal() != sharedMark {
		t.Fatal("the secrets were not read")
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		leaks(t, fmt.Sprintf(verb, *settings))
	}
	for name, marshal := range map[string]func(any) ([]byte, error){"JSON": json.Marshal, "YAML": yaml.Marshal} {
		out, err := marshal(settings)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		leaks(t, string(out))
	}
	var out bytes.Buffer
	log := zerolog.New(&out)
	log.Info().Any("settings", settings).Msgf("%v", settings)
	slog.New(slog.NewTextHandler(&out, nil)).Info("settings", "settings", settings)
	leaks(t, out.String())
}

// A secret in the place of any other setting is not repeated either.
func TestMistakesHideSecrets(t *testing.T) {
	const value = tokenMark + " ," // a mistake everywhere
	for variable := range variables("", reflect.TypeFor[configs.Settings]()) {
		if variable == "BRAND" { // which customers read, and which may be any text
			continue
		}
		_, err := configs.Load("", append(required(), variable+"="+value))
		if err == nil {
			t.Errorf("%s: the value is taken", variable)
			continue
		}
		leaks(t, err.Error())
	}
}

// misplaced are files with a secret where it does not belong.
func misplaced() []string {
	return []string{
		"%s", "- %s", "%s: x", "discord: %s", "discord: {%s: x}", "discord: {token: [%s]}", "discord: {token: {%s: x}}",
		"discord: {x: &%s x}", "discord: {token: *%s}", "discord: {token: x, token: %s}",
		"discord:\n  token: \"%s\n", "discord:\n\ttoken: %s\n", "discord: {token: '%s}", "discord: {token: %s: x}",
		"discord: {token: Bot %s}", "discord: {token: '%s x'}", "discord: {guild_id: %s}", "discord: {token_file: %s}",
		"hostapi: {timeout: %s}", "hostapi: {allow_http: %s}", "hostapi: {url: 'https://%s@host'}", "hostapi: {url: 'https://h/%%zz%s'}",
		"hostapi: {operations: {%s: {enabled: false}}}", "hostapi: {operations: {%s: {enabled: x}}}", "hostapi: {operations: %s}",
		"%[1]s: x\n%[1]s: y", "hostapi: {operations: {list: {%[1]s: x, %[1]s: y}}}", "%[1]s: &a {x: *a}", "log: &%[1]s {level: *%[1]s}", "admin: {user_ids: [[%s]]}",
		"hostapi: {operations: {list: {path: %s}}}",
		"hostapi: {operations: {list: {method: %s}}}", "hostapi: {operations: {list: {enabled: %s}}}",
		"hostapi: {operations: {list: {chat_user_id: %s}}}", "redis: {url: 'redis://:%s%%zz@h'}", "redis: {url: 'http://%s'}",
		"redis: {url: 'redis://h?%s=1'}", "admin: {user_ids: [%s]}", "log: {level: %s}", "log: {locale: |\n %s", "? %s", "? [%s]\n: x",
		"%%%s\n---\n", "<<: *%s", "log: {format: @%s}", "log:\n  level: info\n %s: x", "{%s", "[%s", "\"%s", "%s\n---\n%[1]s",
	}
}

func TestFileMistakesHideSecrets(t *testing.T) {
	for _, content := range misplaced() {
		content = fmt.Sprintf(content, tokenMark)
		_, err := load(t, content, required()[1:]...)
		if err == nil {
			t.Errorf("%q is taken", content)
			continue
		}
		lines(t, err)
		leaks(t, err.Error())
	}
}
