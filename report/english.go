package report

import (
	"gonogo/analysis"
	"gonogo/report/block"
	"gonogo/sampler/rollout"
)

// english is the catalogue from which the other languages are translated. It is written for readers
// who have never trained a model.
var english = words{
	Signs:   block.Signs{Colon: ":", Space: " ", Stop: ".", List: ", ", Comma: ", ", Semicolon: "; "},
	Title:   "Should this training run start?",
	TitleOf: "%s: should this training run start?",

	Claims: map[string]string{
		analysis.Start:          "Start, and look again after the first steps",
		analysis.Repair:         "Repair first",
		analysis.NothingToLearn: "Nothing to learn from",
	},
	Meaning: map[analysis.Verdict]string{
		analysis.Go:        "No check found a reason not to train",
		analysis.NoGo:      "Training would not work with this setup",
		analysis.Undecided: "This run does not settle it",
	},
	Means: map[string]string{
		"data.valid":        "The platform would reject these files",
		"infra.failures":    "Too many rollouts failed",
		"grader.truth":      "Training would punish right answers",
		"grader.hackable":   "Training would teach the model to fool the grader",
		"grader.noise":      "Training would learn from noise",
		"baseline.headroom": "Training would gain nothing",
		"leakage":           "The eval score after training could not be trusted",
		"shift":             "Train and eval are different tasks",
		"endpoint.burst":    "The endpoints cannot handle the load of a training step",
	},
	AllPassed:   "%s: %s passed",
	Noted:       "%s (%s)",
	Passed:      "%s of %s passed",
	Unjudged:    "%s, %s not checked",
	RestsOn:     "Rests on",
	NotChecked:  "%s — “%s” is required: %s",
	Changed:     "Thresholds changed: %s.",
	ChangedTo:   "%s %s (default %s)",
	ChangedMore: "%s more",
	Because:     "%s — %s%s.",
	NoneJudged:  "%s: no blocking gate could be judged.",
	Measure:     "; measured %s, wanted %s",
	Wanted:      "; wanted %s",
	JudgedBy:    "Judged by gonogo %s.",
	OnGates:     "so far: %s of %s",
	RunFailed:   "the run failed",
	GraderToo:   "The grader fails as well: %s.",
	Rejects:     "It also rejects right answers: “%s” on %s of %s.",
	Judges:      "To check what is missing (%[2]s), run %[1]s.",
	Unrequire:   "%s: %s. Or take it out of require.",
	LookAt:      "Look at items",
	ByFailed:    "by a grader that failed its audit",
	ByFailedOf:  "%s (by a grader that failed its audit)",
	Rest:        "All findings and tables: gonogo analyze %[1]s --all.",
	Evidence:    "Every rollout: gonogo view %[1]s.",
	Exhibit: exhibitWords{
		Title: "What the grader paid on item %s", Reward: "reward", Answer: "answer",
		Worthless: "an answer that deserves nothing", Right: "a right answer", Own: "this model's rollouts, mean",
		Leaked: "Rows also in train", Lost: "Why rollouts were lost",
		Marked: "An answer with unparsed markup", Again: "Rewards of the same answer, graded again",
		Rollout: "rollout", Rewards: "its rewards", Output: "%s, sample %s",
		Leaks: map[string]string{"exact": "is a copy of", "family": "is of the same family as"},
	},
	Gates:    plural{"its one blocking gate", "all %s blocking gates"},
	Cautions: plural{"One caution", "%s cautions"}, Unsettled: plural{
		"One advisory check is undecided",
		"%s advisory checks are undecided",
	},

	Mean:        "Mean reward",
	BestOf:      "Best of %s",
	Informative: "Informative groups",
	Lazy:        "Lazy reward",
	LazyOf:      "%s of the audit",
	LazyAgainst: "%s, on which the model earns %s",
	LazyDoc:     "what one answer earns if it is given to every item: %s",
	MeanDoc:     "what the model earns",
	MeanBounds: "a range for what the model earns: %s of its rollouts have no reward, and could have earned " +
		"anything from the bottom to the top",
	GradedOnly:         "%s (graded only)",
	BestOfDoc:          "mean reward of the best sample of %s",
	AimFor:             ": what training can aim for",
	AboveCeiling:       "above the ceiling of %s: part of that is grader error",
	InformativeDoc:     "share of groups of %s whose rewards differ: training learns only from these",
	BestOfShort:        "your trainer's groups are taken to have %s (training.group_size)",
	InformativeBracket: "a range, because items have fewer than %s valid samples",
	InformativeNet:     "net of grader noise",
	NoInterval:         "interval not known",
	Measured:           "%s, %s",
	NotKnown:           "not known",
	TwoSamples:         "two samples per item are needed",

	Findings:      "Findings",
	NothingToShow: "Left out: nothing to show", Pictures: "Pictures",
	Items:       "Items",
	Method:      "How it was measured",
	Thresholds:  "Thresholds",
	Choices:     "Choices that the wire contract leaves open",
	Input:       "Problems in the input",
	Splits:      "Splits",
	Why:         "Why it matters",
	Remedy:      "What to do",
	Also:        "Also",
	OtherFacts:  "What else was measured",
	Value:       "measured",
	Want:        "wanted",
	CautionAt:   "caution unless",
	ItemsToLook: "Items to look at",
	NoFindings:  "No gate was evaluated.",
	Next:        "What to do first",
	Quiet:       "Passed and skipped",
	NotJudged:   "Not checked",
	Split:       "split",
	ItemsOf:     "items",
	SamplesOf:   "samples each",
	RolloutsOf:  "rollouts",
	MissingOf:   "missing",
	OutOf:       "%s of %s",
	Classified:  "Items: %s.",
	Causes:      "Why rollouts were not graded",

	Classes: map[string]string{
		analysis.Dead: "dead", analysis.Saturated: "saturated", analysis.Flat: "flat", analysis.Mixed: "mixed",
		analysis.Unclassed: "unclassed",
	},
	Class: map[string]string{
		analysis.Dead:      "%s dead (always the lowest reward)",
		analysis.Saturated: "%s saturated (always the highest reward)",
		analysis.Flat:      "%s flat (always the same reward in between)", analysis.Mixed: "%s mixed (rewards differ)",
		analysis.Unclassed: "%s sampled once",
	},
	States: map[block.Tone]string{
		block.Fail: "FAIL", block.Unknown: "UNKNOWN", block.Caution: "CAUTION", block.Pass: "PASS",
		block.Skipped: "SKIPPED",
	},
	Severity: map[analysis.Severity]string{analysis.Blocking: "blocking", analysis.Advisory: "advisory"},

	MissingNone: "No rollout is missing.",
	MissingSome: "%s of %s (%s) have no reward because an endpoint failed: model %s, tool %s, grader %s. They are " +
		"left out of every mean.",
	TooLong: "In %s of %s (%s) the prompt does not fit the context of the model's server. They are left out of " +
		"every mean.",
	MissingAll: "No rollout has a reward: all %s were lost to an endpoint that failed: model %s, tool %s, grader %s.",
	Bounds: "Had every missing rollout earned the bottom or the top of the range, the mean reward would be %s " +
		"or %s.",
	Lost:    "Items lost entirely: %s.",
	NotRun:  "%s of the planned rollouts were not run.",
	NoneOf:  "No rollouts for %s: no figure counts them.",
	Retried: "%s (%s) were retried, with %s in all: an endpoint failed at first, then answered.",
	OwnFailures: "In %s the model itself gave no answer (%s) or ran out of steps (%s); without a grade these count " +
		"at the bottom of the reward range.",

	Columns: []block.Column{
		{Label: "item", Doc: "the item's id"},
		{Label: "class", Doc: "dead: all rewards at the bottom; saturated: all at the top; flat: all equal, in " +
			"between; mixed: they differ"},
		{Label: "n", Doc: "rollouts with a reward"},
		{Label: "mean", Doc: "mean reward"},
		{Label: "σ", Doc: "standard deviation of the rewards, with n − 1"},
		{Label: "best", Doc: "highest reward"},
		{Label: "worst", Doc: "lowest reward"},
		{Label: "missing", Doc: "rollouts without a reward because an endpoint failed"},
		{Label: "stays", Doc: "probability that the class would hold for a whole group of the trainer's size"},
		{Label: "calls", Doc: "tool calls per rollout, mean"},
	},
	GroupColumns: []block.Column{
		{Label: "category", Doc: "the item's category"},
		{Label: "family", Doc: "the item's family"},
	},

	Capped:  "Only the first %s of %s items are on this page; result.json has them all.",
	NoItems: "No item of this split has been sampled.",

	CutShort: "Cut here, because a comment on a pull request holds at most %s " +
		"characters. index.html next to this file has the whole report.",

	Bad:        "line %s: %s; read as a missing grade",
	Torn:       "the last line was incomplete and was ignored; resuming repeats that rollout",
	Duplicates: "%s repeated word for word and counted once",
	Conflicts:  "%s of one rollout disagreed; --on-conflict settled them",
	Superseded: "%s from earlier attempts, replaced by later ones",
	MoreLines:  "and %s more",
	AndMore:    "%s and %s more",
	MoreBad:    "and %s",

	SubjectModel: "model %s", SubjectHost: "%s at %s", SubjectDay: "sampled on %s",
	Made:   "Made by gonogo %s",
	MadeAt: " on %s",
	About: "Numbers are from the %s split. Brackets are %s confidence intervals; a number without brackets has " +
		"none.",
	AboutFile: "Findings on %s may have narrower ones: they are about the items in its file, these numbers about " +
		"all items like them.",
	BySeen:    "passes on its value, not on its whole interval",
	BothSides: "its interval contains the threshold",
	OfFile:    "of the items in the file",

	Use: useWords{
		Title: "What a rollout takes", Turns: "model turns", Calls: "tool calls",
		P50: "tool calls, median", P95: "tool calls, 95 % make at most", P99: "tool calls, 99 % make at most",
		AtBudget: "share at the call limit", Long: "share far longer than the others",
		Reasoning: "reasoning tokens", OverLimit: "share over the time limit",
		NoAnswer: "share without an answer", CutOff: "share cut off by the token limit",
		Refused: "share refused or filtered",
		Repeats: "share of repeated calls", Parallel: "share of turns with several calls",
		Malformed: "share of malformed calls",
		Input:     "input tokens", Output: "output tokens", Median: "wall time, median", Slow: "wall time, 95 % within",
		Seconds: "%s s",
		ByTool:  "Tools",
		ToolHead: []string{
			"tool", "split", "calls", "refused", "failed", "malformed", "median s", "P95 s",
			"output P95 tokens", "calls/s in training",
		},
		TokensEstimated: "Tokens of tool outputs are estimated as bytes / 4.",
		Notes:           "What to know about these rollouts",
	},
	If: ifWords{
		Title: "What if: other limits",
		Lead: "From the recorded rollouts, without new sampling: a rollout that a limit cuts off counts at the " +
			"bottom of the reward range, the others keep their reward. A model that knows the limit, or is trained under it, " +
			"may do better.",
		Limit: map[string]string{
			analysis.CostCalls: "call limit",
			analysis.CapTokens: "limit of output tokens",
		},
		Of:       map[string]string{analysis.CostCalls: "tool calls", analysis.CapTokens: "output tokens"},
		Now:      "%s: %s now",
		Tightest: "A limit of %s %s would cut off %s of rollouts and change the mean reward by %s.",
		Head:     []string{"at most", "cut off", "mean reward", "change", "groups of %s that teach"},
		Groups:   "Group size", GroupHead: []string{"rollouts", "groups that teach", "rollouts per group that teaches"},
	},
	Plan: planWords{
		Title: "What training would take", Step: "per step", Epoch: "per epoch",
		Smallest:  "The smallest group size at which %[2]s of groups teach something is %[1]s.",
		GroupOnly: "groups of %s rollouts",
		Rollouts:  "rollouts", Informative: "groups that teach", ToolCalls: "tool calls", JudgeCalls: "judge calls",
		Input: "input tokens", Output: "output tokens", Money: "US dollars", NoMoney: "Cost is not known: %s.",
		Seconds:    "seconds, at least",
		Evaluation: "an evaluation", Whole: "the whole training", WholeWith: "the whole training, %s evaluations",
		Trained: "trained tokens, at most", TrainerSeconds: "trainer seconds, at most",
		TrainerMoney: "US dollars for trained tokens, at most",
		BySize:       "A step at other group sizes", SizeHead: []string{
			"group size", "rollouts", "groups that teach",
			"rollouts per group that teaches", "seconds, at least", "US dollars",
		},
	},

	Beyond: beyondWords{
		Title: "Beyond the samples", Plain: "fitted model", Inflated: "if some items never succeed",
		Doc: "Two models fitted to the items, with the middle %s of their refits on resampled items in brackets. " +
			"They decide nothing.",
		Of: map[string]string{
			analysis.BestOfK: "best of %s", analysis.PassAtK: "pass@%s",
			analysis.InformativeGroups: "share of groups of %s that teach",
		},
	},

	Variants: variantWords{
		Title: "Variants: the cheaper lever",
		Lead: "%s of prompt, tools or model, sampled on the same items with the same seed and ranked on %s by the " +
			"paired difference per item.",
		LeadByLift: "%s of prompt, tools or model, sampled on the same items with the same seed and ranked by lift on " +
			"eval: what the best of a group earns above the mean there.",
		Gain: "Shown to gain: %s; the gain hoped for from training is %s, and a difference below %s does not matter. " +
			"Next to it: what a variant uses more or less of than the base, per rollout; in brackets if chance " +
			"explains it.",
		None: "No variant can be compared with the base yet.",
		On:   "On %s", Base: "base", NotSet: "not set",
		Change: "%s changes %s: from %s to %s",
		Head: []string{
			"variant", "answer", "mean reward", "variant - base", "p, corrected", "lift", "tool calls",
			"input tokens", "output tokens", "seconds",
		},
		Answers: map[analysis.VariantAnswer]string{
			analysis.Gains: "GAINS", analysis.Loses: "LOSES", analysis.NoDifference: "NO DIFFERENCE",
			analysis.CannotTell: "CANNOT TELL",
		},
	},

	Burst: englishBurst,
	Pilot: englishPilot,
	PDF:   englishPDF,
	Page:  englishPage,
	Print: englishPrint,

	Fact: factWords{
		Run: "run", Source: "source of the rollouts", Model: "model", Seed: "seed", Sampled: "sampled",
		Version: "gonogo that sampled",
		Data:    "data, %s", DataIs: "%s: %s of %s, sha256 %s", Range: "reward range", RangeIs: "%s to %s, ceiling %s",
		GroupSize: "group size", PassThreshold: "a reward passes from", Confidence: "confidence", Input: "input",
		InputIs:    "%s, records that count: %s",
		MeanMethod: "method, mean reward", BestMethod: "method, best of k", SignalMethod: "method, informative groups",
	},

	Audit: auditWords{
		Title: "Grader audit",
		None: "The grader has not been audited: %s sends it adversarial and harmless answers and shows what it " +
			"pays for.",
		Sound: "%s: none found a fault in the grader",
		Holed: "%s of %s found faults in the grader: %s",
		NoProbe: "The audit sent no probe to the grader: its regrades, detector marks and comparisons with people " +
			"are below.",
		Untold: "No probe gave a result: the grader failed on every payload.",
		Found: map[rollout.Expectation]string{
			rollout.Bottom: "%s got a worthless answer rewarded", rollout.Top: "%s got a right answer rejected",
		},
		Must: map[rollout.Expectation]string{
			rollout.Bottom: "gives at most %s", rollout.Top: "gives at least %s",
			rollout.Same: "gives what it gave before", rollout.Note: "nothing is expected",
		},
		MustLoose: map[rollout.Expectation]string{
			rollout.Bottom: "gives the bottom of the range", rollout.Top: "gives the top of the range",
			rollout.Same: "gives what it gave before", rollout.Note: "nothing is expected",
		},
		MustCompared: map[rollout.Expectation]string{
			rollout.Bottom: "gives no more than the item's outputs earn", rollout.Top: "gives at least what they earn",
			rollout.Same: "gives what it gave before", rollout.Note: "nothing is expected",
		},
		States: map[probeState]string{
			probePassed: "HELD", probeFoundHoles: "HOLE", probeRejected: "REJECTED", probeShifted: "MOVED",
			probeUnknown: "NO RESULT", probeNoted: "NOTED",
		},
		ProbeHead: []string{
			"probe", "result", "a sound grader", "items", "counted", "share counted",
			"gap to its rollouts", "failed",
		},
		On: "on %s of %s", OnOne: "on the one item tried", Ways: ", %s up and %s down",
		ByNoise:  "; the grader's own noise explains it",
		MovedToo: "; and in %s formatting alone changed the reward",
		Counted: map[rollout.Expectation]string{
			rollout.Bottom: "%s rewarded", rollout.Top: "%s at the top", rollout.Same: "%s moved",
		},
		Earned: "earned %s; a sound grader %s", EarnedInstead: "earned %s instead of %s",
		Cut:        "only part of it is shown; the replay shows all",
		LongID:     "its id is too long to print: result.json has it",
		Lookalikes: "contains look-alike characters: %s",
		Backslash:  "each backslash is shown as two",
		HolesTitle: "Answers that the grader got wrong", MovesTitle: "Where formatting alone changed the reward",

		RateHead:    []string{"rate", "value", "n", "what it is"},
		FalseAccept: "false accepts", FalseAcceptDoc: "share of payloads that deserve less and are rewarded",
		FalseReject: "false rejects", FalseRejectDoc: "share of right answers that score below their limit",
		Youden: "Youden's J", YoudenDoc: "1 − false accepts − false rejects: 1 always tells right from wrong, 0 is " +
			"no better than a coin",
		Brittle: "rewrites rejected", BrittleDoc: "share of rewrites that keep the meaning and score below their " +
			"limit, although the reference itself does not",
		Moved: "moved by noise", MovedDoc: "chance that noise alone moves a grade farther than the margin from what " +
			"the output deserves",
		Noise: "noise share λ, %s", NoiseDoc: "share of the differences within items that is the grader's own " +
			"noise: the same output graded again",
		NoiseVar: "variance of regrades", NoiseVarDoc: "of several grades of one output",
		Flip: "flip rate", FlipDoc: "chance that noise alone makes a yes-or-no grade the wrong one",
		Length: "length and reward", LengthDoc: "correlation of reward with the log of the answer's length, within " +
			"items", LengthP: "; %s", LengthPooled: "; over all rollouts %s",
		Slope: "length slope", SlopeDoc: "reward per doubling of the answer's length, within items",
		SlopeRatio: "; there, long answers are longer than short ones by a factor of about %s",
		Form:       "form of answers",
		FormHave:   "%s of %s at the top have it; of those that earned least, %s of %s lack it",
		FormDoc:    "the constant text that the answers at the top share",
		Distinct:   "different rewards", DistinctDoc: "how finely the grader tells outputs apart, over all splits",
		Ends:    "%s at the bottom of the range, %s at the top",
		Clipped: "clipped grades", ClippedDoc: "the judge gave a number outside its range",
		Guessable: "lazy reward", GuessableDoc: "mean reward of the most common reference as the answer to " +
			"every item",
		ToolCallAlone: "a tool call alone", ToolCallAloneDoc: "mean reward of calling each tool once and then only " +
			"claiming that the task is done",
		Slow: "slow gradings", SlowOn: "“%s” on %s; the median grading takes %s s",
		SlowDoc: "the longest; a model that learns to write such text holds up the training",

		Agreement: "Agreement with people", Labels: "%s of %s on %s that have a reward",
		Differ:   "Grader and people differ most on: %s.",
		Spearman: "Spearman's ρ", SpearmanDoc: "rank correlation of reward and people's score",
		Kappa: "Cohen's κ", KappaDoc: "agreement beyond chance of yes-or-no grades with yes-or-no labels",
		BaseRate: "base rate", BaseRateDoc: "share of the labelled outputs that people call right",
		WrongAccepted:    "accepted, but wrong",
		WrongAcceptedDoc: "of the outputs that the grader accepts, the share that people call wrong",
		RightRejected:    "rejected, but right",
		RightRejectedDoc: "of the outputs that the grader rejects, the share that people call right",
		LabelAcceptDoc: "of the outputs that people call wrong, the share that the grader accepts; labels weighted " +
			"by the grader's verdict",
		LabelRejectDoc: "of the outputs that people call right, the share that the grader rejects; labels weighted " +
			"by the grader's verdict",
		AcceptedShare: "right by the grader", AcceptedShareDoc: "share of the outputs that the grader accepts",
		Corrected:    "right, corrected",
		CorrectedDoc: "share of the outputs that people would call right: the row above without both errors (Rogan–Gladen)",
		Alpha:        "Krippendorff's α", AlphaDoc: "agreement of the raters with each other",
		Ceiling: "ceiling", CeilingDoc: "what one rater scores against another's labels: a reward above it is " +
			"suspicious",

		ByItem: "Every probe on every item", ByItemHead: "item",
		ByItemDoc: "The reward of each item's payload, or of the one that is worst for the grader if there are " +
			"several. –: the probe does not apply to the item. ×: the grader failed on it.",
		Suspect: "Suspect references", SuspectHead: []string{
			"item", "split", "answer", "agree", "reward",
			"reference",
		},
		SuspectDoc: "Most rollouts agree on an answer that is not the reference, or earn the top where the " +
			"reference earns the bottom: the reference may be wrong, or written in a form that the grader does not " +
			"accept, or the item may be a trap.",
		NoAnswer: "earn the top", Earns: "%s earns %s",
		TooGood: "Too good to be true?", TooGoodHead: []string{"split", "what", "such as"},
		TooGoodDoc: "Patterns to read, not verdicts.",
		Layers:     "Layers of the reward",
		LayerHead:  []string{"part", "role", "mean", "adds to the variance within items"},
		Core:       "core", Gate: "gate", CoreGate: "core, gate",
		Formula: "Formula: %s", Rest: "No part alone explains %s of the variance.",
		Zero:   "In %[2]s, %[1]s is at the bottom",
		AtZero: "; the reward still averages %s of its range above the bottom",
		Bought: "; %s of them earn more than the margin",
		Moving: "Parts that move the reward there: %s.", ZeroItems: "It shows most on: %s.",
		Detectors: "Detectors", DetectorHead: []string{
			"detector", "marked", "share", "mean reward of those",
			"counted", "failed", "such as",
		},
		Zeroed: "at the bottom", NotZeroed: "as graded",
		Failures: "Failures of the grader", FailureHead: []string{"kind", "gradings", "example", "items"},
		FailuresDoc: "A failed grading has no reward and is never counted as a number.",
	},
}
