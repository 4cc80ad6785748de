package rest

import (
	"context"
	"net/http"
	"net/url"
)

// MaxThreadName is how many characters the name of a thread may have.
// https://discord.com/developers/docs/resources/channel#start-thread-from-message
const MaxThreadName = 100

// archiveAfter is how many minutes without a new message archive a thread; Discord takes 60, 1440, 4320 and
// 10080. A message opens it again.
const archiveAfter = 4320

// StartThread starts a public thread from a message of a text or announcement channel; its ID is the message's.
// A message has one thread. So CodeThreadExists in answer to a repeated request means that the thread is there,
// and is no error. A thread without a message could not be found again after its answer was lost.
//
// It takes View Channel and Create Public Threads in the channel. To write in the thread takes Send Messages in Threads.
// https://discord.com/developers/docs/topics/threads#permissions
//
// All who start threads in a guild may start fifty in five minutes together (hata, rate_limit_groups.py), and Discord
// was seen to ask for waits of minutes (discord-api-docs#7816).
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
