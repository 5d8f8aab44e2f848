package analysis

import (
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Grader is what is known about the grader, from rollouts and from its audit.
type Grader struct {
	Audited     int            `json:"audited,omitempty"` // records of the audit; 0 without an audit
	NoiseVar    stat.Estimate  `json:"noise_var"`         // mean variance of the grades of one output
	FlipRate    *stat.Estimate `json:"flip_rate"`         // of a yes-or-no grader
	Consistency *stat.Estimate `json:"consistency"`       // 1 - 2 x flip rate
	// chance that noise alone moves a grade farther than the margin from what the output deserves
	Moved *stat.Estimate `json:"moved,omitempty"`
	// chance that noise alone moves an answer that deserves the top below the limit of the
	// references, if rewards are finer than the margin
	Slipped    *stat.Estimate  `json:"slipped,omitempty"`
	Reach      *Reach          `json:"reach,omitempty"`
	Regraded   []Regraded      `json:"regraded,omitempty"` // the outputs whose grades differ most, at most 3
	Clipped    int             `json:"clipped"`            // grades outside the range that a judge gave
	Failures   []GraderFailure `json:"failures,omitempty"`
	Resolution *Resolution     `json:"resolution,omitempty"`
	Length     *LengthEffect   `json:"length,omitempty"`
	Form       *AnswerForm     `json:"form,omitempty"`
	Agreement  *Agreement      `json:"agreement"`

	// all items have the same mean reward, as the grader only compares the outputs of an item
	OnlyCompares bool `json:"only_compares,omitempty"`

	Probes      []ProbeResult  `json:"probes"`
	FalseAccept *stat.Estimate `json:"false_accept"` // share of bottom payloads scored above their limit
	FalseReject *stat.Estimate `json:"false_reject"` // share of top payloads scored below their limit
	Youden      *stat.Estimate `json:"youden"`       // 1 - false_accept - false_reject
	// share of rewrites scored below the limit while the reference itself is not
	Brittle *stat.Estimate `json:"brittle,omitempty"`

	SuspectReferences []SuspectReference `json:"suspect_references"`
	// items with answers that could be compared with each other
	Compared int `json:"compared,omitempty"`
	// items on which the reference's reward could be compared with that of rollouts
	ComparedRewards int `json:"compared_rewards,omitempty"`
	// mean reward of the most common reference, submitted as the answer to every item
	Guessable       *stat.Estimate `json:"guessable"`
	GuessableAnswer string         `json:"guessable_answer,omitempty"` // that reference
	// what it earns more than the item's own rollouts, mean over items
	GuessableGain *stat.Estimate `json:"guessable_gain,omitempty"`
	// mean reward of a policy that calls each tool once and then only claims that the task is done
	ToolCallAlone *stat.Estimate   `json:"tool_call_alone"`
	TooGood       []TooGood        `json:"too_good"`
	Layers        *Layers          `json:"layers,omitempty"`
	Detectors     []DetectorResult `json:"detectors,omitempty"`
}

// Regraded is one rollout's output and its grades, ascending.
type Regraded struct {
	Split  rollout.Split `json:"split"`
	Item   string        `json:"item"`
	Sample int           `json:"sample"`
	Grades []float64     `json:"grades"`
}

// Reach is the distance between rewards, from the margin upwards, that noise crosses least often,
// for a noisy grader whose rewards take values in between.
type Reach struct {
	Distance float64 `json:"distance"` // in rewards
	// chance that noise alone moves a grade farther than Distance from what the output deserves
	Crossed stat.Estimate `json:"crossed"`
}

// GraderFailure is one kind of grader failure.
type GraderFailure struct {
	Kind    string   `json:"kind"` // error_kind in the records
	Count   int      `json:"count"`
	Example string   `json:"example"`
	Items   []string `json:"items"` // at most 5
}

// Resolution says how finely the grader distinguishes outputs.
type Resolution struct {
	N           int      `json:"n"` // rollouts with a grade
	Distinct    int      `json:"distinct"`
	EntropyBits *float64 `json:"entropy_bits"`
	ShareLow    *float64 `json:"share_lo"`
	ShareHigh   *float64 `json:"share_hi"`
}

// LengthEffect is the correlation of reward with the log of the answer's
// length, within items and over all rollouts.
type LengthEffect struct {
	Within stat.Estimate `json:"within"`
	Pooled stat.Estimate `json:"pooled"`
	Slope  stat.Estimate `json:"slope"` // reward per doubling of the length, within items
	P      *float64      `json:"p"`     // of no correlation within items
	// Ratio is the length of an item's long answers relative to its short ones, which are two
	// standard deviations of the log of the length apart. Gain is how much more the long ones earn,
	// at most the width of the range. Both are nil if Slope is unknown.
	Ratio *float64 `json:"ratio,omitempty"`
	Gain  *float64 `json:"gain,omitempty"`
}

// AnswerForm is the constant text that answers at the top of the range share, with counts of the
// lowest-scored answers that lack it.
type AnswerForm struct {
	// a whole answer, with {{reference}} in the place of its content; "" if none was found
	Template string `json:"template,omitempty"`
	Top      int    `json:"top"`      // answers at the top
	TopWith  int    `json:"top_with"` // answers at the top with the form
	Least    int    `json:"least"`    // answers that earned the lowest reward of the run
	Without  int    `json:"without"`  // lowest-scored answers without the form
	Known    int    `json:"known"`    // answers without the form whose reference is known
	Right    int    `json:"right"`    // of these, answers that state their reference
	// Unknown counts lowest-scored answers, with the form or without, whose reference is not known.
	Unknown int `json:"unknown,omitempty"`

	// Items are the first items, by split and id, with an answer that Right counts.
	Items []string `json:"items,omitempty"`

	// Example is a lowest-scored answer without the form, preferably one that states its reference.
	Example *FormExample `json:"example,omitempty"`
	// Unseen says that the references were sent to the grader in a form that no answer at the top
	// has and were rejected, which says nothing about the grader.
	Unseen bool `json:"unseen,omitempty"`
	// Framed says that they were sent in a part of that form: nearly all of these items have an
	// answer at the top that states the reference with other text around it. Unseen is also set.
	Framed bool `json:"framed,omitempty"`
	// Asked says that the form is only what the prompts ask for, without any answer at the top, and
	// that neither it nor the bare references were accepted.
	Asked bool `json:"asked,omitempty"`
	// Paid is the beginning of an answer at the top; set together with Unseen.
	Paid string `json:"paid,omitempty"`

	// These are counted if an answer at the top holds reasoning that the server did not parse:
	// answers at the top that do; finished lowest-scored answers without markup whose reference is
	// known; and, of these, answers that state the reference.
	TopReasoning int `json:"top_reasoning,omitempty"`
	Plain        int `json:"plain,omitempty"`
	PlainRight   int `json:"plain_right,omitempty"`
}

// Explains reports whether the form distinguishes the lowest-scored answers from those at the top:
// practically all answers at the top have it, and enough of the lowest-scored ones lack it,
// although they state the reference, as far as references are known.
func (f *AnswerForm) Explains() bool {
	return f != nil && f.Template != "" && f.Top >= leastFormed && 50*f.TopWith >= 49*f.Top &&
		f.Without >= leastFormed && 10*f.Without >= f.Least && (f.Known == 0 || f.Right > 0)
}

// PaysReasoning reports whether the grader pays for reasoning in the answer: practically all
// answers at the top contain it, and most of the lowest-scored ones without any markup are right.
func (f *AnswerForm) PaysReasoning() bool {
	return f != nil && f.Top >= leastFormed && 50*f.TopReasoning >= 49*f.Top && f.PlainRight >= leastFormed &&
		2*f.PlainRight > f.Plain
}

// leastFormed is the number of answers needed to see a form, or its absence.
const leastFormed = 5

// FormExample is one rollout's answer, with its item's reference if that is known.
type FormExample struct {
	Split     rollout.Split `json:"split"`
	Item      string        `json:"item"`
	Sample    int           `json:"sample"`
	Answer    string        `json:"answer"` // its end
	Reference string        `json:"reference,omitempty"`
}

// Agreement compares the grader with people.
type Agreement struct {
	Labels   int            `json:"labels"`
	Outputs  int            `json:"outputs"` // labelled outputs that have a reward
	Raters   int            `json:"raters"`
	Spearman stat.Estimate  `json:"spearman"`
	Kappa    *stat.Estimate `json:"kappa"`   // Cohen's, if labels are right or wrong; see Errors
	Alpha    *stat.Estimate `json:"alpha"`   // Krippendorff's, between several raters
	Ceiling  *stat.Estimate `json:"ceiling"` // one rater's score by another's labels; agreement above it is suspicious
	Items    []string       `json:"items"`   // where grader and people differ most

	BaseRate *stat.Estimate `json:"base_rate,omitempty"` // share of the labelled outputs that people call right
	// Errors reads labels and rewards as right or wrong: a reward is right if it is at the pass
	// threshold, or without one at the top of the range less the margin. nil if labels are finer.
	Errors *stat.VerdictErrors `json:"errors,omitempty"`
}

// ProbeResult is what one probe found. Above counts the items that show a hole: for bottom, items
// with a payload that scored more than the margin above the probe's limit; for top, items all of
// whose payloads scored at or above the limit; for same, items with a payload that scored more than
// the margin away from its base. Accept is their share of Items.
type ProbeResult struct {
	Probe  string              `json:"probe"`
	Expect rollout.Expectation `json:"expect"`
	Limit  *float64            `json:"limit"` // a reward
	// the grader compares the outputs of an item: what a payload earns is judged by what they earn
	Compared bool `json:"compared,omitempty"`
	Items    int  `json:"items"`
	Payloads int  `json:"payloads"` // that have a grade
	Above    int  `json:"above"`
	// items with a payload on the wrong side of the limit (bottom, top), farther away than noise
	// can explain
	Beyond   int    `json:"beyond,omitempty"`
	Failed   int    `json:"failed"`              // payloads that the grader failed on
	FailedAs string `json:"failed_as,omitempty"` // the most frequent kind of these failures
	// items on which the grader failed for every payload: not counted in Items
	Lost   int      `json:"lost,omitempty"`
	LostAt []string `json:"lost_items,omitempty"` // the first of them, at most 5
	// of same: items in Above whose most changed reward rose
	Up   int `json:"up,omitempty"`
	Down int `json:"down,omitempty"` // and items where it fell
	// of same: the grader's own noise explains how often rewards changed
	Noise  bool          `json:"noise,omitempty"`
	Accept stat.Estimate `json:"accept"`
	// mean of the payload's reward minus the mean of the item's rollouts; of same, minus its base
	Gap   stat.Estimate `json:"gap"`
	Holes []Hole        `json:"holes"` // payloads that show the hole, worst first, at most 5
	// items with a payload whose grading took over a second and over 20 times the median of the audit's
	// gradings, if there are two or more; the longest, and that median
	Slow           int      `json:"slow,omitempty"`
	SlowSeconds    *float64 `json:"slow_s,omitempty"`
	TypicalSeconds *float64 `json:"typical_s,omitempty"`

	// Rewards is one row of the table of probes by item: for each of the first 100 items, the
	// reward of the payload that is the strongest evidence against the grader.
	Rewards []ItemReward `json:"rewards"`
}

// ItemReward is what a probe earned on one item; nil if the grader failed on all its payloads.
type ItemReward struct {
	Split  rollout.Split `json:"split"`
	Item   string        `json:"item"`
	Reward *float64      `json:"reward"`
}

// Hole is one payload that a sound grader would have scored differently.
type Hole struct {
	ID     string        `json:"id"` // PROBE/SPLIT/ITEM/SAMPLE, for gonogo audit --replay
	Split  rollout.Split `json:"split"`
	Item   string        `json:"item"`
	Reward float64       `json:"reward"`
	Base   *float64      `json:"base,omitempty"` // for same: the reward of the rollout that the payload was made from
	// its beginning, or the part around Right; probes.jsonl has the whole payload
	Payload string `json:"payload"`

	// Right is the beginning of the item's highest-scored right answer, for bottom; "" if the audit
	// graded none.
	Right string `json:"right,omitempty"`
}

// SuspectReference is an item on which most rollouts agree on an answer that is not the reference,
// or earn the top while the reference, submitted as the answer, earns the bottom.
type SuspectReference struct {
	Split  rollout.Split `json:"split"`
	Item   string        `json:"item"`
	Answer string        `json:"answer"` // "" if rollouts do not agree on one
	Share  float64       `json:"share"`  // of the item's rollouts that agree, else of those that earn the top
	Reward *float64      `json:"reward"` // of that answer, else the mean of the item's rollouts

	Reference       string   `json:"reference,omitempty"`        // as the audit submitted it to the grader
	ReferenceReward *float64 `json:"reference_reward,omitempty"` // nil: not graded, or the grader failed
}

// TooGood is a pattern worth a look; it never decides a verdict.
type TooGood struct {
	Pattern string        `json:"pattern"` // at_top, no_tools or one_text
	Split   rollout.Split `json:"split"`
	Items   []string      `json:"items"` // at most 20
	Count   int           `json:"count"` // of items
	Note    message.Text  `json:"note"`
}

// Layers analyzes a reward made of several parts.
type Layers struct {
	Formula string   `json:"formula,omitempty"`
	Core    string   `json:"core,omitempty"` // the part that the others must not replace
	Parts   []Layer  `json:"parts"`
	Rest    *float64 `json:"rest"` // share of the within-item variance that no part alone explains
	// mean reward above the bottom of rollouts whose core is at zero, as a share of the range
	AtZero stat.Estimate `json:"at_zero"`
	// share of rollouts with the core at zero that earn more than the margin
	Bought    stat.Estimate `json:"bought"`
	ZeroN     int           `json:"zero_n"`     // rollouts with the core at zero
	ZeroItems int           `json:"zero_items"` // items that have one
	Moving    []string      `json:"moving"`     // parts that change the reward while the core is at zero
	Items     []string      `json:"items"`      // the items that show it most, at most 20
}

// Layer is one part of the reward.
type Layer struct {
	Name  string        `json:"name"`
	Gate  bool          `json:"gate"` // without it the formula gives nothing
	Mean  stat.Estimate `json:"mean"`
	Share *float64      `json:"share"` // of the within-item variance of the reward that it adds to the parts before it
}

// DetectorResult is what one detector found among the recorded rollouts.
type DetectorResult struct {
	Detector string        `json:"detector"`
	Rollouts int           `json:"rollouts"`
	Marked   int           `json:"marked"`
	Failed   int           `json:"failed"`
	Share    stat.Estimate `json:"share"` // of rollouts, clustered by item
	Zeroed   bool          `json:"zeroed"`
	Mean     stat.Estimate `json:"mean"`  // reward of the marked rollouts
	Items    []string      `json:"items"` // at most 20
}

// The patterns worth a look.
const (
	AtTop   = "at_top"   // every reward of the item is at the top of the range
	NoTools = "no_tools" // the top without a tool call, while other rollouts of the item made some
	OneText = "one_text" // one answer that earns the top on several items
)
