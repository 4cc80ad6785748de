package bot

import (
	"github.com/rs/zerolog"

	"hostbot/bot/seldom"
	"hostbot/configs"
)

// hostAPISecretFile is the variable that names the file of the hosting service's secret.
const hostAPISecretFile = "HOSTAPI_SECRET_FILE"

// Reload reads the files of secrets again. The hosting service's secret is used from the next call on, unless
// its file cannot be used. Another secret is used from the next start on; a line is logged if it has changed.
func (b *Bot) Reload() {
	files := b.settings.SecretFiles()
	if len(files) == 0 {
		b.log.Info().Msg("no secret has a file, so none is read again")
	}
	for _, f := range files {
		switch {
		case f.Variable == hostAPISecretFile:
			if changed, ok := b.setServiceSecret(f, new(seldom.Line)); ok {
				b.log.Info().Bool("changed", changed).Msg("the hosting service's secret was read again and counts from the next call on")
			}
		case f.Err != nil:
			b.log.Warn().Err(f.Err).Msg("the file of a secret cannot be read: the next start would fail")
		case f.Changed:
			b.log.Warn().Str("variable", f.Variable).Msg("a secret has changed that counts from the next start on")
		}
	}
}

// renewServiceSecret is called when the service refuses the secret. It reads the secret's file again.
func (b *Bot) renewServiceSecret() {
	for _, f := range b.settings.SecretFiles() {
		if f.Variable != hostAPISecretFile {
			continue
		}
		if changed, _ := b.setServiceSecret(f, &b.secretKept); changed {
			b.log.Info().Msg("the hosting service refused the secret, and is sent the one that the file holds by now")
		}
	}
}

// setServiceSecret has calls use the secret in a file. If that cannot be used, it logs why through kept.
func (b *Bot) setServiceSecret(f configs.SecretFile, kept *seldom.Line) (changed, ok bool) {
	err := f.Err
	if err == nil {
		changed, err = b.service.SetSecret(f.Text)
	}
	if err != nil {
		kept.Begin(&b.log, zerolog.ErrorLevel).Err(err).Msg("the hosting service's secret cannot be read again and stays as it was")
	}
	return changed, err == nil
}
