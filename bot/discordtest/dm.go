package discordtest

import "net/http"

// postDM opens the DM with a user.
func (s *Server) postDM(c *call) (any, *refusal) {
	var body struct {
		RecipientID string `json:"recipient_id"`
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
	return s.locked(func() (any, *refusal) {
		if user := s.withID(body.RecipientID); user != nil {
			return s.dm(user).wire(), nil
		}
		return nil, refuse(http.StatusNotFound, CodeUnknownUser, "Unknown User")
	})
}
