package history

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/calibration"
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// system is an evaluation set whose items are answered rightly by chance, each by its
// own, drawn from a uniform distribution.
type system struct {
	rng    *rand.Rand
	chance []float64
}

func newSystem(items int, seed uint64) system {
	s := system{rng: rand.New(rand.NewPCG(seed, 0x5eed))}
	for range items {
		s.chance = append(s.chance, s.rng.Float64())
	}
	return s
}

// night samples every item again; each chance is lower by drop, spread so that the mean
// is: an item at 0 cannot fall.
func (s system) night(i, samples int, drop float64) Night {
	n := Night{
		Schema: NightSchema, Name: fmt.Sprintf("n%03d", i), Time: time.Date(2026, 1, 1, 2, 0, 0, 0, time.UTC).AddDate(0, 0, i),
		Split: "eval", RewardRange: [2]float64{0, 1}, Made: map[string]string{}, Seed: uint64(i),
	}
	mean := 0.0
	for _, p := range s.chance {
		mean += p / float64(len(s.chance))
	}
	sum, within := 0.0, 0.0
	for k, p := range s.chance {
		right := 0.0
		for range samples {
			if s.rng.Float64() < p*(1-drop/mean) {
				right++
			}
		}
		m := right / float64(samples)
		n.Items = append(n.Items, ItemMean{ID: fmt.Sprint("q", k), Digest: "d", Mean: m, N: samples})
		sum, within = sum+m, within+m*(1-m)/float64(max(1, samples-1))
	}
	items := float64(len(s.chance))
	se := stat.FiniteOrNil(within / items / items)
	*se = math.Sqrt(*se)
	n.Values = map[string]Value{Reward: {Value: sum / items, SE: se, N: samples * len(s.chance)}}
	return n
}

// judged goes the way of gonogo nightly with a night, but for what compares two runs
// alone.
func judged(nights []Night, n Night, detect float64) Night {
	base := LastGood(nights, &n, func(*Night) bool { return true })
	if base < 0 {
		n.Good = true
		return n
	}
	eval := rollout.Eval
	e := stat.Estimate{Value: new(float64)}
	c := &compare.Comparison{
		Answer: compare.CannotTell, ExitCode: 4, Split: &eval, Thresholds: map[string]float64{"infra.failures.fail": 0.2},
		Splits: map[rollout.Split]*compare.Split{eval: {Reward: analysis.Difference{Estimate: e}}},
	}
	n.Fall(nights, c, detect)
	n.ApplyComparison(nights[base].Name, c)
	n.Good = n.ExitCode == 0
	opt := DefaultOptions()
	opt.Draws = 499
	trend := Analyze(append(nights[:len(nights):len(nights)], n), opt)
	if d := trend.TrendDrop(base, 0); d != nil && n.ExitCode != 3 {
		n.RegressedByTrend(d, trend.Nights[d.Night].Name)
	}
	return n
}

// Months of 30 nights without a change, and falls of 10 points after ten of them.
func TestLongNightsCalibration(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	months := 12
	if calibration.Full() {
		months = 200
	}
	table := calibration.New(23, "Months of nights",
		fmt.Sprintf("Months of 30 nights of one system, each against the last 7 good nights and the trend, and falls of the mean reward by 0.1 after ten nights; %d of each. "+
			"Chances of the items are uniform in 0..1. In per cent: months with a red night, nights that cannot tell (a fall of %g would not have been seen with 80 %%), and falls found within three nights.", months, DefaultDetect),
		"items", "samples", "months with a red night", "nights that cannot tell", "falls found")
	defer table.Write(t)
	reds, finds := table.Target("at most 5 % of months without a change have a red night"), table.Target("a fall of 10 points is found within three nights in 90 % or more")
	for _, size := range []struct{ items, samples int }{{100, 3}, {120, 8}, {30, 8}} {
		red, undecided, all, found := 0, 0, 0, 0
		for month := range months {
			s := newSystem(size.items, uint64(month))
			var nights []Night
			wrong := false
			for i := range 30 {
				n := judged(nights, s.night(i, size.samples, 0), DefaultDetect)
				nights = append(nights, n)
				all++
				wrong = wrong || n.ExitCode == 3
				undecided += btoi(n.ExitCode == 4)
			}
			red += btoi(wrong)

			s = newSystem(size.items, uint64(1000+month))
			nights = nil
			seen := false
			for i := range 13 {
				drop := 0.0
				if i >= 10 {
					drop = 0.10
				}
				n := judged(nights, s.night(i, size.samples, drop), DefaultDetect)
				nights = append(nights, n)
				seen = seen || i >= 10 && n.ExitCode == 3
			}
			found += btoi(seen)
		}
		if red > months/20+months/40+1 || found < months*9/10-1 {
			t.Errorf("%d x %d: %d of %d months without a change have a red night, and %d falls are found: want at most 5 %% and at least 90 %%", size.items, size.samples, red, months, found)
		}
		share := func(n, of int) float64 { return float64(n) / float64(of) }
		table.Row(size.items, size.samples, reds.Hold(share(red, months), 0, 0.05, months), calibration.Percent(share(undecided, all)), finds.Hold(share(found, months), 0.9, 1, months))
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestFallOfANight(t *testing.T) {
	night := func(reward float64, items, samples int) Night {
		n := Night{Split: "eval", RewardRange: [2]float64{0, 1}, Good: true, Seed: 1}
		for k := range items {
			n.Items = append(n.Items, ItemMean{ID: fmt.Sprint("q", k), Digest: "d", Mean: reward + 0.1*float64(k%5)/5, N: samples})
		}
		return n
	}
	jitter := func(n Night, by float64) Night { // items move, the mean does not
		for k := range n.Items {
			n.Items[k].Mean += by * float64(k%2*2-1)
		}
		return n
	}
	accepted := night(0.4, 100, 3)
	accepted.Accepted = true
	lower := night(0.3, 100, 3)
	for _, c := range []struct {
		about   string
		earlier []Night
		tonight Night
		was     compare.Answer
		want    compare.Answer
		says    string
	}{
		{"as before", []Night{night(0.5, 100, 3)}, jitter(night(0.5, 100, 3), 0.05), "", compare.NoFall, "no sign of a fall: the mean reward is 0.54, 0 [-"},
		{"lower", []Night{night(0.5, 100, 3)}, jitter(night(0.4, 100, 3), 0.05), "", compare.Regressed, "fell from 0.54 to 0.44 (-0.1 ["},
		{"higher", []Night{night(0.5, 100, 3)}, jitter(night(0.6, 100, 3), 0.05), "", compare.Improved, "rose from 0.54 to 0.64"},
		{"as before, by items that move much", []Night{night(0.5, 20, 1)}, jitter(night(0.5, 20, 1), 0.4), "", compare.CannotTell, "and --detect is 0.15"},
		{"lower over few items", []Night{night(0.5, 6, 3)}, jitter(night(0.3, 6, 3), 0.01), "", compare.CannotTell, "only a fall of 1 would have been seen"},
		{"only since somebody accepted a night", []Night{night(0.9, 100, 3), accepted}, jitter(night(0.4, 100, 3), 0.05), "", compare.NoFall, "against 1 good night"},
		{"nights that were not good do not count", []Night{night(0.5, 100, 3), func() Night { n := lower; n.Good = false; return n }()}, jitter(night(0.5, 100, 3), 0.05), "", compare.NoFall, "against 1 good night"},
		{
			"the newest seven",
			[]Night{night(0.9, 100, 3), night(0.5, 100, 3), night(0.5, 100, 3), night(0.5, 100, 3), night(0.5, 100, 3), night(0.5, 100, 3), night(0.5, 100, 3), night(0.5, 100, 3)},
			jitter(night(0.5, 100, 3), 0.05), "", compare.NoFall, "against 7 good nights",
		},
		{"more hacks", []Night{night(0.5, 100, 3)}, night(0.6, 100, 3), compare.NotBetter, compare.NotBetter, "as compared"},
		{"nothing kept", []Night{night(0.5, 100, 3)}, Night{Split: "eval", RewardRange: [2]float64{0, 1}}, compare.CannotTell, compare.CannotTell, "as compared"},
	} {
		eval := rollout.Eval
		as := compare.CannotTell
		if c.was != "" {
			as = c.was
		}
		cmp := &compare.Comparison{
			Answer: as, Split: &eval, Sentence: message.Of(message.Name("as compared")), Thresholds: map[string]float64{"infra.failures.fail": 0.2},
			Splits: map[rollout.Split]*compare.Split{eval: {Reward: analysis.Difference{Estimate: stat.Estimate{Value: new(float64)}}}},
		}
		c.tonight.Fall(c.earlier, cmp, DefaultDetect)
		if cmp.Answer != c.want || cmp.ExitCode != c.want.ExitCode() && c.says != "as compared" || !strings.Contains(cmp.Sentence.String(), c.says) {
			t.Errorf("%s: %s, exit %d: %s; want %s, %q", c.about, cmp.Answer, cmp.ExitCode, cmp.Sentence, c.want, c.says)
		}
	}
}
