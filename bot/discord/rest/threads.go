package rest

import (
	"context"
	"net/http"
	"net/url"
)

// MaxThreadName is how many characters the name of a thread may have.
// https://discord.com/developers/docs/resources/channel#start-thread-from-message
const MaxThreadName = 100

// archiveAfter is after how many minutes without a new message a thread leaves the list of channels;
// Discord takes 60, 1440, 4320 and 10080. A message opens it again.
const archiveAfter = 4320

// StartThread starts a public thread from a message of a text or announcement channel; its ID is the
// message's. A message has one thread, so the answer CodeThreadExists to a second request says
// that the thread is there: no error is returned then. So do discordgo, disgo, discord.js
// (Message.startThread) and discord.py (Message.create_thread); the other way, a thread without a
// message, has nothing by which a thread is known whose answer was lost.
//
// It takes View Channel and Create Public Threads in the channel. Send Messages in Threads is for
// messages in the thread, of which the bot writes none.
// https://discord.com/developers/docs/topics/threads#permissions
//
// Fifty threads in five minutes may be started (hata, rate_limit_groups.py), and Discord was seen
// to ask for waits of minutes (discord-api-docs#7816).
func (c *Client) StartThread(ctx context.Context, channelID, messageID, name string) error {
	body := struct {
		Name         string `json:"name"`
		ArchiveAfter int    `json:"auto_archive_duration"`
	}{name, archiveAfter}
	err := c.do(ctx, http.MethodPost, messages(channelID)+"/"+url.PathEscape(messageID)+"/threads", body, nil)
	if CodeOf(err) == CodeThreadExists {
		return nil
	}
	return err
}
