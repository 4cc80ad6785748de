package discordtest

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
)

// getCommand shows one command.
func (s *Server) getCommand(c *call) (any, *refusal) {
	return s.withCommand(c, func(_ string, list []Command, i int) (any, *refusal) {
		return s.commands.showOne(list[i]), nil
	})
}

// postCommand adds a command or replaces the one of its name.
func (s *Server) postCommand(c *call) (any, *refusal) {
	scope, refused := s.scope(c)
	if refused != nil {
		return nil, refused
	}
	var given Command
	if refused := c.decode(&given); refused != nil {
		return nil, refused
	}
	store := s.commands
	store.mu.Lock()
	defer store.mu.Unlock()
	p := &problems{}
	validateAny(p, "", &given)
	store.validateSupported(p, "", scope, &given)
	if refused := s.checkCommand(c, p, "ApplicationCommandCreateRequest"); refused != nil {
		return nil, refused
	}
	given.ID = "" // which is nothing that a new command can choose
	merged, fresh := store.merge(scope, []Command{given})
	list := slices.DeleteFunc(slices.Clone(store.scopes[scope]), func(old Command) bool { return old.ID == merged[0].ID })
	if refused := store.replace(scope, append(list, merged[0])); refused != nil {
		return nil, refused
	}
	if refused := store.countCreates(scope, fresh); refused != nil {
		store.scopes[scope] = list // only a new command counts, so none was replaced
		return nil, refused
	}
	c.created = fresh > 0
	return store.showOne(merged[0]), nil
}

// patchCommand changes the members of a command that the body names.
func (s *Server) patchCommand(c *call) (any, *refusal) {
	return s.withCommand(c, func(scope string, list []Command, i int) (any, *refusal) {
		old := list[i]
		changed, refused := overlay(c, old)
		if refused != nil {
			return nil, refused
		}
		p := &problems{}
		validateAny(p, "", &changed)
		s.commands.validateSupported(p, "", scope, &changed)
		if refused := s.checkCommand(c, p, "ApplicationCommandPatchRequestPartial"); refused != nil {
			return nil, refused
		}
		if !reflect.DeepEqual(changed, old) {
			changed.Version = s.ids.next()
		}
		list = slices.Clone(list)
		list[i] = changed
		if refused := s.commands.replace(scope, list); refused != nil {
			return nil, refused
		}
		return s.commands.showOne(changed), nil
	})
}

// deleteCommand takes a command away.
func (s *Server) deleteCommand(c *call) (any, *refusal) {
	return s.withCommand(c, func(scope string, list []Command, i int) (any, *refusal) {
		return nil, s.commands.replace(scope, slices.Delete(slices.Clone(list), i, i+1))
	})
}

// withCommand calls f, under the store's lock, with the command that a call names.
func (s *Server) withCommand(c *call, f func(scope string, list []Command, i int) (any, *refusal)) (any, *refusal) {
	scope, refused := s.scope(c)
	if refused != nil {
		return nil, refused
	}
	s.commands.mu.Lock()
	defer s.commands.mu.Unlock()
	list := s.commands.scopes[scope]
	i := slices.IndexFunc(list, func(known Command) bool { return known.ID == c.r.PathValue("command") })
	if i < 0 {
		return nil, refuse(http.StatusNotFound, CodeUnknownCommand, "Unknown application command")
	}
	return f(scope, list, i)
}

// overlay returns old with the members that a body has. What a body cannot
// change stays.
func overlay(c *call, old Command) (Command, *refusal) {
	var given map[string]json.RawMessage
	if refused := c.decode(&given); refused != nil {
		return Command{}, refused
	}
	members := map[string]json.RawMessage{}
	_ = json.Unmarshal(encode(old), &members) // is an object, as it was just encoded
	for name, value := range given {
		members[name] = value
	}
	whole := *c
	whole.body = encode(members)
	var changed Command
	refused := whole.decode(&changed)
	changed.ID, changed.GuildID, changed.Version, changed.Type = old.ID, old.GuildID, old.Version, old.Type
	return changed, refused
}

// replace sets the commands of a scope, unless they do not go together.
func (st *commandStore) replace(scope string, commands []Command) *refusal {
	p := &problems{}
	validateTogether(p, commands)
	if refused := p.refusal(); refused != nil {
		return refused
	}
	st.scopes[scope] = commands
	st.changed.notify()
	return nil
}

// checkCommand refuses a command with problems, and then one that Discord's
// description of component does not allow.
func (s *Server) checkCommand(c *call, p *problems, component string) *refusal {
	if refused := p.refusal(); refused != nil {
		return refused
	}
	if err := s.schemas.checkCommand(component, c.body); err != nil {
		return refuse(http.StatusBadRequest, CodeInvalidForm, "Invalid Form Body: "+err.Error())
	}
	return nil
}
