// Package isolation serves the gonogo command; its API may change in any release.
//
// It gives each rollout its own session: a container, a database or a server that is started
// and stopped by a URL or a command.
//
// In: a rollout that begins or has ended. Out: a session with the values that its
// start returned, or a *endpoint.Failure; and a journal of those not stopped yet, so
// that the next call can stop them.
package isolation
