package discordtest

import (
	"fmt"
	"slices"
)

// Role is a role of the guild. It grants nothing by itself: what a user may do
// is set by Permissions.
type Role struct {
	ID, Name    string
	Mentionable bool // by every member; it is set before somebody uses the role
}

// AddRole adds a role to the guild or returns the one of that name.
func (s *Server) AddRole(name string) *Role {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, role := range s.roles {
		if role.Name == name {
			return role
		}
	}
	role := &Role{ID: s.ids.next(), Name: name}
	s.roles = append(s.roles, role)
	return role
}

// SetRoles replaces the user's roles; what the user does from now on says so.
func (u *User) SetRoles(ids ...string) { u.becomes(Roles(slices.Clone(ids)...)) }

// wireRole is a role as Discord shows one (docs:topics/permissions#role-object).
// The server's lock is held.
func (s *Server) wireRole(role *Role) map[string]any {
	return map[string]any{
		"id": role.ID, "name": role.Name, "permissions": "0", "position": slices.Index(s.roles, role) + 1, "flags": 0,
		"color": 0, "colors": map[string]any{"primary_color": 0, "secondary_color": nil, "tertiary_color": nil},
		"hoist": false, "managed": false, "mentionable": role.Mentionable, "icon": nil, "unicode_emoji": nil,
	}
}

// pointed returns the id of what a user chose for an option: a *User, a *Channel or an
// id. Discord's client offers what there is and nothing else.
func (s *Server) pointed(optionType int, value any) (string, error) {
	var id string
	switch v := value.(type) {
	case string:
		id = v
	case *User:
		id = v.ID
	case *Channel:
		id = v.ID
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	user, channel := s.withID(id) != nil, s.channels[id] != nil && s.channels[id].guildID != ""
	if optionType == optionUser && user || optionType == optionChannel && channel {
		return id, nil
	}
	return "", fmt.Errorf("%v (%T) is nothing that the client offers", value, value)
}

// offerRoles gives menus of roles the options that the client shows: all roles of the guild, that of everybody
// included. The server's lock is held.
func (s *Server) offerRoles(rows []Component) {
	for _, row := range rows {
		for i := range row.Components {
			c := &row.Components[i]
			if c.Type != TypeRoles {
				continue
			}
			for _, role := range append([]*Role{{ID: s.guildID, Name: "@everyone"}}, s.roles...) {
				stands := slices.ContainsFunc(c.DefaultValues, func(d DefaultValue) bool { return d.ID == role.ID })
				c.Options = append(c.Options, SelectOption{Label: role.Name, Value: role.ID, Default: stands})
			}
		}
	}
}

// resolveRoles describes the roles that were chosen in a menu. The server's lock is held.
func (s *Server) resolveRoles(ids []string) resolved {
	found := resolved{}
	for _, role := range s.wireRoles() {
		if id, _ := role["id"].(string); slices.Contains(ids, id) {
			found.put("roles", id, role)
		}
	}
	return found
}
