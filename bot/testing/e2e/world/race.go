//go:build race

package world

// RaceDetector reports whether the race detector is on. It makes everything take
// several times as long.
const RaceDetector = true
