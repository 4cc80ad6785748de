//go:build !integration

package redistest

import "testing"

// servers are the kinds of a single Redis, by the names of their subtests.
func servers() map[string]func(testing.TB) *Server {
	return map[string]func(testing.TB) *Server{"miniredis": StartMiniredis}
}

// Run runs the tests, and returns the status with which the process should end.
func (r Tests) Run() (status int) { return r.m.Run() }

// eachCluster runs nothing: there is no Cluster.
func eachCluster(*testing.T, func(t *testing.T, url string)) {}

// Parallel has a test that calls Each run beside others.
func Parallel(t *testing.T) {
	t.Helper()
	t.Parallel()
}
