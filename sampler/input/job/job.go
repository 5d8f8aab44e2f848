package job

import (
	"encoding/json"

	"gonogo/sampler/input/document"
	"gonogo/sampler/jsontext"
)

// Job is the body of a reinforcement fine-tuning job.
type Job struct {
	Model           string // base model; "" if the body is only a method or reinforcement object
	TrainingFile    string // the platform's file id; "" if absent
	ValidationFile  string
	Suffix          string
	Seed            *int64 // nil if absent
	Tools           []Tool
	Grader          json.RawMessage // verbatim; its type is known to be a string
	ResponseFormat  json.RawMessage // verbatim; nil if absent
	MaxEpisodeSteps int             // tool calls plus model turns of one rollout; 0 if absent
	Hyper           Hyperparameters

	Unknown []string        // paths of keys that are kept but have no meaning here
	Raw     json.RawMessage // the body verbatim

	name   string          // name of the body in errors
	within *document.Node  // the node that the body was converted from; nil for JSON
	path   string          // of the body in its document
	passAt *document.Error // the position of the grader's pass_threshold; nil if it has none
}

// Tool is one entry of the job's tools. It says only how to reach the tool: description and schema
// are in the data rows.
type Tool struct {
	Name      string
	ServerURL string
	Headers   map[string]string
	Extra     map[string]json.RawMessage // other keys, which are sent with every call
}

// Hyperparameters are the job's training settings. A setting may be absent, "auto" or a number.
type Hyperparameters struct {
	BatchSize              Setting
	NEpochs                Setting
	ComputeMultiplier      Setting
	EvalSamples            Setting
	EvalInterval           Setting
	LearningRateMultiplier Setting
	ReasoningEffort        string // "" if absent
}

// Setting is a hyperparameter that a job may leave to the platform. The zero Setting is absent.
type Setting struct {
	Auto   bool     // "auto"
	Number *float64 // nil if absent or auto
}

// Int returns the setting as a whole number; ok is false if it is absent, auto or has a fraction.
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

// Hosted reports whether the body is meant for a hosted platform: it has a method or a training
// file, as in a call of fine_tuning.jobs.create, or is a method object.
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

// Judges returns the models that the job's grader, or a grader within it, asks for a grade, in the
// order of the graders' names.
func (j *Job) Judges() []string {
	var models []string
	for _, judge := range j.judges() {
		if judge.grades {
			models = append(models, judge.model)
		}
	}
	return models
}

// grading is what the job says about its grader's scale.
type grading struct {
	PassThreshold *float64 `json:"pass_threshold"`
}

// PassThreshold returns the pass_threshold of the job's grader; ok is false if it has none. It is
// undocumented what a platform does with it beyond counting passes, so it never changes a reward.
func (j *Job) PassThreshold() (threshold float64, ok bool) {
	var g grading
	if jsontext.Unmarshal(j.Grader, &g) != nil || g.PassThreshold == nil {
		return 0, false
	}
	return *g.PassThreshold, true
}

// PassFault returns msg as a mistake at the position of the grader's pass_threshold.
func (j *Job) PassFault(msg string) error {
	mistake := document.Error{File: j.name, Path: "grader.pass_threshold", Line: 1, Column: 1}
	if j.passAt != nil {
		mistake = *j.passAt
	}
	mistake.Msg = msg
	return j.placed(mistake)
}
