package discordtest

import (
	"net/http"
	"time"
)

const (
	// usualDMsAtOnce is two dozen: "a few dozen at once" were refused and "several" were
	// not (DasWolke/SnowTransfer#43).
	usualDMsAtOnce = 24
	// dmWindow is the server's own: no source says over which time Discord counts.
	dmWindow = 10 * time.Second
)

// Quarantine says whether Discord's anti-spam system has quarantined the bot from now on:
// it "is unable to … send any direct messages to users it has not messaged before"
// (tmercswims/tmerc-cogs#111; the code and its words: #2669; that older DMs go on:
// discord-php/DiscordPHP#467). No source says which of the two calls is refused; here it is
// the opening where the bot has never opened that DM, and otherwise the message. Nor does
// one say whether answers to interactions go on, as they do here.
func (s *Server) Quarantine(quarantined bool) { s.quarantined.Store(quarantined) }

// quarantines reports whether a quarantine keeps the bot from writing to a DM: where it has
// written nothing before. The server's lock is held.
func (s *Server) quarantines(dm *channel) bool {
	if !s.quarantined.Load() {
		return false
	}
	for _, m := range dm.messages {
		if m.wire.Author.ID == s.app.id {
			return false
		}
	}
	return true
}

func quarantinedRefusal() *refusal {
	return denied(http.StatusForbidden, CodeQuarantined, "Your bot has been flagged by our anti-spam system for abusive behavior. "+
		"While your bot is quarantined, it is unable to join any more guilds, or send any direct messages to users it has not messaged before.")
}

// postDM opens the DM with a user. That works as well where the user takes no
// direct messages, which is refused only when one is sent (kordlib/kord#1005,
// Kord-Extensions/kord-extensions#215). To itself the bot cannot open one
// (lexicalunit/spellbot#659). Where many are opened quickly, Discord refuses that with 403
// and the code 40003 (DasWolke/SnowTransfer#43; its words are those of
// davidhozic/discord-advertisement-framework#82). No source knows the figure, or says
// whether a DM counts that was open before, as it does here: Config.DMsAtOnce.
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
	if s.cfg.DMsAtOnce > 0 && s.limits.takeHidden("opened DMs", limit{calls: s.cfg.DMsAtOnce, window: dmWindow}) > 0 {
		return nil, refuse(http.StatusForbidden, CodeDMsTooFast, "You are opening direct messages too fast.")
	}
	return s.locked(func() (any, *refusal) {
		if user := s.withID(id); user != nil {
			dm := s.dm(user)
			if !dm.opened && s.cfg.NewDMsADay > 0 && s.limits.takeHidden("new DMs", limit{calls: s.cfg.NewDMsADay, window: 24 * time.Hour}) > 0 {
				s.quarantined.Store(true)
			}
			if !dm.opened && s.quarantines(dm) {
				return nil, quarantinedRefusal()
			}
			dm.opened = true
			return dm.wire(), nil
		}
		// No source says whether it is this or 50033, Invalid Recipient(s).
		return nil, refuse(http.StatusNotFound, CodeUnknownUser, "Unknown User")
	})
}
