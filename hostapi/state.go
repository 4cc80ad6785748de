package hostapi

import (
	"regexp"
	"slices"
	"strings"
)

// State is what a server's status means.
type State byte

// The states. Their values are kept in Redis for months, so none may ever get another meaning.
const (
	StateUnknown    State = '?' // the service names none, or one that nobody knows
	StateRunning    State = 'r'
	StateStopped    State = 's'
	StateStarting   State = 'a'
	StateStopping   State = 'p'
	StateRestarting State = 'e'
	StateInstalling State = 'i'
	StateCrashed    State = 'c'
	StateError      State = 'x'
	StateSuspended  State = 'u' // by the host, and only the host can end that
)

// Broken reports whether a server in this state is down although nobody stopped it.
func (s State) Broken() bool { return s == StateCrashed || s == StateError }

// Moving reports whether a server in this state is about to get into another one.
func (s State) Moving() bool {
	return s == StateStarting || s == StateStopping || s == StateRestarting || s == StateInstalling
}

// Down reports whether a server in this state does not run, and is not about to.
func (s State) Down() bool { return s == StateStopped || s.Broken() }

// State returns what the server's status means.
func (s Server) State() State {
	state, _ := s.Meaning()
	return state
}

// Meaning returns what the server's status means, and whether the status is plain, that is, says no more than that. A
// status that is not plain is worth showing as it came: it may say why a server has crashed, or be a word of the
// service's own.
func (s Server) Meaning() (state State, plain bool) {
	head, _ := cutStatus(s.Status)
	for _, word := range []string{s.Status, head} {
		if state, own := s.StatusMap[foldStatus(word)]; own {
			return state, false
		}
	}
	state = StateOf(s.Status)
	if state == StateUnknown {
		return state, strings.TrimSpace(s.Status) == ""
	}
	if plainState(foldStatus(s.Status)) == state {
		return state, true
	}
	return state, !state.Broken() && state != StateSuspended && plainState(foldStatus(firstWord.FindString(s.Status))) == state
}

// StateOf returns what a status commonly means. It knows many words, in any spelling, also with an explanation behind
// them, such as "Suspended (non-payment)".
func StateOf(status string) State {
	if state := stateOfWord(foldStatus(status)); state != StateUnknown {
		return state
	}
	head, tail := cutStatus(status)
	if end := ended.FindStringSubmatch(status); end != nil {
		switch code := end[2] + end[3]; code {
		case "0", "130", "143": // 128 + SIGINT, 128 + SIGTERM: it was asked to end
			return plainState(foldStatus(end[1]))
		default:
			return StateCrashed
		}
	}
	switch word := foldStatus(head); {
	case mayHaveCrashed(word) && tail != "" && StateOf(strings.Trim(tail, "([:,;–—-) ")).Broken():
		return StateCrashed
	case dockerUp.MatchString(head) && foldStatus(tail) == "PAUSED":
		return StateStopped
	case dockerUp.MatchString(head):
		return StateRunning
	case strings.HasPrefix(word, "SUSPENDED"): // with the reason behind it
		return StateSuspended
	case word == "INIT": // Kubernetes, of what runs before: Init:0/1
		return StateStarting
	default:
		return stateOfWord(word)
	}
}

var (
	firstWord = regexp.MustCompile(`^\s*\pL+`)
	// ended finds the code with which a process ended: "exited (137)", "Exited (0) 2 hours ago",
	// "Restarting (1) 5 seconds ago" (Docker, which restarts what fails), "ExitCode:1" (Kubernetes),
	// "exited with code 1".
	ended = regexp.MustCompile(`(?i)^\s*(exit|exited|restarting)(?:[\s_-]|with|on|code|status)*(?:\((?:[\s_:=-]|exit|code|status)*(-?\d+)\s*\)|[:=]?\s*(\d+)\s*$)`)
	// dockerUp is how Docker lists what runs: "Up 3 minutes", "Up About an hour (healthy)".
	dockerUp = regexp.MustCompile(`(?i)^\s*up (?:\d|about |less )`)
	// notDone says that a step on the way to a running server has failed: "install_failed", "build failed".
	notDone = regexp.MustCompile(`^(?:RE)?(?:INSTALL|INSTALLATION|BUILD|DEPLOY|DEPLOYMENT|START|STARTUP|BOOT|LAUNCH)(?:FAILED|FAILURE|ERROR)$`)
)

// cutStatus cuts a status into a word and what is said about it, in parentheses or after a colon, a
// comma or a dash between spaces.
func cutStatus(status string) (head, tail string) {
	for i, r := range status {
		if strings.ContainsRune("([:,;–—", r) || strings.HasPrefix(status[i:], " - ") {
			return status[:i], status[i:]
		}
	}
	return status, ""
}

// mayHaveCrashed reports whether a word means a crash if the explanation behind it does: "Stopped (OOM)", "Waiting:
// CrashLoopBackOff" (Kubernetes; Terminated and Init are its words, too).
func mayHaveCrashed(word string) bool {
	return slices.Contains([]string{"STOPPED", "OFFLINE", "EXITED", "TERMINATED", "WAITING", "INIT"}, word)
}

// plainState returns the state of a word that is plain (Meaning).
func plainState(word string) State {
	switch word {
	case "RUNNING", "ONLINE", "UP", "ACTIVE", "STARTED":
		return StateRunning
	case "STOPPED", "OFFLINE", "DOWN", "EXITED", "EXIT", "INACTIVE":
		return StateStopped
	case "STARTING", "BOOTING", "LAUNCHING", "ACTIVATING":
		return StateStarting
	case "STOPPING", "DEACTIVATING":
		return StateStopping
	case "RESTARTING", "REBOOTING":
		return StateRestarting
	case "INSTALLING", "REINSTALLING", "BUILDING", "DEPLOYING":
		return StateInstalling
	case "CRASHED":
		return StateCrashed
	case "ERROR", "ERRORED", "FAILED":
		return StateError
	case "SUSPENDED":
		return StateSuspended
	default:
		return StateUnknown
	}
}

// stateOfWord returns the state of a word. The service's document gives only RUNNING. So these are the words of the
// software on which such services are built. Their lists have the words of plainState as well:
//
//	Docker        created running paused restarting removing exited dead; OOMKilled
//	              https://docs.docker.com/reference/api/engine/version/v1.47/ (ContainerState)
//	Kubernetes    Pending Running Succeeded Failed; Completed Error CrashLoopBackOff ImagePullBackOff …
//	              https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/, and the reasons in
//	              https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/images/types.go and
//	              …/pkg/kubelet/container/sync_result.go
//	supervisord   STOPPED STARTING RUNNING BACKOFF STOPPING EXITED FATAL
//	              https://supervisord.org/subprocess.html#process-states
//	Pterodactyl,  offline starting running stopping; installing install_failed reinstall_failed suspended
//	Pelican       restoring_backup: https://github.com/pelican/panel/blob/main/app/Enums/ServerState.php
//	systemd       active reloading inactive failed activating deactivating: man systemctl(1)
//	pm2           online stopping stopped launching errored, waiting restart
//	              https://github.com/Unitech/pm2/blob/master/constants.js
//
// Kubernetes' and supervisord's Unknown, and pm2's one-launch-status, are no state.
func stateOfWord(word string) State {
	if state := plainState(word); state != StateUnknown {
		return state
	}
	switch word {
	case "RELOADING": // systemd: it runs, and reads its configuration
		return StateRunning
	case "CREATED", "PAUSED", "SUCCEEDED", "COMPLETED":
		return StateStopped
	case "PENDING", "CONTAINERCREATING", "PODINITIALIZING":
		return StateStarting
	case "REMOVING", "TERMINATING":
		return StateStopping
	case "RESTORINGBACKUP":
		return StateInstalling
	case "DEAD", "OOMKILLED", "OOM", "OUTOFMEMORY", "EVICTED",
		"FATAL", "BACKOFF", "WAITINGRESTART", "ACTIVATINGAUTORESTART", // it fails again and again
		"CRASHLOOPBACKOFF", "IMAGEPULLBACKOFF", "ERRIMAGEPULL", "ERRIMAGENEVERPULL", "INVALIDIMAGENAME",
		"CREATECONTAINERERROR", "CREATECONTAINERCONFIGERROR", "RUNCONTAINERERROR", "CONTAINERCANNOTRUN":
		return StateCrashed
	}
	if notDone.MatchString(word) {
		return StateCrashed
	}
	return StateUnknown
}
