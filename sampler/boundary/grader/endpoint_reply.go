package grader

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/internal/failure"
	"gonogo/sampler/jsontext"
)

// readScore reads {"score": x} or {"reward": x} from an answer whose status means success. kind is
// the kind of err. A reply that reports a failure has no score, whatever number comes with it: a
// grader that counts its own failures as 0 would teach the model the wrong thing.
func readScore(a endpoint.Answer) (score float64, kind string, err error) {
	var reply map[string]json.RawMessage
	if a.Over || jsontext.Unmarshal(a.Body, &reply) != nil || reply == nil {
		if m := notFinite.FindSubmatch(a.Body); m != nil {
			return 0, sampler.KindNotANumber, fmt.Errorf("the score %s is not a number", m[1])
		}
		return 0, sampler.KindMalformed, fmt.Errorf("the answer is not a JSON object with a \"score\": %s",
			endpoint.ErrorText(a))
	}
	if why := reported(reply, a); why != "" {
		return 0, sampler.KindReported, fmt.Errorf("the grader reports an error: %s", why)
	}
	raw := reply["score"]
	if !present(raw) {
		raw = reply["reward"]
	}
	if !present(raw) {
		return 0, sampler.KindMalformed, fmt.Errorf("the answer has no \"score\": %s", endpoint.ErrorText(a))
	}
	if jsontext.Unmarshal(raw, &score) != nil {
		return 0, sampler.KindNotANumber, errors.New("the score " + endpoint.Brief(string(raw)) + " is not a number")
	}
	return score, "", nil
}

// reported returns the failure that a reply reports with a mark of package failure; "" if none. A
// mark about the answer needs another name, such as passed.
func reported(reply map[string]json.RawMessage, a endpoint.Answer) string {
	switch f, failed := markOf(reply, (*failure.Marks).Reply); {
	case !failed:
		return ""
	case f.Key == "error":
		return endpoint.ErrorText(a)
	case f.Cause == "false":
		return f.Key + " is false: " + endpoint.Brief(string(bytes.TrimSpace(a.Body))) +
			"; it says whether the grading worked, so a mark for a wrong answer needs another name, such as passed"
	default:
		return endpoint.Brief(f.Text())
	}
}

// markOf returns the mark by which a reply reports a failure. look is Marks.Reply, or Marks.Row
// where success may be about the answer.
func markOf(reply map[string]json.RawMessage, look func(*failure.Marks, string, []byte)) (failure.Found, bool) {
	var marks failure.Marks
	for key, value := range reply {
		look(&marks, key, value)
	}
	return marks.First()
}

// notFinite matches a score that is not finite as Python's json module writes it, which is not
// valid JSON.
var notFinite = regexp.MustCompile(`"(?:score|reward)"\s*:\s*(-?(?:NaN|Infinity))`)
