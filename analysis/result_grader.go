package analysis

import (
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Grader is what is known about the grader itself, from rollouts and from its
// audit.
type Grader struct {
	Audited     int            `json:"audited,omitempty"` // records of the audit; 0: none was made
	NoiseVar    stat.Estimate  `json:"noise_var"`         // mean variance of the grades of one output
	FlipRate    *stat.Estimate `json:"flip_rate"`         // of a yes-or-no grader
	Consistency *stat.Estimate `json:"consistency"`       // 1 - 2 x flip rate
	// chance that noise alone takes a grade farther than the margin from what the output deserves
	Moved *stat.Estimate `json:"moved,omitempty"`
	// chance that noise alone takes an answer that deserves the top below the limit of the references,
	// where rewards are finer than the margin
	Slipped    *stat.Estimate  `json:"slipped,omitempty"`
	Reach      *Reach          `json:"reach,omitempty"`
	Regraded   []Regraded      `json:"regraded,omitempty"` // the outputs whose grades differ most, at most 3
	Clipped    int             `json:"clipped"`            // grades that a judge gave outside its range
	Failures   []GraderFailure `json:"failures,omitempty"`
	Resolution *Resolution     `json:"resolution,omitempty"`
	Length     *LengthEffect   `json:"length,omitempty"`
	Form       *AnswerForm     `json:"form,omitempty"`
	Agreement  *Agreement      `json:"agreement"`

	Probes      []ProbeResult  `json:"probes"`
	FalseAccept *stat.Estimate `json:"false_accept"` // share of bottom payloads scored above their limit
	FalseReject *stat.Estimate `json:"false_reject"` // share of top payloads scored below theirs
	Youden      *stat.Estimate `json:"youden"`       // 1 - false_accept - false_reject
	// share of rewrites scored below theirs where the reference itself is not
	Brittle *stat.Estimate `json:"brittle,omitempty"`

	SuspectReferences []SuspectReference `json:"suspect_references"`
	// items on which answers could be compared with each other
	Compared int `json:"compared,omitempty"`
	// items on which the reference's reward could be compared with that of rollouts
	ComparedRewards int `json:"compared_rewards,omitempty"`
	// mean reward of the most common reference as the answer to every item
	Guessable       *stat.Estimate   `json:"guessable"`
	GuessableAnswer string           `json:"guessable_answer,omitempty"` // that reference
	TooGood         []TooGood        `json:"too_good"`
	Layers          *Layers          `json:"layers,omitempty"`
	Detectors       []DetectorResult `json:"detectors,omitempty"`
}

// Regraded is one rollout's output and its grades, ascending.
type Regraded struct {
	Split  rollout.Split `json:"split"`
	Item   string        `json:"item"`
	Sample int           `json:"sample"`
	Grades []float64     `json:"grades"`
}

// Reach is the distance between rewards, from the margin upwards, that noise
// crosses least, of a noisy grader whose rewards take values in between.
type Reach struct {
	Distance float64 `json:"distance"` // in rewards
	// chance that noise alone takes a grade farther than that from what the output deserves
	Crossed stat.Estimate `json:"crossed"`
}

// GraderFailure is one kind of failed gradings.
type GraderFailure struct {
	Kind    string   `json:"kind"` // error_kind of the records
	Count   int      `json:"count"`
	Example string   `json:"example"`
	Items   []string `json:"items"` // at most 5
}

// Resolution says how finely the grader tells outputs apart.
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
	// Ratio is how many times as long as the short answers of an item its long ones are: two
	// standard deviations of the log of the length. Gain is how much more those earn, at most
	// the width of the range. nil where Slope is not known.
	Ratio *float64 `json:"ratio,omitempty"`
	Gain  *float64 `json:"gain,omitempty"`
}

// AnswerForm is the constant text that the answers at the top of the range share, and how
// many of those that earned least lack it.
type AnswerForm struct {
	// of a whole answer, with {{reference}} for what it says; "" where none was found
	Template string `json:"template,omitempty"`
	Top      int    `json:"top"`      // answers at the top
	TopWith  int    `json:"top_with"` // of them those with the form
	Least    int    `json:"least"`    // answers that earned the lowest reward of the run
	Without  int    `json:"without"`  // of them those without the form
	Known    int    `json:"known"`    // of those without the form, those whose reference is known
	Right    int    `json:"right"`    // of those with a known reference, those that state it

	// Example is an answer that earned least without the form: one that states its reference,
	// if there is one.
	Example *FormExample `json:"example,omitempty"`
	// Unseen says that the references were sent to the grader in a form that none of the
	// answers at the top has, and were rejected: that says nothing about the grader.
	Unseen bool `json:"unseen,omitempty"`
	// Framed says that they were sent in a part of that form: nearly all of these items have an
	// answer at the top that states the reference, with other text around it. Unseen is set too.
	Framed bool `json:"framed,omitempty"`
	// Paid begins an answer at the top, where Unseen is set.
	Paid string `json:"paid,omitempty"`

	// Counted where an answer at the top holds reasoning that the server did not parse: answers
	// at the top that do; finished answers with a known reference that hold no markup and
	// earned least; and of these those that state the reference.
	TopReasoning int `json:"top_reasoning,omitempty"`
	Plain        int `json:"plain,omitempty"`
	PlainRight   int `json:"plain_right,omitempty"`
}

// Explains reports whether the form tells the answers that earned least from those at the
// top: practically all of these have it, and enough of those lack it, although they state
// the reference, as far as references are known.
func (f *AnswerForm) Explains() bool {
	return f != nil && f.Template != "" && f.Top >= leastFormed && 50*f.TopWith >= 49*f.Top &&
		f.Without >= leastFormed && 10*f.Without >= f.Least && (f.Known == 0 || f.Right > 0)
}

// PaysReasoning reports whether the grader pays for reasoning in the answer: practically all
// answers at the top hold it, and most of those without any markup that earned least are right.
func (f *AnswerForm) PaysReasoning() bool {
	return f != nil && f.Top >= leastFormed && 50*f.TopReasoning >= 49*f.Top && f.PlainRight >= leastFormed &&
		2*f.PlainRight > f.Plain
}

// leastFormed is how many answers it takes to see a form, or that it is lacking.
const leastFormed = 5

// FormExample is one rollout's answer, and its item's reference where that is known.
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
	Kappa    *stat.Estimate `json:"kappa"`   // Cohen's, where both are yes or no
	Alpha    *stat.Estimate `json:"alpha"`   // Krippendorff's, of several raters with each other
	Ceiling  *stat.Estimate `json:"ceiling"` // what one rater scores by another's labels: reward above it is suspicious
	Items    []string       `json:"items"`   // where grader and people differ most
}

// ProbeResult is what one probe found. Above counts the items with a payload
// that scored more than the margin above the probe's limit (bottom), all of
// whose payloads scored at or above it (top), or one of whose payloads scored
// more than the margin away from its base (same); Accept is their share of
// Items.
type ProbeResult struct {
	Probe    string              `json:"probe"`
	Expect   rollout.Expectation `json:"expect"`
	Limit    *float64            `json:"limit"` // a reward
	Items    int                 `json:"items"`
	Payloads int                 `json:"payloads"` // that have a grade
	Above    int                 `json:"above"`
	// items with a payload on the wrong side of the limit (bottom, top), farther away than noise reaches
	Beyond   int    `json:"beyond,omitempty"`
	Failed   int    `json:"failed"`              // payloads that the grader failed on
	FailedAs string `json:"failed_as,omitempty"` // the kind of most of those failures
	// items on which the grader failed on every payload: not among Items
	Lost   int      `json:"lost,omitempty"`
	LostAt []string `json:"lost_items,omitempty"` // the first of them, at most 5
	// of same: items of Above on which the reward that moved most rose
	Up   int `json:"up,omitempty"`
	Down int `json:"down,omitempty"` // and on which it fell
	// of same: the grader's own noise explains how often it moved
	Noise  bool          `json:"noise,omitempty"`
	Accept stat.Estimate `json:"accept"`
	// mean of the payload's reward minus the mean of the item's rollouts; of same, minus its base
	Gap   stat.Estimate `json:"gap"`
	Holes []Hole        `json:"holes"` // payloads that show it, worst first, at most 5

	// Rewards is one row of the table of probes by item: of each item the reward
	// of the payload that counts most against the grader, for the first 100 items.
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
	// its beginning, or the part around Right; the whole is in probes.jsonl
	Payload string `json:"payload"`

	// Right begins the answer to the item that earned the most of those that are right, for
	// bottom; "" if the audit graded none.
	Right string `json:"right,omitempty"`
}

// SuspectReference is an item on which most rollouts agree on an answer that
// is not the reference, or earn the top while the reference, given as the answer,
// earns the bottom.
type SuspectReference struct {
	Split  rollout.Split `json:"split"`
	Item   string        `json:"item"`
	Answer string        `json:"answer"` // "" where rollouts do not agree on one
	Share  float64       `json:"share"`  // of the item's rollouts that agree, else that earn the top
	Reward *float64      `json:"reward"` // of that answer, else the mean of the item's rollouts

	Reference       string   `json:"reference,omitempty"`        // as the audit put it to the grader
	ReferenceReward *float64 `json:"reference_reward,omitempty"` // nil: it was not graded, or the grader failed
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
	Moving    []string      `json:"moving"`     // parts that move the reward while the core is at zero
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
	Mean     stat.Estimate `json:"mean"`  // reward that the marked rollouts had
	Items    []string      `json:"items"` // at most 20
}

// The patterns worth a look.
const (
	AtTop   = "at_top"   // every reward of the item is at the top of the range
	NoTools = "no_tools" // the top without a tool call, where other rollouts of the item made some
	OneText = "one_text" // one answer that earns the top on several items
)
