package discordtest

import "net/http"

// postDM opens the DM with a user. That works as well where the user takes no
// direct messages, which is refused only when one is sent (kordlib/kord#1005,
// Kord-Extensions/kord-extensions#215). To itself the bot cannot open one
// (lexicalunit/spellbot#659). Where many are opened quickly, Discord refuses that (403,
// code 40003, DasWolke/SnowTransfer#43); no source knows the figure, so this is left to
// faults.
func (s *Server) postDM(c *call) (any, *refusal) {
	var body struct {
		RecipientID sentID `json:"recipient_id"`
	}
	if refused := c.decode(&body); refused != nil {
		return nil, refused
	}
	p := &problems{}
	if body.RecipientID == "" {
		p.required("recipient_id")
	}
	if refused := s.check(c, p, "CreatePrivateChannelRequest"); refused != nil {
		return nil, refused
	}
	id := string(body.RecipientID)
	if id == s.app.id {
		return nil, refuse(http.StatusBadRequest, CodeCannotMessageUser, "Cannot send messages to this user")
	}
	return s.locked(func() (any, *refusal) {
		if user := s.withID(id); user != nil {
			return s.dm(user).wire(), nil
		}
		// No source says whether it is this or 50033, Invalid Recipient(s).
		return nil, refuse(http.StatusNotFound, CodeUnknownUser, "Unknown User")
	})
}
