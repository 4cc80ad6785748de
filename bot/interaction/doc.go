// Package interaction says what a Discord interaction is to the rest of the
// program: the Request that a handler is given, the Response that it returns,
// and the Router that finds the handler.
//
// Nothing here talks to Discord. A handler is a function of its request; when
// the response is sent, whether it is deferred first, and what happens to an
// error is the business of package responder. So a handler is tested by calling
// it.
package interaction
