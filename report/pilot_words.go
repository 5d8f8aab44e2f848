package report

// pilotWords describe the first steps of a training.
type pilotWords struct {
	Title, Lead      string
	Said, SaidEarly  string // verdict and claim, with the step of the look or without
	Because          string
	GoOn, Stop       string // the claims
	Again, Undecided string
	AgainAt          string

	Head                   []string
	Planned, Withheld      string
	NotSampled, AtStep     string
	WhyWithheld            string
	NotChecked             string
	Matching, Matched      string
	Unmatched, Several     string
	Named                  string
	Zero, ZeroHolds        string
	ZeroFails              string
	Paid, PaidIs, Regraded string
	Equal, EqualIs         string
	Informative            string
	NowBase                string
	Tokens, Cut            string
	Calls, FailedCalls     string
	Transfer, TransferIs   string
	Forecast, ForecastIs   string
	Log, LogIs             string

	Holes     string
	HoleHead  []string
	HoleNotes []string
	Paying    string
	NotPaying string
	NotTried  string

	Curves     string
	CurveHead  []string
	CurveNotes []string
}

var englishPilot = pilotWords{
	Title: "The first steps", Lead: "Pilot",
	Said: "%s at step %s: %s", SaidEarly: "%s: %s", Because: "%s — %s",
	GoOn: "go on", Stop: "stop", Again: "look again", AgainAt: "look again at step %s",
	Undecided: "no further look is planned",

	Head: []string{
		"step", "rollouts", "groups", "training reward - base", "eval - base", "verdict",
	},
	Planned: "planned", Withheld: "withheld", NotSampled: "not sampled", AtStep: "%s at step %s",
	WhyWithheld: "Training reward withheld at step %s: %s",
	NotChecked:  "Not checked: counts neither for nor against",
	Matching:    "matching", Matched: "%s of %s match %s of the base run",
	Unmatched: "%s without a match", Several: "%s with several", Named: "such as %s",
	Zero: "zero check", ZeroHolds: "holds: %s before any update counts, at most ± %s allowed",
	ZeroFails: "fails: %s before any update counts, at most ± %s allowed",
	Paid:      "same reward", PaidIs: "%s of %s graded again by the base run's grader agree",
	Regraded: "all rewards are those of the base run's grader",
	Equal:    "groups of equal reward", EqualIs: "%s in the first ten steps, %s expected from the base run",
	Informative: "informative groups", NowBase: "%s in the last ten steps, %s in the base run on the same items",
	Tokens: "tokens of a rollout", Cut: "rollouts cut off", Calls: "tool calls of a rollout",
	FailedCalls: "failed tool calls", Transfer: "transfer",
	TransferIs: "%s (change on eval minus change of the training reward)",
	Forecast:   "forecast",
	ForecastIs: "%s [%s, %s] on eval by the whole training, 80 %% interval, from %s of %s",
	Log:        "judged", LogIs: "%s, sha256 %s",

	Holes:    "Kinds of answers that may be a hole of the grader",
	HoleHead: []string{"kind", "base run", "best paid answers now", "of", "audit's probe"},
	HoleNotes: []string{
		"A kind that was rare in the base run, is common among the best-paid answers now, and is paid in the audit " +
			"is a hole that the training is learning: NO-GO.",
	},
	Paying: "paid", NotPaying: "not paid", NotTried: "not tried",

	Curves: "Curves of the trainer, not paired", CurveHead: []string{"curve", "steps", "first", "last"},
	CurveNotes: []string{
		"Their noise includes which items a step showed, so they decide nothing.",
	},
}
