package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonogo/analysis/message"
	"gonogo/analysis/pilot"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/logs/importer"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/prompt"
)

// Log is what a trainer logged, without its texts.
type Log struct {
	Format string
	Notes  []message.Text
	Files  []string // patterns of the format's files in a folder
	// Sample holds up to 64 logged rollouts that can be graded again, spread over the log. Their sample
	// number is for ByRollout.
	Sample []*rollout.Record

	base     *Base
	items    []logItem
	index    map[string]int32
	rollouts []logged
	at       map[rollout.Key]int32 // of a rollout, so that a repeated attempt replaces the one before
	gradable int                   // rollouts that Sample is drawn from
	texted   int                   // rollouts with an answer
	other    int                   // rollouts of other splits
	last     int                   // last step
	calls    bool                  // some rollout has calls: those without made none
	random   *rand.Rand
	prompts  *prompt.Cache
}

// logItem is an item as the log names it.
type logItem struct {
	name, item string
	several    bool
	matched    bool // its prompt was looked for
}

// logged is one rollout.
type logged struct {
	item, step, attempt   int32
	tokens, calls, failed int32 // tokens of the model; -1 if unknown
	reward                float64
	text                  uint64
	kind                  kind
	graded, ended, cut    bool
}

// MostRegraded is how many logged answers are graded again, to see whether the trainer pays what the
// base run's grader pays.
const MostRegraded = 64

// ErrEarly says that a log does not yet hold what a look needs, or cannot be read at this moment: a
// trainer may be writing it.
var ErrEarly = errors.New("the log is not complete")

// ReadLog reads the rollouts of a log in the format called name, or "" for any, and matches them with
// the items of the base run. An error of a log that may only be incomplete is ErrEarly.
func ReadLog(ctx context.Context, base *Base, name string, src importer.Source) (*Log, error) {
	l := &Log{
		base: base, index: make(map[string]int32), at: make(map[rollout.Key]int32), prompts: prompt.NewCache(),
		random: rand.New(rand.NewPCG(logSeed, 0)),
	}
	format, err := importer.Import(ctx, importer.Formats(), name, src, importer.Sink{
		Item: l.item, Record: l.record, Steps: func(int) {},
		Note: func(note string) { l.Notes = append(l.Notes, message.ForeignText(note)) },
	})
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, early{err}
	}
	l.Format, l.Files = format.Name, format.Files
	if len(l.rollouts) == 0 {
		return nil, early{fmt.Errorf("read the log: it holds no rollout of %s", rollout.Train)}
	}
	if l.other > 0 {
		l.Notes = append(l.Notes, otherSplits.With(message.Args{"rollouts": message.Count(l.other, "rollout")}))
	}
	return l, l.noteSteps()
}

const (
	logSeed    = 64
	mostTokens = 1 << 30 // of one rollout; more is no count
)

// Early marks an error as one that may pass as the log grows.
func Early(err error) error { return early{err} }

// early is an ErrEarly with its cause.
type early struct{ error }

func (e early) Unwrap() error        { return e.error }
func (e early) Is(target error) bool { return target == ErrEarly }

// noteSteps finds the last step, and notes steps that are missing. A log without steps is an error.
func (l *Log) noteSteps() error {
	seen := make(map[int32]bool)
	for i := range l.rollouts {
		seen[l.rollouts[i].step] = true
		l.last = max(l.last, int(l.rollouts[i].step))
	}
	if l.last == 0 {
		return early{errors.New("the log has no training steps, so the order of its rollouts is not known: log the " +
			"step of each rollout, and name its column with --map step=COLUMN if that is not its name")}
	}
	first := l.last
	for step := range seen {
		first = min(first, int(step))
	}
	if all := l.last - first + 1; len(seen) < all {
		l.Notes = append(l.Notes, gaps.With(message.Args{
			"n": message.Int(len(seen)), "all": message.Int(all), "first": message.Int(first), "last": message.Int(l.last),
		}))
	}
	return nil
}

func (l *Log) item(it rollout.Item) error {
	if it.Split == rollout.Train && len(it.Messages) > 0 {
		l.match(l.named(it.ID), pilot.Asked{
			ID: it.ID, Sum: rollout.PromptOf(it.Messages, l.prompts).Sum, Text: lastTurn(it.Messages),
		})
	}
	return nil
}

// named returns the index of an item, which is added if it is new.
func (l *Log) named(id string) int32 {
	i, ok := l.index[id]
	if !ok {
		i = int32(len(l.items))
		l.index[id] = i
		l.items = append(l.items, logItem{name: id})
	}
	return i
}

func (l *Log) match(i int32, asked pilot.Asked) {
	it := &l.items[i]
	it.item, it.several = l.base.matcher.Match(asked)
	it.matched = true
}

// askedBy returns what a record shows of its prompt.
func askedBy(r *rollout.Record, known *prompt.Cache) pilot.Asked {
	a := pilot.Asked{ID: r.Item, Sum: r.Prompt(known).Sum}
	turn := slices.IndexFunc(r.Messages, func(m rollout.Message) bool { return m.Role == "assistant" })
	if turn < 0 {
		turn = len(r.Messages)
	}
	a.Text = lastTurn(r.Messages[:turn])
	for _, key := range prompt.Keys() {
		if a.Text == "" && len(r.Extra[key]) > 0 {
			a.Text = jsontext.TextOrJSON(r.Extra[key])
		}
	}
	return a
}

func (l *Log) record(r *rollout.Record) error {
	if r.Split != rollout.Train {
		l.other++
		return nil
	}
	if r.Step < 0 || r.Step > mostStep {
		return fmt.Errorf("read the log: item %q has a rollout of step %d, and steps go up to %d: name the column of the "+
			"trainer's step with --map step=COLUMN", r.Item, r.Step, mostStep)
	}
	i := l.named(r.Item)
	if !l.items[i].matched {
		l.match(i, askedBy(r, l.prompts))
	}
	was, again := l.at[r.Key()]
	if again && l.rollouts[was].attempt > int32(r.Attempt) {
		return nil
	}
	n := was
	if !again {
		n = int32(len(l.rollouts))
		l.at[r.Key()] = n
		l.rollouts = append(l.rollouts, logged{})
	}
	l.rollouts[n] = l.reduced(r, i)
	if r.Answer != "" {
		l.texted++
	}
	l.draw(r, l.items[i].item, int(n))
	return nil
}

// reduced returns what is kept of a rollout.
func (l *Log) reduced(r *rollout.Record, item int32) logged {
	out := logged{item: item, step: int32(r.Step), attempt: int32(r.Attempt), tokens: -1}
	out.reward, out.graded = r.Score(l.base.kinds.rewards.Lo)
	out.text, out.kind = sum(r.Answer), l.base.kinds.kindOf(r.Answer, l.items[item].item)
	if n := r.Usage.Output; n != nil && *n >= 0 && *n <= mostTokens {
		out.tokens = int32(*n)
	}
	out.ended, out.cut = r.Finish != "", r.Finish == rollout.FinishLength
	out.calls = int32(len(r.Calls))
	l.calls = l.calls || out.calls > 0
	for _, c := range r.Calls {
		if c.Status != rollout.CallOK {
			out.failed++
		}
	}
	return out
}

// draw keeps the rollout for grading with the same probability as any other (reservoir sampling).
func (l *Log) draw(r *rollout.Record, item string, n int) {
	if r.Outcome != rollout.Graded || r.Reward == nil || item == "" || r.Answer == "" && len(r.Messages) == 0 {
		return
	}
	l.gradable++
	kept := *r
	kept.Item, kept.Sample, kept.Grades = item, n, nil
	if len(l.Sample) < MostRegraded {
		l.Sample = append(l.Sample, &kept)
	} else if i := l.random.IntN(l.gradable); i < MostRegraded {
		l.Sample[i] = &kept
	}
}

// Gradable passes on every rollout of the log that can be graded again, as Sample holds them. It reads
// the log again, and fails with ErrEarly if it cannot: the trainer may be writing it.
func (l *Log) Gradable(ctx context.Context, src importer.Source, yield func(*rollout.Record) error) error {
	var stopped error
	pass := func(r *rollout.Record) error {
		n, ok := l.at[r.Key()]
		if !ok || r.Outcome != rollout.Graded || l.items[l.rollouts[n].item].item == "" ||
			l.rollouts[n].attempt != int32(r.Attempt) {
			return nil
		}
		kept := *r
		kept.Item, kept.Sample, kept.Grades = l.items[l.rollouts[n].item].item, int(n), nil
		stopped = yield(&kept)
		return stopped
	}
	_, err := importer.Import(ctx, importer.Formats(), l.Format, src, importer.Sink{Record: pass})
	if err == nil || stopped != nil || ctx.Err() != nil {
		return err
	}
	return Early(err)
}

// Len returns the number of rollouts.
func (l *Log) Len() int { return len(l.rollouts) }

// ByRollout returns rewards by sample number, as Sample and Gradable number them, by rollout: a log
// that has grown may number them otherwise.
func (l *Log) ByRollout(rewards map[int]float64) map[rollout.Key]float64 {
	by := make(map[rollout.Key]float64, len(rewards))
	for key, n := range l.at {
		if y, ok := rewards[int(n)]; ok {
			by[key] = y
		}
	}
	return by
}

// SetRewards replaces the rewards of the graded rollouts of matched items. Those without a new reward
// become missing.
func (l *Log) SetRewards(rewards map[rollout.Key]float64) {
	for key, n := range l.at {
		if r := &l.rollouts[n]; r.graded && l.items[r.item].item != "" {
			r.reward, r.graded = rewards[key]
		}
	}
}

// Groups returns the rollouts of each item in each step. With a lag the weights that made them are
// those of lag steps before.
func (l *Log) Groups(lag int) []pilot.Group {
	type place struct{ step, item int32 }
	at := make(map[place]int)
	var groups []pilot.Group
	first := l.last
	for i := range l.rollouts {
		first = min(first, int(l.rollouts[i].step))
	}
	for i := range l.rollouts {
		r := &l.rollouts[i]
		n, ok := at[place{r.step, r.item}]
		if !ok {
			it := l.items[r.item]
			n = len(groups)
			at[place{r.step, r.item}] = n
			groups = append(groups, pilot.Group{
				Step: max(first, int(r.step)-lag), Item: it.item, Name: it.name, Several: it.several,
				Measured: pilot.Measured{Tokens: true, Cut: true, Calls: l.calls},
			})
		}
		r.addTo(&groups[n])
	}
	slices.SortStableFunc(groups, func(a, b pilot.Group) int { return cmp.Compare(a.Step, b.Step) })
	return groups
}

func (r *logged) addTo(g *pilot.Group) {
	if r.graded {
		g.Rewards = append(g.Rewards, r.reward)
	} else {
		g.Missing++
	}
	g.Measured.Tokens = g.Measured.Tokens && r.tokens >= 0
	g.Measured.Cut = g.Measured.Cut && r.ended
	g.Tokens += int(max(r.tokens, 0))
	g.Calls += int(r.calls)
	g.FailedCalls += int(r.failed)
	if r.cut {
		g.Cut++
	}
}

// Shown returns the items of the base run that the log shows, in its order.
func (l *Log) Shown() []string {
	var ids []string
	for _, it := range l.items {
		if it.item != "" {
			ids = append(ids, it.item)
		}
	}
	return ids
}

// AllFresh reports whether every matched item of the log is one of fresh.
func (l *Log) AllFresh(fresh []pilot.Item) bool {
	is := make(map[string]bool, len(fresh))
	for _, it := range fresh {
		is[it.ID] = true
	}
	return !slices.ContainsFunc(l.items, func(it logItem) bool { return it.item != "" && !is[it.item] })
}

var (
	otherSplits = message.New("pilot.note.splits", "left out, from splits other than train: {rollouts}")
	gaps        = message.New("pilot.note.gaps",
		"steps in the log, of {all} from {first} to {last}: {n}; with TRL, logging_steps: 1 logs them all; rollouts "+
			"that are not logged count for no look")
)
