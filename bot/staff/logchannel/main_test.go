//go:build !integration

package logchannel_test

import "testing"

func TestMain(m *testing.M) { runTests(m) }
