package compare_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/sampler/rollout"
)

func TestBreakdownQuadrantsAndMovedItems(t *testing.T) {
	line := func(i, j int, reward float64, calls int) string {
		var made []string
		for k := range calls {
			made = append(made, fmt.Sprintf(`{"turn":0,"name":"search","arguments":"%d","status":"ok"}`, k))
		}
		return fmt.Sprintf(`{"item":"q%d","split":"eval","sample":%d,"reward":%g,"category":"c%d","family":"f%d","turns":2,"trace_id":"t%d-%d","elapsed_s":%d,"usage":{"input_tokens":100,"output_tokens":%d},"calls":[%s]}`,
			i, j, reward, i%2, i/4, i, j, i+j+1, 10*calls, strings.Join(made, ","))
	}
	var base, new []string
	for i := range 40 {
		for j := range 4 {
			y := float64((i+j)%4) / 4
			drop := 0.0
			if i%2 == 1 {
				drop = 0.25 * float64((i+j)%4) // category c1 falls to 0
			}
			base, new = append(base, line(i, j, y, 3)), append(new, line(i, j, y-drop, 3-i%2))
		}
	}
	c := compared(t, opened(t, base), opened(t, new))
	sc := c.Splits[rollout.Eval]
	if sc.Categories == nil || len(sc.Categories.Groups) != 2 || sc.Categories.Groups[0].Group != "c1" || sc.Categories.Groups[0].Direction != "down" || sc.Categories.Groups[1].Direction != "unclear" {
		t.Errorf("categories are %+v", sc.Categories)
	}
	if sc.Families == nil || len(sc.Families.Groups) != 10 || sc.Reward.Family == nil {
		t.Errorf("families are %+v", sc.Families)
	}
	for _, g := range sc.Families.Groups {
		if *g.PHolm < *g.P {
			t.Errorf("family %s: p %g is corrected to %g", g.Group, *g.P, *g.PHolm)
		}
	}
	cells := map[string]int{}
	for _, q := range sc.Quadrants.Cells {
		cells[q.Reward+" "+q.Calls] = q.Items
	}
	if sc.Quadrants.Items != 40 || cells["worse fewer"] != 20 || cells["same same"] != 20 {
		t.Errorf("quadrants are %v", cells)
	}
	m := sc.Moved[0]
	if m.Change != -0.375 || m.BaseRollouts[0].Reward != 0.75 || m.NewRollouts[0].Reward != 0 || m.BaseRollouts[0].TraceID == "" {
		t.Errorf("the first item that moved is %+v", m)
	}
	if l := m.BaseRollouts[0].Line; !strings.Contains(base[l-1], m.BaseRollouts[0].TraceID) {
		t.Errorf("line %d does not hold trace %s", l, m.BaseRollouts[0].TraceID)
	}
	names := map[string]*analysis.Difference{}
	for i := range sc.Others {
		names[sc.Others[i].Name] = &sc.Others[i]
	}
	near(t, "tool calls", names["tool_calls"].Value, -0.5)
	near(t, "output tokens", names["output_tokens"].Value, -5)
	near(t, "input tokens", names["input_tokens"].Value, 0)
	near(t, "latency", names["latency"].Value, 0)
	if names["tool_calls"].Direction != "down" || names["best_of"].K != 4 || names["informative"].K != 4 {
		t.Errorf("tool calls go %s, best of %d", names["tool_calls"].Direction, names["best_of"].K)
	}
}

func TestNothingNotANumberReachesTheFile(t *testing.T) {
	odd := map[string][]string{
		"empty":         {},
		"all lost":      {`{"item":"a","outcome":"grader","error":"x"}`, `{"item":"b","reward":NaN}`},
		"one item":      {`{"item":"a","reward":1}`},
		"ragged":        append(graded("train", 1, 300, func(_, j int) float64 { return float64(j % 2) }), `{"item":"b","reward":0.1}`, `{"item":"c","reward":0.3}`),
		"all equal":     graded("train", 30, 3, func(int, int) float64 { return 0.1 }),
		"other numbers": graded("train", 30, 8, func(int, int) float64 { return 0.1 }),
		"one sample":    graded("train", 30, 1, func(i, _ int) float64 { return float64(i % 2) }),
	}
	for base, a := range odd {
		for new, b := range odd {
			c := compared(t, opened(t, a), opened(t, b))
			var text bytes.Buffer
			if err := c.Encode(&text); err != nil {
				t.Fatalf("%s against %s: %v", base, new, err)
			}
			if c.Sentence.IsEmpty() || c.Answer.ExitCode() != c.ExitCode {
				t.Errorf("%s against %s: %q, exit code %d", base, new, c.Sentence, c.ExitCode)
			}
			if empty := base == "empty" || new == "empty" || base == "all lost" || new == "all lost"; empty && c.Answer != compare.CannotTell {
				t.Errorf("%s against %s: %s", base, new, c.Answer)
			}
		}
	}
	c := compared(t, opened(t, odd["all equal"]), opened(t, odd["other numbers"]))
	near(t, "float noise of means", c.Splits[rollout.Train].Reward.Value, 0)
	s := analysis.DefaultSettings()
	_, err := compare.Runs(t.Context(), opened(t, odd["one item"]), opened(t, []string{`{"item":"a","reward":2}`}), rollout.ReadOptions{}, s)
	if err == nil || !strings.Contains(err.Error(), "reward_range") {
		t.Errorf("a reward outside the range: %v", err)
	}
}
