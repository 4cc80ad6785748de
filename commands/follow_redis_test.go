package commands_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
	"hostbot/hostapi/redistest"
)

// reporting is a service that tells of one bot.
type reporting struct{ status atomic.Value }

func (r *reporting) List(context.Context, string) (hostapi.List, error) {
	return account(server("a", "Shop", r.status.Load().(string))), nil
}

// full is a Redis that reads and does not write, while it is on.
type full struct{ on atomic.Bool }

func (f *full) DialHook(next redis.DialHook) redis.DialHook { return next }

func (f *full) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (f *full) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if f.on.Load() && strings.HasPrefix(cmd.Name(), "eval") {
			err := errors.New("OOM command not allowed when used memory > 'maxmemory'.")
			cmd.SetErr(err)
			return err
		}
		return next(ctx, cmd)
	}
}

// Redis holds the account as it was before the action.
func TestBotIsFollowedWithARedisThatDoesNotWrite(t *testing.T) {
	redistest.Each(t, func(t *testing.T, url string) {
		options, err := redis.ParseURL(url)
		if err != nil {
			t.Fatal(err)
		}
		options.ContextTimeoutEnabled = true
		client, hook, service := redis.NewClient(options), &full{}, &reporting{}
		client.AddHook(hook)
		service.status.Store("STOPPED")
		cache := accounts.New(accounts.Config{
			Redis: client, Source: service, TTL: time.Hour, MaxStale: time.Hour, Patience: time.Minute,
		})
		t.Cleanup(func() {
			cache.Close()
			_ = client.Close()
		})
		c := newCommandsWith(t, cache, &world{action: func() (string, error) {
			service.status.Store("CRASHED")
			return "STARTING", nil
		}})
		answer(t, c, command("bot list", nil)) // Redis has the account now
		hook.on.Store(true)
		last := ending(t, c, press("start/a"))
		wantText(t, last.Message, "⚠️ **Shop** was started", "🔴 Crashed")
		if last.Action.Outcome != interaction.Done {
			t.Errorf("outcome %s", last.Action.Outcome)
		}
	})
}
