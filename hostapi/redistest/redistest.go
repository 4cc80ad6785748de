// Package redistest runs a test on every kind of Redis that the program meets:
// miniredis, which is always there, and a real redis-server where one is
// installed.
//
// Environment:
//
//	TEST_REDIS_URL       a running Redis to use in the place of one started from
//	                     PATH; the database it names is emptied by each test, so
//	                     run one package at a time with it (go test -p 1)
//	TEST_REQUIRE_REDIS   not empty: a test that finds no real Redis fails, where it
//	                     would have been skipped
package redistest

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Each runs a test on miniredis and on a real Redis, as the subtests "miniredis"
// and "redis". The Redis is empty and ends with its subtest; TTLs run with the
// machine's clock on both.
func Each(t *testing.T, run func(t *testing.T, url string)) {
	t.Helper()
	t.Run("miniredis", func(t *testing.T) { run(t, StartMiniredis(t).URL()) })
	t.Run("redis", func(t *testing.T) {
		if url := os.Getenv("TEST_REDIS_URL"); url != "" {
			empty(t, url)
			run(t, url)
			return
		}
		run(t, StartRedis(t).URL())
	})
}

// EachServer is Each for tests in which the Redis goes away and comes back. It
// does not use TEST_REDIS_URL.
func EachServer(t *testing.T, run func(t *testing.T, server *Server)) {
	t.Helper()
	t.Run("miniredis", func(t *testing.T) { run(t, StartMiniredis(t)) })
	t.Run("redis", func(t *testing.T) { run(t, StartRedis(t)) })
}

// empty removes every key of the database that url names.
func empty(t *testing.T, url string) {
	t.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal("TEST_REDIS_URL is not a redis:// or rediss:// address")
	}
	client := redis.NewClient(options)
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := client.FlushDB(ctx).Err(); err != nil {
		t.Fatalf("TEST_REDIS_URL: %v", err)
	}
}
