package viewer

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"gonogo/sampler/rollout"
)

// side is one of the runs on the page.
type side struct {
	run    *rollout.Run
	index  *Index
	labels *labels
	names  *names
	floor  float64                // bottom of the reward range
	most   map[rollout.Split]int  // samples that every item has, for splits where some items have more
	items  map[name]*rollout.Item // by inData

	mu      sync.Mutex // guards the fields below
	rows    []row
	version [2]int // of the index and the labels that rows are from
}

func newSide(run *rollout.Run, n *names, floor float64) *side {
	s := &side{
		run: run, names: n, floor: floor, labels: &labels{run: run}, most: run.Manifest.UntargetedSamples(),
		items: make(map[name]*rollout.Item, len(run.Items)),
	}
	for i := range run.Items {
		it := &run.Items[i]
		s.items[name{Split: it.Split, ID: it.ID}] = it
	}
	s.index = NewIndex(run)
	return s
}

// title returns the name of a run, with its directory if the other run has the same name.
func (s *side) title(other *side) string {
	name, dir := s.nameAndDir()
	if other != nil {
		if theirs, _ := other.nameAndDir(); theirs == name && name != dir {
			name += " (" + dir + ")"
		}
	}
	return s.names.display("run", name)
}

func (s *side) nameAndDir() (name, dir string) {
	if m := s.run.Manifest; m != nil {
		name = m.Name
	}
	dir = s.run.Dir
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	dir = filepath.Base(dir)
	return cmp.Or(name, dir), dir
}

func (s *side) score(e *entry) (float64, bool) { return e.score(s.floor) }

// targeted reports whether a rollout only counts for the class of its item: it is one of the extra
// samples that not every item has.
func (s *side) targeted(split rollout.Split, sample int32) bool {
	most, some := s.most[split]
	return some && int(sample) >= most
}

// row summarizes the rollouts of an item. An unknown value is nil: a missing grade is not a zero.
type row struct {
	name     name
	shown    string // what the page calls it, without redaction
	item     int32
	Split    string         `json:"split"`
	Item     string         `json:"item"`
	Category string         `json:"category,omitempty"`
	Family   string         `json:"family,omitempty"`
	N        int            `json:"n"`      // rollouts
	Scored   int            `json:"scored"` // rollouts in the mean
	Mean     *float64       `json:"mean"`
	SD       *float64       `json:"sd"` // with n-1 degrees of freedom
	Best     *float64       `json:"best"`
	Worst    *float64       `json:"worst"`
	Gap      *float64       `json:"gap"` // best minus mean
	Outcomes map[string]int `json:"outcomes"`
	Marks    map[string]int `json:"marks"`
	Calls    float64        `json:"calls"`           // mean number per rollout
	Other    *float64       `json:"other,omitempty"` // the mean in the second run
	Change   *float64       `json:"change,omitempty"`
}

// all returns a row for each item that has rollouts, in file order, and the versions of the index
// and the labels that they are from. They are computed again when something has changed; the caller
// must not change them.
func (s *side) all() ([]row, [2]int, error) {
	marks, marked, err := s.labels.all()
	_, indexed := s.index.State()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.version != [2]int{indexed, marked} || s.rows == nil {
		s.rows, s.version = s.summed(marks), [2]int{indexed, marked}
	}
	return s.rows, s.version, err
}

func (s *side) summed(marks map[rollout.Key][]rollout.Label) []row {
	x := s.index
	x.mu.RLock()
	defer x.mu.RUnlock()
	rows := make([]row, 0, len(x.names.Items))
	for item, list := range x.rollouts {
		if len(list) == 0 {
			continue
		}
		n := x.names.Items[item]
		shown := x.names.shown(n)
		r := row{
			name: n, shown: shown, item: int32(item), Split: string(n.Split), Item: s.names.display("item", shown),
			Outcomes: make(map[string]int), Marks: make(map[string]int),
		}
		var scores []float64
		calls := 0
		for _, i := range list {
			e := &x.entries[i]
			r.N++
			r.Outcomes[string(e.outcome())]++
			calls += len(e.Tools) / 2
			r.Family = cmp.Or(r.Family, s.names.display("family", x.names.Labels[e.Family]))
			r.Category = cmp.Or(r.Category, s.names.display("category", x.names.Labels[e.Category]))
			for _, l := range x.about(marks, x.key(e)) {
				if l.Mark != "" {
					r.Marks[l.Mark]++
				}
			}
			if score, ok := s.score(e); ok && !s.targeted(n.Split, e.Sample) {
				scores = append(scores, score)
			}
		}
		r.Calls = float64(calls) / float64(r.N)
		r.sum(scores)
		rows = append(rows, r)
	}
	return rows
}

// sum fills in the statistics of the scores.
func (r *row) sum(scores []float64) {
	if r.Scored = len(scores); r.Scored == 0 {
		return
	}
	slices.Sort(scores) // the sum does not depend on the order of lines
	sum := 0.0
	for _, v := range scores {
		sum += v
	}
	mean := sum / float64(len(scores))
	best, worst := scores[len(scores)-1], scores[0]
	gap := best - mean
	r.Mean, r.Best, r.Worst, r.Gap = &mean, &best, &worst, &gap
	if len(scores) < 2 {
		return
	}
	squares := 0.0
	for _, v := range scores {
		squares += (v - mean) * (v - mean)
	}
	sd := math.Sqrt(squares / float64(len(scores)-1))
	r.SD = &sd
}

// against adds the means of another run to rows, matching items by what the page calls them.
func against(rows []row, other *side) error {
	theirs, _, err := other.all()
	means := make(map[[2]string]*float64, len(theirs))
	for i := range theirs {
		means[[2]string{theirs[i].Split, theirs[i].shown}] = theirs[i].Mean
	}
	for i := range rows {
		r := &rows[i]
		if r.Other = means[[2]string{r.Split, r.shown}]; r.Other != nil && r.Mean != nil {
			change := *r.Other - *r.Mean
			r.Change = &change
		}
	}
	return err
}

// brief is what a list on the page shows of a rollout.
type brief struct {
	Sample   int          `json:"sample"`
	Attempt  int          `json:"attempt"`
	Line     int          `json:"line"`
	Outcome  string       `json:"outcome"`
	Error    string       `json:"error,omitempty"`
	Score    *float64     `json:"score"`  // as it counts in the mean
	Reward   *float64     `json:"reward"` // as the grader gave it
	Zeroed   bool         `json:"zeroed,omitempty"`
	Targeted bool         `json:"targeted,omitempty"`
	Input    *int64       `json:"input_tokens,omitempty"`
	Output   *int64       `json:"output_tokens,omitempty"`
	Elapsed  float64      `json:"elapsed_s,omitempty"`
	Turns    int          `json:"turns"`
	Tools    []string     `json:"tools"`
	Failed   int          `json:"failed"` // calls that did not succeed
	Labels   []shownLabel `json:"labels"`
	Wanted   bool         `json:"wanted"` // it matches the filter
}

// brief returns the brief of an entry. n is the catalog that the entry refers to: the index may
// have been rebuilt since. The caller holds the lock of the index.
func (s *side) brief(n *catalog, e *entry, labels []rollout.Label) brief {
	score, scored := s.score(e)
	return brief{
		Sample: int(e.Sample), Attempt: int(e.Attempt), Line: int(e.Line), Outcome: string(e.outcome()),
		Error: s.names.text(n.Errors[e.Error]), Zeroed: e.Flags.has(zeroed),
		Targeted: s.targeted(n.Items[e.Item].Split, e.Sample),
		Elapsed:  e.Elapsed.Round(time.Microsecond).Seconds(), Turns: int(e.Turns), Failed: int(e.Failed),
		Tools: s.names.list("tool", n.sequence(e)), Labels: s.names.labels(labels),
		Score: ifKnown(scored, score), Reward: ifKnown(e.Flags.has(hasReward), e.Reward),
		Input: ifKnown(e.Flags.has(hasInput), e.Input), Output: ifKnown(e.Flags.has(hasOutput), e.Output),
	}
}

// ifKnown returns a pointer to v if it is known, else nil.
func ifKnown[T float64 | int64](known bool, v T) *T {
	if !known {
		return nil
	}
	return &v
}
