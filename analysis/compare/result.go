package compare

import (
	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Schema names the format of comparison.json. Adding keys keeps the schema; renaming or retyping a
// key needs a new one.
const Schema = "gonogo/comparison/2"

// Answer says what a comparison found about the new run's mean reward.
type Answer string

// The answers of a comparison.
const (
	Regressed  Answer = "regressed"   // lower: the whole interval is below -tolerance
	Improved   Answer = "improved"    // higher: the whole interval is above tolerance
	Equivalent Answer = "equivalent"  // neither is shown, and a change larger than delta is excluded
	CannotTell Answer = "cannot_tell" // the data allow both no change and one that matters
	NoFall     Answer = "no_fall"     // for a night: no sign of a fall, and a fall that matters would have been seen
	NotBetter  Answer = "not_better"  // whatever its reward: more hacks or failures, or its grader makes it NO-GO
)

// ExitCode returns the process exit code of an answer: 0, 3 or 4.
func (a Answer) ExitCode() int {
	switch a {
	case Improved, Equivalent, NoFall:
		return 0
	case Regressed, NotBetter:
		return 3
	}
	return 4
}

// Comparison is the content of comparison.json: a new run compared with a base run. Every
// difference is new minus base.
type Comparison struct {
	Lang message.Language `json:"-"` // the language of its pages and pictures

	Schema        string         `json:"schema"`
	Answer        Answer         `json:"answer"`
	Sentence      message.Text   `json:"sentence"` // what the answer is based on
	ExitCode      int            `json:"exit_code"`
	Split         *rollout.Split `json:"split"`                 // the split that gives the answer; null if none could
	TwoGraders    bool           `json:"two_graders,omitempty"` // both sides are the same outputs, graded by two graders
	Confidence    float64        `json:"confidence"`
	RewardRange   [2]float64     `json:"reward_range"`
	PassThreshold *float64       `json:"pass_threshold"`
	Delta         float64        `json:"delta"` // the smallest change of the mean reward that matters
	// the largest change that is called neither better nor worse
	Tolerance  float64             `json:"tolerance"`
	Thresholds analysis.Thresholds `json:"thresholds"`
	Base       Side                `json:"base"`
	New        Side                `json:"new"`
	// differences in how the runs were made, confounding ones first
	Differs []RunDifference `json:"differs"`
	// the causes of the change according to the records, the likeliest first
	LikelyCauses []Cause                  `json:"behind,omitempty"`
	Notes        []message.Text           `json:"notes"`
	Splits       map[rollout.Split]*Split `json:"splits"`
}

// Side is one side of a comparison.
type Side struct {
	File string `json:"file"` // the file of the rollouts, to which the lines of SampleRef refer
	// the file is a log, and lines are those of the run that gonogo compare --output keeps
	Log         bool          `json:"log,omitempty"`
	ID          string        `json:"id,omitempty"`
	Name        string        `json:"name,omitempty"`
	Model       string        `json:"model,omitempty"`
	Grader      string        `json:"grader,omitempty"` // its name and the beginning of its hash
	ToolVersion string        `json:"tool_version,omitempty"`
	Input       rollout.Input `json:"input"`

	Verdict   analysis.Verdict        `json:"verdict,omitempty"`   // the run's own, if it was analyzed; see AddVerdicts
	Reason    string                  `json:"reason,omitempty"`    // its deciding gate; empty for GO
	Untrusted string                  `json:"untrusted,omitempty"` // the gate about the grader that makes the run NO-GO
	Detectors []collect.DetectorMarks `json:"detectors,omitempty"` // what they marked among all rollouts of the run
}

// Split compares one split.
type Split struct {
	Answer      Answer                             `json:"answer"`
	Why         message.Text                       `json:"why"`
	Paired      bool                               `json:"paired"`
	Items       CommonItems                        `json:"items"`
	Samples     analysis.SidesOf[analysis.Spread]  `json:"samples"`
	Missing     analysis.SidesOf[analysis.Missing] `json:"missing"`
	Reward      analysis.Difference                `json:"reward"`
	Equivalence stat.Equivalence                   `json:"equivalence"`
	// the smallest detectable change between two runs of the base model, sampled the same way
	SameModel *float64 `json:"mde_same_model"`
	// item × model variance: how unevenly items changed beyond sampling
	Interaction *float64 `json:"interaction"`
	// items with the same samples, or samples of the same items, needed to see a change of delta
	Needs  *analysis.Needs       `json:"needs"`
	Others []analysis.Difference `json:"others"` // descriptive; p_holm corrects over this list
	// the share of rollouts that each detector marks, by its name
	Hacks   []analysis.Difference `json:"hacks,omitempty"`
	Graders *GraderAgreement      `json:"graders,omitempty"` // of two graders of the same outputs
	// how often the graders err, by people's labels of both runs
	Errors     []analysis.Difference `json:"grader_errors,omitempty"`
	Families   *Breakdown            `json:"families,omitempty"`
	Categories *Breakdown            `json:"categories,omitempty"`
	Quadrants  *Quadrants            `json:"quadrants,omitempty"`
	Outcomes   []OutcomeDrift        `json:"outcomes"`
	Causes     []CauseDrift          `json:"causes"`
	// the largest changes first; some are due to chance
	Moved   []MovedItem  `json:"moved"`
	Changes []ItemChange `json:"changes"` // of all common items
}

// GraderAgreement says how far two graders of the same outputs agree.
type GraderAgreement struct {
	// Cohen's kappa if both give only the ends of the range, else Spearman's rank correlation
	Agreement stat.Estimate `json:"agreement"`
	YesNo     bool          `json:"yes_no"` // Agreement is kappa
	Differ    stat.Estimate `json:"differ"` // share of the outputs whose rewards differ by more than the margin
}

// CommonItems counts the items of the two runs. Only items measured by both are compared, so that the
// mix of items is the same on both sides.
type CommonItems struct {
	Common   int      `json:"common"` // with a valid reward in both runs
	OnlyBase []string `json:"only_base"`
	OnlyNew  []string `json:"only_new"`
	Lost     []string `json:"lost"`    // in both runs, but without a valid reward in at least one
	Changed  []string `json:"changed"` // same id but another conversation: not the same item
}

// Breakdown compares the reward within groups of items.
type Breakdown struct {
	Correction string            `json:"correction"` // of the p-values
	Groups     []GroupDifference `json:"groups"`     // the largest fall first
	LeftOut    int               `json:"left_out"`   // groups of one item, or beyond the maximum number listed
}

// GroupDifference is the difference of one family or category.
type GroupDifference struct {
	stat.Estimate
	Group     string   `json:"group"`
	Base      *float64 `json:"base"`
	New       *float64 `json:"new"`
	P         *float64 `json:"p"`
	PHolm     *float64 `json:"p_holm"`
	Direction string   `json:"direction"` // up or down if interval and corrected p agree, else unclear
}

// Quadrants counts common items by how reward and tool calls changed.
type Quadrants struct {
	Items int        `json:"items"`
	Cells []Quadrant `json:"cells"` // all nine, better before worse, fewer before more
}

// Quadrant is one cell of Quadrants.
type Quadrant struct {
	Reward string `json:"reward"` // better, same or worse
	Calls  string `json:"calls"`  // fewer, same or more
	Items  int    `json:"items"`
}

// OutcomeDrift is how often rollouts ended in one outcome other than a grade.
type OutcomeDrift struct {
	Outcome    rollout.Outcome `json:"outcome"`
	Kind       string          `json:"error_kind,omitempty"` // of a grader's failure
	Base       int             `json:"base"`                 // number of rollouts that ended so, among all recorded
	New        int             `json:"new"`
	Difference stat.Estimate   `json:"difference"` // of the share of rollouts, over common items
}

// CauseDrift is how often rollouts ended with one error text.
type CauseDrift struct {
	Outcome rollout.Outcome `json:"outcome"`
	Error   string          `json:"error"`
	Base    int             `json:"base"`
	New     int             `json:"new"`
}

// ItemChange is the change of one common item.
type ItemChange struct {
	Item        string   `json:"item"`
	Change      float64  `json:"change"`
	Base        float64  `json:"base"`
	New         float64  `json:"new"`
	BaseN       int      `json:"base_n"`
	NewN        int      `json:"new_n"`
	CallsChange *float64 `json:"calls_change"`
	Category    string   `json:"category,omitempty"`
	Family      string   `json:"family,omitempty"`
}

// MovedItem is an item whose reward changed a lot, with rollouts that show it: for a drop, the best
// ones of the base run and the worst ones of the new run.
type MovedItem struct {
	ItemChange
	BaseRollouts []SampleRef `json:"base_rollouts"`
	NewRollouts  []SampleRef `json:"new_rollouts"`
}

// SampleRef locates one rollout in its run's file.
type SampleRef struct {
	Sample  int             `json:"sample"`
	Attempt int             `json:"attempt"`
	Line    int             `json:"line"`
	TraceID string          `json:"trace_id,omitempty"`
	Reward  float64         `json:"reward"`
	Outcome rollout.Outcome `json:"outcome"`
}
