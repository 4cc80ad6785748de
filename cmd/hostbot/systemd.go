package main

import (
	"strings"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/rs/zerolog"
)

// systemd notifies systemd of the process's state if a unit of Type=notify or notify-reload has started it.
// https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html
type systemd struct{ log zerolog.Logger }

// around returns reload wrapped in the notifications that systemctl reload waits for.
func (s systemd) around(reload func()) func() {
	return func() {
		s.tell(daemon.SdNotifyReloading + "\n" + strings.TrimSpace(daemon.SdNotifyMonotonicUsec()))
		defer s.tell(daemon.SdNotifyReady)
		reload()
	}
}

// tell sends a notification, if systemd asks for them.
func (s systemd) tell(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		s.log.Warn().Err(err).Msg("systemd cannot be told how the process fares: does RestrictAddressFamilies lack AF_UNIX?")
	}
}
