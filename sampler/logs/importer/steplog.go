package importer

import (
	"encoding/json"
	"fmt"
	"strconv"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/rollout"
)

// stepLog is the intake for a log that a trainer writes at each step. Its items have no ids: the
// prompt identifies the item. Each step has another policy.
type stepLog struct {
	*intake
	steps map[int]bool
}

func newStepLog(in *intake) *stepLog { return &stepLog{intake: in, steps: make(map[int]bool)} }

// step parses the step of a row, which is 0 if text is "".
func (s *stepLog) step(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("step must be a whole number from 0, not %s", transcript.FirstLine(text))
	}
	s.steps[n] = true
	return n, nil
}

func (s *stepLog) noteItems() {
	s.sink.note("item = a hash of the prompt, sample = the order of its rows, split = %s", s.split)
	s.sink.noteSteps(s.steps)
}

// noteSteps notes that rollouts of different steps are kept apart.
func (s Sink) noteSteps(steps map[int]bool) {
	if s.Steps != nil {
		s.Steps(len(steps))
	} else if len(steps) > 1 {
		s.note("rollouts are from %d steps with different policies: rollouts of one prompt in several steps are "+
			"separate items, and means cover all steps; import steps separately to compare them", len(steps))
	}
}

// next returns how many rollouts of an item came before in a step of this file.
func (s *stepLog) next(item string, step int) int { return s.again(fmt.Sprintf("%s %d", item, step)) }

// prompted passes an item on with its prompt.
func (s *stepLog) prompted(f File, line int, it rollout.Item, prompt []rollout.Message,
	fields map[string]json.RawMessage,
) error {
	it.Split, it.Line = s.split, line
	return sendItem(s.sink, f, it, prompt, fields)
}
