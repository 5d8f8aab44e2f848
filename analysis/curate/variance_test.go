package curate_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/curate"
	"gonogo/sampler/rollout"
)

// Rows are chosen by how much their rewards vary. Variances with n-1 by hand: of 0, 0, 1, 1 it is 1/3,
// of 0, 0, 0, 1 it is 1/4, of 0, 0, 0.5, 0.5 it is 1/12, of four equal rewards 0. Their sum is 2/3 + 1/4
// + 1/12 = 1.
func TestRowsByVariance(t *testing.T) {
	for name, c := range map[string]struct {
		keep    float64
		want    []string
		share   float64
		dropped int
	}{
		"all without the option": {0, []string{"half", "same", "quarter", "narrow", "late half", "unseen"}, 0, 0},
		"the most varied":        {1, []string{"half", "late half", "unseen"}, 2. / 3, 3}, // they tie
		"three":                  {3, []string{"half", "quarter", "late half", "unseen"}, 11. / 12, 2},
		"more than there are":    {9, []string{"half", "same", "quarter", "narrow", "late half", "unseen"}, 1, 0},
		"two thirds of the variance, which two rows have": {0.66, []string{"half", "late half", "unseen"}, 2. / 3, 3},
		"90 %": {0.9, []string{"half", "quarter", "late half", "unseen"}, 11. / 12, 2},
		"99 %": {0.99, []string{"half", "quarter", "narrow", "late half", "unseen"}, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := &trainingFile{folder: &folder{}, s: analysis.DefaultSettings(), rng: seeded(3), opt: curate.Options{Variance: c.keep}}
			for _, row := range []struct {
				id string
				ys []float64
			}{
				{"half", []float64{0, 1, 0, 1}},
				{"same", []float64{1, 1, 1, 1}},
				{"quarter", []float64{0, 0, 1, 0}},
				{"narrow", []float64{0.5, 0, 0, 0.5}},
				{"late half", []float64{1, 1, 0, 0}},
				{"unseen", nil},
			} {
				f.row(row.id, sentence(f.rng, 14), row.id)
				f.rewards(row.id, row.ys...)
			}
			got := f.curate(t)
			var kept []string
			for _, r := range got.Table {
				if r.Kept {
					kept = append(kept, r.Item)
				} else if r.Reason != curate.LowVariance {
					t.Errorf("%s is dropped as %s", r.Item, r.Reason)
				}
			}
			if !slices.Equal(kept, c.want) || got.Dropped[curate.LowVariance] != c.dropped {
				t.Errorf("kept %v, want %v; dropped %v", kept, c.want, got.Dropped)
			}
			switch v := got.Variance; {
			case c.keep == 0 && v != nil || c.keep > 0 && v == nil:
				t.Errorf("variance is %+v", v)
			case v != nil && (math.Abs(v.Share-c.share) > 1e-12 || v.Items != 5 || v.Kept != 5-c.dropped):
				t.Errorf("variance is %+v, want a share of %v", v, c.share)
			}
		})
	}
}

// Rounding breaks no tie and makes no variance: that of 0, 0, 1 equals that of 0, 1, 1, and equal rewards have none.
func TestRoundingDecidesNoRow(t *testing.T) {
	for name, c := range map[string]struct {
		rewards [][]float64
		kept    int
		share   float64
	}{
		"ties":          {[][]float64{{0, 0.1, 0.1}, {0, 0, 0.1}, {0, 0, 0}}, 2, 1},
		"equal rewards": {[][]float64{{0.1, 0.1, 0.1}, {0.3, 0.3, 0.3, 0.3, 0.3}, {1, 1}}, 3, 0},
	} {
		f := &trainingFile{folder: &folder{}, s: analysis.DefaultSettings(), rng: seeded(3), opt: curate.Options{Variance: 1, Keep: []curate.Reason{analysis.Flat, analysis.Dead, analysis.Saturated}}}
		for i, ys := range c.rewards {
			id := fmt.Sprint("item ", i)
			f.row(id, sentence(f.rng, 14), id)
			f.rewards(id, ys...)
		}
		got := f.curate(t)
		if got.Kept != c.kept || c.share == 0 != (got.Variance == nil) {
			t.Errorf("%s: %d rows are kept, want %d; variance is %+v", name, got.Kept, c.kept, got.Variance)
		}
	}
}

// Where nothing varies, nothing is dropped by variance, and a note says so.
func TestNoVarianceToChooseBy(t *testing.T) {
	f := &trainingFile{folder: &folder{}, s: analysis.DefaultSettings(), rng: seeded(3), opt: curate.Options{Variance: 1}}
	for _, id := range []string{"a", "b"} {
		f.row(id, sentence(f.rng, 14), id)
		f.rewards(id, repeat(1, 4)...)
	}
	if got := f.curate(t); got.Kept != 2 || got.Variance != nil || !strings.Contains(got.Summary(), "the rewards of no measured row vary") {
		t.Errorf("%d kept, variance %+v\n%s", got.Kept, got.Variance, got.Summary())
	}
}

func TestVarianceToKeepIsAShareOrANumber(t *testing.T) {
	for _, v := range []float64{-0.1, 1.5, math.NaN(), math.Inf(1)} {
		t.Run(fmt.Sprint(v), func(t *testing.T) {
			f := sampledFile()
			f.opt.Variance = v
			if _, err := curate.Choose(t.Context(), f.open(t), rollout.ReadOptions{}, f.file, f.s, f.opt); err == nil {
				t.Error("it is taken")
			}
		})
	}
}
