package discordtest

import (
	"net/http"
	"slices"
)

// CodeEntryPointRemoved answers a bulk overwrite without the Entry Point command.
const CodeEntryPointRemoved = 50240

// Handlers of an Entry Point command (Discord's documentation, Application
// Commands, "Entry Point Command Handler Types").
const (
	handlerApp    = 1
	handlerLaunch = 2 // by Discord
)

// newEntryPoint returns the command that Discord makes itself. It is "Launch" in
// the documentation's text and "launch" in its example and in people's reports
// (Pycord-Development/pycord#3276). The store's lock is held.
func (st *commandStore) newEntryPoint() Command {
	handler := handlerLaunch
	return Command{
		ID: st.server.ids.next(), Version: st.server.ids.next(), Type: EntryPointCommand,
		Name: "launch", Description: "Launch " + st.server.app.user.Username, Handler: &handler,
		Contexts: []int{0, 1, 2}, IntegrationTypes: slices.Clone(st.settings.Installs),
	}
}

// entryPoint returns the Entry Point command, or nil. The store's lock is held.
func (st *commandStore) entryPoint() *Command {
	i := slices.IndexFunc(st.scopes[""], func(c Command) bool { return c.Type == EntryPointCommand })
	if i < 0 {
		return nil
	}
	return &st.scopes[""][i]
}

// keepEntryPoint refuses an overwrite that would remove the Entry Point command
// (SkyBlock-Nerds/NerdBot#609, with these words in many reports). The store's lock
// is held.
func (st *commandStore) keepEntryPoint(scope string, commands []Command) *refusal {
	kept := slices.ContainsFunc(commands, func(c Command) bool { return c.Type == EntryPointCommand })
	if scope != "" || kept || st.entryPoint() == nil {
		return nil
	}
	return refuse(http.StatusBadRequest, CodeEntryPointRemoved, "You cannot remove this app's Entry Point command in a bulk update operation. "+
		"Please include the Entry Point command in your update request or delete it separately.")
}

// validateEntryPoint checks an Entry Point command, which has no options
// (Discord's documentation, Activities, "Customizing the Default Entry Point
// Command").
func validateEntryPoint(p *problems, path string, c *Command) {
	validateFreeName(p, path, c)
	if length(c.Description) > maxCommandHint {
		p.add(at(path, "description"), "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxCommandHint)
	}
	if len(c.Options) > 0 {
		p.add(at(path, "options"), "APPLICATION_COMMAND_OPTIONS_INVALID", "Entry Point commands cannot have options")
	}
	inRange(p, at(path, "handler"), c.Handler, handlerApp, handlerLaunch)
}

// validateSupported checks what depends on the application and on where a command
// is to be. How Discord words these refusals is not known. The store's lock is held.
func (st *commandStore) validateSupported(p *problems, path, scope string, c *Command) {
	// Discord's documentation, Application Commands, "Registering a Command" and
	// "Application Command Structure".
	if c.Type == EntryPointCommand && (scope != "" || !st.settings.Activities) {
		p.add(at(path, "type"), "APPLICATION_COMMAND_TYPE_INVALID", "Entry Point commands are global commands of applications with Activities")
	}
	if c.Type != EntryPointCommand && c.Handler != nil {
		p.add(at(path, "handler"), "APPLICATION_COMMAND_HANDLER_INVALID", "Only Entry Point commands have a handler")
	}
	if scope != "" {
		return
	}
	// Only those that the application supports (Discord's documentation, Application
	// Commands, "Installation Context"). Whether the context of private channels (2)
	// is refused without user install is not clear: the tutorial on user-installable
	// apps says so, the page on commands says that it has no meaning. It is accepted
	// here.
	for i, install := range c.IntegrationTypes {
		if !st.supports(install) {
			p.add(at(path, "integration_types", i), "APPLICATION_COMMAND_INTEGRATION_TYPE_INVALID", "The application does not support this installation context")
		}
	}
}
