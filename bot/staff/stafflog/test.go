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
	marked.test = true
	bot := l.t.Text("log.test.bot")
	failure := errors.New(l.t.Text("log.test.failure"))
	for _, outcome := range []interaction.Outcome{interaction.Done, interaction.Failed, interaction.Unconfirmed} {
		var why error
		if outcome != interaction.Done {
			why = failure
		}
		marked.Action(r, interaction.Action{Name: "restart", BotID: "test", BotName: bot, Outcome: outcome, Duration: 4200 * time.Millisecond}, why)
	}
	marked.Failure(r, failure)
	marked.Audit(r, interaction.Audit{})
	marked.Tell(Resumed, Facts{After: 90 * time.Second})
}
