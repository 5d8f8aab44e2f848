package history

import (
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// A night that is compared with none passes when it is the first good one, and says
// why in every language.
func TestANightComparedWithNone(t *testing.T) {
	lost := func(m analysis.Missing) *analysis.Result {
		return &analysis.Result{
			Splits:   map[rollout.Split]*analysis.SplitResult{"eval": {Missing: m}},
			Findings: []analysis.Finding{{Gate: "infra.failures", Split: "eval", Severity: analysis.Blocking, Fact: analysis.Fact{Status: analysis.Fail}}},
		}
	}
	other := past(0.5, 0.5)
	for i := range other {
		other[i].RewardRange = [2]float64{0, 10}
	}
	for _, c := range []struct {
		about   string
		earlier []Night
		r       *analysis.Result
		there   bool
		split   rollout.Split
		code    int
		want    string
		zh      string
	}{
		{"nothing was measured", past(0.5), &analysis.Result{}, true, "", 4, "The night has no rollout with a reward.", "没有任何带奖励的轨迹"},
		{"endpoints failed", nil, lost(analysis.Missing{Tool: 3}), true, "eval", 4, "lost to failing endpoints: the others", "因服务端点故障丢失"},
		{"the grader failed", nil, lost(analysis.Missing{Grader: 3}), true, "eval", 4, "lost to failures of the grader: the others", "因评分器故障丢失"},
		{"both failed", nil, lost(analysis.Missing{Grader: 3, ModelAPI: 1}), true, "eval", 4, "lost to failing endpoints and failures of the grader: the others", "因服务端点故障和评分器故障丢失"},
		{"the first good one", nil, &analysis.Result{}, true, "eval", 0, "There is no good night yet", "还没有可作比较的"},
		{"the first one, by a grader that is NO-GO", nil, &analysis.Result{Ruling: analysis.Ruling{Verdict: analysis.NoGo, Reason: new("grader.truth")}}, true, "eval", 3, "The run is NO-GO because of its grader (grader.truth): its", "NO-GO（grader.truth）"},
		{"the earlier one is gone", past(0.5), &analysis.Result{}, false, "eval", 4, "The rollouts of 1 good night that this one could be compared with are missing from nights/runs, or damaged", "1 次合格的夜间运行的轨迹已从 nights/runs 消失"},
		{"others were measured", other, &analysis.Result{}, true, "eval", 4, "None of 2 good nights can be compared with this one", "2 次合格的夜间运行中没有一次"},
	} {
		n := past(0.5)[0]
		n.Split = c.split
		n.AnswerWithoutBase(c.earlier, c.r, func(*Night) bool { return c.there }, "nights/runs")
		chinese := n.Sentence.In(message.Chinese.OnMissing(func(_, text string) { t.Errorf("Chinese lacks %q", text) }))
		if n.ExitCode != c.code || !strings.Contains(n.Sentence.String(), c.want) || !strings.Contains(chinese, c.zh) {
			t.Errorf("%s: exit %d, %q, %q; want %d, %q, %q", c.about, n.ExitCode, n.Sentence, chinese, c.code, c.want, c.zh)
		}
	}
}

func TestANightThatFellByTheTrend(t *testing.T) {
	n := past(0.4)[0]
	n.ApplyComparison("n-1", &compare.Comparison{Answer: compare.Equivalent, Sentence: message.Verbatim("On eval nothing changed.")})
	if n.RegressedByTrend(&Change{Before: 0.5, After: 0.4}, "2026-11-09"); n.ExitCode != 3 || n.Good || n.Base != "n-1" || n.Answer != compare.Equivalent {
		t.Errorf("the night is %+v", n)
	}
	const want = "On eval nothing changed. It regressed against the trend: the mean reward was 0.5, fell around night 2026-11-09 and is 0.4, and no single"
	if !strings.HasPrefix(n.Sentence.String(), want) {
		t.Errorf("it says %q, want %q", n.Sentence, want)
	}
}

func TestANightIsConcluded(t *testing.T) {
	base := []Night{{Name: "n-1", Good: true, Split: "eval"}}
	worse := &compare.Comparison{Answer: compare.Regressed, ExitCode: 3, Sentence: message.Verbatim("On eval it fell.")}
	for what, c := range map[string]struct {
		accept bool
		split  rollout.Split
		good   bool
		word   string
	}{
		"a worse night":                    {false, "eval", false, "REGRESSED"},
		"a worse night that is accepted":   {true, "eval", true, "ACCEPTED"},
		"nothing in it that can be judged": {true, "", false, "REGRESSED"},
	} {
		n := Night{Name: "n-2", Split: c.split}
		trend := n.Conclude(base, 0, worse, c.accept)
		if n.Good != c.good || n.Base != "n-1" || n.Word(message.Language{}) != c.word || len(trend.Nights) != 2 {
			t.Errorf("%s: %+v, %s", what, n, n.Word(message.Language{}))
		}
	}
	first := Night{Name: "n-1", Split: "eval"}
	if first.Conclude(nil, -1, nil, false); !first.Good || first.Word(message.Language{}) != "FIRST NIGHT" {
		t.Errorf("the first night: %+v", first)
	}
}
