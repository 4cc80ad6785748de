package main

import (
	"os"
	"strings"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/rs/zerolog"

	"hostbot/bot"
)

// systemd is told how the process fares where a unit of Type=notify or notify-reload has started it.
// https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html
type systemd struct{ log zerolog.Logger }

// supervise has systemd be told if it asks for that.
func (s systemd) supervise(b *bot.Bot) {
	if os.Getenv("NOTIFY_SOCKET") != "" {
		b.Supervise(s)
	}
}

// Started tells that the unit has started. systemd would end a unit that waits for Discord, in an outage,
// when TimeoutStartSec is over.
func (s systemd) Started() { s.tell(daemon.SdNotifyReady) }

// Status tells what systemctl status shows.
func (s systemd) Status(text string) { s.tell("STATUS=" + text) }

// Stopping tells that the process begins to stop.
func (s systemd) Stopping() { s.tell(daemon.SdNotifyStopping) }

// around returns reload with words around it for who waits for systemctl reload to end.
func (s systemd) around(reload func()) func() {
	return func() {
		s.tell(daemon.SdNotifyReloading, strings.TrimSpace(daemon.SdNotifyMonotonicUsec()))
		defer s.tell(daemon.SdNotifyReady)
		reload()
	}
}

// tell tells nobody if systemd does not ask for it.
func (s systemd) tell(lines ...string) {
	if _, err := daemon.SdNotify(false, strings.Join(lines, "\n")); err != nil {
		s.log.Warn().Err(err).Msg("systemd cannot be told how the process fares: does RestrictAddressFamilies lack AF_UNIX?")
	}
}
