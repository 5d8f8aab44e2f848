package audit

import "cmp"

// defaultAttacks is the number of items that an attacker writes answers for.
const defaultAttacks = 10

// Settings is the part of a configuration that describes the audit of the grader.
type Settings struct {
	Enabled     *bool            `json:"enabled,omitzero" default:"true" doc:"whether gonogo run audits the grader once the rollouts are made"`
	Items       int              `json:"items" default:"20" min:"1" max:"100000" doc:"items that the probes are made of"`
	Regrades    int              `json:"regrades" default:"100" min:"0" max:"1000000" doc:"recorded outputs that are graded once more, to see how much of the variance is the grader's own"`
	MaxGradings int              `json:"max_gradings" default:"3000" min:"1" max:"10000000" doc:"most gradings of an audit, not counting detectors; what does not fit is left out evenly and listed"`
	Search      *int             `json:"search,omitzero" min:"0" max:"10000000" example:"2000" or:"600 for a grader on this machine, 0 for one that asks a server" doc:"most gradings of the search for a text that is paid without an answer"`
	Attacker    AttackerSettings `json:"attacker,omitzero" or:"none" example:"{model: gpt-oss-120b, n: 10, grader: second.json}" doc:"a model at the judge's endpoint (judge.base_url) that writes answers to n items (default 10), to score high without being right. An answer is submitted only if it is proven wrong: by the second grader in the file grader, which gives it the bottom half of its range, or else by a reference that is a number, a label or a choice"`
	MaxMarks    int              `json:"max_marks" default:"0" min:"0" max:"10000000" doc:"most rollouts that each detector reads; 0 is all of them"`
	Reference   string           `json:"reference,omitzero" or:"what the grader's templates compare with, else a row field such as reference_answer" example:"\"{{item.reference_answer}}\"" doc:"an item's reference answer: a field of the row, or a template"`
	Answer      string           `json:"answer,omitzero" or:"the form that the rollouts at the top share, else {{reference}}" example:"\"The answer is {{reference}}.\"" doc:"template of a whole answer around a reference, if the bare reference is not a valid answer"`
	Unordered   *bool            `json:"unordered,omitzero" default:"false" doc:"whether the order of a reference's list is irrelevant: then an answer in another order must score at the top"`
	Skip        []string         `json:"skip,omitzero" or:"none" example:"[code_fence, list_order]" doc:"probes that make no sense for this task"`
	Probes      []Custom         `json:"probes,omitzero" or:"none" example:"[{name: magic_word, expect: bottom, template: \"xyzzy {{item.reference_answer}}\"}]" doc:"probes of your own, each with a template, or with a pattern that changes a recorded answer"`
	Detectors   []CustomDetector `json:"detectors,omitzero" or:"none" example:"[{name: returns_reference, regex: \"import reference\", zero: true}]" doc:"rules that mark a recorded rollout as a hack, each by one of regex, python and judge"`
	Core        string           `json:"core,omitzero" or:"a part without which the grader's formula gives nothing" example:"tests" doc:"the part of a multi grader that is the task itself: other parts must not move the reward while it is at zero"`
	Labels      string           `json:"labels,omitzero" or:"labels.jsonl of the run" mark:"file" example:"labels.csv" doc:"human scores, CSV or JSONL: item, sample or output, step, score, rater"`
}

// Config returns the configuration of an audit's plan.
func (s Settings) Config() Config {
	cfg := Config{
		Items: s.Items, Regrades: s.Regrades, MaxGradings: s.MaxGradings, MaxMarks: s.MaxMarks,
		Skip: s.Skip, Unordered: s.Unordered != nil && *s.Unordered,
	}
	if s.Attacker.Model != "" {
		cfg.Attacks = cmp.Or(s.Attacker.Items, defaultAttacks)
	}
	return cfg
}
