package report

// burstWords describe the rehearsal of a training step.
type burstWords struct {
	Title, Lead, Step, Named, Gaps, NoGaps string
	AgentLead                              string // if a service made the rollouts
	Bursts                                 plural
	At, Never, Doubling                    string
	Head                                   []string
	Checks                                 string
	CheckHead                              []string
	Lost, LostDoc, First, FirstDoc         string
	NoFailure, FirstFailure                string
	Wire, WireDoc, Crosstalk, CrosstalkDoc string
	Repeats, RepeatsDoc                    string
	ByLoad, AtOnce, FailedToo              string
	Wrong                                  string
	WrongHead                              []string
}

var englishBurst = burstWords{
	Title: "Endpoints under a training step's load",
	Lead: "%s, of %s, started at once in %s, without the model and without any limiter; %s. Before that, waves " +
		"of 1, 2, 4, … rollouts at once. None of these requests counts towards a mean.",
	AgentLead: "%s, of %s, started at once in %s, each made by your agent with its own model and tools, without any " +
		"limiter here. Before that, waves of 1, 2, 4, … rollouts at once. None of these rollouts counts towards a " +
		"mean.",
	Step:   "A training step of %s with %s each",
	Named:  "%s",
	Gaps:   "the recorded time between the calls was kept",
	NoGaps: "each rollout made its calls one after the other without a pause",
	Bursts: plural{"one burst", "each of %s bursts"},

	At: "With %s at once",
	Head: []string{
		"endpoint", "requests", "P50 s", "P95 s", "P99 s", "longest s", "failed", "refused",
		"P95 doubles at",
	},
	Never: "not reached",
	Doubling: "Doubles at: rollouts at once at which the 95th percentile is twice that of the smallest wave, " +
		"interpolated between waves on logarithmic scales; " +
		"in brackets, the last wave that is certainly below and the first that is certainly above. Refused: a 4xx, " +
		"which the model sees.",

	Checks: "Other checks", CheckHead: []string{"check", "value", "out of", "what it is"},
	Lost: "discarded rollouts", LostDoc: "a trainer that retries a failed request three times discards them",
	First: "first failure", FirstDoc: "time from the start of a burst to the first failed request", NoFailure: "none",
	FirstFailure: "after %s s, %s: %s",
	Wire:         "breaks the wire contract",
	WireDoc:      "answers, or requests that got them, that break the wire contract",
	Crosstalk:    "contains another's id", CrosstalkDoc: "answers that contain the trace id or a call id of another " +
		"rollout",
	Repeats: "inconsistent repeats", RepeatsDoc: "the same request, made twice in a row, got two different answers",

	ByLoad: "95th percentile in seconds, by rollouts at once", AtOnce: "at once", FailedToo: " (%s failed)",
	Wrong: "What went wrong in the bursts", WrongHead: []string{"endpoint", "kind", "requests", "share", "example"},
}
