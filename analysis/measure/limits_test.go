package measure

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/collect"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Four lost attempts cannot show what they depend on; five can. Those of the grader are not counted.
func TestFewFailuresAreNotTested(t *testing.T) {
	for _, test := range []struct {
		name    string
		outcome rollout.Outcome
		lost    int
		want    bool
	}{
		{"four attempts lost to a tool", rollout.ToolFailed, 4, false},
		{"five attempts lost to a tool", rollout.ToolFailed, 5, true},
		{"five attempts lost to the model's endpoint", rollout.ModelAPI, 5, true},
		{"five grades missing", rollout.GraderFailed, 5, false},
	} {
		c := &evidence{Collector: collect.New(analysis.DefaultSettings().RewardRange)}
		for sample := range 20 {
			r := &rollout.Record{Split: rollout.Train, Item: "q", Sample: sample, Outcome: rollout.Graded, Reward: new(float64)}
			if sample < test.lost {
				r.Outcome, r.Reward = test.outcome, nil
			}
			if err := c.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		m := Split{s: analysis.DefaultSettings(), c: c, Items: c.Items(rollout.Train, nil)}
		if got := m.missingBy(); (got != nil) != test.want {
			t.Errorf("%s: tested: %v, want %v", test.name, got != nil, test.want)
		}
	}
}

// A training step takes 6 FLOP for each parameter and token (Kaplan et al. 2020, arXiv 2001.08361,
// section 2.1): 7e9 parameters and 2e6 tokens are 8.4e16 FLOP, 84 s at 1e15 FLOP/s.
func TestTheTrainersTimeForAStep(t *testing.T) {
	tokens := 1e6
	cost := analysis.PlanCost{InputTokens: stat.Estimate{Value: &tokens}, OutputTokens: stat.Estimate{Value: &tokens}}
	s := analysis.DefaultSettings()
	s.Parameters, s.TrainerFlops = 7e9, 1e15
	trainer(&cost, s)
	if got := cost.TrainerSeconds; got == nil || math.Abs(*got.Value-84) > 1e-9 {
		t.Errorf("the trainer takes %+v, want 84 s", got)
	}
}

// A trainer that does not normalize learns next to nothing from rewards within a hundredth of the
// range. One that divides by their standard deviation makes any difference count.
func TestRewardsThatHardlyDiffer(t *testing.T) {
	for _, test := range []struct {
		name      string
		normalize string
		span      float64
		want      float64
	}{
		{"not normalized, a hundredth of the range", analysis.NormalizeNone, 0.1, 1},
		{"not normalized, less than that", analysis.NormalizeNone, 0.099, 0},
		{"divided by the standard deviation, less than that", analysis.NormalizeStd, 0.099, 1},
	} {
		s := analysis.DefaultSettings()
		s.RewardRange, s.Normalize = stat.Range{Lo: 0, Hi: 10}, test.normalize
		if got := Informative(s, []float64{5, 5 + test.span}, 2); got != test.want {
			t.Errorf("%s: informative %g, want %g", test.name, got, test.want)
		}
	}
}

// A field of the rows is compared by its values if it has at most 50 of them, of at most 64 bytes, in
// five rows each on average: a name or an id has more.
func TestFieldsThatAreComparedByTheirValues(t *testing.T) {
	rows := func(levels, each, bytes int) (list []fieldValue) {
		for i := range levels * each {
			list = append(list, fieldValue{text: fmt.Sprintf("%0*d", bytes, i%levels)})
		}
		return list
	}
	for _, test := range []struct {
		name string
		list []fieldValue
		want fieldKind
	}{
		{"50 values in five rows each", rows(50, 5, 8), categorical},
		{"51 values in five rows each", rows(51, 5, 8), leftOut},
		{"50 values in four rows each", rows(50, 4, 8), leftOut},
		{"two values of 64 bytes", rows(2, 5, 64), categorical},
		{"two values of 65 bytes", rows(2, 5, 65), leftOut},
	} {
		if got := kindOfField(test.list); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// Items whose rollouts are copies of one show why if nine of ten of them have the sign: here, equal
// ids of their replies.
func TestTheSignOfCopies(t *testing.T) {
	for _, test := range []struct {
		withID int
		want   bool
	}{{9, true}, {8, false}} {
		m := Split{s: analysis.DefaultSettings()}
		for item := range 10 {
			it := &collect.Item{ID: fmt.Sprint(item)}
			for sample := range 2 {
				r := &collect.Row{Whole: 7, Trace: uint32(100*item + sample + 1)}
				if item < test.withID {
					r.Trace = uint32(item + 1)
				}
				it.Rows = append(it.Rows, r)
			}
			m.Items = append(m.Items, it)
		}
		c := m.copies()
		if c == nil || c.Equal != 10 || slices.Contains(c.Signs, analysis.CopiesIDs) != test.want {
			t.Errorf("%d of 10 items have one id each: %+v, want a sign: %v", test.withID, c, test.want)
		}
	}
}
