package curate

import (
	"cmp"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/measure"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Schema names the JSON format of a Curation. Adding keys keeps the schema; renaming or
// retyping a key needs a new one.
const Schema = "gonogo/curation/2"

// Reason is why a row is dropped.
type Reason string

// The reasons. Those about rewards have the names of the classes.
const (
	Leaking     Reason = "leaked"
	Conflicting Reason = "conflict"
	Duplicate   Reason = "duplicate"
	Broken      Reason = "broken"
	Suspicious  Reason = "suspicious"
	LowVariance Reason = "low_variance"
	Unmeasured  Reason = "not_measured"
)

// ReasonDoc is a reason with its meaning.
type ReasonDoc struct {
	Name Reason
	Doc  string
}

// Reasons lists the reasons, the surest first. A row with several is counted under the first.
func Reasons() []ReasonDoc {
	return []ReasonDoc{
		{Leaking, "eval or production has the same prompt, or the same declared family"},
		{Conflicting, "another row has the same prompt and a different reference; check which one is right"},
		{Duplicate, "another row has the same prompt; the one with the most samples is kept"},
		{Broken, "none of its rollouts could be graded, and chance does not explain it"},
		{Suspicious, "dropped only with --suspicious, else kept and listed for review: the grader cannot be trusted " +
			"on it, because a detector marks a rewarded rollout, a probe fooled the grader, its reference is " +
			"doubtful, or the same output earned different rewards"},
		{analysis.Dead, "every reward is at the bottom of the range, and would be again"},
		{analysis.Saturated, "every reward is at the top of the range, and would be again"},
		{analysis.Flat, "all rewards are the same, and would be again"},
		{LowVariance, "its rewards vary less than those of the rows that --variance keeps"},
		{Unmeasured, "never sampled; dropped only with --measured-only"},
	}
}

// Curation holds which rows of a training file are worth training on, and what the choice gains.
type Curation struct {
	Schema      string     `json:"schema"`
	Run         string     `json:"run,omitempty"`
	File        string     `json:"file,omitempty"`
	SHA256      string     `json:"sha256,omitempty"` // checksum of the curated file
	Confidence  float64    `json:"confidence"`
	RewardRange [2]float64 `json:"reward_range"`
	GroupSize   int        `json:"group_size"`
	Sure        float64    `json:"sure"` // posterior probability from which an item is dropped

	Rows        int            `json:"rows"`
	Kept        int            `json:"kept"`
	Dropped     map[Reason]int `json:"dropped"`            // by first reason; holds every reason
	Open        []string       `json:"open"`               // kept items that need more samples
	NotMeasured int            `json:"not_measured"`       // kept rows without a rollout
	Variance    *Variance      `json:"variance,omitempty"` // what Options.Variance chose; absent if nothing varies

	Before  Set                  `json:"before"`            // all measured items of the file
	After   Set                  `json:"after"`             // the measured items that are kept
	Fresh   *Remeasured          `json:"fresh,omitempty"`   // the kept items on new rollouts
	Notes   []message.Text       `json:"notes"`             // what a reader must know before the numbers
	Table   []Row                `json:"table"`             // every row, in the order of the file
	Written *Files               `json:"written,omitempty"` // the files it was written to
	rewards map[string][]float64 // of kept items, ascending
	before  [][]float64          // of all measured items
	s       analysis.Settings    // the settings it was made with
}

// Files names the files that a curation was written to.
type Files struct {
	Train string `json:"train,omitempty"`
	Table string `json:"table,omitempty"`
}

// Row is one row of the file. It is kept if it has no grounds.
type Row struct {
	Line    int        `json:"line"`
	Item    string     `json:"item"`
	Kept    bool       `json:"kept"`
	Reason  Reason     `json:"reason,omitempty"` // the first of its grounds
	Grounds []Evidence `json:"grounds"`          // the surest first
	Repeats bool       `json:"repeats,omitempty"`
	Sampled int        `json:"sampled"` // rollouts
	N       int        `json:"n"`       // rollouts with a reward
	Class   string     `json:"class,omitempty"`
	Mean    *float64   `json:"mean"`
	// variance of the rewards, with n-1; null for fewer than two
	Variance *float64 `json:"variance"`
	// posterior probability that a group of the trainer's size has this class; for a single sample, the
	// class that its reward suggests
	Stays       *float64 `json:"stays"`
	Informative *float64 `json:"informative"` // posterior probability that the rewards of such a group differ
	// for an item without a grade, the posterior probability that a whole group fails
	Fails       *float64       `json:"fails"`
	Open        bool           `json:"open"` // there are too few samples to tell
	MoreSamples *int           `json:"more_samples"`
	Look        []message.Text `json:"look"` // what to look at by hand; it drops nothing
	Category    string         `json:"category,omitempty"`
	Family      string         `json:"family,omitempty"`
	Difficulty  *Difficulty    `json:"difficulty,omitempty"` // only with Options.Weights
}

// Evidence is a reason for dropping a row and what supports it.
type Evidence struct {
	Reason Reason       `json:"reason"`
	Why    message.Text `json:"why"`
	// probability that a group of the trainer's size would show it again; null if the file shows it
	Posterior *float64 `json:"posterior"`
}

func (r *Row) ground(reason Reason, posterior *float64, why message.Text) {
	r.Grounds = append(r.Grounds, Evidence{Reason: reason, Why: why, Posterior: posterior})
}

func (r *Row) look(note message.Text) { r.Look = append(r.Look, note) }

// more sets how many more rollouts would settle an item if they were like the n it has.
func (r *Row) more(cu *curator, n int, p measure.Beta) {
	if total, ok := stat.SamplesToTell(cu.s.GroupSize, p.A, p.B, cu.opt.Sure, measure.MaxSamplesToTell); ok {
		more := max(1, total-n)
		if r.N == 1 && total < 2 {
			more = 1 // a single reward gives no class
		}
		r.MoreSamples = &more
	}
}

// decide drops a row that has a ground which the options do not exempt.
func (cu *curator) decide(r *Row) {
	if r.Sampled == 0 && cu.opt.Measured {
		r.ground(Unmeasured, nil, noRollout.Text())
	}
	r.Grounds = slices.DeleteFunc(r.Grounds, func(g Evidence) bool {
		passed := slices.Contains(cu.opt.Keep, g.Reason) || g.Reason == Suspicious && !cu.opt.Suspicious
		if passed {
			r.look(keptAlthough.With(message.Args{
				"reason": message.Name(string(g.Reason)),
				"why":    message.Nested(g.Why),
			}))
		}
		return passed
	})
	order := Reasons()
	rank := func(g Evidence) int {
		return slices.IndexFunc(order, func(d ReasonDoc) bool { return d.Name == g.Reason })
	}
	slices.SortStableFunc(r.Grounds, func(a, b Evidence) int { return cmp.Compare(rank(a), rank(b)) })
	r.Kept = len(r.Grounds) == 0
	if !r.Kept {
		r.Reason = r.Grounds[0].Reason
	}
}

// result sums up the decisions.
func (cu *curator) result() *Curation {
	out := &Curation{
		Schema: Schema, Confidence: cu.s.Confidence,
		RewardRange: [2]float64{cu.s.RewardRange.Lo, cu.s.RewardRange.Hi}, GroupSize: cu.s.GroupSize, Sure: cu.opt.Sure,
		Variance: cu.variance,
		Rows:     len(cu.rows), Dropped: make(map[Reason]int), Open: []string{}, Table: cu.rows,
		rewards: make(map[string][]float64), s: cu.s,
	}
	for _, reason := range Reasons() {
		out.Dropped[reason.Name] = 0
	}
	kept := make(map[string]bool)
	for i := range cu.rows {
		r := &cu.rows[i]
		switch {
		case !r.Kept:
			out.Dropped[r.Reason]++
			continue
		case r.Sampled == 0:
			out.NotMeasured++
		case r.Open && !r.Repeats:
			out.Open = append(out.Open, r.Item)
		}
		out.Kept++
		kept[r.Item] = true
	}
	var after []*collect.Item
	for _, it := range cu.m.Measured {
		out.before = append(out.before, it.Rewards)
		if kept[it.ID] {
			after = append(after, it)
			out.rewards[it.ID] = it.Rewards
		}
	}
	out.Before, out.After = cu.set(cu.m.Measured), cu.set(after)
	if cu.edited > 0 {
		cu.notes = append(cu.notes, editedRows.With(message.Args{"rows": message.Int(cu.edited)}))
	}
	out.Notes = cu.notes
	return out
}

var (
	noRollout    = message.New("curate.no_rollout", "it has no rollout")
	keptAlthough = message.New("curate.kept_although", "kept although {reason}: {why}")
	editedRows   = message.New("curate.edited",
		"{rows|row of the file differs|rows of the file differ} from what was sampled under the same id: not measured")
)

// KeptLines returns the line numbers of the kept rows.
func (c *Curation) KeptLines() map[int]bool {
	lines := make(map[int]bool, c.Kept)
	for i := range c.Table {
		if c.Table[i].Kept {
			lines[c.Table[i].Line] = true
		}
	}
	return lines
}

// KeptItems returns the given items that are kept and have rollouts, with which new rollouts
// can be compared.
func (c *Curation) KeptItems(items []rollout.Item) []rollout.Item {
	sampled := make(map[string]bool, c.Kept)
	for i := range c.Table {
		if r := &c.Table[i]; r.Kept && r.Sampled > 0 {
			sampled[r.Item] = true
		}
	}
	var out []rollout.Item
	for i := range items {
		if sampled[items[i].ID] {
			out = append(out, items[i])
		}
	}
	return out
}
