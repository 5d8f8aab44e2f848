package collect

import (
	"fmt"
	"hash/maphash"
	"iter"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"gonogo/analysis/price"
	"gonogo/analysis/stat"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/markup"
	"gonogo/sampler/rollout/prompt"
	"gonogo/sampler/wording"
)

// Collector keeps the numbers of records and drops their text, so that memory grows with items x
// samples and not with transcripts.
type Collector struct {
	Range   stat.Range
	hash    maphash.Seed // equality within one analysis only: never reaches the result
	rows    ledger
	prompts *prompt.Cache
	Extra   int                   // rollouts of items whose class was open: not part of any estimate
	most    map[rollout.Split]int // samples of every item, if some items have more
	names   map[string]uint16     // tool name -> index, in order of appearance
	Tools   []string
	by      map[string]uint16 // served_by -> index in By
	By      []string          // the models that answered, as in served_by; the first is ""

	Regraded bool // some output was graded more than once

	Parts  []string // names of sub-scores, in order of appearance
	PartAt map[string]int
	Core   string            // the part that is the task itself; "" if unknown
	solved *solved           // computed on first use
	kinds  map[string]string // each kind of failure once
	Audit  audit
	earns  map[ItemKey]earned // computed on first use
	paid   *payments          // likewise
	People []rollout.Label
	Own    func(ItemKey) (markup.Own, error) // tokens in the row of an item of the run; rarely called
	tops   map[ItemKey]Top                   // one per item
	first  map[uint64]*ItemKey               // of each longer answer at the top, by hash, the first item
	heads  map[uint64]string                 // the beginnings of those that a second item has
	markup map[markedToken]markedAnswer      // an answer with each token, by split
	Zeroed map[rollout.Key]float64           // the original rewards of rollouts that a detector lowered to the bottom
}

// Row is one rollout without its text. There is one for each rollout, so fields that few of them
// have are in details and Rare, and hashes that are compared only within an item have 32 bits.
type Row struct {
	Of         *ItemKey // shared by the rows of an item
	Sample     int
	Reward     float64
	Elapsed    float64 // seconds; 0 if unknown
	OutputHash uint64  // of answer and calls; 0 if there is no text
	AnswerHash uint64  // of the answer alone; 0 if there is none
	Calls      []Call
	tokens     tokens
	labels     *Labels   // nil if the record has none
	details    *details  // nil if the record has none
	Whole      uint32    // hash of all that was said, whatever its length; 0 if nothing is recorded
	Trace      uint32    // hash of the trace id; 0 if there is none
	Says       [2]uint32 // of the answer without irrelevant details, and of its last number; 0 if there is none
	Length     int32     // of the answer, in runes
	Text       int32     // of the answer and the arguments of calls, in bytes
	Turns      int32
	By         uint16 // an index of Collector.By
	outcome    uint8  // an index of outcomes
	finish     uint8  // an index of finishes, and fromCache
	Head       bool   // Collector.Head has the beginning of the answer, if other items have the same one
	Valid      bool   // whether the reward may be used
	Graded     bool   // the reward is a grade, not the floor of a failure or a detector's zero
	Clipped    bool
	Blanked    bool // the model or the grader read ********** in the place of a secret
	Observed   bool // the record has turns and calls
	Offered    bool // the record itself lists the tools that the model was offered
}

// The values that rows and calls store by index; index 0 means none.
var (
	outcomes = append([]rollout.Outcome{""}, rollout.Outcomes()...)
	finishes = append([]rollout.Finish{""}, rollout.Finishes()...)
	statuses = append([]rollout.CallStatus{""}, rollout.CallStatuses()...)
)

// fromCache marks the finish of a reply that came from a cache.
const fromCache = 1 << 7

// tokens holds a rollout.Usage in the order of its fields: 1 more than each count, 0 if it is unknown.
type tokens [4]uint32

// details holds what graders with parts, judges and failures add to a row.
type details struct {
	parts  []float64 // by index of Collector.Parts; NaN if missing
	judge  rollout.Usage
	counts counts
	rare   *Rare
}

// counts holds what is 0 in most records.
type counts struct{ attempt, repeats, judgeCalls, retries int32 }

// index returns the index of a value.
func index[W comparable](words []W, w W) uint8 { return uint8(max(0, slices.Index(words, w))) }

// Outcome returns how the rollout ended.
func (r *Row) Outcome() rollout.Outcome { return outcomes[r.outcome] }

// Finish returns how the model's last reply ended.
func (r *Row) Finish() rollout.Finish { return finishes[r.finish&^fromCache] }

// Cached reports whether the tool that recorded the rollout says that the reply came from a cache.
func (r *Row) Cached() bool { return r.finish&fromCache != 0 }

// Rare holds the fields that few rollouts have.
type Rare struct {
	Cause  string
	Kind   string       // of a grader's failure
	Grades []float64    // two or more of the same output, ascending; else nil
	Markup markup.Token // left in the answer by the server
	Leak   *LeakCheck   // canaries; nil if none was planted

	usage *rollout.Usage // if a count does not fit into tokens
}

// Rare returns the rare fields.
func (r *Row) Rare() Rare {
	if r.details == nil || r.details.rare == nil {
		return Rare{}
	}
	return *r.details.rare
}

// addDetails returns the details to be changed.
func (r *Row) addDetails() *details {
	if r.details == nil {
		r.details = new(details)
	}
	return r.details
}

// SetRare sets the rare fields.
func (r *Row) SetRare(o Rare) {
	if o.Cause != "" || o.Kind != "" || o.Grades != nil || o.Markup != (markup.Token{}) || o.Leak != nil ||
		o.usage != nil {
		r.addDetails().rare = &o
	} else if r.details != nil {
		r.details.rare = nil
	}
}

// Judge returns the tokens of the models that graded.
func (r *Row) Judge() rollout.Usage {
	if r.details == nil {
		return rollout.Usage{}
	}
	return r.details.judge
}

// Parts returns the sub-scores by index of Collector.Parts, NaN if missing; nil without any.
func (r *Row) Parts() []float64 {
	if r.details == nil {
		return nil
	}
	return r.details.parts
}

func (r *Row) counts() counts {
	if r.details == nil {
		return counts{}
	}
	return r.details.counts
}

// Attempt returns which attempt at the sample the rollout is, from 0.
func (r *Row) Attempt() int { return int(r.counts().attempt) }

// Repeats returns the number of earlier attempts that failed and were repeated.
func (r *Row) Repeats() int { return int(r.counts().repeats) }

// JudgeCalls returns the number of requests to models that graded.
func (r *Row) JudgeCalls() int { return int(r.counts().judgeCalls) }

// Retries returns the number of requests that were made again.
func (r *Row) Retries() int { return int(r.counts().retries) }

// Key identifies the rollout.
func (r *Row) Key() rollout.Key {
	k := r.Of
	return rollout.Key{Split: k.Split, Item: k.ID, Sample: r.Sample, Step: k.Step}
}

// setUsage stores the tokens of the model.
func (r *Row) setUsage(u rollout.Usage, rare *Rare) {
	for i, n := range []*int64{u.Input, u.Output, u.Reasoning, u.Cached} {
		switch {
		case n == nil:
		case *n >= 0 && *n < math.MaxUint32:
			r.tokens[i] = uint32(*n) + 1
		default:
			rare.usage = &u
		}
	}
}

// Usage returns the tokens of the model.
func (r *Row) Usage() rollout.Usage {
	if u := r.Rare().usage; u != nil {
		return *u
	}
	counts, known := new([len(r.tokens)]int64), [len(r.tokens)]*int64{}
	for i, n := range r.tokens {
		if n > 0 {
			counts[i] = int64(n) - 1
			known[i] = &counts[i]
		}
	}
	return rollout.Usage{Input: known[0], Output: known[1], Reasoning: known[2], Cached: known[3]}
}

// Tokens returns InputTokens, OutputTokens or ReasoningTokens, if they are known.
func (r *Row) Tokens(of Quantity) (n float64, known bool) {
	i := of - InputTokens
	if u := r.Rare().usage; u != nil {
		if n := []*int64{u.Input, u.Output, u.Reasoning}[i]; n != nil {
			return float64(*n), true
		}
		return 0, false
	}
	return float64(r.tokens[i]) - 1, r.tokens[i] > 0
}

// Call is one tool call without its text.
type Call struct {
	Args    uint64 // hash of name and arguments
	Turn    int32
	Elapsed float32 // seconds
	Bytes   int32
	Tool    uint16
	status  uint8 // an index of statuses, and notText
	Unnamed bool  // only the fact that it was made is known
}

// notText marks the status of a call whose output was not a string.
const notText = 1 << 7

// Status returns how the call went.
func (c *Call) Status() rollout.CallStatus { return statuses[c.status&^notText] }

// NotText reports whether the output was not a string.
func (c *Call) NotText() bool { return c.status&notText != 0 }

// OnlyCounted reports whether only the number of the rollout's calls is known, but not their tools,
// arguments and turns.
func (r *Row) OnlyCounted() bool { return len(r.Calls) > 0 && r.Calls[0].Unnamed }

// New returns a collector of rewards within a range.
func New(r stat.Range) *Collector {
	return &Collector{
		Range: r, hash: maphash.MakeSeed(), prompts: prompt.NewCache(),
		rows: newLedger(), names: make(map[string]uint16), by: map[string]uint16{"": 0}, By: []string{""},
		PartAt: make(map[string]int), kinds: make(map[string]string), Zeroed: make(map[rollout.Key]float64),
		tops: make(map[ItemKey]Top), first: make(map[uint64]*ItemKey), heads: make(map[uint64]string),
	}
}

// CauseLength is the maximum length of a stored error, in bytes.
const CauseLength = 200

// sessionID matches the id of a session in an address that an error names.
var sessionID = regexp.MustCompile(`session_[0-9a-f]{32}`)

// errorOf returns why a rollout or a grading failed, without ids of a single rollout: equal causes
// are counted together.
func errorOf(rec *rollout.Record) string {
	return wording.ClipBytes(sessionID.ReplaceAllLiteralString(rec.Error, "SESSION"), CauseLength)
}

// Add adds the record's numbers. A later record of the same key replaces an earlier one. A reward
// outside the range is an error.
func (c *Collector) Add(rec *rollout.Record) error {
	item := c.rows.of(rec.Key())
	r, rare := c.rows.blank(), Rare{Leak: leakOf(rec)}
	*r = Row{
		Of: &item.key, Sample: rec.Sample, outcome: index(outcomes, rec.Outcome), Clipped: rec.Clipped,
		Blanked: rec.Blanked > 0, finish: index(finishes, finishOf(rec)),
		Observed: rec.Turns > 0 || len(rec.Calls) > 0, Turns: small(rec.Turns), Offered: offered(rec),
		Elapsed: time.Duration(rec.Elapsed).Seconds(), labels: c.rows.labelsOf(rec),
	}
	r.setUsage(rec.Usage, &rare)
	was := item.row(r.Sample)
	n := counts{small(rec.Attempt), c.repeats(was, rec), small(price.JudgeCalls(rec)), small(rec.Retries)}
	if n != (counts{}) || rec.Judge != (rollout.Usage{}) {
		r.details = &details{judge: rec.Judge, counts: n}
	}
	if rec.Outcome != rollout.Graded {
		rare.Cause = errorOf(rec)
	}
	if rec.Outcome == rollout.GraderFailed {
		rare.Kind = c.kindOf(rec)
	}
	var err error
	if r.Reward, r.Valid = rec.Score(c.Range.Lo); r.Valid {
		if r.Reward, err = c.inRange(rec, r.Reward); err != nil {
			return err
		}
		if rare.Grades, err = c.addGrades(r, rec); err != nil {
			return err
		}
	}
	c.addOrigin(r, rec, item)
	c.addCalls(r, rec)
	c.addAnswer(r, rec)
	if rare.Markup, err = c.markupOf(rec); err != nil {
		return err
	}
	c.addMarked(r, rec, rare.Markup)
	c.addParts(r, rec)
	c.zero(r, &rare)
	r.SetRare(rare)
	if was != nil {
		*was = *r
		return nil
	}
	extra := c.extra(r.Key())
	if extra {
		c.Extra++
	}
	item.add(r, extra)
	return nil
}

// extra reports whether estimates exclude a rollout.
func (c *Collector) extra(k rollout.Key) bool {
	most, limited := c.most[k.Split]
	return limited && k.Sample >= most
}

// small converts a count, clipping it to 32 bits.
func small(n int) int32 { return int32(max(math.MinInt32, min(n, math.MaxInt32))) }

// repeats counts how often a rollout was repeated, given its previous attempt, which is nil for the
// first. An attempt with the trace id of a previous one that only lacked its grade is the same
// rollout graded later.
func (c *Collector) repeats(was *Row, rec *rollout.Record) int32 {
	switch {
	case was == nil:
		return small(rec.Attempt)
	case was.Outcome() == rollout.GraderFailed && rec.TraceID != "" && was.Trace == uint32(c.AnswerHash(rec.TraceID)):
		return was.counts().repeats
	}
	return was.counts().repeats + max(0, small(rec.Attempt)-was.counts().attempt)
}

// Row returns a rollout that estimates include; nil if there is none.
func (c *Collector) Row(k rollout.Key) *Row {
	if item := c.rows.items[ItemOf(k)]; item != nil && !c.extra(k) {
		return item.row(k.Sample)
	}
	return nil
}

// Rows returns the rollouts that estimates include, item by item.
func (c *Collector) Rows() iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		for _, item := range c.rows.order {
			for _, r := range item.rows {
				if !yield(r) {
					return
				}
			}
		}
	}
}

func (c *Collector) addGrades(r *Row, rec *rollout.Record) ([]float64, error) {
	if rec.Reward == nil {
		return nil, nil
	}
	r.Graded = true
	grades := c.Audit.gradesOf(r, rec.Grades, 1e-9*c.Range.Width())
	if len(grades) < 2 {
		return nil, nil
	}
	grades = slices.Clone(grades)
	for i := range grades {
		var err error
		if grades[i], err = c.inRange(rec, grades[i]); err != nil {
			return nil, err
		}
	}
	slices.Sort(grades) // so that the variance does not depend on their order
	c.Regraded = true
	return grades, nil
}

// inRange moves rewards within float noise of an end of the range onto it, and rejects rewards
// outside.
func (c *Collector) inRange(rec *rollout.Record, reward float64) (float64, error) {
	noise := 1e-9 * c.Range.Width()
	if reward >= c.Range.Lo-noise && reward <= c.Range.Hi+noise {
		return math.Min(math.Max(reward, c.Range.Lo), c.Range.Hi), nil
	}
	return 0, &RangeError{
		Reward: reward, Item: rec.Item, Sample: rec.Sample, Line: rec.Line, Range: c.Range,
		Seen: c.Range.With(reward),
	}
}

// RangeError is a reward outside the reward range.
type RangeError struct {
	Reward float64
	Item   string
	Sample int
	Line   int // 0: unknown
	Range  stat.Range
	Seen   stat.Range // includes the range and all known rewards
}

// Error names the reward and the key to set, with a range that includes all known rewards.
func (e *RangeError) Error() string {
	where := ""
	if e.Line > 0 {
		where = fmt.Sprintf(" (line %d)", e.Line)
	}
	return fmt.Sprintf("reward %g of item %q, sample %d%s is outside the reward range [%g, %g]: set reward_range to "+
		"what the grader can give, such as --set 'reward_range=[%g,%g]'",
		e.Reward, e.Item, e.Sample, where, e.Range.Lo, e.Range.Hi, e.Seen.Lo, e.Seen.Hi)
}

func (c *Collector) addCalls(r *Row, rec *rollout.Record) {
	var h maphash.Hash
	h.SetSeed(c.hash)
	text := len(rec.Answer)
	h.WriteString(rec.Answer)
	r.Calls = c.rows.calls(len(rec.Calls))
	for i := range rec.Calls {
		k := &rec.Calls[i]
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
			Tool: c.tool(k.Name), status: statusOf(k), Turn: int32(k.Turn),
			Elapsed: float32(time.Duration(k.Elapsed).Seconds()), Bytes: int32(min(size, math.MaxInt32)), Args: args,
			Unnamed: unnamed,
		})
	}
	if text >= IdenticalText {
		r.OutputHash = h.Sum64() | 1
	}
	r.Text = int32(min(text, math.MaxInt32))
	if text > 0 || rec.Said != 0 {
		for i := range r.Calls {
			maphash.WriteComparable(&h, r.Calls[i].Bytes)
		}
		maphash.WriteComparable(&h, rec.Said)
		r.Whole = uint32(h.Sum64()) | 1
	}
}

func statusOf(k *rollout.Call) uint8 {
	status := index(statuses, k.Status)
	if k.Error == rollout.NotText {
		status |= notText
	}
	return status
}

// offered reports whether a plain line lists tools under its key "tools", recognized by keys that
// only tool descriptions have.
func offered(rec *rollout.Record) bool {
	tools := jsontext.TextOrJSON(rec.Extra["tools"])
	return strings.HasPrefix(tools, "[") &&
		(strings.Contains(tools, `"function"`) || strings.Contains(tools, `"parameters"`) ||
			strings.Contains(tools, `"input_schema"`))
}

// addOrigin records the prompt and the model that answered.
func (c *Collector) addOrigin(r *Row, rec *rollout.Record, item *rowsOfItem) {
	asked := rec.Prompt(c.prompts)
	switch {
	case asked.Sum == 0:
	case item.asked.Sum == 0:
		if item.asked = asked; len(c.rows.order) > prompt.MostBeginnings {
			item.asked.Beginning = ""
		}
	case item.asked.Sum != asked.Sum && item.differ[1] == "":
		item.differ = item.asked.Differ(asked)
	}
	i, known := c.by[rec.Served]
	if !known && len(c.By) < math.MaxUint16 {
		i = uint16(len(c.By))
		c.by[rec.Served] = i
		c.By = append(c.By, rec.Served)
	}
	r.By, r.Trace = i, uint32(c.AnswerHash(rec.TraceID))
	if cached(rec) {
		r.finish |= fromCache
	}
}

// cached reports whether a tool marked the reply as served by a cache.
func cached(rec *rollout.Record) bool {
	for _, key := range []string{"cached", "cache_hit", "from_cache"} {
		if string(rec.Extra[key]) == "true" {
			return true
		}
	}
	return false
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
