package analysis

import (
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// ComparisonSchema names the shape of comparison.json. Keys may be added under
// one schema; renaming or retyping one makes a new schema.
const ComparisonSchema = "gonogo/comparison/2"

// Answer says what a comparison found of the new run's mean reward.
type Answer string

// The answers of a comparison.
const (
	Regressed  Answer = "regressed"   // lower, by the whole interval
	Improved   Answer = "improved"    // higher, by the whole interval
	Equivalent Answer = "equivalent"  // neither shown, and no change larger than delta
	CannotTell Answer = "cannot_tell" // the data hold both no change and one that matters
	NotBetter  Answer = "not_better"  // whatever it earns: more detected hacks, or a higher reward of a grader that is NO-GO
)

// ExitCode returns the process exit code of an answer: 0, 3 or 4.
func (a Answer) ExitCode() int {
	switch a {
	case Improved, Equivalent:
		return 0
	case Regressed, NotBetter:
		return 3
	}
	return 4
}

// Comparison is comparison.json: a new run against a base run. Every difference
// is new minus base.
type Comparison struct {
	Lang message.Language `json:"-"` // what pages and pictures of it are written in

	Schema        string                             `json:"schema"`
	Answer        Answer                             `json:"answer"`
	Sentence      message.Text                       `json:"sentence"` // what the answer rests on
	ExitCode      int                                `json:"exit_code"`
	Split         *rollout.Split                     `json:"split"` // the one that gives the answer; null when none could
	Confidence    float64                            `json:"confidence"`
	RewardRange   [2]float64                         `json:"reward_range"`
	PassThreshold *float64                           `json:"pass_threshold"`
	Delta         float64                            `json:"delta"`     // the smallest change of the mean reward that matters
	Tolerance     float64                            `json:"tolerance"` // the change up to which nothing is called better or worse
	Thresholds    map[string]float64                 `json:"thresholds"`
	Base          ComparedRun                        `json:"base"`
	New           ComparedRun                        `json:"new"`
	Differs       []RunDifference                    `json:"differs"` // what the runs were made with, what confounds first
	Notes         []message.Text                     `json:"notes"`
	Splits        map[rollout.Split]*SplitComparison `json:"splits"`
}

// ComparedRun is one side of a comparison.
type ComparedRun struct {
	File        string        `json:"file"` // the rollouts, in which samples are found by their line
	ID          string        `json:"id,omitempty"`
	Name        string        `json:"name,omitempty"`
	Model       string        `json:"model,omitempty"`
	ToolVersion string        `json:"tool_version,omitempty"`
	Input       rollout.Input `json:"input"`

	Verdict   Verdict            `json:"verdict,omitempty"`   // the run's own, where it was analysed; see Judged
	Reason    string             `json:"reason,omitempty"`    // its deciding gate; none of GO
	Detectors []ComparedDetector `json:"detectors,omitempty"` // what they marked among all rollouts of the run
}

// ComparedDetector is what one detector marked in one of two runs.
type ComparedDetector struct {
	Detector string  `json:"detector"`
	Rollouts int     `json:"rollouts"` // that it read
	Marked   int     `json:"marked"`
	Share    float64 `json:"share"`
}

// RunDifference is one thing that the two runs were made with differently.
type RunDifference struct {
	What      string       `json:"what"`          // data, items, grader, job, model, setting, seed, samples, tool_version
	Key       string       `json:"key"`           // such as data.eval or model.temperature
	Base      message.Text `json:"base,omitzero"` // absent: not set
	New       message.Text `json:"new,omitzero"`  // absent: not set
	Confounds bool         `json:"confounds"`     // a change of the reward may stem from it instead of from the model
	Note      message.Text `json:"note,omitzero"`
}

// SplitComparison compares one split.
type SplitComparison struct {
	Answer      Answer           `json:"answer"`
	Why         message.Text     `json:"why"`
	Paired      bool             `json:"paired"`
	Items       CommonItems      `json:"items"`
	Samples     SidesOf[Spread]  `json:"samples"`
	Missing     SidesOf[Missing] `json:"missing"`
	Reward      Difference       `json:"reward"`
	Equivalence stat.Equivalence `json:"equivalence"`
	SameModel   *float64         `json:"mde_same_model"`  // the smallest detectable change between two runs of the base model as sampled
	Interaction *float64         `json:"interaction"`     // item × model variance: how unevenly items changed beyond sampling
	Needs       *Needs           `json:"needs"`           // of items, of the same samples, or of samples, of the same items, to see a change of delta
	Others      []Difference     `json:"others"`          // descriptive; p_holm is over them
	Hacks       []Difference     `json:"hacks,omitempty"` // the share of rollouts that a detector marks, by its name
	Families    *Breakdown       `json:"families,omitempty"`
	Categories  *Breakdown       `json:"categories,omitempty"`
	Quadrants   *Quadrants       `json:"quadrants,omitempty"`
	Outcomes    []OutcomeDrift   `json:"outcomes"`
	Causes      []CauseDrift     `json:"causes"`
	Moved       []MovedItem      `json:"moved"`   // the largest changes, by size: chance alone makes some
	Changes     []ItemChange     `json:"changes"` // of every common item
}

// SidesOf holds one thing of both runs.
type SidesOf[T any] struct {
	Base T `json:"base"`
	New  T `json:"new"`
}

// CommonItems counts the items of both runs. Only what both measured is
// compared, so that the mix of items is the same on both sides.
type CommonItems struct {
	Common   int      `json:"common"` // with a valid reward in both runs
	OnlyBase []string `json:"only_base"`
	OnlyNew  []string `json:"only_new"`
	Lost     []string `json:"lost"`    // in both runs, and without any valid reward in one
	Changed  []string `json:"changed"` // the same id with another conversation: not the same item
}

// Difference is one quantity compared. Its value is the mean over items of new
// minus base.
type Difference struct {
	stat.Estimate
	Name      string         `json:"name"`
	Unit      string         `json:"unit"`
	K         int            `json:"k,omitempty"` // rollouts that best_of and informative are of
	Base      *float64       `json:"base"`        // mean over the compared items
	New       *float64       `json:"new"`
	Direction string         `json:"direction"`  // up or down when the whole interval says so, else unclear
	P         *float64       `json:"p"`          // sign flips of paired items, two-sided; of unpaired ones Welch's
	Wilcoxon  *float64       `json:"wilcoxon_p"` // signed ranks, as a check
	McNemar   *float64       `json:"mcnemar_p"`  // exact, where both runs hold one sample an item and two grades
	PHolm     *float64       `json:"p_holm"`     // corrected for the other ones beside it
	MDE       *float64       `json:"mde"`        // the smallest change that 80 % of such comparisons would find
	Family    *stat.Estimate `json:"family"`     // the same, clustered by family
}

// Breakdown compares the reward within groups of items.
type Breakdown struct {
	Correction string            `json:"correction"` // of the p-values
	Groups     []GroupDifference `json:"groups"`     // the largest drop first
	LeftOut    int               `json:"left_out"`   // groups of one item, or past the listed number
}

// GroupDifference is the difference of one family or category.
type GroupDifference struct {
	stat.Estimate
	Group     string   `json:"group"`
	Base      *float64 `json:"base"`
	New       *float64 `json:"new"`
	P         *float64 `json:"p"`
	PHolm     *float64 `json:"p_holm"`
	Direction string   `json:"direction"` // up or down when interval and corrected p say so, else unclear
}

// Quadrants counts common items by how reward and tool calls changed.
type Quadrants struct {
	Items int        `json:"items"`
	Cells []Quadrant `json:"cells"` // all nine, better before worse, fewer before more
}

// Quadrant is one cell.
type Quadrant struct {
	Reward string `json:"reward"` // better, same or worse
	Calls  string `json:"calls"`  // fewer, same or more
	Items  int    `json:"items"`
}

// OutcomeDrift is how often rollouts ended in one outcome other than a grade.
type OutcomeDrift struct {
	Outcome    rollout.Outcome `json:"outcome"`
	Kind       string          `json:"error_kind,omitempty"` // of a grader's failure
	Base       int             `json:"base"`                 // rollouts, of all recorded
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

// ItemChange is one common item.
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

// MovedItem is an item whose reward changed much, with the rollouts that show
// it: of a drop the best ones of the base and the worst ones of the new run.
type MovedItem struct {
	ItemChange
	BaseRollouts []SampleRef `json:"base_rollouts"`
	NewRollouts  []SampleRef `json:"new_rollouts"`
}

// SampleRef finds one rollout in its run's file.
type SampleRef struct {
	Sample  int             `json:"sample"`
	Attempt int             `json:"attempt"`
	Line    int             `json:"line"`
	TraceID string          `json:"trace_id,omitempty"`
	Reward  float64         `json:"reward"`
	Outcome rollout.Outcome `json:"outcome"`
}
