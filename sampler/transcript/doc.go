// Package transcript reads conversations as other programs write them.
//
// In: messages of a chat, or the items of the Responses API, in the shapes that
// tools which follow OpenAI write. Out: rollout.Message, rollout.Call and the
// number of model turns.
package transcript
