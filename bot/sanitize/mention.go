package sanitize

// User shows a user by a mention, which pings nobody where the message allows no
// mentions, and by the ID, which can be copied and searched. The ID must be one
// of Discord's own.
func User(id string) string { return "<@" + id + "> `" + id + "`" }
