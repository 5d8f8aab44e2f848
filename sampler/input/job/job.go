package job

import (
	"encoding/json"

	"gonogo/sampler/input/document"
	"gonogo/sampler/jsontext"
)

// Job is the body of a reinforcement fine-tuning job.
type Job struct {
	Model           string // base model; "" when the body is only a method or reinforcement object
	TrainingFile    string // file id as the platform knows it; "" when absent
	ValidationFile  string
	Suffix          string
	Seed            *int64 // nil when absent
	Tools           []Tool
	Grader          json.RawMessage // verbatim; its type is known to be a string
	ResponseFormat  json.RawMessage // verbatim; nil when absent
	MaxEpisodeSteps int             // tool calls plus model turns of one rollout; 0 when absent
	Hyper           Hyperparameters

	Unknown []string        // paths of keys that are kept but mean nothing here
	Raw     json.RawMessage // the body verbatim

	name   string          // what errors call the body
	within *document.Node  // the document that the body was converted from; nil for JSON
	path   string          // of the body in that document
	passAt *document.Error // the place of the grader's pass_threshold; nil when it has none
}

// Tool is one entry of the job's tools: transport only. Its description and schema
// are in the data rows.
type Tool struct {
	Name      string
	ServerURL string
	Headers   map[string]string
	Extra     map[string]json.RawMessage // other keys, which go with every call
}

// Hyperparameters are the job's training settings. A setting may be absent,
// "auto" or a number.
type Hyperparameters struct {
	BatchSize              Setting
	NEpochs                Setting
	ComputeMultiplier      Setting
	EvalSamples            Setting
	EvalInterval           Setting
	LearningRateMultiplier Setting
	ReasoningEffort        string // "" when absent
}

// Setting is a hyperparameter that a job may leave to the platform. The zero
// Setting is absent.
type Setting struct {
	Auto   bool     // "auto"
	Number *float64 // nil when absent or auto
}

// Int returns the setting as a whole number; ok is false when it is absent,
// auto or has a fraction.
func (s Setting) Int() (n int, ok bool) {
	if s.Number == nil || *s.Number != float64(int(*s.Number)) {
		return 0, false
	}
	return int(*s.Number), true
}

// ToolNames returns the names of the job's tools, in the job's order.
func (j *Job) ToolNames() []string {
	names := make([]string, len(j.Tools))
	for i, t := range j.Tools {
		names[i] = t.Name
	}
	return names
}

// Hosted reports whether the body is one for a hosted platform: with a method, as it
// is given to fine_tuning.jobs.create, or that method's reinforcement object.
func (j *Job) Hosted() bool {
	var keys map[string]json.RawMessage
	if jsontext.Unmarshal(j.Raw, &keys) != nil {
		return false
	}
	for _, key := range []string{"method", "reinforcement", "training_file"} {
		if _, ok := keys[key]; ok {
			return true
		}
	}
	return false
}

// Judges returns the models that the job's grader, or a grader within it,
// asks for a grade, in the order of the graders' names.
func (j *Job) Judges() []string {
	var models []string
	for _, at := range j.judges() {
		if at.grades {
			models = append(models, at.model)
		}
	}
	return models
}

// grading is what the job says about its grader's scale.
type grading struct {
	PassThreshold *float64 `json:"pass_threshold"`
}

// PassThreshold returns the pass_threshold of the job's grader; ok is false when it
// has none. It is undocumented what a platform does with it beyond counting passes,
// so it never changes a reward.
func (j *Job) PassThreshold() (threshold float64, ok bool) {
	var g grading
	if jsontext.Unmarshal(j.Grader, &g) != nil || g.PassThreshold == nil {
		return 0, false
	}
	return *g.PassThreshold, true
}

// PassFault returns the mistake in the grader's pass_threshold, with its place, if
// any.
func (j *Job) PassFault(msg string) error {
	at := document.Error{File: j.name, Path: "grader.pass_threshold", Line: 1, Column: 1}
	if j.passAt != nil {
		at = *j.passAt
	}
	at.Msg = msg
	return j.placed(at)
}
