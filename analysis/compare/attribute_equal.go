package compare

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"slices"
	"sort"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
	"gonogo/sampler/wording"
)

// answerShown is the maximum length of a stored answer, in bytes.
const answerShown = 160

// replies holds the replies of a run's tools, grader and model endpoint.
type replies struct {
	tools   map[equalCall]answers
	outputs map[equalOutput]answers // grades by their bits
	served  map[string]int          // number of rollouts by the model that replied; "" if unknown
	texts   map[uint64]string       // beginnings of the tools' answers, by hash
}

// equalCall identifies equal calls; equalOutput identifies equal outputs. A tool may keep state, so
// a call includes the earlier calls of its rollout: no two calls of a rollout are equal.
type (
	equalCall struct {
		item, tool, arguments string
		before                uint64
	}
	equalOutput struct {
		item string
		text uint64 // hash of answer and calls
	}
)

// answers counts the different answers to one request.
type answers map[uint64]int

func (a answers) n() (n int) {
	for _, k := range a {
		n += k
	}
	return n
}

// readReplies reads the rollouts of some items of a split. Only the last attempt of a rollout
// counts.
func readReplies(ctx context.Context, run *rollout.Run, read rollout.ReadOptions, split rollout.Split,
	items map[string]bool,
) (*replies, error) {
	type call struct {
		key    equalCall
		answer uint64
	}
	type seen struct {
		served string
		output uint64
		reward *float64
		calls  []call
	}
	texts := make(map[uint64]string)
	last := make(map[rollout.Key]seen)
	_, err := run.Records(ctx, read, func(r *rollout.Record) error {
		if r.Split != split || !items[r.Item] {
			return nil
		}
		s := seen{served: r.Served}
		if r.Outcome == rollout.Graded && r.Reward != nil && r.Answer != "" {
			parts := []string{r.Answer}
			for i := range r.Calls {
				parts = append(parts, r.Calls[i].Name, r.Calls[i].Arguments, r.Calls[i].Output)
			}
			s.output, s.reward = textHash(parts...), r.Reward
		}
		asked := fnv.New64a()
		for i := range r.Calls {
			k := &r.Calls[i]
			before := asked.Sum64()
			_, _ = io.WriteString(asked, k.Name+"\x00"+k.Arguments+"\x00") // never fails
			if k.Name == rollout.UnnamedCall || k.Status != rollout.CallOK && k.Status != rollout.CallError ||
				k.Output == "" && k.OutputBytes > 0 {
				continue // the model's mistake, a failure, or an output that is not recorded
			}
			a := textHash(string(k.Status), k.Output)
			if _, known := texts[a]; !known {
				texts[a] = string([]byte(wording.ClipBytes(k.Output, answerShown)))
			}
			s.calls = append(s.calls, call{equalCall{r.Item, k.Name, k.Arguments, before}, a})
		}
		last[r.Key()] = s
		return nil
	})
	if err != nil && !errors.Is(err, rollout.ErrNoRecords) {
		return nil, err
	}
	out := &replies{make(map[equalCall]answers), make(map[equalOutput]answers), make(map[string]int), texts}
	for key, s := range last {
		out.served[s.served]++
		for _, c := range s.calls {
			count(out.tools, c.key, c.answer)
		}
		if s.reward != nil {
			count(out.outputs, equalOutput{key.Item, s.output}, math.Float64bits(*s.reward+0))
		}
	}
	return out, nil
}

func count[K comparable](into map[K]answers, key K, answer uint64) {
	if into[key] == nil {
		into[key] = make(answers)
	}
	into[key][answer]++
}

func textHash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = io.WriteString(h, p) // never fails
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

func (r *replies) calls() bool { return len(r.tools) > 0 }

// differ returns the share of pairs of answers that differ: across, with one answer of each run;
// within, with two answers of the same run, as the mean over the runs that have two. known reports
// whether a run has two.
func differ(base, new answers) (across, within float64, known bool) {
	same, runs := 0, 0
	for a, n := range base {
		same += n * new[a]
	}
	across = 1 - float64(same)/float64(base.n()*new.n())
	for _, counts := range []answers{base, new} {
		n, same := counts.n(), 0
		if n < 2 {
			continue
		}
		for _, k := range counts {
			same += k * (k - 1)
		}
		within, runs = within+1-float64(same)/float64(n*(n-1)), runs+1
	}
	return across, within / float64(max(1, runs)), runs > 0
}

// equalTool describes how one tool answers the calls that both runs made, by item.
type equalTool struct {
	name string
	// by item: the share that differs across the runs, and its excess over the share within a run
	across, excess []float64
	within         float64 // mean over calls of the share that differs within a run
	n              int     // calls that both runs made
	calls          []equalCall
}

// equalCalls compares the tools that both runs called with the same arguments, after the same
// calls, in at least fewestEqual items and at least twice in one run: without repeated calls it is
// unknown how consistently a tool answers.
func equalCalls(base, new *replies) []*equalTool {
	byTool := make(map[string]*equalTool)
	for key := range base.tools {
		if new.tools[key] != nil {
			if byTool[key.tool] == nil {
				byTool[key.tool] = &equalTool{name: key.tool}
			}
			byTool[key.tool].calls = append(byTool[key.tool].calls, key)
		}
	}
	var out []*equalTool
	for _, name := range sortedKeys(byTool) {
		t := byTool[name]
		sort.Slice(t.calls, func(i, j int) bool {
			a, b := &t.calls[i], &t.calls[j]
			return cmp.Or(cmp.Compare(a.item, b.item), cmp.Compare(a.arguments, b.arguments),
				cmp.Compare(a.before, b.before)) < 0
		})
		if t.compare(base, new) {
			out = append(out, t)
		}
	}
	return out
}

// compare fills in the numbers and reports whether there are enough of them.
func (t *equalTool) compare(base, new *replies) bool {
	known, weighed := 0.0, 0.0
	for _, key := range t.calls {
		if _, within, ok := differ(base.tools[key], new.tools[key]); ok {
			w := float64(min(base.tools[key].n(), new.tools[key].n()))
			known, weighed = known+w*within, weighed+w
		}
	}
	if weighed == 0 {
		return false
	}
	t.within = known / weighed
	item, across, excess, weight := "", 0.0, 0.0, 0.0
	end := func() {
		if weight > 0 {
			t.across, t.excess = append(t.across, across/weight), append(t.excess, excess/weight)
		}
		across, excess, weight = 0, 0, 0
	}
	for _, key := range t.calls {
		if key.item != item {
			end()
			item = key.item
		}
		a, within, ok := differ(base.tools[key], new.tools[key])
		if !ok {
			within = t.within
		}
		n := min(base.tools[key].n(), new.tools[key].n())
		t.n += n
		w := float64(n)
		across, excess, weight = across+w*a, excess+w*(a-within), weight+w
	}
	end()
	return len(t.excess) >= fewestEqual
}

// examples returns the calls whose answers changed most clearly, one per item.
func (t *equalTool) examples(base, new *replies) []ChangedAnswer {
	sure := func(key equalCall) float64 {
		a, within, ok := differ(base.tools[key], new.tools[key])
		if !ok {
			within = t.within
		}
		return a - within
	}
	order := slices.Clone(t.calls)
	sort.SliceStable(order, func(i, j int) bool {
		a, b := order[i], order[j]
		return cmp.Or(cmp.Compare(sure(b), sure(a)), cmp.Compare(new.tools[b].n(), new.tools[a].n())) < 0
	})
	var out []ChangedAnswer
	for _, key := range order {
		known := slices.ContainsFunc(out, func(x ChangedAnswer) bool { return x.Item == key.item })
		if was, is := base.tools[key].most(nil), new.tools[key].most(base.tools[key]); len(out) < answersShown &&
			!known && is != 0 && sure(key) > 0 {
			out = append(out, ChangedAnswer{
				key.item, wording.ClipBytes(key.arguments, answerShown), base.texts[was],
				new.texts[is],
			})
		}
	}
	return out
}

// most returns the most frequent answer that is not among others; 0 if there is none.
func (a answers) most(others answers) uint64 {
	most := uint64(0)
	for answer, n := range a {
		if others[answer] == 0 && (most == 0 || n > a[most] || n == a[most] && answer < most) {
			most = answer
		}
	}
	return most
}

// equalOutputs returns the mean change of the grades of outputs that both runs hold for an item, with
// identical answers and calls; nil if there are too few.
func equalOutputs(base, new *replies, bounds [2]float64) *stat.Estimate {
	sums, n := make(map[string][2]float64), 0
	keys := slices.SortedFunc(maps.Keys(base.outputs), func(a, b equalOutput) int {
		return cmp.Or(cmp.Compare(a.item, b.item), cmp.Compare(a.text, b.text))
	})
	for _, key := range keys {
		if new.outputs[key] == nil {
			continue
		}
		w := min(base.outputs[key].n(), new.outputs[key].n())
		s := sums[key.item]
		sums[key.item], n = [2]float64{
			s[0] + float64(w)*(new.outputs[key].grade()-base.outputs[key].grade()),
			s[1] + float64(w),
		}, n+w
	}
	return shiftOf(sums, n, bounds)
}

// grade returns the mean of grades that are keyed by their bits.
func (a answers) grade() float64 {
	sum := 0.0
	for _, bits := range slices.Sorted(maps.Keys(a)) {
		sum += float64(a[bits]) * math.Float64frombits(bits)
	}
	return sum / float64(a.n())
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
