package watcher

import (
	"errors"
	"strconv"
)

// Left names the state that a bot has left, and since when it had that: a change has one name, whichever
// process sees it. Each poll sees that alike until the new state is written, also if a failover
// has lost what was written.
func (c Change) Left() string {
	return string(c.From) + strconv.FormatInt(c.Since.Unix(), 10) // a history has whole seconds
}

// ByCustomer hands each customer's changes to a function, those that concern it. One that fails
// keeps no other back.
func ByCustomer(changes []Change, concerns func(Change) bool, do func(customerID string, own []Change) error) error {
	of := make(map[string][]Change)
	for _, c := range changes {
		if concerns(c) {
			of[c.CustomerID] = append(of[c.CustomerID], c)
		}
	}
	var failed error
	for customerID, own := range of {
		failed = errors.Join(failed, do(customerID, own))
	}
	return failed
}
