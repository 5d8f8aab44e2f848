package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"gonogo/analysis/compare"
	"gonogo/sampler/rollout"
)

// Rollouts graded again by another grader are no other model.
func TestTheSameOutputsOfOtherGradersAreToldApart(t *testing.T) {
	make := func(reward func(i, j int) float64) []string {
		var out []string
		for i := range 40 {
			for j := range 4 {
				out = append(out, fmt.Sprintf(`{"item":"q%d","sample":%d,"reward":%g,"answer":"a long enough answer to question %d, sample %d"}`, i, j, reward(i, j), i, j))
			}
		}
		return out
	}
	c := compared(t, opened(t, make(steps(4, 1))), opened(t, make(steps(4, 0))))
	if c.Answer != compare.Regressed || len(c.Notes) == 0 || !strings.Contains(c.Notes[0].String(), "how they were graded") {
		t.Errorf("%s: %v", c.Answer, c.Notes)
	}
}

// A reference that was mended under the same question is compared, and named as
// what may stand behind the change.
func TestOtherFieldsOfTheSameQuestionAreNamed(t *testing.T) {
	items := func(reference string) [2]string {
		var b strings.Builder
		for i := range 30 {
			fmt.Fprintf(&b, `{"id":"q%d","split":"eval","row":{"messages":[{"role":"user","content":"question %d"}],"reference":%q}}`+"\n", i+1, i, reference)
		}
		return [2]string{"items.jsonl", b.String()}
	}
	lines := graded("eval", 30, 4, steps(4, 0))
	c := compared(t, opened(t, lines, items("yes")), opened(t, lines, items("no")))
	if sc := c.Splits[rollout.Eval]; !sc.Paired || sc.Items.Common != 30 {
		t.Errorf("the same questions are not paired: %+v", sc.Items)
	}
	if len(c.Differs) != 1 || c.Differs[0].Key != "fields.eval" || !c.Differs[0].Confounds {
		t.Errorf("differences are %+v", c.Differs)
	}
}

// Items of a family that move together are one observation, not five: the
// sentence says that the change is not sure.
func TestFamiliesThatMoveTogetherAreSaid(t *testing.T) {
	make := func(gain bool) []string {
		var out []string
		for i := range 40 {
			for j := range 4 {
				y := 0.0
				if gain && i/10 < 2 { // two of four families rise throughout
					y = 1
				}
				out = append(out, fmt.Sprintf(`{"item":"q%d","split":"eval","sample":%d,"reward":%g,"family":"f%d"}`, i, j, y, i/10))
			}
		}
		return out
	}
	c := compared(t, opened(t, make(false)), opened(t, make(true)))
	if c.Answer != compare.Improved || !strings.Contains(c.Sentence.String(), "clustered by family") || !strings.Contains(c.Sentence.String(), "not certain") {
		t.Errorf("%s: %s", c.Answer, c.Sentence)
	}
}

// Items and samples that the runs do not share are named, and bias nothing.
func TestUnlikeNumbersOfItemsAndSamplesAreNamed(t *testing.T) {
	c := compared(t, opened(t, graded("eval", 40, 8, steps(8, 0))), opened(t, graded("eval", 30, 4, steps(4, 0))))
	var keys []string
	for _, d := range c.Differs {
		keys = append(keys, d.Key)
		if d.Confounds {
			t.Errorf("%s confounds nothing", d.Key)
		}
	}
	if fmt.Sprint(keys) != "[items.eval samples.eval]" {
		t.Errorf("differences are %v", keys)
	}
	sc := c.Splits[rollout.Eval]
	for _, d := range sc.Others {
		if d.Name == "best_of" && d.K != 4 {
			t.Errorf("best of %d, and the new run holds 4 samples", d.K)
		}
	}
}
