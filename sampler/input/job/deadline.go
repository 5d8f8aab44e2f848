package job

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gonogo/sampler/jsontext"
)

// Deadline is a date from which a platform no longer offers something.
type Deadline struct {
	Platform string    // "openai"
	Model    string    // the model that is retired; "" for all new reinforcement jobs
	Date     time.Time // the first day without it, UTC
	Source   string
}

// deprecations is the source of the table below, read on 2026-11-20.
const deprecations = "the platform's deprecations page, as of 2026-11-20"

// Deadlines returns dated information: it appears in warnings and decides nothing.
func Deadlines() []Deadline {
	day := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }
	october, december, january := day(2026, 10, 23), day(2026, 12, 11), day(2027, 1, 14)
	list := []Deadline{{Platform: "openai", Date: day(2027, 1, 6), Source: deprecations}}
	for _, m := range []struct {
		date  time.Time
		names string
	}{
		{october, "o4-mini-2025-04-16 o4-mini o1-2024-12-17 o1 o3-mini-2025-01-31 o3-mini gpt-4.1-nano-2025-04-14 " +
			"gpt-4.1-nano"},
		{december, "gpt-5-2025-08-07 o3-2025-04-16 o3"},
		{january, "gpt-4o-2024-08-06 gpt-4o-mini-2024-07-18 gpt-4o-mini gpt-4.1-2025-04-14 gpt-4.1 " +
			"gpt-4.1-mini-2025-04-14 gpt-4.1-mini"},
	} {
		for name := range strings.FieldsSeq(m.names) {
			list = append(list, Deadline{Platform: "openai", Model: name, Date: m.date, Source: deprecations})
		}
	}
	return list
}

// Warning is something in a job that works here but may not work on the platform.
type Warning struct {
	Rule string // RuleDeadline, "retired_model", "hyperparameter" or "grader"
	Path string // path in the job; "" for the job as a whole
	Text string
}

// RuleDeadline is the rule for a platform that stops accepting new jobs on a date.
const RuleDeadline = "deadline"

// platforms are the targets that take the body of a job.
var platforms = []string{"openai", "azure", "bedrock"}

// Warnings returns what the platform named target ("openai", "azure" or "bedrock") may reject or
// ignore in the job at the time now; nothing for any other target, which does not take the job.
func (j *Job) Warnings(target string, now time.Time) []Warning {
	if !slices.Contains(platforms, target) {
		return nil
	}
	warn := j.deadlines(target, now)
	for _, limit := range limits {
		if n := limit.setting(&j.Hyper).Number; n != nil && (*n < limit.lo || *n > limit.hi) {
			warn = append(warn, Warning{
				"hyperparameter", limit.name,
				fmt.Sprintf("%s is %g; the platform's API description of 2026-11 allows %s", limit.name, *n,
					limit.text),
			})
		}
	}
	switch j.Hyper.ReasoningEffort {
	case "", "default", "low", "medium", "high":
	default:
		warn = append(warn, Warning{
			"hyperparameter", "reasoning_effort",
			fmt.Sprintf("reasoning_effort is %q; a job may say default, low, medium or high", j.Hyper.ReasoningEffort),
		})
	}
	return append(warn, j.graderWarnings()...)
}

func (j *Job) deadlines(target string, now time.Time) []Warning {
	judges := j.judges()
	var warn []Warning
	for _, d := range Deadlines() {
		if d.Platform != target {
			continue
		}
		when := "from " + d.Date.Format(time.DateOnly)
		if !now.Before(d.Date) {
			when = "as of " + d.Date.Format(time.DateOnly)
		}
		switch {
		case d.Model == "":
			warn = append(warn, Warning{RuleDeadline, "", fmt.Sprintf(
				"%s OpenAI accepts no new fine-tuning jobs (%s). Azure and Bedrock take the same job, and "+
					"others the same data: set target to check their limits", when, d.Source)})
		case d.Model == j.Model:
			warn = append(warn,
				Warning{"retired_model", "model", fmt.Sprintf("%s the model %s is gone (%s)", when, d.Model, d.Source)})
		}
		for _, judge := range judges {
			if d.Model != "" && judge.model == d.Model {
				warn = append(warn,
					Warning{"retired_model", judge.path, fmt.Sprintf("%s the judge %s is gone (%s)", when, d.Model,
						d.Source)})
			}
		}
	}
	return warn
}

// limits are the accepted ranges of the hyperparameters, from the public API description as of
// 2026-11-20.
var limits = []struct {
	name    string
	setting func(*Hyperparameters) Setting
	lo, hi  float64
	text    string
}{
	{"n_epochs", func(h *Hyperparameters) Setting { return h.NEpochs }, 1, 50, "auto or 1 to 50"},
	{"batch_size", func(h *Hyperparameters) Setting { return h.BatchSize }, 1, 256, "auto or 1 to 256"},
	{
		"learning_rate_multiplier", func(h *Hyperparameters) Setting { return h.LearningRateMultiplier }, 5e-324, 1e308,
		"auto or more than 0",
	},
	{
		"compute_multiplier", func(h *Hyperparameters) Setting { return h.ComputeMultiplier }, 0.00001, 10,
		"auto or 0.00001 to 10",
	},
	{"eval_interval", func(h *Hyperparameters) Setting { return h.EvalInterval }, 1, 1e308, "auto or 1 and more"},
	{"eval_samples", func(h *Hyperparameters) Setting { return h.EvalSamples }, 1, 1e308, "auto or 1 and more"},
}

// graderNode holds the keys of a grader that are read here.
type graderNode struct {
	Type          string                     `json:"type"`
	Model         string                     `json:"model"`
	URL           string                     `json:"url"`
	Metric        string                     `json:"evaluation_metric"`
	PassThreshold json.RawMessage            `json:"pass_threshold"`
	Graders       map[string]json.RawMessage `json:"graders"`
	inMulti       bool                       // it is within another grader
}

// eachGrader visits the job's grader and those within it, in the order of their names, each with
// its path. A key whose value has the wrong type counts as absent.
func (j *Job) eachGrader(visit func(path string, g *graderNode)) {
	var walk func(path string, raw json.RawMessage, inMulti bool)
	walk = func(path string, raw json.RawMessage, inMulti bool) {
		g := graderNode{inMulti: inMulti}
		_ = jsontext.Unmarshal(raw, &g)
		visit(path, &g)
		for _, name := range slices.Sorted(maps.Keys(g.Graders)) {
			walk(path+".graders."+name, g.Graders[name], true)
		}
	}
	walk("grader", j.Grader, false)
}

// judge is a model that grades, with its path in the job.
type judge struct {
	path, model string
	grades      bool // a score_model or label_model; other graders only have the key
}

// judges lists the judges of the grader and of those within it.
func (j *Job) judges() (found []judge) {
	j.eachGrader(func(path string, g *graderNode) {
		if g.Model != "" {
			found = append(found, judge{path + ".model", g.Model, g.Type == "score_model" || g.Type == "label_model"})
		}
	})
	return found
}

// graderWarnings returns what is accepted here but documented as not working in a reinforcement
// job.
func (j *Job) graderWarnings() (warn []Warning) {
	j.eachGrader(func(path string, g *graderNode) {
		add := func(text string) { warn = append(warn, Warning{"grader", path, text}) }
		if g.Metric == "cosine" {
			add("the metric cosine works in evals only, not in reinforcement jobs")
		}
		if g.inMulti && g.Type == "multi" {
			add("a multi grader inside a multi grader is refused by the platform")
		}
		if g.inMulti && len(g.PassThreshold) > 0 && string(g.PassThreshold) != "null" {
			add("pass_threshold cannot be used on a child of a multi grader: set it on the multi grader itself")
		}
	})
	return warn
}
