package burst

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"gonogo/sampler/internal/arguments"
	"gonogo/sampler/rollout"
)

// Tool says how a burst may use one tool of the job.
type Tool struct {
	Name string
	Safe bool // marked as having no side effects: calls with generated arguments are made, too
	Skip bool // never called
}

// Input is the input of a plan.
type Input struct {
	Seed  uint64
	Items []rollout.Item
	// Records reads the recorded rollouts, as Run.Records does; it is called twice. ErrNoRecords is
	// not an error.
	Records func(context.Context, rollout.ReadOptions, func(*rollout.Record) error) (rollout.Input, error)
	Tools   []Tool
	Grade   bool // whether the rollouts end with a grading
	Judged  bool // whether the grading uses a judge
	Session bool // whether each rollout has its own session
	Agent   bool // whether a service makes each rollout: then no recorded calls are made
	Batch   int  // items of a training step
	Group   int  // rollouts per item
	// Rollouts is how many start at once; 0 is Batch × Group. Each item is replayed Group times,
	// the last one perhaps fewer times.
	Rollouts int
}

// Plan is the load of one training step on tools and grader.
type Plan struct {
	Split     rollout.Split
	Scripts   []Script // one per rollout, in the order in which they start
	Endpoints []rollout.BurstEndpoint
	Notes     []string
	Calls     int // tool calls of all scripts

	group, batch int
	grade, agent bool
}

// Script is one rollout to replay.
type Script struct {
	Item   *rollout.Item
	Record *rollout.Record // what is graded at the end
	Turns  []Turn
}

// Turn is the calls of one turn of the model, which are made in parallel.
type Turn struct {
	Gap   time.Duration // from the end of the previous turn, as recorded
	Calls []Call
}

// Call is one call of a tool.
type Call struct {
	Name, Arguments string
	Generated       bool
	Refused         bool // in the recording
}

// NewPlan draws the items of a training step and one recorded rollout for each of its rollouts. The
// split is train if it has items, else the first that has. If no item has a recorded rollout, the
// calls are generated from the schemas of safe tools. The same input gives the same plan.
func NewPlan(ctx context.Context, in Input) (*Plan, error) {
	n := cmp.Or(in.Rollouts, in.Batch*in.Group)
	if n < 1 || in.Group < 1 {
		return nil, fmt.Errorf("a burst of %d rollouts in groups of %d: both must be at least 1", n, in.Group)
	}
	p := &Plan{group: in.Group, grade: in.Grade, agent: in.Agent}
	if in.Rollouts == 0 {
		p.batch = in.Batch
	}
	d, err := newDraw(ctx, in, (n+in.Group-1)/in.Group)
	if err != nil {
		return nil, err
	}
	p.Split = d.split
	if err := d.read(ctx, in, n); err != nil {
		return nil, err
	}
	for i := range n {
		source := d.items[i/in.Group%len(d.items)]
		s := Script{Item: source.item, Record: unrecorded(source.item)}
		if len(source.records) > 0 {
			s.Record = source.records[i%in.Group%len(source.records)]
		}
		if !in.Agent {
			s.Turns = turnsOf(s.Record, in.Tools)
		}
		p.Scripts = append(p.Scripts, s)
	}
	if len(d.items)*in.Group < n {
		p.Notes = append(p.Notes, fmt.Sprintf("items of %s with something to replay: %d, fewer than the %d of a "+
			"step; they are replayed more than once", p.Split, len(d.items), (n+in.Group-1)/in.Group))
	}
	if !in.Agent {
		p.generate(in)
	}
	p.count(in)
	if p.Calls == 0 && !in.Grade && !in.Agent {
		return nil, errors.New("there is nothing to call: the rollouts recorded no tool calls, no tool is marked " +
			"safe (burst.safe), the grader is not behind an endpoint, and no service makes the rollouts (agent.url)")
	}
	return p, nil
}

// unrecorded returns a placeholder for a rollout that was never made.
func unrecorded(it *rollout.Item) *rollout.Record {
	return &rollout.Record{
		Item: it.ID, Split: it.Split, Outcome: rollout.Graded,
		Answer: "This answer rehearses the load and means nothing.",
	}
}

// draw is the items of a step with their recorded rollouts.
type draw struct {
	split rollout.Split
	items []*drawn
}

type drawn struct {
	item    *rollout.Item
	records []*rollout.Record
}

// newDraw draws up to want items of one split: those with a recorded rollout, or all if there are
// no recorded rollouts.
func newDraw(ctx context.Context, in Input, want int) (*draw, error) {
	known := map[rollout.Key]*rollout.Item{}
	for i := range in.Items {
		it := &in.Items[i]
		known[rollout.Key{Split: it.Split, Item: it.ID}] = it
	}
	recorded := map[rollout.Key]bool{}
	var order []rollout.Key
	err := records(ctx, in, true, func(rec *rollout.Record) {
		k := rollout.Key{Split: rec.Split, Item: rec.Item}
		if !recorded[k] {
			recorded[k] = true
			order = append(order, k)
		}
		if known[k] == nil {
			known[k] = &rollout.Item{ID: rec.Item, Split: rec.Split}
		}
	})
	if err != nil {
		return nil, err
	}
	for i := range in.Items {
		if k := (rollout.Key{Split: in.Items[i].Split, Item: in.Items[i].ID}); !recorded[k] && len(recorded) == 0 {
			order = append(order, k)
		}
	}
	for _, split := range rollout.Splits() {
		d := &draw{split: split}
		for _, k := range order {
			if k.Split == split {
				d.items = append(d.items, &drawn{item: known[k]})
			}
		}
		if len(d.items) == 0 {
			continue
		}
		slices.SortFunc(d.items, func(a, b *drawn) int { return cmp.Compare(a.item.ID, b.item.ID) })
		rng := rand.New(rand.NewPCG(in.Seed, 0xb0757))
		rng.Shuffle(len(d.items), func(i, j int) { d.items[i], d.items[j] = d.items[j], d.items[i] })
		d.items = d.items[:min(want, len(d.items))]
		return d, nil
	}
	return nil, errors.New("there is no item to rehearse with")
}

// read takes up to a group of recorded rollouts of each drawn item.
func (d *draw) read(ctx context.Context, in Input, rollouts int) error {
	byID := make(map[string]*drawn, len(d.items))
	for _, entry := range d.items {
		byID[entry.item.ID] = entry
	}
	err := records(ctx, in, false, func(rec *rollout.Record) {
		if entry := byID[rec.Item]; entry != nil && rec.Split == d.split && len(entry.records) < min(in.Group, rollouts) {
			entry.records = append(entry.records, rec)
		}
	})
	for _, entry := range d.items {
		slices.SortFunc(entry.records, func(a, b *rollout.Record) int { return cmp.Compare(a.Sample, b.Sample) })
	}
	return err
}

// records yields the rollouts that are not missing data.
func records(ctx context.Context, in Input, lean bool, yield func(*rollout.Record)) error {
	if in.Records == nil {
		return nil
	}
	_, err := in.Records(ctx, rollout.ReadOptions{Lean: lean, OnConflict: rollout.Last},
		func(rec *rollout.Record) error {
			if !rec.Outcome.Missing() {
				yield(rec)
			}
			return nil
		})
	if errors.Is(err, rollout.ErrNoRecords) {
		return nil
	}
	return err
}

// turnsOf returns the calls that reached a tool of the job, by turn of the model.
func turnsOf(rec *rollout.Record, tools []Tool) []Turn {
	var turns []Turn
	last, ended := -1, rollout.Seconds(0)
	var end rollout.Seconds
	for _, c := range rec.Calls {
		known := slices.ContainsFunc(tools, func(t Tool) bool { return t.Name == c.Name && !t.Skip })
		if c.Status == rollout.CallMalformed || !known {
			continue
		}
		if c.Turn != last || len(turns) == 0 {
			ended = end
			turns = append(turns, Turn{Gap: max(0, time.Duration(c.Offset-ended))})
			last = c.Turn
		}
		end = max(end, c.Offset+c.Elapsed)
		t := &turns[len(turns)-1]
		t.Calls = append(t.Calls, Call{
			Name: c.Name, Arguments: cmp.Or(c.Arguments, "{}"),
			Refused: c.Status == rollout.CallError,
		})
	}
	return turns
}

// generate adds a call of each safe tool that no script calls.
func (p *Plan) generate(in Input) {
	named := map[string]bool{}
	for _, s := range p.Scripts {
		for _, t := range s.Turns {
			for _, c := range t.Calls {
				named[c.Name] = true
			}
		}
	}
	for _, tool := range in.Tools {
		switch {
		case tool.Skip:
			p.Notes = append(p.Notes, fmt.Sprintf("tool %s is not called: burst.skip names it", tool.Name))
			continue
		case named[tool.Name]:
			continue
		case !tool.Safe:
			p.Notes = append(p.Notes, fmt.Sprintf("tool %s is not called: no call of it is recorded, and burst.safe "+
				"does not name it", tool.Name))
			continue
		}
		rng := rand.New(rand.NewPCG(in.Seed, 0xa46))
		made := 0
		for i := range p.Scripts {
			s := &p.Scripts[i]
			offered := arguments.ToolsOf(s.Item)
			k := slices.IndexFunc(offered, func(t arguments.Tool) bool { return t.Name == tool.Name })
			if k >= 0 {
				args := arguments.Make(offered[k].Schema, arguments.WordsOf(s.Item), rng)
				s.Turns = append(slices.Clip(s.Turns),
					Turn{Calls: []Call{{Name: tool.Name, Arguments: args, Generated: true}}})
				made++
			}
		}
		if made == 0 {
			p.Notes = append(p.Notes, fmt.Sprintf("tool %s is not called: no call of it is recorded, and no row has "+
				"its schema", tool.Name))
		}
	}
}

// count counts the calls of each endpoint.
func (p *Plan) count(in Input) {
	byName := map[string]*rollout.BurstEndpoint{}
	for _, t := range in.Tools {
		byName[t.Name] = &rollout.BurstEndpoint{Name: toolEndpoint(t.Name), Safe: t.Safe}
	}
	for _, s := range p.Scripts {
		for _, t := range s.Turns {
			for _, c := range t.Calls {
				p.Calls++
				if c.Generated {
					byName[c.Name].Generated++
				} else {
					byName[c.Name].Recorded++
				}
			}
		}
	}
	if in.Session {
		p.Endpoints = append(p.Endpoints, rollout.BurstEndpoint{Name: sessionEndpoint, Recorded: len(p.Scripts)})
	}
	if in.Agent {
		p.Endpoints = append(p.Endpoints, rollout.BurstEndpoint{Name: agentEndpoint, Recorded: len(p.Scripts)})
	}
	for _, t := range in.Tools {
		if e := byName[t.Name]; e.Recorded+e.Generated > 0 {
			p.Endpoints = append(p.Endpoints, *e)
		}
	}
	if in.Grade {
		p.Endpoints = append(p.Endpoints, rollout.BurstEndpoint{
			Name: graderEndpoint, Recorded: len(p.Scripts),
			Judged: in.Judged,
		})
	}
}

// Unsafe lists the tools whose recorded calls are repeated without being marked safe.
func (p *Plan) Unsafe(tools []Tool) []string {
	var names []string
	for _, t := range tools {
		called := slices.ContainsFunc(p.Endpoints,
			func(e rollout.BurstEndpoint) bool { return e.Name == toolEndpoint(t.Name) })
		if called && !t.Safe {
			names = append(names, t.Name)
		}
	}
	return names
}

// Requests returns the largest number of calls of each tool in the waves, not counting retries.
func (p *Plan) Requests(cfg Config) map[string]int {
	out := map[string]int{}
	for _, w := range p.Waves(cfg) {
		times := 1
		if w.Purpose == rollout.RepeatWave {
			times = 2
		}
		for i := range w.Rollouts {
			for _, t := range p.Scripts[i%len(p.Scripts)].Turns {
				for _, c := range t.Calls {
					out[c.Name] += times
				}
			}
		}
	}
	return out
}
