package importer

import (
	"fmt"
	"strings"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// fill fills in the record of one trial.
func (t *tauReader) fill(rec *rollout.Record, e *tauEntry) error {
	rec.Messages = afterSystem(e.Traj)
	rec.Calls, rec.Turns = transcript.CallsOf(rec.Messages, tauStatus)
	reward, err := number("reward", e.Reward)
	if err != nil {
		return err
	}
	at, cause := e.failure(rollout.ModelAPI)
	switch {
	case at != "" && isNone(e.Info.Error):
		t.failures++
		rec.Outcome, rec.Error = at, transcript.FirstLine(cause)
	case at != "" || len(e.Traj) == 0 && reward != nil && *reward == 0:
		t.failures++
		rec.Outcome, rec.Error = rollout.ModelAPI, tauCause(e.Info)
	case reward == nil:
		t.unrewarded++
		rec.Outcome, rec.Error = rollout.GraderFailed, "reward is missing, null or NaN"
	case len(e.Traj) == 0:
		return fmt.Errorf("reward %g without a trajectory: such a file cannot tell a zero from a failure",
			*reward)
	default:
		rec.Outcome, rec.Reward = rollout.Graded, reward
	}
	return nil
}

// tauCause returns the exception that ended a trial in one line.
func tauCause(info tauInfo) string {
	if cause := transcript.FirstLine(jsontext.TextOrJSON(info.Error)); cause != "" {
		return cause
	}
	lines := strings.Split(strings.TrimSpace(info.Traceback), "\n")
	if cause := transcript.FirstLine(lines[len(lines)-1]); cause != "" {
		return cause
	}
	return "no trajectory and no error recorded"
}

func afterSystem(traj []rollout.Message) []rollout.Message {
	if len(traj) > 0 && traj[0].Role == "system" {
		return traj[1:]
	}
	return traj
}

// tauStatus returns, from its text, how a tool call ended: tau-bench catches what a
// tool throws and shows it to the model as "Error: …", and answers a call of a
// tool that there is none with "Unknown action …" (tau_bench/envs/base.py).
func tauStatus(answer *rollout.Message) (rollout.CallStatus, string) {
	switch output := answer.Content; {
	case strings.HasPrefix(output, "Error"):
		return rollout.CallError, transcript.FirstLine(output)
	case strings.HasPrefix(output, "Unknown action"):
		return rollout.CallMalformed, transcript.FirstLine(output)
	}
	return rollout.CallOK, ""
}
