// Package redistest runs a test on every kind of Redis that the program meets:
// miniredis, which is always there, and a real redis-server where one is in PATH.
// Where TEST_REQUIRE_REDIS is set, a test that finds no real Redis fails; else it is
// skipped.
package redistest

import "testing"

// Each runs a test on miniredis and on a real Redis, as the subtests "miniredis"
// and "redis". The Redis is empty and ends with its subtest; TTLs run with the
// machine's clock on both.
func Each(t *testing.T, run func(t *testing.T, url string)) {
	t.Helper()
	EachServer(t, func(t *testing.T, server *Server) { run(t, server.URL()) })
}

// EachServer is Each for tests in which the Redis goes away and comes back.
func EachServer(t *testing.T, run func(t *testing.T, server *Server)) {
	t.Helper()
	t.Run("miniredis", func(t *testing.T) { run(t, StartMiniredis(t)) })
	t.Run("redis", func(t *testing.T) { run(t, StartRedis(t)) })
}
