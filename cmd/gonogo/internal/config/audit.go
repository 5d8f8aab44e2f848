package config

import (
	"gonogo/sampler/audit"
	"gonogo/sampler/python"
)

func auditKeys() []key {
	var probes []string
	for _, p := range audit.Probes() {
		probes = append(probes, p.Name)
	}
	return []key{
		{
			Path: "audit.enabled", Default: "true", Doc: "whether gonogo run puts probes to the grader once the rollouts are made",
			at: func(v *values) any { return &v.Audit.Enabled },
		},
		{
			Path: "audit.items", Default: "20", Min: bound(1), Max: bound(100_000), Doc: "items that the probes are made of",
			at: func(v *values) any { return &v.Audit.Items },
		},
		{
			Path: "audit.regrades", Default: "100", Min: bound(0), Max: bound(1_000_000), Doc: "recorded outputs that are graded once more, to see how much of the variance is the grader's own",
			at: func(v *values) any { return &v.Audit.Regrades },
		},
		{
			Path: "audit.max_gradings", Default: "1200", Min: bound(1), Max: bound(10_000_000), Doc: "most gradings of an audit, detectors apart; what does not fit is left out evenly and named",
			at: func(v *values) any { return &v.Audit.MaxGradings },
		},
		{
			Path: "audit.max_marks", Default: "0", Min: bound(0), Max: bound(10_000_000), Doc: "most rollouts that each detector reads; 0 is all of them",
			at: func(v *values) any { return &v.Audit.MaxMarks },
		},
		{
			Path: "audit.reference", Fallback: "what the grader's templates compare with, else a row field such as reference_answer", Doc: "template of an item's reference answer", Example: "\"{{item.reference_answer}}\"",
			at: func(v *values) any { return &v.Audit.Reference },
		},
		{
			Path: "audit.answer", Fallback: "{{reference}}, or the JSON object that the rollouts answer with", Doc: "template of a whole answer around a reference, where the bare reference is no answer", Example: "\"The answer is {{reference}}.\"",
			at: func(v *values) any { return &v.Audit.Answer },
		},
		{
			Path: "audit.unordered", Default: "false", Doc: "whether the order of a reference's list means nothing: then an answer in another order must score at the top",
			at: func(v *values) any { return &v.Audit.Unordered },
		},
		{
			Path: "audit.skip", Names: probes, Fallback: "none", Doc: "probes that mean nothing for this task", Example: "[code_fence, list_order]",
			at: func(v *values) any { return &v.Audit.Skip },
		},
		{
			Path: "audit.probes", Fallback: "none", Doc: "probes of your own, each with a template, or with a pattern that changes a recorded answer", Entry: probeEntry(),
			Example: "[{name: magic_word, expect: bottom, template: \"xyzzy {{item.reference_answer}}\"}]",
			at:      func(v *values) any { return &v.Audit.Probes },
		},
		{
			Path: "audit.detectors", Fallback: "none", Doc: "what marks a recorded rollout as a hack, each by one of regex, python and judge", Entry: detectorEntry(),
			Example: "[{name: returns_reference, regex: \"import reference\", zero: true}]",
			at:      func(v *values) any { return &v.Audit.Detectors },
		},
		{
			Path: "audit.core", Fallback: "a part without which the grader's formula gives nothing", Doc: "the part of a multi grader that is the task itself: other parts must not move the reward while it is at zero", Example: "tests",
			at: func(v *values) any { return &v.Audit.Core },
		},
		{
			Path: "audit.labels", File: true, Fallback: "labels.jsonl of the run", Doc: "scores by people, CSV or JSONL: item, sample or output, score, rater", Example: "labels.csv",
			at: func(v *values) any { return &v.Audit.Labels },
		},
	}
}

func pythonKeys() []key {
	return []key{
		{
			Path: "python.interpreter", Default: "python3", Doc: "the interpreter of python graders: a name on PATH, or the path of one whose environment holds the modules they import",
			at: func(v *values) any { return &v.Python.Interpreter },
		},
		{
			Path: "python.workers", Default: "0", Min: bound(0), Max: bound(1024), Doc: "interpreters that run at one time; 0 is one for each core",
			at: func(v *values) any { return &v.Python.Workers },
		},
		{
			Path: "python.timeout", Default: "2m", Doc: "longest time for one grade by python",
			at: func(v *values) any { return &v.Python.Timeout },
		},
		{
			Path: "python.memory_mb", Default: "2048", Min: bound(64), Max: bound(1 << 20), Doc: "most memory of one interpreter, in MB",
			at: func(v *values) any { return &v.Python.MemoryMB },
		},
		{
			Path: "python.sandbox", Default: "auto", Enum: []string{"auto", "required", "none"}, Doc: "whether python graders run without network and with a read-only file system: where the machine allows it, always, or never",
			at: func(v *values) any { return &v.Python.Sandbox },
		},
	}
}

// PythonPool is how python graders are run.
func (c *Config) PythonPool() python.Config {
	p := c.Python
	return python.Config{
		Interpreter: p.Interpreter, Workers: p.Workers, Timeout: p.Timeout,
		Memory: int64(p.MemoryMB) << 20, Sandbox: p.Sandbox,
	}
}
