//go:build integration

package alerts_test

// crashes is of how many customers a bot falls at once.
const crashes = 1000
