package stafflog

import (
	"errors"
	"time"

	"hostbot/bot/interaction"
)

// Test writes one entry of each kind, each marked as a test, so that staff see
// what they will read and that it arrives.
func (l *Log) Test(r *interaction.Request) {
	marked := *l
	marked.footer = l.t.Text("log.test.footer")
	bot := l.t.Text("log.test.bot")
	for _, outcome := range []interaction.Outcome{interaction.Done, interaction.Failed, interaction.Unconfirmed} {
		marked.Action(r, interaction.Action{Name: "restart", BotID: "test", BotName: bot, Outcome: outcome, Duration: 4200 * time.Millisecond})
	}
	marked.Failure(r, errors.New(l.t.Text("log.test.failure")))
	marked.Resumed(90 * time.Second)
}
