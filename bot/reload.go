package bot

import "hostbot/configs"

// hostAPISecretFile is the variable that names the file of the hosting service's secret.
const hostAPISecretFile = "HOSTAPI_SECRET_FILE"

// Reload reads the files of secrets again. The hosting service's secret counts from the next call
// on, unless its file cannot be used. Other secrets count from the next start on, which the log
// says of those that have changed.
func (b *Bot) Reload() {
	files := b.settings.SecretFiles()
	if len(files) == 0 {
		b.log.Info().Msg("no secret has a file, so none is read again")
	}
	for _, f := range files {
		switch {
		case f.Variable == hostAPISecretFile:
			b.reloadServiceSecret(f)
		case f.Err != nil:
			b.log.Warn().Err(f.Err).Msg("the file of a secret cannot be read: the next start would fail")
		case f.Changed:
			b.log.Warn().Str("variable", f.Variable).Msg("a secret has changed that counts from the next start on")
		}
	}
}

func (b *Bot) reloadServiceSecret(f configs.SecretFile) {
	changed, err := false, f.Err
	if err == nil {
		changed, err = b.service.SetSecret(f.Text)
	}
	if err != nil {
		b.log.Error().Err(err).Msg("the hosting service's secret cannot be read again and stays as it was")
		return
	}
	b.log.Info().Bool("changed", changed).Msg("the hosting service's secret was read again and counts from the next call on")
}
