package configs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"hostbot/hostapi/secret"
)

// secretSetting is a secret, and the path of the file that may hold it.
type secretSetting struct {
	key, fileKey string
	text         *secret.Text
	path         *string
}

func (s *Settings) secrets() []secretSetting {
	return []secretSetting{
		{"discord.token", "discord.token_file", &s.Discord.Token, &s.Discord.TokenFile},
		{"hostapi.secret", "hostapi.secret_file", &s.HostAPI.Secret, &s.HostAPI.SecretFile},
		{"redis.url", "redis.url_file", &s.Redis.URL, &s.Redis.URLFile},
	}
}

// forgetSecrets drops the file's values of the secrets that the environment sets. A
// secret and its own file are one setting, so either variable replaces both keys.
func (l *loader) forgetSecrets(variables map[string]string) {
	for _, s := range l.settings.secrets() {
		if variables[variable(s.key)] != "" || variables[variable(s.fileKey)] != "" {
			*s.text, *s.path = "", ""
		}
	}
}

// readSecretFiles reads the secrets that have a file of their own.
func (l *loader) readSecretFiles() {
	for _, s := range l.settings.secrets() {
		switch {
		case *s.path == "":
		case *s.text != "":
			l.check(s.key, fmt.Errorf("and %s are both set", l.name(s.fileKey)))
		default:
			l.names[s.key] = l.name(s.fileKey)
			var err error
			*s.text, err = readSecret(*s.path)
			l.check(s.key, err)
		}
	}
}

// SecretFile is the file of a secret as it is now.
type SecretFile struct {
	Variable string // that names it, such as HOSTAPI_SECRET_FILE
	Text     secret.Text
	Changed  bool  // since the settings were loaded
	Err      error // why it cannot be read; it tells neither the path nor what the file holds
}

// SecretFiles reads the files again that secrets were read from when the settings were loaded, and
// leaves the settings as they are.
func (s *Settings) SecretFiles() []SecretFile {
	var files []SecretFile
	for _, each := range s.secrets() {
		if *each.path == "" {
			continue
		}
		f := SecretFile{Variable: variable(each.fileKey)}
		if f.Text, f.Err = readSecret(*each.path); f.Err != nil {
			f.Err = fmt.Errorf("%s %w", f.Variable, f.Err)
		}
		f.Changed = f.Err == nil && f.Text != *each.text
		files = append(files, f)
	}
	return files
}

// readSecret returns what a file holds, without the line break that editors put at its end, be it
// that of Windows. Its errors do not repeat the path: it may be the secret, given under the wrong
// name.
func readSecret(path string) (secret.Text, error) {
	// Opening a named pipe waits until another process writes to it.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return "", errors.New("names a file that is not a regular file")
	}
	content, err := readBounded(path)
	if err != nil {
		return "", fmt.Errorf("names a file that %w", err)
	}
	text := strings.TrimRight(string(content), "\r\n")
	if text == "" {
		return "", errors.New("names a file that is empty")
	}
	if wrong := pasted(text); wrong != nil {
		return "", fmt.Errorf("names a file whose content %w", wrong)
	}
	return secret.Text(text), nil
}

// maxFile bounds what is read of a file, in bytes.
const maxFile = 64 << 10

// readBounded reads a file. Its errors do not repeat the path.
func readBounded(path string) ([]byte, error) {
	var content []byte
	f, err := os.Open(path)
	if err == nil {
		defer func() { _ = f.Close() }()
		content, err = io.ReadAll(io.LimitReader(f, maxFile+1))
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("cannot be read: %w", at.Err)
	}
	if len(content) > maxFile {
		return nil, fmt.Errorf("is larger than %d KiB", maxFile>>10)
	}
	return content, err
}
