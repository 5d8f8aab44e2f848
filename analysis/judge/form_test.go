package judge_test

import (
	"fmt"
	"strings"
	"testing"

	"gonogo/analysis"
)

// formed is a run of 20 items, whose references are numbers, with 8 rollouts each. say makes
// the answer of a rollout and its reward.
func formed(say func(ref, j int) (string, float64)) *folder {
	f := &folder{}
	for i := range 20 {
		ref := 381 + 97*i
		f.items = append(f.items, fmt.Sprintf(`{"id":"q%d","split":"train","row":{"answer":"%d","messages":[{"role":"user","content":"Question %d"}]}}`, i, ref, i))
		for j := range 8 {
			answer, reward := say(ref, j)
			f.rollouts = append(f.rollouts, fmt.Sprintf(`{"item":"q%d","split":"train","sample":%d,"outcome":"graded","reward":%g,"answer":%q}`, i, j, reward, answer))
		}
	}
	return f
}

// sent adds the references as the audit sent them, all rejected.
func (f *folder) sent(form string) *folder {
	for i := range 20 {
		f.probes = append(f.probes, fmt.Sprintf(`{"item":"q%d","split":"train","source":"probe","outcome":"graded","answer":%q,"reward":0,"probe":{"name":"reference","expect":"top","limit":0.99}}`, i, fmt.Sprintf(form, 381+97*i)))
	}
	return f
}

// picky answers in a form, right and wrong, and right without it, which earns nothing.
func picky(text string) func(ref, j int) (string, float64) {
	return func(ref, j int) (string, float64) {
		if j%4 == 3 {
			return fmt.Sprintf("The answer is %d.", ref), 0
		}
		return fmt.Sprintf(text, ref+j%2), float64(1 - j%2)
	}
}

// A grader that pays for one form alone was told to limit the length of answers.
func TestZerosWithoutTheFormAreNamed(t *testing.T) {
	line := func(ref, j int) (string, float64) {
		switch {
		case j < 3:
			return fmt.Sprintf("I add both numbers.\nANSWER: %d", ref), 1
		case j < 5:
			return fmt.Sprintf("I add both numbers.\nANSWER: %d", ref+1), 0
		case j < 7:
			return fmt.Sprintf("The answer is %d.", ref), 0
		}
		return "No idea.", 0
	}
	r := formed(line).analyze(t)
	f := r.Grader.Form
	if f == nil || f.Template != "ANSWER: {{reference}}" || f.Top != 60 || f.TopWith != 60 || f.Least != 100 || f.Without != 60 || f.Known != 60 || f.Right != 40 {
		t.Fatalf("the form is %+v", f)
	}
	if e := f.Example; e == nil || e.Item != "q0" || e.Sample != 5 || e.Answer != "The answer is 381." || e.Reference != "381" {
		t.Errorf("the example is %+v", f.Example)
	}
	got := finding(t, r, "grader.form", analysis.Advisory)
	for _, want := range []string{"60 of 100", `"ANSWER: {{reference}}"`, "the right value is in 40 of them"} {
		if got.Status != analysis.Fail || !strings.Contains(got.Title.String(), want) {
			t.Errorf("%s: %s, without %q", got.Status, got.Title.String(), want)
		}
	}
	for _, want := range []string{"train/q0/5", `"The answer is 381."`, `"381" is right`} {
		if !strings.Contains(got.Remedy.String(), want) {
			t.Errorf("%s, without %q", got.Remedy.String(), want)
		}
	}
	// The line makes an answer longer: within the form, the length explains nothing.
	if length := finding(t, r, "grader.length", analysis.Advisory); length.Status == analysis.Fail {
		t.Errorf("%s", length.Title.String())
	}
	f2 := formed(line)
	for i, j := 0, len(f2.rollouts)-1; i < j; i, j = i+1, j-1 {
		f2.rollouts[i], f2.rollouts[j] = f2.rollouts[j], f2.rollouts[i]
	}
	if again := f2.analyze(t).Grader.Form; *again.Example != *f.Example || again.Without != f.Without {
		t.Errorf("in another order of the lines it is %+v", again)
	}
}

// Answers that say nothing lack the form as well, and no form would help them.
func TestZerosThatSayNothingAreNoMatterOfForm(t *testing.T) {
	r := formed(func(ref, j int) (string, float64) {
		if j < 4 {
			return fmt.Sprintf("I add.\nANSWER: %d", ref), 1
		}
		return "I do not know.", 0
	}).analyze(t)
	if got := finding(t, r, "grader.form", analysis.Advisory); got.Status != analysis.Pass {
		t.Errorf("%s: %s", got.Status, got.Title.String())
	}
}

// References in a form that no answer at the top has once made a NO-GO of half a run at the
// top. Those in the very form of the answers at the top still do.
func TestReferencesInAFormThatNoAnswerHas(t *testing.T) {
	half := func(text string) func(ref, j int) (string, float64) {
		return func(ref, j int) (string, float64) { return fmt.Sprintf(text, ref+j%2), float64(1 - j%2) }
	}
	for _, c := range []struct {
		why    string
		f      *folder
		want   analysis.Status
		remedy string
	}{
		{"bare, where answers have a line", formed(half("I add.\nANSWER: %d")).sent("%d"), analysis.Unknown, `Set audit.answer to the form that the grader wants, such as "ANSWER: {{reference}}"`},
		{"in another form than the answers'", formed(half("I add.\nANSWER: %d")).sent("Answer is %d"), analysis.Unknown, "Set audit.answer"},
		{"bare, where answers have keys beside it", formed(half(`{"answer": %d, "unit": "none"}`)).sent(`{"answer": %d}`), analysis.Unknown, "Set audit.answer"},
		{"bare, where answers share nothing", formed(func(ref, j int) (string, float64) {
			return fmt.Sprintf("Step %d: I take the words one by one and find this: %x.", j, ref), float64(1 - j%2)
		}).sent("%d"), analysis.Unknown, "Set audit.answer"},
		{"in the answers' last line", formed(half("I add.\nANSWER: %d")).sent("ANSWER: %d"), analysis.Unknown, "Set audit.answer to the form that the grader wants, with"},
		{"bare, where answers end with a line of it", formed(half("I add.\n%d")).sent("%d"), analysis.Unknown, "Set audit.answer"},
		{"in the answers' form", formed(half("ANSWER: %d")).sent("ANSWER: %d"), analysis.Fail, "gonogo audit"},
		{"bare, as the answers are", formed(half("%d")).sent("%d"), analysis.Fail, "gonogo audit"},
		{"bare, as the answers are, whose references are wrong", formed(func(ref, j int) (string, float64) { return fmt.Sprint(ref + 5 + j%2), float64(1 - j%2) }).sent("%d"), analysis.Fail, "gonogo audit"},
		{"no answer at the top", formed(func(ref, j int) (string, float64) { return fmt.Sprintf("ANSWER: %d", ref), 0 }).sent("%d"), analysis.Fail, "gonogo audit"},
	} {
		got := finding(t, c.f.analyze(t), "grader.truth", analysis.Blocking)
		if got.Status != c.want || !strings.HasPrefix(got.Remedy.String(), c.remedy) && c.want == analysis.Unknown {
			t.Errorf("%s: %s: %s %s", c.why, got.Status, got.Title.String(), got.Remedy.String())
		}
	}
}

// A grader that wants reasoning in the answer was called a server that does not parse it.
func TestReasoningThatTheGraderPaysFor(t *testing.T) {
	for _, c := range []struct {
		why      string
		say      func(ref, j int) (string, float64)
		blocking analysis.Status
		says     string
	}{
		{"right answers without it earn nothing", picky("<think>I add</think>\n<answer>%d</answer>"), analysis.Pass, "the grader seems to want it"},
		{"all answers hold it", func(ref, j int) (string, float64) {
			return fmt.Sprintf("<think>I add</think>%d", ref+j%2), float64(1 - j%2)
		}, analysis.Fail, "--reasoning-parser"},
		{"what lacks it is wrong", func(ref, j int) (string, float64) {
			if j%4 == 3 {
				return "I add tens and ones: 7", 0
			}
			return fmt.Sprintf("I add</think>\nANSWER: %d", ref+j%2), float64(1 - j%2)
		}, analysis.Fail, "--reasoning-parser"},
		{"what lacks it earns the top as well", func(ref, j int) (string, float64) {
			if j%4 == 2 {
				return fmt.Sprintf("<answer>%d</answer>", ref), 1
			}
			return picky("<think>I add</think>\n<answer>%d</answer>")(ref, j)
		}, analysis.Fail, "--reasoning-parser"},
		{"calls are left as well", func(ref, j int) (string, float64) {
			if j%4 == 1 {
				return "<tool_call>{}</tool_call>", 0
			}
			return picky("<think>I add</think>\n<answer>%d</answer>")(ref, j)
		}, analysis.Fail, "--tool-call-parser"},
	} {
		r := formed(c.say).analyze(t)
		status, text := analysis.Skipped, ""
		for _, f := range analysis.ByFact(r.Findings) {
			if f.Gate == "rollouts.markup" {
				text += f.Title.String() + " " + f.Remedy.String() + "\n"
				if f.Severity == analysis.Blocking {
					status = f.Status
				} else if f.Status != analysis.Fail {
					t.Errorf("%s: the caution is %s", c.why, f.Status)
				}
			}
		}
		if status != c.blocking || !strings.Contains(text, c.says) {
			t.Errorf("%s: %s, want %s and %q in:\n%s", c.why, status, c.blocking, c.says, text)
		}
	}
}

// An exact grader and a model that answers in sentences: every reward is 0, and the advice was more
// samples. Nothing else is to be done before such answers are paid.
func TestRightAnswersThatNothingPays(t *testing.T) {
	sentences := func(ref, j int) (string, float64) {
		return fmt.Sprintf("First I add.\nThe answer is %d.", ref+j%2), 0 // every other one is right
	}
	bareOf := func(n int) func(ref, j int) (string, float64) {
		return func(ref, j int) (string, float64) {
			if j == 0 && ref < 381+97*n {
				return fmt.Sprint(ref), 1
			}
			return fmt.Sprintf("The answer is %d.", ref), 0
		}
	}
	for _, c := range []struct {
		why           string
		say           func(ref, j int) (string, float64)
		right, least  int
		title, signal string
	}{
		{
			"nothing earned anything", sentences, 80, 160,
			`80 of the 160 answers of all splits that earned least state the right value: rollout train/q0/0 with "First I add.\nThe answer is 381.", where "381" is right`,
			"80 of the 160 answers of all splits that earned least state the right value, so only ",
		},
		{
			"few bare answers earned the top", bareOf(3), 157, 157,
			"157 of the 157 answers of all splits that earned least state the right value: rollout train/q0/1",
			"157 of the 157 answers of all splits that earned least state the right value, so only ",
		},
		{
			"bare answers earned the top", bareOf(6), 154, 154,
			`100 % of the answers that earned least (154 of 154) lack the form of those at the top, "{{reference}}"; the right value is in 154 of them`,
			"154 of the 154 answers of all splits that earned least state the right value, so only ",
		},
	} {
		r := formed(c.say).analyze(t)
		if f := r.Grader.Form; f == nil || f.Right != c.right || f.Least != c.least || len(f.Items) != 20 {
			t.Errorf("%s: the form is %+v", c.why, f)
			continue
		}
		got := finding(t, r, "grader.form", analysis.Advisory)
		if got.Status != analysis.Fail || !strings.HasPrefix(got.Title.String(), c.title) {
			t.Errorf("%s: %s: %s", c.why, got.Status, got.Title.String())
		}
		signal := finding(t, r, "signal.informative", analysis.Blocking)
		if signal.Status == analysis.Pass {
			continue // 6 of 20 groups teach something
		}
		if !strings.HasPrefix(signal.Title.String(), c.signal) || len(signal.Items) < 2 || signal.Items[0] != "q0" ||
			!strings.HasPrefix(signal.Remedy.String(), "Ask in the prompt for the bare answer, or let a python grader take it from the end of a sentence") {
			t.Errorf("%s: %s %s %v", c.why, signal.Title.String(), signal.Remedy.String(), signal.Items)
		}
	}
}

// The references are GSM8K's worked solutions, or known for the audited items alone: the right answers were not seen,
// or measured against all answers.
func TestUnpaidRightAnswersOfOtherReferences(t *testing.T) {
	sentence := func(ref, _ int) (string, float64) { return fmt.Sprintf("The answer is %d.", ref), 0 }
	worked := formed(sentence)
	for i, line := range worked.items {
		ref := fmt.Sprint(381 + 97*i)
		worked.items[i] = strings.Replace(line, fmt.Sprintf(`"answer":"%s"`, ref), fmt.Sprintf(`"answer":"1+1=2\n#### %s"`, ref), 1)
	}
	audited := formed(sentence).sent("%d")
	audited.probes = audited.probes[:4]
	for i, line := range audited.probes {
		audited.probes[i] = strings.Replace(line, `"reward":0`, `"reward":1`, 1)
	}
	for i, line := range audited.items {
		audited.items[i] = strings.Replace(line, `"answer"`, `"total"`, 1)
	}
	many := &folder{} // enough items to be sure that hardly a group teaches
	for i := range 8 {
		for _, line := range worked.items {
			many.items = append(many.items, strings.Replace(line, `"q`, fmt.Sprintf(`"q%d-`, i), 1))
		}
		for _, line := range worked.rollouts {
			many.rollouts = append(many.rollouts, strings.Replace(line, `"q`, fmt.Sprintf(`"q%d-`, i), 1))
		}
	}
	if r := many.analyze(t); r.Verdict != analysis.NoGo || *r.Reason != "signal.informative" || r.Claim != analysis.Repair {
		t.Errorf("%s by %v claims %q, want to repair", r.Verdict, *r.Reason, r.Claim)
	}
	for why, c := range map[string]struct {
		f    *folder
		want string
	}{
		"worked solutions":    {worked, "160 of the 160 answers of all splits that earned least state the right value"},
		"four audited of 160": {audited, "32 of the 32 answers of all splits that earned least and whose reference is known state it"},
	} {
		r := c.f.analyze(t)
		if got := finding(t, r, "grader.form", analysis.Advisory); got.Status != analysis.Fail || !strings.HasPrefix(got.Title.String(), c.want) {
			t.Errorf("%s: %s: %s", why, got.Status, got.Title.String())
		}
	}
}

// Answers that earned nothing because they are wrong ask for nothing of the grader.
func TestWrongAnswersAreNoMatterOfForm(t *testing.T) {
	r := formed(func(ref, j int) (string, float64) {
		if j == 0 && ref < 700 { // 4 of 160
			return fmt.Sprintf("The answer is %d.", ref), 0
		}
		return fmt.Sprintf("The answer is %d.", ref+1), 0
	}).analyze(t)
	if got := finding(t, r, "signal.informative", analysis.Blocking); strings.Contains(got.Title.String(), "state the right value") {
		t.Errorf("%s", got.Title.String())
	}
	if got := finding(t, r, "grader.form", analysis.Advisory); got.Status == analysis.Fail {
		t.Errorf("%s: %s", got.Status, got.Title.String())
	}
}
