package discordtest

import "context"

// Menu chooses a command of the bot's in another user's context menu, and waits
// until something is seen of an answer.
func (u *User) Menu(ctx context.Context, name string, target *User) (*Reply, error) {
	c, err := u.find(UserCommand, name)
	if err != nil {
		return nil, err
	}
	found := resolved{}
	u.server.mu.Lock()
	u.resolveUser(found, target.ID)
	u.server.mu.Unlock()
	data := c.data()
	data["target_id"], data["resolved"] = target.ID, found
	return seen(ctx)(u.act(&interaction{kind: kindCommand, name: c.Name, target: target.profile}, data))
}

// data is what the event of any use of the command says
// (docs:interactions/receiving-and-responding#interaction-object-application-command-data-structure).
func (c *Command) data() map[string]any {
	data := map[string]any{"id": c.ID, "name": c.Name, "type": c.Type}
	if c.GuildID != "" {
		data["guild_id"] = c.GuildID
	}
	return data
}
