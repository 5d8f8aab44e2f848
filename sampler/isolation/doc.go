// Package isolation gives each rollout something of its own to run in: a
// container, a database, a server, started and stopped by a URL or a command.
//
// In: a rollout that begins or has ended. Out: an enclosure with what its start
// answered, or a *sampler.Failure; and a journal of those that were not stopped,
// so that the next call can do it. The configuration calls an enclosure a
// session.
package isolation
