package interaction_test

import (
	"errors"
	"strings"
	"testing"

	"hostbot/bot/interaction"
)

func TestAPanicBesideAHandlerIsAnError(t *testing.T) {
	failure := errors.New("no answer")
	var beside interaction.Beside
	beside.Go(func() error { return failure })
	beside.Go(func() error { panic("a mistake") })
	beside.Go(func() error { return nil })
	err := beside.Wait()
	panicked, ok := errors.AsType[*interaction.PanicError](err)
	if !ok || !errors.Is(err, interaction.ErrPanic) || !errors.Is(err, failure) || panicked.Value != "a mistake" {
		t.Fatalf("%v", err)
	}
	if !strings.Contains(string(panicked.Stack), "guard_test.go") {
		t.Errorf("the stack does not tell where: %s", panicked.Stack)
	}
}
