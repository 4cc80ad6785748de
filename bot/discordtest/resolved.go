package discordtest

import "strconv"

// resolve describes the users and channels that options name, as Discord does.
// It returns nil where there is nothing to describe.
func (s *Server) resolve(options []map[string]any) map[string]any {
	users, members, channels := map[string]any{}, map[string]any{}, map[string]any{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range options {
		id, _ := o["value"].(string)
		switch o["type"] {
		case optionUser, optionMentionable:
			for _, p := range s.users {
				if p.id == id {
					member := p.member()
					for _, left := range []string{"user", "deaf", "mute"} { // as Discord leaves them out here
						delete(member, left)
					}
					users[id], members[id] = p.wire(), member
				}
			}
		case optionChannel:
			if ch := s.channels[id]; ch != nil && ch.guildID != "" {
				channels[id] = map[string]any{
					"id": ch.id, "name": ch.name, "type": 0, "permissions": strconv.Itoa(memberPermissions),
				}
			}
		}
	}
	resolved := map[string]any{}
	for name, found := range map[string]map[string]any{"users": users, "members": members, "channels": channels} {
		if len(found) > 0 {
			resolved[name] = found
		}
	}
	if len(resolved) == 0 {
		return nil
	}
	return resolved
}
