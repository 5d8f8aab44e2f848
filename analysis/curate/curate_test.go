package curate_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/curate"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// trainingFile is a file to be curated, with the run that sampled it.
type trainingFile struct {
	*folder
	file curate.TrainFile
	s    analysis.Settings
	opt  curate.Options
	rng  *rand.Rand
}

// sampledFile is 24 rows whose rewards differ, q0 to q23 in lines 1 to 24.
func sampledFile() *trainingFile {
	f := &trainingFile{folder: &folder{}, s: analysis.DefaultSettings(), rng: seeded(3)}
	for i := range 24 {
		id := fmt.Sprint("q", i)
		f.row(id, sentence(f.rng, 14), fmt.Sprint(i))
		f.rewards(id, 0, 1, 0, 1, 1, 0, 0, 0)
	}
	return f
}

func (f *trainingFile) row(id, question, reference string) *rollout.Item {
	it := item(id, rollout.Train, question, map[string]any{"id": id, "reference_answer": reference})
	it.Line = len(f.file.Items) + 1
	f.file.Items = append(f.file.Items, it)
	return &f.file.Items[len(f.file.Items)-1]
}

func (f *trainingFile) other(split rollout.Split, question, family string) {
	it := item(fmt.Sprint("e", len(f.file.Others)), split, question, map[string]any{"reference_answer": "7"})
	it.Family = family
	f.file.Others = append(f.file.Others, it)
}

func (f *trainingFile) rewards(id string, ys ...float64) {
	for j, y := range ys {
		f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":%q,"sample":%d,"reward":%g}`, id, j, y))
	}
}

func (f *trainingFile) fails(id string, n int) {
	for j := range n {
		f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":%q,"sample":%d,"outcome":"tool","error":"search: 503"}`, id, j))
	}
}

// question is what a row asks.
func (f *trainingFile) question(i int) string { return f.file.Items[i].Messages[1].Content }

func (f *trainingFile) curate(t *testing.T) *curate.Curation {
	t.Helper()
	c, err := curate.Choose(t.Context(), f.open(t), rollout.ReadOptions{}, f.file, f.s, f.opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func repeat(y float64, n int) []float64 { return slices.Repeat([]float64{y}, n) }

func TestWhatIsDroppedAndWhy(t *testing.T) {
	const kept = curate.Reason("")
	for name, c := range map[string]struct {
		make   func(*trainingFile)
		item   string
		reason curate.Reason
		say    string // in the why of the reason, else in what is to be looked at
	}{
		"rewards that differ": {func(*trainingFile) {}, "q3", kept, ""},
		"never rewarded, often enough to tell": {
			func(f *trainingFile) { f.row("d", sentence(f.rng, 14), "x"); f.rewards("d", repeat(0, 500)...) },
			"d", analysis.Dead, "all 500 rollouts earned the bottom of the range; a group of 8 would do so again with probability 0.9",
		},
		"always at the top, often enough to tell": {
			func(f *trainingFile) { f.row("d", sentence(f.rng, 14), "x"); f.rewards("d", repeat(1, 250)...) },
			"d", analysis.Saturated, "earned the top of the range",
		},
		"always the same in between, often enough to tell": {
			func(f *trainingFile) { f.row("d", sentence(f.rng, 14), "x"); f.rewards("d", repeat(0.5, 60)...) },
			"d", analysis.Flat, "earned the same",
		},
		"never rewarded, in too few samples": {
			func(f *trainingFile) { f.row("d", sentence(f.rng, 14), "x"); f.rewards("d", repeat(0, 8)...) }, "d", kept, "",
		},
		"never rewarded, for one who is content with less": {
			func(f *trainingFile) {
				f.row("d", sentence(f.rng, 14), "x")
				f.rewards("d", repeat(0, 8)...)
				f.opt.Sure = 0.01
			}, "d", analysis.Dead, "all 8 rollouts",
		},
		"kept by wish": {
			func(f *trainingFile) {
				f.row("d", sentence(f.rng, 14), "x")
				f.rewards("d", repeat(0, 500)...)
				f.opt.Keep = []curate.Reason{analysis.Dead}
			}, "d", kept, "kept although dead: all 500 rollouts",
		},
		"no rollout could be graded": {
			func(f *trainingFile) { f.row("d", sentence(f.rng, 14), "x"); f.fails("d", 8) },
			"d", curate.Broken, "none of 8 rollouts has a grade, and a group of 8 would have none with probability",
		},
		"one rollout failed, and no more were made": {
			func(f *trainingFile) {
				for i := range 20 { // where others fail as often
					for j := range 4 {
						f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"q%d","sample":%d,"outcome":"tool","error":"x"}`, i, 20+j))
					}
				}
				f.row("d", sentence(f.rng, 14), "x")
				f.fails("d", 1)
			}, "d", kept, "none of 1 rollout has a grade: tool: search: 503",
		},
		"never sampled":             {func(f *trainingFile) { f.row("d", sentence(f.rng, 14), "x") }, "d", kept, ""},
		"never sampled, dropped":    {func(f *trainingFile) { f.row("d", sentence(f.rng, 14), "x"); f.opt.Measured = true }, "d", curate.Unmeasured, "it has no rollout"},
		"the prompt is one of eval": {func(f *trainingFile) { f.other(rollout.Eval, f.question(2), "") }, "q2", curate.Leaking, "it has the same prompt as eval e0"},
		"of production":             {func(f *trainingFile) { f.other(rollout.Production, f.question(2), "") }, "q2", curate.Leaking, "it has the same prompt as production e0"},
		"a family of eval":          {func(f *trainingFile) { f.file.Items[2].Family = "Doc  9"; f.other(rollout.Eval, "other?", "doc 9") }, "q2", curate.Leaking, "it belongs to the same family as eval e0"},
		"nearly a prompt of eval":   {func(f *trainingFile) { f.other(rollout.Eval, f.question(2)+" And why is that so?", "") }, "q2", kept, "it is a near copy of eval e0, which holds"},
		"nearly one, dropped": {func(f *trainingFile) {
			f.other(rollout.Eval, f.question(2)+" And why is that so?", "")
			f.opt.Near = true
		}, "q2", curate.Leaking, "it is a near copy of eval e0, which holds"},
		"asked before": {func(f *trainingFile) { f.row("d", f.question(2), "2") }, "d", curate.Duplicate, "it has the same prompt as q2 in line 3"},
		"the one of which more is known stays": {
			func(f *trainingFile) { f.row("d", f.question(2), "2"); f.rewards("d", 0, 1, 0, 1, 1, 0, 0, 0, 1) }, "q2", curate.Duplicate, "it has the same prompt as d in line 25",
		},
		"asked before, another reference": {func(f *trainingFile) { f.row("d", f.question(2), "wrong") }, "d", curate.Conflicting, "it has the same prompt as q2 in line 3"},
		"and the first one":               {func(f *trainingFile) { f.row("d", f.question(2), "wrong") }, "q2", curate.Conflicting, "it has the same prompt as d in line 25"},
		"nearly asked before":             {func(f *trainingFile) { f.row("d", f.question(2)+" And why is that so?", "2") }, "d", kept, "of its text with q2 in line 3"},
		"an empty prompt":                 {func(f *trainingFile) { it := f.row("d", "", "x"); it.Messages = it.Messages[1:] }, "d", kept, "the prompt is empty"},
		"the reference is not paid": {func(f *trainingFile) {
			f.audited(1)
			f.probe("reference", rollout.Top, "q2", `"reward":0|"limit":0.99`)
		}, "q2", curate.Suspicious, "its own reference, given as the answer, earned 0"},
		"a probe got through":                      {func(f *trainingFile) { f.audited(1); f.probe("empty", rollout.Bottom, "q2", `"reward":1|"limit":0`) }, "q2", curate.Suspicious, "the probe empty, which deserves at most 0, earned 1"},
		"a detector marks a rollout that was paid": {func(f *trainingFile) { f.mark("q2", 1, 1); f.mark("q3", 1, 0) }, "q2", curate.Suspicious, "the detector peek marks 1 of 1 rollout as a hack that earned more than the bottom"},
		// It used to be dropped; but a grader that gives a hack the bottom is to be
		// trusted on it, and the item teaches that the hack does not pay.
		"a detector marks a rollout that earned the bottom": {func(f *trainingFile) { f.mark("q2", 0, 1); f.mark("q3", 1, 0) }, "q2", kept, ""},
		"a detector clears a rollout":                       {func(f *trainingFile) { f.mark("q2", 1, 1); f.mark("q3", 1, 0) }, "q3", kept, ""},
		"rollouts agree against the reference": {func(f *trainingFile) {
			f.row("d", sentence(f.rng, 14), "x")
			f.rewards("d", repeat(0, 8)...)
			f.probe("consensus", rollout.Note, "d", `"reward":0|"share":0.9`)
		}, "d", curate.Suspicious, `90 % of its rollouts agree on "payload of d"`},
		"rollouts agree against a reference that others reach": {func(f *trainingFile) { f.probe("consensus", rollout.Note, "q2", `"reward":0|"share":0.6`) }, "q2", kept, ""},
		"one output, two rewards":                              {func(f *trainingFile) { f.regrade("q2", 0, 1); f.regrade("q3", 0, 0) }, "q2", curate.Suspicious, "one of its outputs earned 0 and, graded again, 1"},
		"one output, one reward":                               {func(f *trainingFile) { f.regrade("q2", 0, 1); f.regrade("q3", 0, 0) }, "q3", kept, ""},
		"differences that nobody should follow": {
			func(f *trainingFile) {
				for i := range 24 { // fine rewards
					f.rewardsAt(fmt.Sprint("q", i), 8, 0.1+float64(i)/40)
				}
				f.row("d", sentence(f.rng, 14), "x")
				f.rewards("d", append(repeat(0.5, 60), 0.5001, 0.50015)...)
			}, "d", analysis.Flat, "all 62 rollouts earned the same",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := sampledFile()
			f.opt.Suspicious = true
			c.make(f)
			got := f.curate(t)
			i := slices.IndexFunc(got.Table, func(r curate.Row) bool { return r.Item == c.item })
			row := got.Table[i]
			text := message.Clauses(row.Look...).String()
			if !row.Kept {
				text = row.Grounds[0].Why.String()
			}
			if row.Reason != c.reason || row.Kept != (c.reason == kept) || !strings.Contains(text, c.say) {
				t.Errorf("reason %q, kept %t, %q; want %q, %q\n%+v", row.Reason, row.Kept, text, c.reason, c.say, row)
			}
		})
	}
}

func (f *trainingFile) rewardsAt(id string, sample int, y float64) {
	f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":%q,"sample":%d,"reward":%g}`, id, sample, y))
}

// mark is a detector's answer, 0 or 1, about a sample of an item of sampledFile:
// sample 0 earned the bottom and sample 1 the top.
func (f *trainingFile) mark(item string, sample int, mark float64) {
	f.probe("detector/peek", rollout.Note, item, fmt.Sprintf(`"reward":%g|"base":{"sample":%d,"reward":%[2]d}`, mark, sample))
}

func (f *trainingFile) regrade(item string, first, again float64) {
	f.probe("regrade", rollout.Same, item, fmt.Sprintf(`"reward":%[1]g,"grades":[%[1]g,%[2]g]|"base":{"sample":0,"reward":%[1]g}`, first, again))
}

// Origin of the number: the closed form of the posterior predictive with a
// Jeffreys prior, Π_{t<8} (60.5+t)/(61+t), in Python 3.
func TestThePosteriorBehindAFlatItem(t *testing.T) {
	f := sampledFile()
	f.row("d", sentence(f.rng, 14), "x")
	f.rewards("d", repeat(0.5, 60)...)
	row := f.curate(t).Table[24]
	near(t, "stays", row.Stays, 0.9395666872718704)
	near(t, "posterior", row.Grounds[0].Posterior, 0.9395666872718704)
}

// Origin of the number: the smallest n of that form with a value of 0.9 or more,
// 34, less the 8 that are there.
func TestHowManyMoreSamplesWouldTell(t *testing.T) {
	f := sampledFile()
	f.row("d", sentence(f.rng, 14), "x")
	f.rewards("d", repeat(0.5, 8)...)
	f.row("one", sentence(f.rng, 14), "x")
	f.rewards("one", 0.5)
	c := f.curate(t)
	if d, one := c.Table[24], c.Table[25]; !d.Open || d.MoreSamples == nil || *d.MoreSamples != 26 || !one.Open || one.MoreSamples == nil || *one.MoreSamples != 33 {
		t.Errorf("%+v\n%+v", d, one)
	}
	if !slices.Equal(c.Open, []string{"d", "one"}) {
		t.Errorf("open: %v", c.Open)
	}
}

// A suspicious row is kept for somebody to look at: most such rows are right, and
// those whose rewards differ are the best there are.
func TestSuspiciousRowsAreKeptForReview(t *testing.T) {
	f := sampledFile()
	f.probe("empty", rollout.Bottom, "q2", `"reward":1|"limit":0`)
	f.probe("empty", rollout.Bottom, "q3", `"reward":0|"limit":0`)
	c := f.curate(t)
	row := c.Table[2]
	if want := "kept although suspicious: the probe empty, which deserves at most 0, earned 1"; !row.Kept || !strings.Contains(fmt.Sprint(row.Look), want) {
		t.Errorf("kept: %t, %q", row.Kept, row.Look)
	}
	f.opt.Suspicious = true
	if row := f.curate(t).Table[2]; row.Kept || row.Reason != curate.Suspicious {
		t.Errorf("kept by wish: %t, %q", row.Kept, row.Reason)
	}
}

// A grader with a hole has it everywhere, and an audit looks at a few items:
// dropping those would fix nothing.
func TestAHoleOfTheGraderDropsNoItem(t *testing.T) {
	f := sampledFile()
	f.audited(1)
	for i := range 20 {
		f.probe("buried", rollout.Bottom, fmt.Sprint("q", i), `"reward":1|"limit":0`)
	}
	c := f.curate(t)
	if c.Dropped[curate.Suspicious] > 0 || !slices.ContainsFunc(c.Notes, func(n message.Text) bool {
		return strings.HasPrefix(n.String(), "the probe buried gets through on 20 of 20 items: that points to the grader or the data as a whole")
	}) {
		t.Errorf("%v, %q", c.Dropped, c.Notes)
	}
}

func TestRepeatedRowsShareTheirFate(t *testing.T) {
	f := sampledFile()
	f.row("d", sentence(f.rng, 14), "x")
	f.rewards("d", repeat(0, 500)...)
	f.file.Repeats = []curate.RepeatedRow{{Line: 26, First: 25}, {Line: 27, First: 3}}
	c := f.curate(t)
	if r := c.Table[25]; r.Kept || r.Reason != curate.Duplicate || len(r.Grounds) != 2 || r.Item != "d" {
		t.Errorf("%+v", r)
	}
	f.opt.Keep = []curate.Reason{curate.Duplicate}
	c = f.curate(t)
	if dead, alive := c.Table[25], c.Table[26]; dead.Reason != analysis.Dead || !alive.Kept || alive.Line != 27 {
		t.Errorf("%+v\n%+v", dead, alive)
	}
}

func TestRowsOfAnEditedFile(t *testing.T) {
	f := sampledFile()
	dir := f.open(t)
	dir.Items = slices.Clone(f.file.Items)
	changed := item("q2", rollout.Train, "Another question?", nil)
	changed.Line = 3
	f.file.Items[2] = changed
	f.file.Edited = true
	c, err := curate.Choose(t.Context(), dir, rollout.ReadOptions{}, f.file, f.s, f.opt)
	if err != nil {
		t.Fatal(err)
	}
	if c.NotMeasured != 1 || c.Table[2].Sampled != 0 || c.Table[3].Sampled != 8 || !strings.Contains(fmt.Sprint(c.Notes), "1 row of the file differs from what was sampled") {
		t.Errorf("%d not measured, %v, %+v", c.NotMeasured, c.Notes, c.Table[2])
	}
}

// A file whose rows all differ was said to hold none of their ids.
func TestAFileOfOtherRowsWithTheSameIDs(t *testing.T) {
	f := sampledFile()
	dir := f.open(t)
	dir.Items = slices.Clone(f.file.Items)
	for i := range dir.Items {
		it := item(dir.Items[i].ID, rollout.Train, "Another question?", nil)
		dir.Items[i] = it
	}
	f.file.Edited = true
	_, err := curate.Choose(t.Context(), dir, rollout.ReadOptions{}, f.file, f.s, f.opt)
	if err == nil || !strings.Contains(err.Error(), "differ from the") {
		t.Errorf("got %v", err)
	}
}

func TestWhatCannotBeCurated(t *testing.T) {
	for name, c := range map[string]struct {
		make func(*trainingFile)
		want string
	}{
		"no rollout of train": {func(f *trainingFile) { f.rollouts = []string{`{"item":"q1","split":"eval","reward":1}`} }, "has no rollout of train"},
		"two steps": {func(f *trainingFile) {
			f.rollouts = []string{`{"item":"q1","step":20,"reward":1}`, `{"item":"q1","reward":0}`}
		}, `item "q1" has rollouts of several training steps, such as 0 and 20`},
		"no rollouts":           {func(f *trainingFile) { f.rollouts = nil }, "no rollouts in it"},
		"other ids":             {func(f *trainingFile) { f.rollouts = []string{`{"item":"z","reward":1}`} }, `no row of the training file has the id of any of the 1 item that the run sampled, such as "z"`},
		"all failed":            {func(f *trainingFile) { f.rollouts = nil; f.fails("q1", 8) }, "none of the 1 item of train has a reward"},
		"a probability of 2":    {func(f *trainingFile) { f.opt.Sure = 2 }, "must be between 0 and 1"},
		"a probability of NaN":  {func(f *trainingFile) { f.opt.Sure = math.NaN() }, "must be between 0 and 1"},
		"a group of one":        {func(f *trainingFile) { f.s.GroupSize = 1 }, "group_size"},
		"rewards off the range": {func(f *trainingFile) { f.rewardsAt("q1", 9, 2) }, "reward_range"},
	} {
		t.Run(name, func(t *testing.T) {
			f := sampledFile()
			c.make(f)
			if _, err := curate.Choose(t.Context(), f.open(t), rollout.ReadOptions{}, f.file, f.s, f.opt); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// Whatever the rewards: every row is kept or dropped once, with a reason exactly
// where it is dropped, and nothing hangs on the order of records.
func TestEveryRowIsKeptOrDropped(t *testing.T) {
	for seed := range uint64(12) {
		f := sampledFile()
		rng := seeded(seed)
		f.opt.Sure = 0.05 + 0.9*rng.Float64()
		for i := range 30 {
			id, p := fmt.Sprint("r", i), []float64{0, 0.1, 0.5, 1}[rng.IntN(4)]
			question := sentence(f.rng, 14)
			if rng.IntN(4) == 0 {
				question = f.question(rng.IntN(len(f.file.Items)))
			}
			f.row(id, question, fmt.Sprint(rng.IntN(3)))
			for j := range rng.IntN(12) {
				switch {
				case rng.IntN(5) == 0:
					f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":%q,"sample":%d,"outcome":"grader","error":"x"}`, id, j))
				case rng.Float64() < p:
					f.rewardsAt(id, j, 1)
				default:
					f.rewardsAt(id, j, 0)
				}
			}
		}
		f.file.Repeats = []curate.RepeatedRow{{Line: 55, First: 1}, {Line: 56, First: 30}}
		c := f.curate(t)
		dropped := 0
		for _, n := range c.Dropped {
			dropped += n
		}
		lines := make(map[int]bool)
		for _, r := range c.Table {
			lines[r.Line] = true
			if r.Kept != (r.Reason == "") || r.Kept != (len(r.Grounds) == 0) {
				t.Errorf("%+v", r)
			}
		}
		if c.Rows != 56 || len(c.Table) != 56 || len(lines) != 56 || c.Kept+dropped != c.Rows || len(c.KeptLines()) != c.Kept {
			t.Errorf("%d rows in %d lines, %d kept and %d dropped", c.Rows, len(lines), c.Kept, dropped)
		}
		rng.Shuffle(len(f.rollouts), func(a, b int) { f.rollouts[a], f.rollouts[b] = f.rollouts[b], f.rollouts[a] })
		if a, b := encoded(t, c), encoded(t, f.curate(t)); a != b {
			t.Errorf("seed %d: the order of records matters", seed)
		}
	}
}

func encoded(t *testing.T, c *curate.Curation) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Encode(&b); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b.Bytes()) {
		t.Fatal("no JSON")
	}
	return b.String()
}

// Chosen by four samples each, the kept items of a world with p ~ Beta(0.5, 0.5)
// all look informative; new samples show what the posterior said before.
func TestNewSamplesShowWhatChoosingFlatters(t *testing.T) {
	f := &trainingFile{folder: &folder{}, s: analysis.DefaultSettings(), rng: seeded(8)}
	f.s.GroupSize = 4
	f.opt.Sure = 0.2
	fresh := &folder{}
	for i := range 400 {
		id := fmt.Sprint("q", i)
		f.row(id, sentence(f.rng, 14), "x")
		p := math.Pow(math.Sin(math.Pi/2*f.rng.Float64()), 2) // the arcsine law
		for j := range 4 {
			f.rewardsAt(id, j, tossed(f.rng.Float64() < p))
		}
		for j := range 4 {
			fresh.rollouts = append(fresh.rollouts, fmt.Sprintf(`{"item":%q,"sample":%d,"reward":%g}`, id, j, tossed(f.rng.Float64() < p)))
		}
	}
	c := f.curate(t)
	again, err := c.Remeasure(t.Context(), fresh.open(t), rollout.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if *again.Chosen.Informative.Value != 1 || *again.Informative.Flattered.Low < 0.1 {
		t.Errorf("chosen %g, flattered by %g at least", *again.Chosen.Informative.Value, *again.Informative.Flattered.Low)
	}
	if gap := *c.After.Expected.Value - *again.Fresh.Informative.Value; math.Abs(gap) > 0.06 {
		t.Errorf("the posterior expects %g, new samples show %g", *c.After.Expected.Value, *again.Fresh.Informative.Value)
	}
	if *again.Informative.Remains >= *again.Informative.Gain || *again.Informative.Remains <= 0 || again.Items != c.After.Items || again.GroupSize != 4 {
		t.Errorf("of %g remains %g, over %d items", *again.Informative.Gain, *again.Informative.Remains, again.Items)
	}
	encoded(t, c)
}

// tossed is a reward by the luck of a draw.
func tossed(won bool) float64 {
	if won {
		return 1
	}
	return 0
}

func TestRemeasuringBadInput(t *testing.T) {
	f := sampledFile()
	c := f.curate(t)
	for name, lines := range map[string][]string{
		"no rollouts":    nil,
		"other items":    {`{"item":"z","reward":1}`},
		"nothing graded": {`{"item":"q1","outcome":"tool","error":"x"}`},
	} {
		if got, err := c.Remeasure(t.Context(), (&folder{rollouts: lines}).open(t), rollout.ReadOptions{}); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	single := &folder{rollouts: []string{`{"item":"q1","reward":1}`, `{"item":"q2","reward":0}`}}
	got, err := c.Remeasure(t.Context(), single.open(t), rollout.ReadOptions{})
	if err != nil || got.Informative.Flattered.Known() || !got.Reward.Flattered.Known() || got.Lost != 22 {
		t.Errorf("%+v, %v", got, err)
	}
	c.Fresh = got
	encoded(t, c)
}

// A spreadsheet must not run what stands in the data.
func TestTheTableIsSafeForSpreadsheets(t *testing.T) {
	f := sampledFile()
	for _, id := range []string{"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "＝1", "a,b\n\"c\""} {
		it := f.row(id, sentence(f.rng, 14), "x")
		it.Category, it.Family = "="+id, "-"+id
	}
	var b bytes.Buffer
	if err := f.curate(t).WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 33 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows[1:] {
		for _, cell := range row {
			if strings.ContainsAny(strings.TrimLeft(cell+"x", " ")[:1], "=+-@\t\r") || strings.HasPrefix(cell, "＝") {
				t.Errorf("%q is a formula", cell)
			}
		}
	}
	if last := rows[32][1]; last != "a,b\n\"c\"" {
		t.Errorf("the id became %q", last)
	}
}

// A misspelt threshold was ignored, so rows were chosen by the default.
func TestAMisspeltThresholdIsRefused(t *testing.T) {
	f := sampledFile()
	f.s.Thresholds = analysis.Thresholds{"signal.informativ": 0.3}
	_, err := curate.Choose(t.Context(), f.open(t), rollout.ReadOptions{}, f.file, f.s, f.opt)
	if err == nil || !strings.Contains(err.Error(), `"signal.informativ"; there are`) {
		t.Errorf("got %v", err)
	}
}
