package compare_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/sampler/rollout"
)

// course is a rollout with its tool calls, as name:turn, and what else its line says.
func course(item, sample int, reward float64, calls []string, more string) string {
	var list []string
	turns := 1
	for i, c := range calls {
		name, turn, _ := strings.Cut(c, ":")
		fmt.Sscan(turn, &turns)
		list = append(list, fmt.Sprintf(`{"name":%q,"turn":%s,"arguments":"{\"q\":%d}","output":"ok","status":"ok"}`, name, turn, i%3))
	}
	outcome := fmt.Sprintf(`"graded","reward":%g`, reward)
	if sample == 3 {
		outcome = `"no_answer"`
	}
	return fmt.Sprintf(`{"split":"eval","item":"q%d","sample":%d,"outcome":%s,"turns":%d,"calls":[%s]%s}`,
		item, sample, outcome, turns+1, strings.Join(list, ","), more)
}

// behaves are 200 items x 4 rollouts of one course each.
func behaves(of func(i, s int) (calls []string, more string)) []string {
	var lines []string
	for i := range 200 {
		for s := range 4 {
			calls, more := of(i, s)
			lines = append(lines, course(i, s, float64((i+s)%2), calls, more))
		}
	}
	return lines
}

func find(t *testing.T, c *compare.Comparison, name, of string) analysis.Difference {
	t.Helper()
	for _, d := range c.Splits[rollout.Eval].Others {
		if d.Name == name && d.Of == of {
			return d
		}
	}
	t.Fatalf("%s %s is not compared", name, of)
	return analysis.Difference{}
}

func TestBehaviourIsCompared(t *testing.T) {
	// Before: 8 calls one after the other, the fourth like the first, and one rollout
	// of each item with 20; after: 3, made in one turn. One item made no call before.
	before := behaves(func(i, s int) ([]string, string) {
		n := 8
		switch {
		case i == 0:
			n = 0
		case s == 0:
			n = 20
		}
		var calls []string
		for k := range n {
			calls = append(calls, fmt.Sprintf("%s:%d", []string{"search", "read"}[k%2], k))
		}
		return calls, fmt.Sprintf(`,"usage":{"input_tokens":900,"output_tokens":300,"reasoning_tokens":%d}`, 200+i%2)
	})
	after := behaves(func(i, s int) ([]string, string) {
		return []string{"search:0", "search:0", "read:0"}, `,"usage":{"input_tokens":500,"output_tokens":100,"reasoning_tokens":20}`
	})
	c := compared(t, opened(t, before), opened(t, after))
	for _, want := range []struct {
		name, of  string
		base, new float64
		change    string
	}{
		{"tool_calls", "", 11 * 199 / 200., 3, "better"},
		{"tool_calls_p50", "", 8, 3, "better"},
		{"tool_calls_p95", "", 20, 3, "better"},
		{"repeated_calls", "", (3*2 + 14) / 4. * 199 / 200, 0, "better"}, // of 8 calls 2 repeat name and arguments, of 20 calls 14
		{"parallel_turns", "", 0, 1, "better"},
		{"calls_of_tool", "read", 5.5 * 199 / 200, 1, "changed"},
		{"tool_pair", "search>read", 5.5 * 199 / 200, 1, "changed"},
		{"reasoning_tokens", "", 200.5, 20, "better"},
		{"own_failures", "", 0.25, 0.25, "same"},
	} {
		d := find(t, c, want.name, want.of)
		if math.Abs(*d.Base-want.base) > 1e-9 || *d.New != want.new || d.Change != want.change {
			t.Errorf("%s %s: %v -> %v %s, want %v -> %v %s", d.Name, d.Of, *d.Base, *d.New, d.Change, want.base, want.new, want.change)
		}
	}
	if c.Answer != compare.Equivalent || c.ExitCode != 0 {
		t.Errorf("fewer calls for the same reward: %s: %s", c.Answer, c.Sentence)
	}
	back := compared(t, opened(t, after), opened(t, before))
	if d := find(t, back, "tool_calls_p95", ""); d.Change != "worse" {
		t.Errorf("the tail that came back is %s", d.Change)
	}
}

// Rewards stay as they were, to the last item, while rollouts are cut off or have no
// answer: the reward alone would call that no change.
func TestMoreTruncationIsNotBetter(t *testing.T) {
	cut := func(percent int) []string {
		return behaves(func(i, s int) ([]string, string) {
			if (i*4+s)*37%100 < percent {
				return nil, `,"finish":"length"`
			}
			return nil, `,"finish":"stop"`
		})
	}
	for _, row := range []struct {
		from, to int
		exit     int
	}{{0, 30, 3}, {0, 1, 0}, {30, 30, 0}, {30, 0, 0}} {
		c := compared(t, opened(t, cut(row.from)), opened(t, cut(row.to)))
		if c.ExitCode != row.exit {
			t.Errorf("cut off %d %% -> %d %%: exit %d: %s", row.from, row.to, c.ExitCode, c.Sentence)
		}
		if said := strings.Contains(c.Sentence.String(), "cut off by the token limit, up from"); said != (row.exit == 3) {
			t.Errorf("cut off %d %% -> %d %%: %s", row.from, row.to, c.Sentence)
		}
	}
}

// A run that does not tell how replies ended has no share of cut-off ones, not one of 0.
func TestUnknownEndsAreNotCompared(t *testing.T) {
	silent := behaves(func(int, int) ([]string, string) { return nil, "" })
	cut := behaves(func(i, s int) ([]string, string) {
		if i%3 == 0 {
			return nil, `,"finish":"length"`
		}
		return nil, `,"finish":"stop"`
	})
	c := compared(t, opened(t, silent), opened(t, cut))
	if c.Answer == compare.NotBetter || strings.Contains(c.Sentence.String(), "cut off") {
		t.Errorf("%s: %s", c.Answer, c.Sentence)
	}
	for _, d := range c.Splits[rollout.Eval].Others {
		if d.Name == "cut_off" || d.Name == "refused" {
			t.Errorf("%s is compared: %v -> %v", d.Name, *d.Base, *d.New)
		}
	}
}
