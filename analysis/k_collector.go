package analysis

import (
	"fmt"
	"hash/maphash"
	"math"
	"regexp"
	"slices"
	"time"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// collector keeps the numbers of records and drops their text, so that memory
// grows with items x samples and not with transcripts.
type collector struct {
	rng   stat.Range
	hash  maphash.Seed // equality within one analysis only: never reaches the result
	rows  map[rollout.Key]*row
	extra map[rollout.Key]*row  // rollouts of items whose class was open: no estimate has them
	most  map[rollout.Split]int // samples of every item, where some have more
	names map[string]uint16     // tool name -> index, in order of appearance
	tools []string

	regraded bool // some output was graded more than once

	parts  []string // names of sub-scores, in order of appearance
	partAt map[string]int
	kinds  map[string]string // each kind of failure once
	audit  audit
	people []rollout.Label
	asked  map[rollout.Key]*rollout.Item // the run's items, by split and id
	zeroed map[rollout.Key]float64       // the rewards of rollouts that a detector took to the bottom
}

// row is one rollout without its text.
type row struct {
	key        rollout.Key
	attempt    int
	repeats    int    // earlier attempts that failed and were made again
	trace      uint64 // hash of the trace id
	outcome    rollout.Outcome
	cause      string
	reward     float64
	grades     []float64 // two or more of the same output, ascending; else nil
	valid      bool      // reward may be used
	graded     bool      // the reward is a grade, not the floor of a failure or a detector\'s zero
	clipped    bool
	finish     rollout.Finish // how the model's last reply ended
	markup     rollout.Markup // that the server left in the answer
	observed   bool           // the record tells about turns and calls
	turns      int
	calls      []call
	usage      rollout.Usage
	judge      rollout.Usage // of models that graded
	judgeCalls int
	retries    int
	elapsed    float64   // seconds; 0 when unknown
	outputHash uint64    // of answer and calls; 0 when there is no text
	answerHash uint64    // of the answer alone; 0 when there is none
	says       [2]uint64 // of the answer without what does not matter, and of its last number; 0 when there is none
	length     int32     // of the answer, in runes
	head       string    // the beginning of a longer answer at the top of the range
	parts      []float64 // sub-scores by index of collector.parts; NaN where missing; nil without any
	kind       string    // of a grader's failure
	met        *met      // canaries; nil where none stood anywhere
	category   string
	family     string
}

// call is one tool call without its text.
type call struct {
	tool    uint16
	status  rollout.CallStatus
	turn    int32
	elapsed float32 // seconds
	bytes   int32
	args    uint64 // hash of name and arguments
	notText bool   // the output was no string
}

func newCollector(r stat.Range) *collector {
	return &collector{
		rng: r, hash: maphash.MakeSeed(),
		rows: make(map[rollout.Key]*row), extra: make(map[rollout.Key]*row), names: make(map[string]uint16),
		partAt: make(map[string]int), kinds: make(map[string]string), zeroed: make(map[rollout.Key]float64),
	}
}

// causeLength bounds the text that is kept of an error.
const causeLength = 200

// sessionID is the name of one session, in an address that an error names.
var sessionID = regexp.MustCompile(`session_[0-9a-f]{32}`)

// errorOf is why a rollout or a grading failed, without what names the rollout
// alone: the same cause is counted once.
func errorOf(rec *rollout.Record) string {
	return clip(sessionID.ReplaceAllLiteralString(rec.Error, "SESSION"), causeLength)
}

// add keeps the record's numbers. A later record of the same key replaces an
// earlier one. A reward outside the range is an error.
func (c *collector) add(rec *rollout.Record) error {
	r := &row{
		key: rec.Key(), attempt: rec.Attempt, outcome: rec.Outcome, clipped: rec.Clipped, finish: finishOf(rec),
		observed: rec.Turns > 0 || len(rec.Calls) > 0, turns: rec.Turns,
		usage: rec.Usage, judge: rec.Judge, judgeCalls: judgeCalls(rec), retries: rec.Retries,
		elapsed:  time.Duration(rec.Elapsed).Seconds(),
		category: rec.Category, family: rec.Family, met: leakOf(rec),
	}
	r.repeats, r.trace = c.repeats(rec)
	if rec.Outcome != rollout.Graded {
		r.cause = errorOf(rec)
	}
	if rec.Outcome == rollout.GraderFailed {
		r.kind = c.kindOf(rec)
	}
	var err error
	if r.reward, r.valid = rec.Score(c.rng.Lo); r.valid {
		if r.reward, err = c.inRange(rec, r.reward); err != nil {
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
	if most, some := c.most[r.key.Split]; some && r.key.Sample >= most {
		c.extra[r.key] = r
		return nil
	}
	c.rows[r.key] = r
	return nil
}

// repeats counts how often a rollout was made again. An attempt with the trace id of
// the one before, which lacked its grade alone, is the same rollout graded later.
func (c *collector) repeats(rec *rollout.Record) (n int, trace uint64) {
	trace = maphash.String(c.hash, rec.TraceID)
	was := c.rows[rec.Key()]
	if was == nil {
		was = c.extra[rec.Key()]
	}
	switch {
	case was == nil:
		return rec.Attempt, trace
	case was.outcome == rollout.GraderFailed && rec.TraceID != "" && was.trace == trace:
		return was.repeats, trace
	}
	return was.repeats + max(0, rec.Attempt-was.attempt), trace
}

func (c *collector) addGrades(r *row, rec *rollout.Record) error {
	if rec.Reward == nil {
		return nil
	}
	r.graded = true
	grades := c.audit.gradesOf(r, rec.Grades, 1e-9*c.rng.Width())
	if len(grades) < 2 {
		return nil
	}
	for _, grade := range grades {
		grade, err := c.inRange(rec, grade)
		if err != nil {
			return err
		}
		r.grades = append(r.grades, grade)
	}
	slices.Sort(r.grades) // the variance does not hang on their order
	c.regraded = true
	return nil
}

// inRange snaps float noise at the ends of the range onto them and refuses
// what lies outside.
func (c *collector) inRange(rec *rollout.Record, reward float64) (float64, error) {
	noise := 1e-9 * c.rng.Width()
	if reward >= c.rng.Lo-noise && reward <= c.rng.Hi+noise {
		return math.Min(math.Max(reward, c.rng.Lo), c.rng.Hi), nil
	}
	where := ""
	if rec.Line > 0 {
		where = fmt.Sprintf(" (line %d)", rec.Line)
	}
	return 0, fmt.Errorf("reward %g of item %q, sample %d%s lies outside the reward range [%g, %g]: set reward_range (flag --reward-range LO,HI) to what the grader can give",
		reward, rec.Item, rec.Sample, where, c.rng.Lo, c.rng.Hi)
}

func (c *collector) addCalls(r *row, rec *rollout.Record) {
	var h maphash.Hash
	h.SetSeed(c.hash)
	text := len(rec.Answer)
	h.WriteString(rec.Answer)
	r.calls = make([]call, 0, len(rec.Calls))
	for _, k := range rec.Calls {
		args := maphash.String(c.hash, k.Name+"\x00"+k.Arguments)
		h.WriteString(k.Name + "\x00" + k.Arguments)
		text += len(k.Arguments)
		size := k.OutputBytes
		if size == 0 {
			size = len(k.Output)
		}
		r.calls = append(r.calls, call{
			tool: c.tool(k.Name), status: k.Status, turn: int32(k.Turn),
			elapsed: float32(time.Duration(k.Elapsed).Seconds()), bytes: int32(min(size, math.MaxInt32)), args: args, notText: k.Error == rollout.NotText,
		})
	}
	if text >= identicalText {
		r.outputHash = h.Sum64() | 1
	}
}

func (c *collector) tool(name string) uint16 {
	i, ok := c.names[name]
	if !ok && len(c.tools) < math.MaxUint16 {
		i = uint16(len(c.tools))
		c.names[name] = i
		c.tools = append(c.tools, name)
	}
	return i
}
