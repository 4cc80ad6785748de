package discordtest

import "encoding/json"

// UnmarshalJSON reads a command as a bot sends it. Discord documents that
// default_member_permissions is a string, and its OpenAPI description that it is an
// integer; discord.py sends an integer (discord/app_commands/commands.py).
func (c *Command) UnmarshalJSON(data []byte) error {
	type plain Command
	given := struct {
		*plain
		DefaultMemberPermissions *permissionBits `json:"default_member_permissions"`
	}{plain: (*plain)(c)}
	if err := json.Unmarshal(data, &given); err != nil {
		return err
	}
	c.DefaultMemberPermissions = (*string)(given.DefaultMemberPermissions)
	return nil
}

// permissionBits are permissions as text: of a string, or of a number.
type permissionBits string

func (p *permissionBits) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) != nil {
		text = string(data) // which the rules for commands refuse where it is no number
	}
	*p = permissionBits(text)
	return nil
}
