// Package transcript reads conversations written by other programs.
//
// In: messages of a chat, or the items of the Responses API, in the variants written by
// OpenAI-compatible tools. Out: rollout.Message, rollout.Call and the number of model turns.
package transcript
