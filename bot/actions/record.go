package actions

import (
	"encoding/json"
	"errors"
	"fmt"

	"hostbot/bot/interaction"
)

// format is counted up when a record changes so that earlier versions of the program cannot
// read it.
const format = 1

// document is what Redis keeps of who asked for an action.
type document struct {
	Format  int                 `json:"format"`
	Request interaction.Request `json:"request"`
	Action  interaction.Action  `json:"action"`
}

func (l *Lock) encode() ([]byte, error) { return json.Marshal(document{format, l.request, l.action}) }

// errLater says that a later version of the program has written a record.
var errLater = errors.New("actions: the format of a record is a later one")

func decode(data string) (r document, err error) {
	var is struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal([]byte(data), &is); err != nil {
		return document{}, err
	}
	if is.Format > format {
		return document{}, errLater
	}
	if err = json.Unmarshal([]byte(data), &r); err == nil && r.Request.ID == "" {
		err = errors.New("actions: it is no record")
	}
	return r, err
}

// is returns no error if a record is that of an action in the index. A bot that was to be created has
// an ID only once it was.
func (r document) is(e entry) error {
	switch bot := botField(r.Action.BotID); {
	case r.Request.CustomerID != e.customer:
		return errors.New("actions: the record is that of another customer")
	case bot != e.bot && botField("") != e.bot:
		return errors.New("actions: the record is that of another bot")
	}
	switch r.Action.Outcome {
	case "", interaction.Done, interaction.Failed, interaction.Refused, interaction.Unconfirmed:
		return nil
	}
	return fmt.Errorf("actions: the record has the outcome %q", r.Action.Outcome)
}
