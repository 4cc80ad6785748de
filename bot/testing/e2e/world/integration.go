//go:build integration

package world

// Integration reports whether the tests that need more than Go are built: a real Redis, the program
// as processes, and the whole of the fault matrix.
const Integration = true
