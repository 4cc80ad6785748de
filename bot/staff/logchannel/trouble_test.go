package logchannel_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
)

// A channel that fails is told of once, tried again, and heals by itself.
func TestAChannelThatFails(t *testing.T) {
	redistest.Parallel(t)
	for name, access := range map[string]discordtest.Access{
		"unknown": discordtest.Gone, "no access": discordtest.MissingAccess, "no permission": discordtest.MissingPermissions,
		"a forum": discordtest.Forum, "locked": discordtest.LockedOpen,
	} {
		forbidden := access == discordtest.MissingAccess || access == discordtest.MissingPermissions
		t.Run(name, func(t *testing.T) {
			redistest.Parallel(t)
			redistest.Each(t, func(t *testing.T, url string) {
				o := newOffice(t, unlimited())
				p := o.newProcess(t, url, hasty())
				o.errors.Allow(access)
				p.Post(failure("restart", 1))
				p.Post(failure("list", 2))
				p.Start()
				await(t, o.actions, "the other channel tells of it", func() bool { return told(o.actions, "Nothing can be written") == 1 })
				if !o.actions.Messages()[0].Contains("<#" + o.errors.ID + ">") {
					t.Errorf("it says %s", o.actions.Messages()[0].Text())
				}
				if o.actions.Messages()[0].Contains("in a thread, Send Messages in Threads") != forbidden {
					t.Errorf("of what the bot needs there it says %s", o.actions.Messages()[0].Text())
				}
				p.Post(action("meanwhile"))
				await(t, o.actions, "the other channel goes on", func() bool { return told(o.actions, "meanwhile") == 1 })
				eventually(t, "it is tried again", func() bool { return p.Status()[1].Retried >= 5 })
				if s := p.Status()[1]; s.Waiting != 2 || s.Trouble == "" || s.Forbidden != forbidden {
					t.Errorf("the status is %+v", s)
				}
				o.errors.Allow(discordtest.FullAccess)
				await(t, o.actions, "the other channel tells of the end", func() bool { return told(o.actions, "works again") == 1 })
				if got := titles(o.errors); !slices.Equal(got, []string{"failure: restart", "failure: list"}) {
					t.Errorf("the channel shows %q", got)
				}
				p.stop(t)
				if n := told(o.actions, "Nothing can be written"); n != 1 {
					t.Errorf("the other channel told of it %d times", n)
				}
				if n := p.log.Count(`"level":"error"`); n != 1 {
					t.Errorf("the process log told of it %d times", n)
				}
				if n := p.log.Count("Send Messages in Threads"); n > 1 || (n == 1) != forbidden {
					t.Errorf("the process log told %d times what the bot needs there", n)
				}
			})
		})
	}
}

// A message is posted, the answer is lost, and staff delete it before it is sent
// again: it was there. What Discord says to its nonce ends the matter
// (discord-api-docs#6647).
func TestANonceOfADeletedMessage(t *testing.T) {
	t.Parallel()
	o := newOffice(t, unlimited())
	o.errors = o.actions // all in one
	p := o.newProcess(t, "", hasty())
	lose := o.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, After: true, Hang: true, Times: 1})
	p.Post(action("deleted"))
	p.Start()
	await(t, o.actions, "it is posted", func() bool { return len(titles(o.actions)) == 1 })
	deleteMessage(t, o.actions)
	lose()
	eventually(t, "it is done with", func() bool { return p.Status()[0].Sent == 1 && p.Status()[0].Waiting == 0 })
	p.Post(action("next"))
	await(t, o.actions, "what came later", func() bool { return len(titles(o.actions)) > 0 })
	p.stop(t)
	if got := titles(o.actions); !slices.Equal(got, []string{"next"}) {
		t.Errorf("the channel shows %q", got)
	}
	if s := p.Status()[0]; s.Sent != 2 || s.Retried != 1 {
		t.Errorf("%d requests were taken and %d failed", s.Sent, s.Retried)
	}
}

// told is how many entries of a channel hold a text in their title.
func told(ch *discordtest.Channel, text string) int {
	return len(slices.DeleteFunc(titles(ch), func(title string) bool { return !strings.Contains(title, text) }))
}
