//go:build integration

package alerts_test

func init() { crashes = 1000 }
