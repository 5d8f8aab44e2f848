package report

import (
	"gonogo/analysis/compare"
	"gonogo/report/block"
)

// compareWords is the catalogue of a comparison's own texts.
type compareWords struct {
	Graders                              graderWords // of two graders of the same outputs
	Signs                                block.Signs
	Title, Base, New, Difference, NotSet string
	Answers                              map[compare.Answer]string
	Quantities                           map[string]string // by name of the difference
	Changes                              map[string]string // meaning of a difference
	RewardMoves                          map[string]string

	Differs, Confounds, Notes, Input, Method, Moved, Split string
	OtherAnswers                                           string // of tools to the same calls
	OtherAnswersHead                                       []string
	DifferLine, DifferNote                                 string // in a terminal and in Markdown
	SplitAnswer, DifferenceLine                            string

	Differences, Categories, Families, Quadrants, Outcomes, ShareDifference string
	ItemsHead, Fewer, AsMany, More, QuadrantNote                            string
	OthersNote, Corrected, LeftOut, Cause, NoCause, OfKind                  string

	Errors, ErrorsNote string

	Items, Unpaired, OnlyBase, OnlyNew, Lost, Changed, Measured string
	Checks, Flips, Welch, Wilcoxon, McNemar, ByFamily           string
	OneSided, MDE, SameModel, Rule, Descriptive                 string
	Ref, RefOutcome, MovedNote                                  string

	Verdict, VerdictBy                                        string         // of a single run
	Tile, BaseNew, NoneCompared                               string         // of the three numbers
	MovedHead, DifferHead                                     []string       // columns
	Columns                                                   []block.Column // of all items in both runs
	Directions                                                map[int]string
	AllItems, Direction, AnyDirection                         string
	NoItems, ItemsCut, Rest, Evidence, ReadDrop, FurtherFirst string
	Keep                                                      string // before a text that names rollouts of logs
}

// graderWords replace those of two runs where both sides are the same outputs, graded by two graders.
type graderWords struct {
	Title, Base, New, Difference, Moved, Tile, BaseNew string
	Answers                                            map[compare.Answer]string
	MovedHead                                          []string

	Kappa, Spearman, AgreementDoc, Differ, By string
}

// forGraders returns the words for two graders.
func (w compareWords) forGraders() compareWords {
	g := w.Graders
	w.Title, w.Base, w.New, w.Difference, w.Moved = g.Title, g.Base, g.New, g.Difference, g.Moved
	w.Tile, w.BaseNew, w.Answers, w.MovedHead = g.Tile, g.BaseNew, g.Answers, g.MovedHead
	return w
}

var compareEnglish = compareWords{
	Graders: graderWords{
		Title: "Two graders on the same rollouts", Base: "grader A", New: "grader B", Difference: "B - A",
		Moved: "Items on which the graders differ most", Tile: "%s, B - A", BaseNew: "grader A %s, grader B %s",
		Answers: map[compare.Answer]string{
			compare.Regressed:  "GRADER B PAYS LESS",
			compare.Improved:   "GRADER B PAYS MORE",
			compare.Equivalent: "BOTH PAY THE SAME",
			compare.CannotTell: "CANNOT TELL",
			compare.NoFall:     "NO SIGN OF A FALL",
			compare.NotBetter:  "GRADER B IS NOT BETTER",
		},
		MovedHead: []string{"item", "A", "B", "B - A", "tool calls", "rollouts by A", "rollouts by B"},
		Kappa:     "Agreement, Cohen's κ", Spearman: "Agreement, rank correlation",
		AgreementDoc: "of the two rewards of each output: 1 is perfect, 0 is chance",
		Differ:       "The two rewards are more than the margin apart on %s of %s.",
		By:           ", graded by %s",
	},
	Signs: english.Signs,
	Title: "What changed between two runs?", Base: "base", New: "new", Difference: "new - base", NotSet: "not set",
	Answers: map[compare.Answer]string{
		compare.Regressed:  "REGRESSED",
		compare.Improved:   "IMPROVED",
		compare.Equivalent: "NO CHANGE THAT MATTERS",
		compare.CannotTell: "CANNOT TELL",
		compare.NoFall:     "NO SIGN OF A FALL",
		compare.NotBetter:  "NOT BETTER",
	},
	Quantities: map[string]string{
		"reward": "mean reward", "pass_rate": "pass rate", "best_of": "best of %s",
		"informative":  "groups of %s that differ",
		"own_failures": "own failures", "cut_off": "cut off", "refused": "refused",
		"failures":   "failed in a tool or the grader",
		"tool_calls": "tool calls", "tool_calls_p50": "tool calls, P50", "tool_calls_p95": "tool calls, P95",
		"tool_calls_p99": "tool calls, P99",
		"at_call_limit":  "at the call limit", "repeated_calls": "repeated calls",
		"malformed_calls": "malformed calls", "parallel_turns": "turns with parallel calls",
		"calls_of_tool": "calls of %s", "tool_pair": "calls in a row, %s",
		"turns": "turns", "turns_p95": "turns, P95", "input_tokens": "input tokens", "output_tokens": "output tokens",
		"reasoning_tokens": "reasoning tokens",
		"latency":          "seconds", "latency_p50": "seconds, P50", "latency_p95": "seconds, P95",
		"over_time_limit": "over the time limit",
		"reward_part":     "reward part %s",
		"false_accepts":   "false accepts", "false_rejects": "false rejects",
		"false_accepts_of_texts": "false accepts of labelled texts",
		"false_rejects_of_texts": "false rejects of labelled texts",
	},
	Changes: map[string]string{
		"better": "better", "worse": "worse", "changed": "changed", "same": "same",
		"unclear": "cannot tell",
	},
	RewardMoves: map[string]string{"better": "reward up", "same": "reward as before", "worse": "reward down"},

	Differs: "What differs between the runs", Confounds: "this alone may explain a change", Notes: "Read first",
	Input:  "Problems in the input",
	Method: "How it was compared", Moved: "Items that changed most", Split: "Split",

	OtherAnswers: "Equal calls, different answers", OtherAnswersHead: []string{
		"tool", "item", "arguments",
		"answer in base", "answer in new",
	},

	DifferLine: "%s: base %s, new %s", DifferNote: " (%s)",
	SplitAnswer: "Split %s: %s", DifferenceLine: "%s: base %s, new %s, new - base %s",

	Differences: "Differences", Categories: "By category", Families: "By family",
	Quadrants: "Reward and tool calls, items",
	Outcomes:  "Rollouts without a grade", ShareDifference: "share, new - base (pp: percentage points)",
	ItemsHead: "items", Fewer: "fewer calls", AsMany: "as many", More: "more calls",
	QuadrantNote: "Over %s with known tool calls in both runs. Each item's own change, chance included.",
	OthersNote: "Per rollout, mean over items; P50, P95 and P99 over all rollouts; pp are percentage points. The " +
		"p-values below the mean reward are corrected for their number (Holm). Same: the whole interval is within " +
		"±%s: of the share itself, or else relative to the base.",
	Errors: "Errors of the grader, by people's labels",
	ErrorsNote: "False accepts: of the outputs that people call wrong, the share that the grader accepts. False " +
		"rejects: of those they call right, the share that it rejects. Labels are weighted by the grader's verdict.",
	Corrected: "p: sign flips, corrected (%s).",
	LeftOut:   "Left out, with only one item or too many to list: %s.",
	Cause:     "%s before, %s now × %s: %s", NoCause: "no cause is recorded", OfKind: "%s (%s)",

	Items: "%s in both runs", Unpaired: "No item is measured in both runs: the means of different items are " +
		"compared, which detects much less",
	OnlyBase: "; %s only in base", OnlyNew: "; %s only in new", Lost: "; %s lost on one side",
	Changed:  "; %s with a different conversation under the same id",
	Measured: "%s; %s.",
	Checks:   "Checks: %s.", Flips: "sign flips %s", Welch: "Welch's test %s", Wilcoxon: "Wilcoxon signed ranks %s",
	McNemar: "exact McNemar %s", ByFamily: "clustered by family %s",
	OneSided:  "One-sided bounds of the change: %s and %s; within ±%s there is no change that matters.",
	MDE:       "This comparison would detect a change of %s in 80 %% of cases",
	SameModel: "; two runs of the base model would detect %s",
	Rule: "Regressed or improved: the whole %s interval is beyond %s, and with fewer than 20 items, or one sample " +
		"of each, exact tests agree. Not better: the share of rollouts that a detector marks as hacks, that were " +
		"cut off, gave no answer or failed rose by more than %s, or the new run is NO-GO because of its grader. " +
		"No change that matters: none of these, and both one-sided bounds are within ±%s. Otherwise: cannot tell. " +
		"Eval decides if both runs have it, else train, else production.",
	Descriptive: "All items weigh the same. Other quantities are descriptive and decide nothing.",
	Ref:         "line %s (sample %s, reward %s)", RefOutcome: "line %s (sample %s, reward %s), %s",
	MovedNote: "By size of the change: some items always move by chance. Line numbers refer to %s and %s.",

	Verdict: " (by itself %s)", VerdictBy: " (by itself %s, by %s)",
	Tile: "%s, new - base", BaseNew: "base %s, new %s", NoneCompared: "there is nothing to compare",
	MovedHead:  []string{"item", "base", "new", "new - base", "tool calls", "rollouts in base", "rollouts in new"},
	DifferHead: []string{"", "base", "new", "what follows"},
	Columns: []block.Column{
		{Label: "Item", Doc: "the item's id"},
		{Label: "Moved", Doc: "whether its mean reward went up, down, or neither"},
		{Label: "Change", Doc: "of the mean reward, new - base"},
		{Label: "Base", Doc: "mean reward in the base run"},
		{Label: "New", Doc: "mean reward in the new run"},
		{Label: "n base", Doc: "rollouts that count in the mean of base"},
		{Label: "n new", Doc: "rollouts that count in the mean of new"},
		{Label: "Calls", Doc: "change of the tool calls per rollout, new - base"},
		{Label: "Category", Doc: "the item's category"},
		{Label: "Family", Doc: "the item's family"},
	},
	Directions: map[int]string{-1: "down", 0: "same", 1: "up"},
	AllItems:   "All items in both runs", Direction: "Moved", AnyDirection: "any way",
	NoItems:      "No item is measured in both runs.",
	ItemsCut:     "Only the %s largest falls of %s items are listed here; items.csv has all.",
	ReadDrop:     "See what happened to %s (%s): gonogo view %s %s",
	FurtherFirst: "and %s more, listed below",
	Rest:         "Differences, categories and items: gonogo compare %s %s --all.",
	Keep:         "Keep the rollouts first: gonogo compare %s %s -o %s. %s",
	Evidence:     "Rollouts of both runs, item by item: gonogo view %s %s.",
}
