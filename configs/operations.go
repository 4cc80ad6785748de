package configs

import (
	"strconv"

	"hostbot/hostapi"
)

// operationProperties returns the keys under an operation in the file.
func operationProperties() []string { return []string{"enabled", "method", "path", "chat_user_id"} }

// readOperations returns the changes to operations that the file makes.
func (l *loader) readOperations() map[string]Operation {
	changes := make(map[string]Operation)
	for _, op := range operations() {
		change, changed := Operation{Enabled: true}, false
		for _, property := range operationProperties() {
			key := operationsKey + "." + string(op) + "." + property
			e, ok := l.file[key]
			if !ok || e.text == "" {
				continue
			}
			changed = true
			if what := change.set(op, property, e.text); what != "" {
				l.mistakes.addLine(l.inFile(key, e.line) + " " + what)
			}
		}
		if changed {
			changes[string(op)] = change
		}
		if !fits(op, change) {
			l.mistakes.addLine(operationsKey + "." + string(op) + " has a method that can not carry chat_user_id in that place")
		}
	}
	return changes
}

// set sets a property, unless the value is wrong, of which it says how.
func (o *Operation) set(op hostapi.Operation, property, text string) (wrong string) {
	switch property {
	case "enabled":
		enabled, err := strconv.ParseBool(text)
		if err != nil {
			return "is neither true nor false"
		}
		o.Enabled = enabled
	case "method":
		if !fits(op, Operation{Method: text, ChatUserID: string(hostapi.InQuery)}) {
			return "is not a method that the operation can have: GET or POST where it reads, else POST, PUT, PATCH or DELETE"
		}
		o.Method = text
	case "path":
		if !fits(op, Operation{Path: text}) {
			return "is not a path from the base URL on, with one segment :id exactly where the operation is about one bot"
		}
		o.Path = text
	case "chat_user_id":
		if place := hostapi.Place(text); place != hostapi.InQuery && place != hostapi.InBody {
			return "is neither query nor body"
		}
		o.ChatUserID = text
	}
	return ""
}

// fits tells whether the hosting service's client takes a change. What it has
// against one is not repeated, as that holds the value.
func fits(op hostapi.Operation, o Operation) bool {
	_, err := hostapi.New(hostapi.Config{
		BaseURL: "https://localhost", Secret: "unused",
		Operations: map[hostapi.Operation]hostapi.Override{
			op: {Method: o.Method, Path: o.Path, UserIDIn: hostapi.Place(o.ChatUserID)},
		},
	})
	return err == nil
}
