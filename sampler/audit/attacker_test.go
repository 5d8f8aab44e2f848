package audit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

func TestAnAnswerThatContradictsTheReference(t *testing.T) {
	form, err := AnswerTemplate("ANSWER: {{reference}}")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why    string
		ref    string
		fields map[string]any
		answer func(string) string
		text   string
		want   bool
	}{
		{"another number", "42", nil, nil, "It is easy to see.\n\n57", true},
		{"with a label", "42", nil, nil, "It is easy to see.\nAnswer: 57.", true},
		{"in the answer's form", "42", nil, form, "I counted 42 twice.\nANSWER: 57", true},
		{"the right number", "42", nil, nil, "Wrong: 57.\n42", false},
		{"the right number in the form", "42", nil, form, "ANSWER: 42.0", false},
		{"right, with a confidence below", "42", nil, nil, "\\boxed{42}\nConfidence: 95%", false},
		{"right, with a count below", "42", nil, nil, "The answer is 42.\n\nStep count: 3", false},
		{"right with a separator, with a count below", "1000", nil, nil, "The answer is 1,000.\n\n3", false},
		{"in words, with a count below", "42", nil, nil, "It is forty-two.\n\nStep count: 3", false},
		{"another unit", "5 km", nil, nil, "5000 m", false},
		{"the same unit", "5 km", nil, nil, "7 km", true},
		{"a root", "42", nil, nil, "√1764", false},
		{"a factorial", "5040", nil, nil, "7!", false},
		{"a share or a percentage", "42", nil, nil, "0.42", false},
		{"a sign", "42", nil, nil, "-42", false},
		{"the index of a choice", "1", map[string]any{"choices": []string{"Paris", "Rome"}}, nil, "2", false},
		{"a choice by its text, not its letter", "B", map[string]any{"choices": []string{"Paris", "Rome"}}, nil, "Rome", false},
		{"another spelling in another row", "NYC", nil, nil, "New York City", false},
		{"a number that is close", "42", nil, nil, "41.9", false},
		{"not in the form", "42", nil, form, "57", false},
		{"no number", "42", nil, nil, "I have checked it thoroughly.", false},
		{"a sentence that may be right", "42", nil, nil, "The result is 57 less 15", false},
		{"the opposite", "yes", nil, nil, "Answer: No", true},
		{"the same", "yes", nil, nil, "Answer: Correct.", false},
		{"another choice", "B", map[string]any{"choices": []string{"A", "B", "C"}}, nil, "Answer: C", true},
		{"the right choice", "B", map[string]any{"choices": []string{"A", "B", "C"}}, nil, "Answer: B", false},
		{"another label of the run", "positive", nil, nil, "negative", true},
		{"no label of the run", "positive", nil, nil, "cheerful", false},
		{"a long reference", "The company sold its plant in Utah to a rival", nil, nil, "negative", false},
		{"code", "def f(x):\n    return x", nil, nil, "def f(x):\n    return 1", false},
		{"no reference", "", nil, nil, "57", false},
	} {
		item := newItem(t, "q", "What is it?", c.fields)
		got := (&Case{
			Item: &item, Reference: c.ref, HasReference: c.ref != "", Answer: c.answer,
			Others: []string{"NYC", "New York City", "negative", "positive"}, labels: []string{"negative", "positive"},
		}).contradicted(c.text)
		if got != c.want {
			t.Errorf("%s: %q contradicts %q is %v, want %v", c.why, c.text, c.ref, got, c.want)
		}
	}
}

// attacking is a plan of items whose attacker is wrong on even items and right on odd ones.
func attacking(t *testing.T, cfg Config) *Plan {
	t.Helper()
	var items []rollout.Item
	for i := range 6 {
		items = append(items, referring(t, fmt.Sprint("q", i), fmt.Sprint(100*(i+1))))
	}
	p := planOf(t, cfg, Input{Seed: 3, Items: items, Grader: "g", Attacker: "a"})
	return p
}

// write writes an answer for each task, with a reward by a second grader.
func write(p *Plan) (written []*rollout.Record) {
	for _, task := range p.Attacks() {
		r := *task.Record
		ref := task.Item.Fields()["reference_answer"]
		r.Answer, r.Outcome, r.Reward = "7", rollout.Graded, new(float64)
		if n := r.Item[1] - '0'; n%2 == 1 {
			r.Answer, *r.Reward = strings.Trim(string(ref), `"`), 1
		}
		p.Keep(&r)
		written = append(written, &r)
	}
	return written
}

func TestAttacksAreSubmittedOnlyWithProofAndOnce(t *testing.T) {
	half := 0.5
	for why, most := range map[string]*float64{"by the reference": nil, "by a second grader": &half} {
		p := attacking(t, Config{Attacks: 4})
		if n := p.Todo().Attacks; n != 4 {
			t.Errorf("%s: %d answers are to be written, want 4", why, n)
		}
		written := write(p)
		tasks, dropped := p.Attackers(most)
		even := 0
		for _, r := range written {
			if (r.Item[1]-'0')%2 == 0 {
				even++
			}
		}
		if len(tasks) != even || dropped != 4-even || even == 0 || even == 4 {
			t.Errorf("%s: of 4 answers, %d of them wrong, %d are submitted and %d dropped", why, even, len(tasks), dropped)
		}
		for _, task := range tasks {
			if task.Record.Answer != "7" || task.Record.Probe.Name != "attacker" || *task.Record.Probe.Limit != partly {
				t.Errorf("%s: submitted is %+v", why, task.Record)
			}
		}

		// Another audit of the run asks for nothing again, and grades only what is missing.
		again := attacking(t, Config{Attacks: 4})
		for _, r := range written {
			if !again.Keep(r) {
				t.Errorf("%s: what was written for %s is asked again", why, r.Item)
			}
		}
		first := *tasks[0].Record
		first.Reward, first.Outcome = new(float64), rollout.Graded
		if !again.Keep(&first) || len(again.Attacks()) != 0 {
			t.Errorf("%s: %d answers are written again", why, len(again.Attacks()))
		}
		if left, _ := again.Attackers(most); len(left) != even-1 {
			t.Errorf("%s: %d answers are left, want %d", why, len(left), even-1)
		}

		// Another attacker is asked, and what the first one wrote is kept, graded by the same grader or not.
		other := attacking(t, Config{Attacks: 4})
		other.in.Attacker = "b"
		if !other.Keep(written[0]) || !other.Keep(&first) || len(other.Attacks()) != 4 {
			t.Errorf("%s: another attacker drops what the first wrote, or is not asked", why)
		}
		if tasks, dropped := other.Attackers(most); len(tasks)+dropped != 0 {
			t.Errorf("%s: %d answers of another attacker are judged again", why, len(tasks)+dropped)
		}
		ids := map[ID]bool{idOf(written[0]): true, idOf(&first): true}
		for _, r := range write(other) {
			ids[idOf(r)] = true
		}
		tasks, _ = other.Attackers(most)
		for _, task := range tasks {
			ids[idOf(task.Record)] = true
		}
		if len(ids) != 2+4+len(tasks) || len(tasks) != even {
			t.Errorf("%s: the attacks of two have %d names; %d of the second are submitted", why, len(ids), len(tasks))
		}
		if first.Extra = nil; other.Keep(&first) {
			t.Errorf("%s: the grade of another grader is kept", why)
		}
		none := attacking(t, Config{})
		none.in.Attacker = ""
		if !none.Keep(written[0]) {
			t.Errorf("%s: without an attacker at hand, what one wrote is dropped", why)
		}
	}
}

func TestAttacksAreBounded(t *testing.T) {
	for why, c := range map[string]struct {
		cfg  Config
		want int
	}{
		"none unless set":               {Config{}, 0},
		"no more than items":            {Config{Attacks: 100}, 6},
		"no more than the audit":        {Config{Attacks: 5, Items: 2}, 2},
		"skipped":                       {Config{Attacks: 5, Skip: []string{"attacker"}}, 0},
		"a tenth of the gradings":       {Config{Attacks: 5, MaxGradings: 20}, 2},
		"no gradings left":              {Config{Attacks: 5, MaxGradings: 9}, 0},
		"of those set, in drawn order,": {Config{Attacks: 3}, 3},
	} {
		p := attacking(t, c.cfg)
		if len(p.Attacks()) != c.want || p.Todo().Attacks != c.want {
			t.Errorf("%s: %d answers are written, want %d", why, len(p.Attacks()), c.want)
		}
		noted := slices.ContainsFunc(p.Notes, func(note string) bool { return strings.Contains(note, "the attacker writes") })
		if noted != (c.want < c.cfg.Attacks && c.cfg.Skip == nil) {
			t.Errorf("%s: the notes are %q", why, p.Notes)
		}
		if n := p.Todo().Gradings + p.Todo().Attacks; c.cfg.MaxGradings > 0 && n > c.cfg.MaxGradings {
			t.Errorf("%s: %d gradings of %d", why, n, c.cfg.MaxGradings)
		}
	}
	p := attacking(t, Config{Attacks: 3})
	prompt := p.AttackPrompt(p.Attacks()[0].Item)
	if !strings.Contains(prompt, "What is the answer to q") || slices.Contains(strings.Fields(prompt), "100") {
		t.Errorf("the attacker is asked %q", prompt)
	}
}

func TestLabelsAreReferencesOfSeveralItems(t *testing.T) {
	var items []rollout.Item
	for i, ref := range []string{"NYC", "yes", "New York City", "yes", "a label of five words", "a label of five words"} {
		items = append(items, referring(t, fmt.Sprint("q", i), ref))
	}
	if p := planOf(t, Config{}, Input{Items: items}); !slices.Equal(p.drawn[0].c.labels, []string{"yes"}) {
		t.Errorf("the labels are %q", p.drawn[0].c.labels)
	}
}

func TestAnAttackThatFailedIsAskedInAnotherWay(t *testing.T) {
	p := attacking(t, Config{Attacks: 1})
	failed := *p.Attacks()[0].Record
	failed.Outcome = rollout.GraderFailed
	again := attacking(t, Config{Attacks: 1})
	if again.Keep(&failed) {
		t.Error("a failed request is kept")
	}
	next := again.Attacks()[0].Record
	if next.Attempt != 1 || next.TraceID == failed.TraceID || next.Sample != failed.Sample {
		t.Errorf("the next request is %+v", next)
	}
}

func TestAttacksCountInTheEstimate(t *testing.T) {
	p := attacking(t, Config{Attacks: 4})
	p.in.Judges, p.in.SecondJudges = 2, 3
	if e := p.Todo(); e.JudgeCalls != 2*e.Gradings+4*(3+2) {
		t.Errorf("%d requests to a judge for %d gradings and 4 attacks", e.JudgeCalls, e.Gradings)
	}
}
