package reporttest

import (
	"fmt"
	"math"
	"testing"

	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// Comparisons lists the names of the Comparisons that Compared returns, in a fixed order.
func Comparisons() []string {
	return []string{
		"regressed", "improved", "cannot_tell", "unpaired", "identical", "one_item", "empty", "hostile",
		"many",
	}
}

// Compared returns a fresh copy of the named Comparison.
func Compared(t testing.TB, name string) *compare.Comparison {
	t.Helper()
	switch name {
	case "hostile":
		return hostileTexts(Compared(t, "regressed"))
	case "many":
		return many(Compared(t, "regressed"), 5000)
	}
	return read[compare.Comparison](t, "comparisons/"+name+".json")
}

// many repeats the items of c's eval split, with variations, up to n items.
func many(c *compare.Comparison, n int) *compare.Comparison {
	sc := c.Splits[rollout.Eval]
	some := sc.Changes
	sc.Changes = make([]compare.ItemChange, n)
	for i := range sc.Changes {
		it := some[i%len(some)]
		it.Item = fmt.Sprintf("item-%05d", i)
		it.New = math.Max(0, math.Min(1, it.New+0.3*math.Sin(float64(i))))
		it.Change = it.New - it.Base
		if it.CallsChange != nil {
			calls := *it.CallsChange + 2*math.Cos(float64(3*i))
			it.CallsChange = &calls
		}
		sc.Changes[i] = it
	}
	sc.Items.Common, sc.Reward.Items, sc.Reward.N = n, n, 8*n
	return c
}

// steering is a text that would control a page, a table, a terminal or a spreadsheet.
const steering = "=1+1\x1b[2J\u202e</script><script>alert(1)</script><img src=x onerror=alert(1)>|`\n# @team " +
	"[x](http://evil) 你好 🎉 שלום\x00"

// hostileTexts puts steering wherever a text can come from data.
func hostileTexts(c *compare.Comparison) *compare.Comparison {
	c.Base.File, c.New.File = "base "+steering+"/rollouts.jsonl", "new '"+steering+"/rollouts.jsonl"
	c.Base.Model, c.New.Name = steering, steering
	hostile := message.Verbatim(steering)
	c.Sentence = message.Join(c.Sentence, hostile)
	c.Notes = append(c.Notes, hostile)
	c.Differs = append(c.Differs, compare.RunDifference{
		What: "grader", Key: steering, Base: hostile, Confounds: true,
		Note: hostile,
	})
	c.LikelyCauses = []compare.Cause{{
		Kind: compare.CauseTool, Of: steering, Text: hostile,
		Examples: []compare.ChangedAnswer{{Item: steering, Arguments: steering, Base: steering, New: steering}},
	}}
	c.New.Input.Bad = append(c.New.Input.Bad, rollout.BadLine{Line: 3, Why: steering})
	for _, sc := range c.Splits {
		sc.Why = message.Join(sc.Why, hostile)
		for i := range sc.Changes {
			sc.Changes[i].Item += steering
			sc.Changes[i].Category, sc.Changes[i].Family = steering, steering
		}
		for i := range sc.Moved {
			sc.Moved[i].Item += steering
			for _, refs := range [][]compare.SampleRef{sc.Moved[i].BaseRollouts, sc.Moved[i].NewRollouts} {
				for j := range refs {
					refs[j].TraceID, refs[j].Outcome = steering, rollout.Outcome(steering)
				}
			}
		}
		for i := range sc.Outcomes {
			sc.Outcomes[i].Kind = steering
		}
		for i := range sc.Causes {
			sc.Causes[i].Error = steering
		}
		for _, b := range []*compare.Breakdown{sc.Categories, sc.Families} {
			for i := range b.Groups {
				b.Groups[i].Group += steering
			}
		}
	}
	return c
}
