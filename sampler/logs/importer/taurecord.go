package importer

import (
	"fmt"
	"strings"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// fill sets the record of one trial.
func (t *tauReader) fill(rec *rollout.Record, e *tauEntry) error {
	rec.Messages = afterSystem(e.Traj)
	rec.Calls, rec.Turns = transcript.CallsOf(rec.Messages, tauStatus)
	reward, err := t.reward("reward", e.Reward)
	if err != nil {
		return err
	}
	boundary, cause := e.failure(rollout.ModelAPI)
	switch {
	case boundary != "" && isNone(e.Info.Error):
		t.failures++
		rec.Outcome, rec.Error = boundary, transcript.FirstLine(cause)
	case boundary != "" || len(e.Traj) == 0 && reward != nil && *reward == 0:
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

// tauCause returns, in one line, the exception that ended a trial.
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

// tauStatus returns the status of a tool call from the text of its result. tau-bench catches
// exceptions of a tool and shows them to the model as "Error: …"; a call of a tool that does not
// exist gets "Unknown action …" (tau_bench/envs/base.py).
func tauStatus(answer *rollout.Message) (rollout.CallStatus, string) {
	switch output := answer.Content; {
	case strings.HasPrefix(output, "Error"):
		return rollout.CallError, transcript.FirstLine(output)
	case strings.HasPrefix(output, "Unknown action"):
		return rollout.CallMalformed, transcript.FirstLine(output)
	}
	return rollout.CallOK, ""
}
