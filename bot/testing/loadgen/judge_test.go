//go:build integration

package loadgen

import (
	"strings"
	"testing"
	"time"
)

func TestAnswersAreJudged(t *testing.T) {
	asked := snowflake(time.Now(), 1)
	for name, test := range map[string]struct {
		id, body string
		want     string // a part of the mistake; empty: none
	}{
		"right":            {asked, `{"type":4,"data":{"content":"7-0"}}`, ""},
		"another's bot":    {asked, `{"type":4,"data":{"content":"1-0"}}`, "does not name the bot"},
		"no message":       {asked, `{"type":5}`, "not a message"},
		"nobody has asked": {snowflake(time.Now(), 2), `{"type":4}`, "no interaction"},
	} {
		d := &Discord{last: 1}
		d.judge(test.id, &question{user: "7"}, []byte(test.body))
		if got := d.mistake(); test.want == "" && got != nil || test.want != "" && (got == nil || !strings.Contains(got.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", name, got, test.want)
		}
	}
}
