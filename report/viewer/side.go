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

// side is one of the runs being viewed.
type side struct {
	run    *rollout.Run
	index  *Index
	labels *labels
	names  *names
	floor  float64                // bottom of the reward range
	most   map[rollout.Split]int  // samples of every item, where some have more
	items  map[name]*rollout.Item // by inData

	mu   sync.Mutex // guards what follows
	rows []row
	at   [2]int // versions of index and labels that rows are of
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

// title is what a run is called: its name, and where two have one, the directory.
func (s *side) title(other *side) string {
	name, dir := s.called()
	if other != nil {
		if theirs, _ := other.called(); theirs == name && name != dir {
			name += " (" + dir + ")"
		}
	}
	return s.names.of("run", name)
}

func (s *side) called() (name, dir string) {
	if m := s.run.Manifest; m != nil {
		name = m.Name
	}
	dir = s.run.Dir
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	dir = filepath.Base(dir)
	return cmp.Or(name, dir), dir
}

func (s *side) score(e *entry) (float64, bool) { return e.score(s.floor) }

// targeted reports whether a rollout counts for its item's class alone.
func (s *side) targeted(split rollout.Split, sample int32) bool {
	most, some := s.most[split]
	return some && int(sample) >= most
}

// row is what an item's rollouts came to. What is not known is nil: a missing
// grade is not a zero.
type row struct {
	name     name
	shown    string // what the page calls it, without redaction
	item     int32
	Split    string         `json:"split"`
	Item     string         `json:"item"`
	Category string         `json:"category,omitempty"`
	Family   string         `json:"family,omitempty"`
	N        int            `json:"n"`      // rollouts
	Scored   int            `json:"scored"` // of them, those in the mean
	Mean     *float64       `json:"mean"`
	SD       *float64       `json:"sd"` // with n-1
	Best     *float64       `json:"best"`
	Worst    *float64       `json:"worst"`
	Gap      *float64       `json:"gap"` // best less mean
	Outcomes map[string]int `json:"outcomes"`
	Marks    map[string]int `json:"marks"`
	Calls    float64        `json:"calls"`           // of a rollout, on average
	Other    *float64       `json:"other,omitempty"` // the mean in the second run
	Change   *float64       `json:"change,omitempty"`
}

// all returns a row for each item that has rollouts, in order of the file, and
// the versions of index and labels that they are of. They are made again when
// something came, and not to be changed.
func (s *side) all() ([]row, [2]int, error) {
	marks, marked, err := s.labels.all()
	_, version := s.index.State()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at != [2]int{version, marked} || s.rows == nil {
		s.rows, s.at = s.summed(marks), [2]int{version, marked}
	}
	return s.rows, s.at, err
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
			name: n, shown: shown, item: int32(item), Split: string(n.Split), Item: s.names.of("item", shown),
			Outcomes: make(map[string]int), Marks: make(map[string]int),
		}
		var scores []float64
		calls := 0
		for _, i := range list {
			e := &x.entries[i]
			r.N++
			r.Outcomes[string(e.outcome())]++
			calls += len(e.Tools) / 2
			r.Family = cmp.Or(r.Family, s.names.of("family", x.names.Labels[e.Family]))
			r.Category = cmp.Or(r.Category, s.names.of("category", x.names.Labels[e.Category]))
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

// sum fills in what the scores come to.
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

// against adds the means of another run to rows, item by item as the page calls them.
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

// brief is what the page shows of a rollout in a list.
type brief struct {
	Sample   int          `json:"sample"`
	Attempt  int          `json:"attempt"`
	Line     int          `json:"line"`
	Outcome  string       `json:"outcome"`
	Error    string       `json:"error,omitempty"`
	Score    *float64     `json:"score"`  // what it counts for
	Reward   *float64     `json:"reward"` // what the grader gave
	Zeroed   bool         `json:"zeroed,omitempty"`
	Targeted bool         `json:"targeted,omitempty"`
	Input    *int64       `json:"input_tokens,omitempty"`
	Output   *int64       `json:"output_tokens,omitempty"`
	Elapsed  float64      `json:"elapsed_s,omitempty"`
	Turns    int          `json:"turns"`
	Tools    []string     `json:"tools"`
	Failed   int          `json:"failed"` // calls that were no success
	Labels   []shownLabel `json:"labels"`
	Wanted   bool         `json:"wanted"` // the filter wants it
}

// brief makes that of an entry by the names that it is of: the index may have
// been made again since. The caller holds the index's lock.
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

// ifKnown is a number that is known, else nil.
func ifKnown[T float64 | int64](known bool, v T) *T {
	if !known {
		return nil
	}
	return &v
}
