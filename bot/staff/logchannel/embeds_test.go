package logchannel_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"hostbot/bot/testing/discordtest"
	"hostbot/hostapi/redistest"
)

// posts is how many messages the bot has tried to post to a channel.
func (o office) posts(ch *discordtest.Channel) (n int) {
	for _, call := range o.discord.Calls() {
		if call.Method == http.MethodPost && strings.HasSuffix(call.Path, "/channels/"+ch.ID+"/messages") {
			n++
		}
	}
	return n
}

// Without Embed Links Discord takes a card with its buttons and drops the embed. That is no
// delivery: the entry waits, and the message that is there is completed.
func TestCardsWithoutEmbedsAreNotDelivered(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		o := newOffice(t, unlimited())
		p := o.newProcess(t, url, hasty())
		o.errors.Deny(discordtest.EmbedLinks)
		p.Post(failure("restart", 1))
		p.Post(failure("list", 2))
		p.Start()
		await(t, o.actions, "the other channel tells of it", func() bool { return told(o.actions, "Nothing can be written") == 1 })
		if text := o.actions.Messages()[0].Text(); !strings.Contains(text, "lacks the permission Embed Links") {
			t.Errorf("it says %s", text)
		}
		eventually(t, "it is tried again", func() bool { return p.Status()[1].Retried >= 5 })
		if s := p.Status()[1]; s.Waiting != 2 || !strings.Contains(s.Trouble, "Embed Links") || !s.Forbidden {
			t.Errorf("the status is %+v", s)
		}
		if n := o.posts(o.errors); n != 1 || len(o.errors.Messages()) != 1 {
			t.Errorf("it was posted %d times", n)
		}
		p.kill() // and another process knows of the message
		outlast(t, url)

		next := o.newProcess(t, url, hasty())
		next.Start()
		next.Post(failure("stop", 3))
		eventually(t, "the next process tries", func() bool { return next.Status()[1].Retried >= 2 })
		o.errors.Grant(discordtest.EmbedLinks)
		await(t, o.errors, "all cards", func() bool {
			return slices.Equal(titles(o.errors), []string{"failure: restart", "failure: list", "failure: stop"})
		})
		await(t, o.actions, "the other channel tells of the end", func() bool { return told(o.actions, "works again") == 1 })
		next.stop(t)
		if n := o.posts(o.errors); n > 2 {
			t.Errorf("%d messages were posted, want one for the first two cards and perhaps one for the third", n)
		}
	})
}

// A process is killed before it learns that the message has no embeds. Its successor finds
// the message there.
func TestABareMessageIsFound(t *testing.T) {
	redistest.Parallel(t)
	redistest.Each(t, func(t *testing.T, url string) {
		o := newOffice(t, unlimited())
		o.errors.Deny(discordtest.EmbedLinks)
		lose := o.discord.Inject(discordtest.Fault{Method: http.MethodPost, Route: discordtest.RouteMessages, After: true, Hang: true, Times: 1})
		p := o.newProcess(t, url, hasty())
		p.Post(failure("restart", 1))
		p.Start()
		await(t, o.errors, "it is posted", func() bool { return len(o.errors.Messages()) == 1 })
		p.kill()
		lose()
		outlast(t, url)
		finder := o.newProcess(t, url, hasty())
		finder.Start()
		eventually(t, "it is tried again", func() bool { return finder.Status()[1].Forbidden })
		o.errors.Grant(discordtest.EmbedLinks)
		await(t, o.errors, "the card", func() bool { return len(titles(o.errors)) == 1 && len(o.errors.Messages()) == 1 })
		if n := o.posts(o.errors); n != 1 {
			t.Errorf("it was posted %d times", n)
		}
	})
}

// Staff delete a message that has lost its embed, or its thread is archived meanwhile: the
// card is still to come, under another nonce.
func TestABareMessageIsReplaced(t *testing.T) {
	t.Parallel()
	for name, happen := range map[string]func(*testing.T, office){
		"deleted":  func(t *testing.T, o office) { deleteMessage(t, o.errors) },
		"archived": func(_ *testing.T, o office) { o.errors.Allow(discordtest.Archived) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, unlimited())
			o.errors.Deny(discordtest.EmbedLinks)
			p := o.newProcess(t, "", hasty())
			p.Post(failure("restart", 1))
			p.Start()
			eventually(t, "it is tried again", func() bool { return p.Status()[1].Retried >= 2 })
			o.discord.ExpectFailures() // the bot edits what is gone
			happen(t, o)
			o.errors.Grant(discordtest.EmbedLinks)
			await(t, o.errors, "the card", func() bool { return len(titles(o.errors)) == 1 })
			p.stop(t)
			if n := len(o.errors.Messages()); n != 1 || p.Status()[1].Waiting != 0 {
				t.Errorf("the channel has %d messages, and the status is %+v", n, p.Status()[1])
			}
		})
	}
}

// An edit has cleared the embeds of a message that counts. Then it takes no edit any more:
// what it showed before is posted anew with the rest.
func TestAMessageThatLostItsEmbedIsReplaced(t *testing.T) {
	redistest.Parallel(t)
	for name, happen := range map[string]func(*testing.T, office){
		"deleted":  func(t *testing.T, o office) { deleteMessage(t, o.errors) },
		"archived": func(_ *testing.T, o office) { o.errors.Allow(discordtest.Archived) },
		"refused":  func(t *testing.T, o office) { o.refuseEdit(t) },
		"refused, and the next has none either": func(t *testing.T, o office) {
			o.refuseEdit(t)
			eventually(t, "it is posted anew", func() bool { return o.posts(o.errors) == 2 && len(o.errors.Messages()) == 1 })
		},
	} {
		t.Run(name, func(t *testing.T) {
			redistest.Parallel(t)
			redistest.Each(t, func(t *testing.T, url string) {
				o := newOffice(t, unlimited())
				p := o.newProcess(t, url, hasty())
				p.Start()
				p.Post(failure("restart", 1))
				await(t, o.errors, "the card", func() bool { return len(titles(o.errors)) == 1 })
				o.errors.Deny(discordtest.EmbedLinks)
				p.Post(failure("restart", 2))
				eventually(t, "it is tried again", func() bool { return p.Status()[1].Retried >= 2 && p.Status()[1].Waiting == 1 })
				o.discord.ExpectFailures() // the bot edits what is gone
				happen(t, o)
				o.errors.Grant(discordtest.EmbedLinks)
				eventually(t, "it is delivered", func() bool { return p.Status()[1].Waiting == 0 })
				if m := o.errors.Messages(); len(m) != 1 || len(titles(o.errors)) != 1 || !m[0].Contains("2 times") {
					t.Fatalf("the channel shows %+v", m)
				}
				if n := o.posts(o.errors); n != 2 {
					t.Errorf("%d messages were posted, want the one that lost its embed and its successor", n)
				}
				p.Post(failure("restart", 3))
				await(t, o.errors, "the new message counts", func() bool { return o.errors.Messages()[0].Contains("3 times") })
			})
		})
	}
}

// refuseEdit has Discord refuse the content of the next edit, and waits until it has: an edit
// that is under way already is answered by then, as the channel was.
func (o office) refuseEdit(t *testing.T) {
	t.Helper()
	o.discord.Inject(discordtest.Fault{
		Method: http.MethodPatch, Route: discordtest.RouteMessage, Status: http.StatusBadRequest, Times: 1,
		Body: `{"message":"no","code":50035}`, Header: http.Header{"Content-Type": {"application/json"}},
	})
	eventually(t, "an edit is refused", func() bool {
		return slices.ContainsFunc(o.discord.Calls(), func(call discordtest.Call) bool {
			return call.Method == http.MethodPatch && call.Status == http.StatusBadRequest
		})
	})
}

// Discord refuses to have a message with several cards completed. Each is posted by itself,
// and the message without them does not stay.
func TestABareMessageOfSeveralIsReplaced(t *testing.T) {
	t.Parallel()
	o := newOffice(t, unlimited())
	o.errors.Deny(discordtest.EmbedLinks)
	p := o.newProcess(t, "", hasty())
	p.Post(failure("restart", 1))
	p.Post(failure("list", 2))
	p.Start()
	eventually(t, "it is tried again", func() bool { return p.Status()[1].Retried >= 2 })
	o.discord.ExpectFailures()
	o.refuseEdit(t)
	o.errors.Grant(discordtest.EmbedLinks)
	eventually(t, "all is delivered", func() bool { return p.Status()[1].Waiting == 0 })
	got := titles(o.errors)
	slices.Sort(got)
	if n := len(o.errors.Messages()); n != 2 || !slices.Equal(got, []string{"failure: list", "failure: restart"}) {
		t.Errorf("%d messages show %q", n, got)
	}
}

// A card without buttons leaves its title. The message is completed, and counts what came meanwhile.
func TestCardsOfNothingButEmbeds(t *testing.T) {
	t.Parallel()
	o := newOffice(t, unlimited())
	p := o.newProcess(t, "", hasty())
	p.Start()
	bare := failure("restart", 0)
	bare.Reference = ""
	p.Post(bare)
	await(t, o.errors, "the card", func() bool { return len(titles(o.errors)) == 1 })
	o.errors.Deny(discordtest.EmbedLinks)
	p.Post(bare)
	eventually(t, "it is tried again", func() bool { return p.Status()[1].Forbidden && p.Status()[1].Retried >= 2 })
	o.errors.Grant(discordtest.EmbedLinks)
	await(t, o.errors, "the card counts", func() bool {
		m := o.errors.Messages()
		return len(m) == 1 && m[0].Contains("2 times")
	})
}

// A thread that somebody archives while its message counts takes a new one, which tells of all.
func TestCountingInAnArchivedThread(t *testing.T) {
	t.Parallel()
	o := newOffice(t, unlimited())
	p := o.newProcess(t, "", hasty())
	p.Start()
	p.Post(failure("restart", 1))
	await(t, o.errors, "the card", func() bool { return len(titles(o.errors)) == 1 })
	o.errors.Allow(discordtest.Archived)
	p.Post(failure("restart", 2))
	await(t, o.errors, "the next card", func() bool {
		m := o.errors.Messages()
		return len(m) == 1 && m[0].Contains("2 times")
	})
}
