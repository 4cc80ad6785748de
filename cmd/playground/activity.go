package main

import (
	"context"
	"errors"
	"strconv"

	"hostbot/cmd/playground/timeline"
)

// listActivity tells what happened underneath.
func (p *playground) listActivity(context.Context, request) (any, error) {
	interactions, apart := p.activity.List()
	return map[string]any{"interactions": interactions, "apart": apart}, nil
}

// stepBodies shows what was sent and answered in a step.
func (p *playground) stepBodies(_ context.Context, in request) (any, error) {
	id, err := strconv.Atoi(in.Step)
	bodies, ok := timeline.Bodies{}, false
	if err == nil {
		bodies, ok = p.activity.Bodies(id)
	}
	if !ok {
		return nil, errors.New("this step is too old and not kept any more")
	}
	return bodies, nil
}
