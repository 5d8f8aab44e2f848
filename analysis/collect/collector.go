package collect

import (
	"fmt"
	"hash/maphash"
	"math"
	"regexp"
	"slices"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Collector keeps the numbers of records and drops their text, so memory
// grows with items x samples and not with transcripts.
type Collector struct {
	Range stat.Range
	hash  maphash.Seed // equality within one analysis only: never reaches the result
	Rows  map[rollout.Key]*Row
	Extra map[rollout.Key]*Row  // rollouts of items whose class was open: no estimate has them
	most  map[rollout.Split]int // samples of every item, where some have more
	names map[string]uint16     // tool name -> index, in order of appearance
	Tools []string

	Regraded bool // some output was graded more than once

	Parts  []string // names of sub-scores, in order of appearance
	PartAt map[string]int
	kinds  map[string]string // each kind of failure once
	Audit  audit
	earns  map[ItemKey]earned // made when it is first asked for
	People []rollout.Label
	Asked  map[rollout.Key]*rollout.Item // the run's items, by split and id
	Zeroed map[rollout.Key]float64       // the rewards of rollouts that a detector took to the bottom
}

// Row is one rollout without its text.
type Row struct {
	Key        rollout.Key
	Attempt    int
	Repeats    int    // earlier attempts that failed and were made again
	trace      uint64 // hash of the trace id
	Outcome    rollout.Outcome
	Cause      string
	Reward     float64
	Grades     []float64 // two or more of the same output, ascending; else nil
	Valid      bool      // reward may be used
	Graded     bool      // the reward is a grade, not the floor of a failure or a detector\'s zero
	Clipped    bool
	Finish     rollout.Finish // how the model's last reply ended
	Markup     rollout.Markup // that the server left in the answer
	Observed   bool           // the record has turns and calls
	Turns      int
	Calls      []Call
	Usage      rollout.Usage
	Judge      rollout.Usage // of models that graded
	JudgeCalls int
	Retries    int
	Elapsed    float64    // seconds; 0 when unknown
	OutputHash uint64     // of answer and calls; 0 when there is no text
	AnswerHash uint64     // of the answer alone; 0 when there is none
	Says       [2]uint64  // of the answer without what does not matter, and of its last number; 0 when there is none
	Length     int32      // of the answer, in runes
	Head       string     // the beginning of a longer answer at the top of the range
	Parts      []float64  // sub-scores by index of collector.parts; NaN where missing; nil without any
	Kind       string     // of a grader's failure
	LeakCheck  *LeakCheck // canaries; nil if none was planted
	category   string
	family     string
}

// Call is one tool call without its text.
type Call struct {
	Tool    uint16
	Status  rollout.CallStatus
	Turn    int32
	Elapsed float32 // seconds
	Bytes   int32
	Args    uint64 // hash of name and arguments
	NotText bool   // the output was not a string
	Unnamed bool   // only that it was made is known
}

// OnlyCounted reports whether the rollout's calls are known by number alone:
// their tools, arguments and turns are not.
func (r *Row) OnlyCounted() bool { return len(r.Calls) > 0 && r.Calls[0].Unnamed }

// New returns a collector of rewards within a range.
func New(r stat.Range) *Collector {
	return &Collector{
		Range: r, hash: maphash.MakeSeed(),
		Rows: make(map[rollout.Key]*Row), Extra: make(map[rollout.Key]*Row), names: make(map[string]uint16),
		PartAt: make(map[string]int), kinds: make(map[string]string), Zeroed: make(map[rollout.Key]float64),
	}
}

// CauseLength is how many bytes of an error are kept.
const CauseLength = 200

// sessionID is the name of one session, in an address that an error names.
var sessionID = regexp.MustCompile(`session_[0-9a-f]{32}`)

// errorOf is why a rollout or a grading failed, without what names the rollout
// alone: the same cause is counted once.
func errorOf(rec *rollout.Record) string {
	return analysis.Clip(sessionID.ReplaceAllLiteralString(rec.Error, "SESSION"), CauseLength)
}

// Add adds the record's numbers. A later record of the same key replaces an earlier
// one. A reward outside the range is an error.
func (c *Collector) Add(rec *rollout.Record) error {
	r := &Row{
		Key: rec.Key(), Attempt: rec.Attempt, Outcome: rec.Outcome, Clipped: rec.Clipped, Finish: finishOf(rec),
		Observed: rec.Turns > 0 || len(rec.Calls) > 0, Turns: rec.Turns,
		Usage: rec.Usage, Judge: rec.Judge, JudgeCalls: analysis.JudgeCalls(rec), Retries: rec.Retries,
		Elapsed:  time.Duration(rec.Elapsed).Seconds(),
		category: rec.Category, family: rec.Family, LeakCheck: leakOf(rec),
	}
	r.Repeats, r.trace = c.repeats(rec)
	if rec.Outcome != rollout.Graded {
		r.Cause = errorOf(rec)
	}
	if rec.Outcome == rollout.GraderFailed {
		r.Kind = c.kindOf(rec)
	}
	var err error
	if r.Reward, r.Valid = rec.Score(c.Range.Lo); r.Valid {
		if r.Reward, err = c.inRange(rec, r.Reward); err != nil {
			return err
		}
		if err = c.addGrades(r, rec); err != nil {
			return err
		}
	}
	c.addCalls(r, rec)
	c.addAnswer(r, rec)
	c.addMarkup(r, rec)
	c.addParts(r, rec)
	c.zero(r)
	if most, some := c.most[r.Key.Split]; some && r.Key.Sample >= most {
		c.Extra[r.Key] = r
		return nil
	}
	c.Rows[r.Key] = r
	return nil
}

// repeats counts how often a rollout was made again. An attempt with the trace id of
// the one before, which lacked its grade alone, is the same rollout graded later.
func (c *Collector) repeats(rec *rollout.Record) (n int, trace uint64) {
	trace = maphash.String(c.hash, rec.TraceID)
	was := c.Rows[rec.Key()]
	if was == nil {
		was = c.Extra[rec.Key()]
	}
	switch {
	case was == nil:
		return rec.Attempt, trace
	case was.Outcome == rollout.GraderFailed && rec.TraceID != "" && was.trace == trace:
		return was.Repeats, trace
	}
	return was.Repeats + max(0, rec.Attempt-was.Attempt), trace
}

func (c *Collector) addGrades(r *Row, rec *rollout.Record) error {
	if rec.Reward == nil {
		return nil
	}
	r.Graded = true
	grades := c.Audit.gradesOf(r, rec.Grades, 1e-9*c.Range.Width())
	if len(grades) < 2 {
		return nil
	}
	for _, grade := range grades {
		grade, err := c.inRange(rec, grade)
		if err != nil {
			return err
		}
		r.Grades = append(r.Grades, grade)
	}
	slices.Sort(r.Grades) // the variance does not depend on their order
	c.Regraded = true
	return nil
}

// inRange snaps float noise at the ends of the range onto them and refuses
// what lies outside.
func (c *Collector) inRange(rec *rollout.Record, reward float64) (float64, error) {
	noise := 1e-9 * c.Range.Width()
	if reward >= c.Range.Lo-noise && reward <= c.Range.Hi+noise {
		return math.Min(math.Max(reward, c.Range.Lo), c.Range.Hi), nil
	}
	where := ""
	if rec.Line > 0 {
		where = fmt.Sprintf(" (line %d)", rec.Line)
	}
	return 0, fmt.Errorf("reward %g of item %q, sample %d%s is outside the reward range [%g, %g]: set reward_range (flag --reward-range LO,HI) to what the grader can give",
		reward, rec.Item, rec.Sample, where, c.Range.Lo, c.Range.Hi)
}

func (c *Collector) addCalls(r *Row, rec *rollout.Record) {
	var h maphash.Hash
	h.SetSeed(c.hash)
	text := len(rec.Answer)
	h.WriteString(rec.Answer)
	r.Calls = make([]Call, 0, len(rec.Calls))
	for _, k := range rec.Calls {
		unnamed := k.Name == rollout.UnnamedCall
		args := maphash.String(c.hash, k.Name+"\x00"+k.Arguments)
		if !unnamed {
			h.WriteString(k.Name + "\x00" + k.Arguments)
			text += len(k.Arguments)
		}
		size := k.OutputBytes
		if size == 0 {
			size = len(k.Output)
		}
		r.Calls = append(r.Calls, Call{
			Tool: c.tool(k.Name), Status: k.Status, Turn: int32(k.Turn),
			Elapsed: float32(time.Duration(k.Elapsed).Seconds()), Bytes: int32(min(size, math.MaxInt32)), Args: args, NotText: k.Error == rollout.NotText, Unnamed: unnamed,
		})
	}
	if text >= identicalText {
		r.OutputHash = h.Sum64() | 1
	}
}

func (c *Collector) tool(name string) uint16 {
	i, ok := c.names[name]
	if !ok && len(c.Tools) < math.MaxUint16 {
		i = uint16(len(c.Tools))
		c.names[name] = i
		c.Tools = append(c.Tools, name)
	}
	return i
}
