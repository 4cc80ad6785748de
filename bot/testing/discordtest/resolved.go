package discordtest

import "strconv"

// resolved holds, by kind and id, what Discord says of whom a command names
// (docs:interactions/receiving-and-responding#interaction-object-resolved-data-structure).
type resolved map[string]map[string]any

func (r resolved) put(kind, id string, description any) {
	if r[kind] == nil {
		r[kind] = map[string]any{}
	}
	r[kind][id] = description
}

// resolve describes the users and channels that options name.
func (u *User) resolve(options []map[string]any) resolved {
	u.server.mu.Lock()
	defer u.server.mu.Unlock()
	found := resolved{}
	for _, o := range options {
		id, _ := o["value"].(string)
		switch o["type"] {
		case optionUser:
			u.resolveUser(found, id)
		case optionChannel:
			if ch := u.server.channels[id]; ch != nil {
				found.put("channels", id, map[string]any{
					"id": ch.id, "name": ch.name, "type": 0, "permissions": strconv.Itoa(memberPermissions),
				})
			}
		}
	}
	return found
}

// resolveUser describes a user, and in the guild also the member. The server's
// lock is held.
func (u *User) resolveUser(found resolved, id string) {
	p := u.server.withID(id)
	if p == nil {
		return
	}
	found.put("users", id, p.wire())
	if u.channel.guildID == "" {
		return
	}
	member := p.member()
	for _, left := range []string{"user", "deaf", "mute"} { // as Discord leaves them out here
		delete(member, left)
	}
	found.put("members", id, member)
}
