package analysis

// The gates that look at several facts: the worst of them decides, and each is part
// of the finding.
var (
	rolloutsSound = NewGate(Gate{
		Name: "rollouts.finished",
		Doc:  "Replies come to their end, and the server has parsed them.",
		Thresholds: []Threshold{
			{"rollouts.finished", "share", "share of rollouts without a finished answer, above which it fails", 0.20},
			{"rollouts.finished.caution", "share", "the same, above which it is a caution", 0.02},
			{"rollouts.finished.markup", "share", "share of answers with text that the server should have parsed, above which it fails", 0.02},
		},
		Words: Words{Pass: "replies come to their end and are parsed"},
		Parts: []Gate{rolloutsFinished, rolloutsMarkup},
	})
	rolloutsIndependent = NewGate(Gate{
		Name: "rollouts.independent",
		Doc:  "Each rollout is an attempt of its own.",
		Thresholds: []Threshold{
			{"rollouts.independent.leaks", "share", "share of rollouts that met what another one had left, above which, with its whole interval, it fails", 0.01},
			{"rollouts.independent.identical", "share", "share of items with identical outputs, from which a cache or a fixed seed is suspected", 0.50},
		},
		Words: Words{Pass: "each rollout is an attempt of its own"},
		Parts: []Gate{rolloutsLeaks, samplingIdentical},
	})
	endpointBurst = NewGate(Gate{
		Name:   "endpoint.burst",
		Charts: []string{"endpoint_load"},
		Doc:    "The endpoints bear the load of a training step.",
		Thresholds: []Threshold{
			{"endpoint.burst.lost", "share", "share of rollouts that a trainer would discard under a training step's load", 0.05},
			{"endpoint.burst.latency", "times", "95th percentile of an endpoint's latency under all rollouts of a step at once over that under one", 2},
		},
		Words: Words{Pass: "the endpoints bear the load of a training step"},
		Parts: []Gate{endpointLost, endpointLatency, endpointCrosstalk, endpointWire, endpointRepeat},
	})
	graderShortcuts = NewGate(Gate{
		Name: "grader.shortcuts",
		Doc:  "The reward pays for the task and for nothing else.",
		Thresholds: []Threshold{
			{"grader.shortcuts.layers", "share", "share of rollouts that earn something while the core part of the reward is at zero", 0.10},
			{"grader.shortcuts.length", "correlation", "correlation of reward with the log of the answer's length within items, either way, from which it is a caution", 0.30},
			{"grader.shortcuts.guessable", "share", "what one constant answer may earn on average, as a share of the range", 0.25},
			{"grader.shortcuts.too_good", "share", "mean reward, as a share of the range, from which the grader is suspected", 0.98},
		},
		Words: Words{Pass: "no shortcut to the reward is seen"},
		Parts: []Gate{graderLayers, graderLength, graderGuessable, graderDetected, graderTooGood},
	})
	graderAccuracy = NewGate(Gate{
		Name: "grader.accuracy",
		Doc:  "Grades agree with people, with other ways to write the same, and are more than two.",
		Thresholds: []Threshold{
			{"grader.accuracy.agreement", "correlation", "rank correlation of rewards with people's labels", 0.80},
			{"grader.accuracy.brittle", "share", "share of right answers that are rejected only because they are written differently", 0.05},
		},
		Words: Words{Pass: "grades are as fine and as fair as could be measured"},
		Parts: []Gate{graderAgreement, graderBrittle, graderResolution},
	})
	shiftGates = NewGate(Gate{
		Name:   "shift",
		Charts: []string{"shift"},
		Doc:    "The splits are alike.",
		Thresholds: []Threshold{
			{"shift", "AUC", "AUC of telling two splits apart above which, with its whole interval, they differ; 0.05 below it they are alike", 0.75},
			{"shift.p", "p", "adjusted p-value below which a difference counts", 0.01},
			{"shift.caution.p", "p", "adjusted p-value below which any difference is a caution", 0.05},
		},
		Words: Words{Pass: "no large difference between the splits is seen"},
		Parts: []Gate{shiftText, shiftFields, shiftReward, shiftTools},
	})
	dataQuality = NewGate(Gate{
		Name:  "data.quality",
		Doc:   "Rows are of use, and their references are right.",
		Words: Words{Pass: "rows are of use, and nothing speaks against their references"},
		Parts: []Gate{dataDegenerate, dataSuspect},
	})
	toolsHealth = NewGate(Gate{
		Name: "tools.health",
		Doc:  "Tool calls work.",
		Thresholds: []Threshold{
			{"tools.health.failures", "share", "share of tool calls that failed for good", 0.02},
			{"tools.health.malformed", "share", "share of tool calls with an unknown name or unparsable arguments", 0.05},
			{"tools.health.budget", "share", "share of rollouts that reached the limit of tool calls or steps", 0.05},
			{"tools.health.output_size", "tokens", "95th percentile of a tool output, in tokens (bytes / 4)", 4000},
		},
		Words: Words{Pass: "tool calls work"},
		Parts: []Gate{toolsFailures, toolsMalformed, toolsBudget, toolsOutputSize},
	})
	toolsLatency = NewGate(Gate{
		Name: "tools.tail",
		Doc:  "Tools and rollouts keep to their time.",
		Thresholds: []Threshold{
			{"tools.tail", "times", "95th percentile over median of a tool's latency", 3},
			{"tools.tail.limit", "seconds", "seconds a rollout may take; 0: no limit", 0},
		},
		Words: Words{Pass: "tools and rollouts keep to their time"},
		Parts: []Gate{toolsTail, latencyLimit},
	})
)
