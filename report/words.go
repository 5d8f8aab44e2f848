package report

import (
	"fmt"

	"gonogo/analysis"
	"gonogo/report/chart"
)

// words is the catalogue of everything a page says in its own voice. A second
// language is a second value of it. Verbs (%s) stand in the order of the
// English text; numbers arrive as text.
type words struct {
	Lang           string // of the html element
	Title, TitleOf string

	// The verdict.
	Meaning                               map[analysis.Verdict]string
	NothingAgainst                        string // GO without a verdict on training
	AllPassed, Because, NoneJudged, Noted string
	Measure                               string // of the deciding finding
	Gates, Cautions                       plural

	Item, Rollout, Line plural

	// The three numbers.
	Mean, BestOf, Informative                   string
	MeanDoc, BestOfDoc, InformativeDoc          string
	BestOfShort, InformativeBracket, NoInterval string
	Measured, NotKnown, TwoSamples              string

	// Headings.
	Findings, Pictures, Items, Method, Thresholds, Choices, Input, Missing, Splits, Assumptions string
	Why, Remedy, Value, Want, CautionAt, ItemsToLook, NoFindings, Next, Quiet                   string
	Split, ItemsOf, SamplesOf, RolloutsOf, MissingOf, OutOf, Classes, Causes, Contents, Gate1   string

	// Findings, by state.
	States   map[State]string
	Severity map[analysis.Severity]string

	// Missing data.
	MissingNone, MissingSome, MissingAll, Bounds, Lost, NotRun, OwnFailures string

	// Columns of the item table, with what they mean.
	Columns []Column

	Filter, Shown, AllShown, More, Capped, NoItems, SortHint string

	// Input.
	Bad, Torn, Duplicates, Conflicts, Superseded, MoreLines, MoreBad string

	Made, MadeAt, About, Brackets string

	Fact factWords
}

// factWords name the facts of how it was measured.
type factWords struct {
	Run, Source, Model, Seed, Sampled, Version, Data, DataIs, Range, RangeIs, GroupSize, PassThreshold string
	Confidence, Input, InputIs, MeanMethod, BestMethod, SignalMethod                                   string
}

// plural is a text for one and a text for several, with %s for how many.
type plural struct{ One, Many string }

func (p plural) of(n int) string {
	if n == 1 {
		return p.One
	}
	return fmt.Sprintf(p.Many, chart.Count(n))
}

// Column is one column of the item table.
type Column struct {
	Key   string // of the row's value
	Label string
	Doc   string
}

var english = words{
	Lang:    "en",
	Title:   "Should this training run start?",
	TitleOf: "%s: should this training run start?",

	Meaning: map[analysis.Verdict]string{
		analysis.Go:        "Training can work",
		analysis.NoGo:      "Training would not work as things stand",
		analysis.Undecided: "The data do not decide it",
	},
	AllPassed:  "%s: %s passed",
	Because:    "%s — %s%s.",
	NoneJudged: "%s: no blocking gate could be judged.",
	Measure:    "; measured %s, wanted %s",
	Gates:      plural{"its one blocking gate", "all %s blocking gates"},
	Cautions:   plural{"one caution to read first", "%s cautions to read first"},

	Item:    plural{"1 item", "%s items"},
	Rollout: plural{"1 rollout", "%s rollouts"},
	Line:    plural{"1 line", "%s lines"},

	Mean:               "Mean reward",
	BestOf:             "Best of %s",
	Informative:        "Informative groups",
	MeanDoc:            "what the base model earns today",
	BestOfDoc:          "when the best of %s samples counts: what training can aim at",
	InformativeDoc:     "share of groups of %s whose rewards differ: only those teach",
	BestOfShort:        "a group would be %s",
	InformativeBracket: "a range, for fewer than %s samples were taken",
	NoInterval:         "interval not known",
	Measured:           "%s, %s",
	NotKnown:           "not known",
	TwoSamples:         "two samples per item are needed",

	Findings:    "Findings",
	Pictures:    "Pictures",
	Items:       "Items",
	Method:      "How it was measured",
	Thresholds:  "Thresholds",
	Choices:     "Choices where the wire contract is silent",
	Input:       "Problems in the input",
	Missing:     "Missing data",
	Splits:      "Splits",
	Assumptions: "Assumptions of the plan",
	Why:         "Why it matters",
	Remedy:      "What to do",
	Value:       "measured",
	Want:        "wanted",
	CautionAt:   "caution unless",
	ItemsToLook: "Items to look at",
	NoFindings:  "No gate was evaluated.",
	Next:        "What to do first",
	Quiet:       "Passed and skipped",
	Split:       "split",
	ItemsOf:     "items",
	SamplesOf:   "samples each",
	RolloutsOf:  "rollouts",
	MissingOf:   "missing",
	OutOf:       "%s of %s",
	Classes:     "Items by class",
	Contents:    "Contents",
	Gate1:       "gate",
	Causes:      "Why rollouts did not end in a grade",

	States: map[State]string{
		Failing: "FAIL", Unsettled: "UNKNOWN", Caution: "CAUTION", Passing: "PASS", Skipped: "SKIPPED",
	},
	Severity: map[analysis.Severity]string{analysis.Blocking: "blocking", analysis.Advisory: "advisory"},

	MissingNone: "No rollout is missing.",
	MissingSome: "%s of %s rollouts (%s) have no reward because a boundary failed: model API %s, tool %s, grader %s. They are left out of every mean.",
	MissingAll:  "No rollout has a reward: all %s were lost to a boundary that failed: model API %s, tool %s, grader %s.",
	Bounds:      "Had every missing rollout earned the bottom or the top of the range, the mean reward would be %s or %s.",
	Lost:        "Items lost entirely: %s.",
	NotRun:      "%s of the planned rollouts were not run.",
	OwnFailures: "In %s the model itself gave no answer (%s) or ran out of steps (%s); without a grade these count at the bottom of the reward range.",

	Columns: []Column{
		{"item", "item", "the item's id"},
		{"class", "class", "dead: all rewards at the bottom; saturated: all at the top; flat: all equal, in between; mixed: they differ"},
		{"n", "n", "rollouts with a reward"},
		{"mean", "mean", "mean reward"},
		{"sd", "σ", "standard deviation of the rewards, with n − 1"},
		{"best", "best", "highest reward"},
		{"worst", "worst", "lowest reward"},
		{"missing", "missing", "rollouts without a reward because a boundary failed"},
		{"stays", "stays", "probability that the class would hold for a whole group of the trainer's size"},
		{"calls", "calls", "tool calls per rollout, mean"},
	},
	Filter:   "Filter by id or class",
	Shown:    "%s of %s items shown",
	AllShown: "%s items",
	More:     "show more",
	Capped:   "Only the first %s of %s items are in this page; result.json has them all.",
	NoItems:  "No item of this split has been sampled.",
	SortHint: "Press a heading to sort by it.",

	Bad:        "line %s: %s; read as a missing grade",
	Torn:       "the last line was broken off and left out; resuming makes it again",
	Duplicates: "%s repeated word for word and counted once",
	Conflicts:  "%s of one rollout disagreed; --on-conflict settled them",
	Superseded: "%s from earlier attempts, replaced by later ones",
	MoreLines:  "and %s more",
	MoreBad:    "and %s more bad lines",

	Made:     "Made by gonogo %s",
	MadeAt:   " on %s",
	Brackets: "brackets: %s confidence intervals",
	About:    "The numbers speak of the %s split. Brackets hold %s confidence intervals; a number without brackets has none that could be estimated.",

	Fact: factWords{
		Run: "run", Source: "source of the rollouts", Model: "model", Seed: "seed", Sampled: "sampled", Version: "gonogo that sampled",
		Data: "data, %s", DataIs: "%s: %s items of %s rows, sha256 %s", Range: "reward range", RangeIs: "%s to %s, ceiling %s",
		GroupSize: "group size", PassThreshold: "a reward passes from", Confidence: "confidence", Input: "input", InputIs: "%s lines, %s records that count",
		MeanMethod: "method, mean reward", BestMethod: "method, best of k", SignalMethod: "method, informative groups",
	},
}
