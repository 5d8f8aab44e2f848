package importer

import (
	"encoding/json"
	"fmt"

	"gonogo/sampler/rollout"
)

// stepLog names the items of a log that a trainer writes for each step, whose items have
// no ids: an item is its prompt. If a prompt comes in several steps, each of which has
// another policy, an item is a prompt in a step.
type stepLog struct {
	*intake
	steps    map[string]string // the step in which a prompt came
	repeated bool              // a prompt comes in several steps
}

func newStepLog(src Source, sink Sink) *stepLog {
	return &stepLog{intake: newIntake(src, sink), steps: make(map[string]string)}
}

// saw is called for each row before any of them is handed on.
func (s *stepLog) saw(prompt, step string) {
	before, there := s.steps[prompt]
	s.repeated = s.repeated || there && before != step
	s.steps[prompt] = step
}

// id returns the item of a prompt in a step, and its family: what the steps of one prompt
// have in common.
func (s *stepLog) id(prompt, step string) (id, family string) {
	if s.repeated {
		return fmt.Sprintf("%s/step-%s", prompt, step), prompt
	}
	return prompt, ""
}

func (s *stepLog) noteItems() {
	if s.repeated {
		s.sink.note("prompts come in several steps, whose policies differ: item = a hash of the prompt and its step, family = the prompt; import single steps to compare them; split = %s", s.split)
		return
	}
	s.sink.note("item = a hash of the prompt, sample = the order of its rows, split = %s", s.split)
}

// prompted hands an item on where it comes for the first time.
func (s *stepLog) prompted(f File, line int, it rollout.Item, prompt []rollout.Message, fields map[string]json.RawMessage) error {
	if s.sent[it.ID] {
		return nil
	}
	s.sent[it.ID] = true
	it.Split, it.Line = s.split, line
	return sendItem(s.sink, f, it, prompt, fields)
}
