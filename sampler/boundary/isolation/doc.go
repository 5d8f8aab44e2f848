// Package isolation serves the gonogo command; its API may change in any release.
//
// It gives each rollout its own session: a container, a database or a server that a URL or a command
// starts and stops.
//
// In: a rollout that begins or has ended. Out: a session with the values that its start returned, or
// an *endpoint.Failure; and a journal of the sessions that are not stopped yet, so that the next
// invocation can stop them.
package isolation
