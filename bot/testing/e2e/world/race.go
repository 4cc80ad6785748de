//go:build race

package world

// RaceDetector tells whether the race detector is on. It makes everything take
// several times as long.
const RaceDetector = true
