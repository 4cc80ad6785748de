package main

import (
	"os"
	"strings"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/rs/zerolog"

	"hostbot/bot"
)

// systemd notifies systemd of the process's state if a unit of Type=notify or notify-reload has started it.
// https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html
type systemd struct{ log zerolog.Logger }

// supervise makes the bot notify systemd, if systemd asks for that.
func (s systemd) supervise(b *bot.Bot) {
	if os.Getenv("NOTIFY_SOCKET") != "" {
		b.Supervise(s)
	}
}

// Started says that the unit has started, even if Discord is away: otherwise systemd would end it after
// TimeoutStartSec.
func (s systemd) Started() { s.tell(daemon.SdNotifyReady) }

// Status sets the text that systemctl status shows.
func (s systemd) Status(text string) { s.tell("STATUS=" + text) }

// Stopping says that the process begins to stop.
func (s systemd) Stopping() { s.tell(daemon.SdNotifyStopping) }

// around returns reload wrapped in the notifications that systemctl reload waits for.
func (s systemd) around(reload func()) func() {
	return func() {
		s.tell(daemon.SdNotifyReloading, strings.TrimSpace(daemon.SdNotifyMonotonicUsec()))
		defer s.tell(daemon.SdNotifyReady)
		reload()
	}
}

// tell sends a notification, if systemd asks for them.
func (s systemd) tell(lines ...string) {
	if _, err := daemon.SdNotify(false, strings.Join(lines, "\n")); err != nil {
		s.log.Warn().Err(err).Msg("systemd cannot be told how the process fares: does RestrictAddressFamilies lack AF_UNIX?")
	}
}
