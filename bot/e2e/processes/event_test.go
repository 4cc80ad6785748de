package processes_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"hostbot/bot/discordtest"
)

// TestAnEventOfAnotherShapeIsSurvived sends events whose data is no object, and
// interactions whose own data is none.
func TestAnEventOfAnotherShapeIsSurvived(t *testing.T) {
	t.Parallel()
	w := newScene(t, instantly, discordtest.Config{})
	r := w.start(t)
	id := 0
	for _, shape := range []string{`"text"`, `5`, `true`, `null`, `[]`, `[{}]`, `{}`} {
		for _, event := range []string{"INTERACTION_CREATE", "READY", "RESUMED", "GUILD_CREATE", "GUILD_DELETE", "NO_SUCH_EVENT"} {
			w.discord.SendEvent(event, json.RawMessage(shape))
		}
		for kind := 1; kind <= 6; kind++ {
			for _, rest := range []string{`"user":{"id":"2"},"data":` + shape, `"data":{},"user":` + shape, `"data":{},"member":` + shape} {
				id++
				w.discord.SendEvent("INTERACTION_CREATE", json.RawMessage(fmt.Sprintf(`{"id":"%d","token":"t","type":%d,%s}`, id, kind, rest)))
			}
		}
	}
	if done := restartAll(t, w.customers("c", 5), 5); done != 5 || !r.alive() {
		t.Errorf("%d of 5 restarts were done afterwards; the process runs: %v", done, r.alive())
	}
}
