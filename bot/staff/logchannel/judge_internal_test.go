package logchannel

import (
	"context"
	"fmt"
	"testing"

	"hostbot/bot/discord/rest"
)

// TestJudge: Discord says of a channel that it takes nothing with the status of a malformed message, and
// that it suspects abuse with the code of a deleted one (discord-userdoccers, pages/topics/errors.mdx).
func TestJudge(t *testing.T) {
	t.Parallel()
	for answer, want := range map[[2]int]verdict{
		{400, 50083}: misconfigured, {400, 40058}: misconfigured, {400, 50024}: misconfigured, {400, 160005}: misconfigured,
		{400, 40333}: misconfigured, {400, 0}: misconfigured, {403, 10008}: misconfigured, {403, 50013}: misconfigured, {404, 10003}: misconfigured,
		{400, 50035}: malformed, {400, 50006}: malformed, {400, 200000}: malformed, {400, 200001}: malformed, {400, 240000}: malformed,
		{413, 40005}: malformed, {413, 0}: malformed, {404, 10008}: deleted, {429, 0}: busy, {503, 0}: away, {0, 0}: away,
	} {
		if got := judge(fmt.Errorf("send: %w", &rest.Error{Status: answer[0], Code: answer[1]})); got != want {
			t.Errorf("%v means %d, want %d", answer, got, want)
		}
	}
	if judge(nil) != taken || judge(context.DeadlineExceeded) != away {
		t.Error("an answer that is none is judged wrongly")
	}
}
