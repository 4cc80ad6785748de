//go:build !integration

package alerts_test

// crashes is of how many customers a bot falls at once. They are few here: miniredis goes through all
// keys at each command.
const crashes = 100
