package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"gonogo/analysis/compare"
	"gonogo/sampler/rollout"
)

// judgedNight is a night of 40 items with 4 outputs, of which people call the first two right and one of
// each kind is labelled. The judge accepts the right ones, and the wrong ones of the first lenient items.
func judgedNight(t *testing.T, lenient int) *rollout.Run {
	lines := graded("eval", 40, 4, func(i, j int) float64 { return float64(one(j < 2 || i < lenient)) })
	var labels []string
	for i := range 40 {
		labels = append(labels,
			fmt.Sprintf(`{"item":"q%d","split":"eval","sample":%d,"mark":"right"}`, i+1, i%2),
			fmt.Sprintf(`{"item":"q%d","split":"eval","sample":%d,"mark":"wrong"}`, i+1, 2+i%2))
	}
	return opened(t, lines, [2]string{rollout.LabelsFile, strings.Join(labels, "\n") + "\n"})
}

// By hand: of 40 labelled wrong outputs the judge accepts none on the first night, and 20 on the other;
// of the right ones it rejects none on both. On the other night (80 + 40)/160 are accepted, of which 2/3
// of the labels are right, and no label of a rejected output is: false accepts = 0.25/(0.25 + 0.25).
func TestAJudgeThatDrifts(t *testing.T) {
	c := compared(t, judgedNight(t, 0), judgedNight(t, 20))
	e := c.Splits[rollout.Eval].Errors
	if len(e) != 2 || e[0].Name != "false_accepts" || e[1].Name != "false_rejects" {
		t.Fatalf("errors are %+v", e)
	}
	near(t, "false accepts", e[0].Value, 0.5)
	near(t, "before", e[0].Base, 0)
	near(t, "now", e[0].New, 0.5)
	near(t, "false rejects", e[1].Value, 0)
	if e[0].Change != "worse" || e[1].Change != "unclear" {
		t.Errorf("false accepts are %s, false rejects %s", e[0].Change, e[1].Change)
	}
	if !noted(c, "on eval, by the labels, the grader now accepts 50 % of the wrong outputs, 0 % before") {
		t.Errorf("the notes are %q", c.Notes)
	}
	if c := compared(t, judgedNight(t, 20), judgedNight(t, 20)); noted(c, "by the labels") {
		t.Errorf("without a drift the notes are %q", c.Notes)
	}
	unlabelled := opened(t, graded("eval", 40, 4, steps(4, 0)))
	if c := compared(t, judgedNight(t, 0), unlabelled); len(c.Splits[rollout.Eval].Errors) > 0 {
		t.Errorf("with labels of one night alone errors are %+v", c.Splits[rollout.Eval].Errors)
	}
}

// 20 right and 20 wrong texts are graded by each night's audit: 2 of the wrong ones are accepted, then 14.
func TestTheSameTextsOnTwoNights(t *testing.T) {
	night := func(accepted int) *rollout.Run {
		var labels, probes []string
		for i := range 20 {
			for right := range 2 {
				text := fmt.Sprintf("text %d of %d", right, i)
				labels = append(labels, fmt.Sprintf(`{"item":"q%d","output":%q,"score":%d}`, i+1, text, right))
				probes = append(probes, fmt.Sprintf(`{"item":"q%d","split":"eval","sample":%d,"source":"probe","outcome":"graded","answer":%q,"reward":%d,"probe":{"name":"label","expect":"note"}}`, i+1, right, text, one(right == 1 || i < accepted)))
			}
		}
		return opened(t, graded("eval", 20, 4, steps(4, 0)), [2]string{rollout.LabelsFile, strings.Join(labels, "\n") + "\n"},
			[2]string{rollout.ProbesFile, strings.Join(probes, "\n") + "\n"})
	}
	c := compared(t, night(2), night(14))
	e := c.Splits[rollout.Eval].Errors
	if len(e) != 2 || e[0].Name != "false_accepts_of_texts" {
		t.Fatalf("errors are %+v", e)
	}
	near(t, "false accepts", e[0].Value, 12.0/20)
	if !noted(c, "on eval the grader now accepts 70 % of the labelled texts that are wrong, 10 % before") {
		t.Errorf("the notes are %q", c.Notes)
	}
}

func noted(c *compare.Comparison, text string) bool {
	for _, n := range c.Notes {
		if strings.Contains(n.String(), text) {
			return true
		}
	}
	return false
}
