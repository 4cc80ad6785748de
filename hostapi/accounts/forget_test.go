package accounts_test

import (
	"context"
	"testing"

	"hostbot/bot/redisconn/redistest"
)

func TestForgetLeavesNothing(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.remembered(t, list("RUNNING"))
		gone, leave := context.WithCancel(t.Context())
		leave()
		if known, err := f.Forget(gone, user); !known || err != nil {
			t.Errorf("of a remembered account: known %v, error %v", known, err)
		}
		if n := f.redis.DBSize(t.Context()).Val(); n != 0 {
			t.Errorf("%d keys are left", n)
		}
		if known, err := f.Forget(t.Context(), user); known || err != nil {
			t.Errorf("the second time: known %v, error %v", known, err)
		}
		f.remembered(t, list("CRASHED")) // the service is asked
	})
}

func TestForgetDropsAnAnswerBeingStored(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		asked := f.later(t.Context(), soon())
		q := f.service.next(t)
		storing, release := holdFirst(f, "evalsha", nil)
		q.reply(t, reply{list: list("RUNNING")})
		receive(t, storing)
		if known, err := f.Forget(t.Context(), user); !known || err != nil {
			t.Errorf("of an account that is being stored: known %v, error %v", known, err)
		}
		close(release)
		receive(t, asked)
		if n := f.redis.DBSize(t.Context()).Val(); n != 0 {
			t.Errorf("%d keys are left", n)
		}
	})
}

func TestForgetSaysThatRedisIsGone(t *testing.T) {
	redistest.EachServer(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server.URL())
		f.remembered(t, list("RUNNING"))
		server.Stop()
		if known, err := f.Forget(t.Context(), user); known || err == nil {
			t.Errorf("known %v, error %v", known, err)
		}
	})
}
