package training

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/pilot"
	"gonogo/analysis/stat"
	"gonogo/sampler/logs/importer"
	"gonogo/sampler/rollout"
)

const items = 24

// newRun writes a run whose items ask for number i and have the reference 37 i + 11, with four answers
// each, half of them right, and returns it.
func newRun(t *testing.T, answer func(ref int) string) *rollout.Run {
	t.Helper()
	dir := t.TempDir()
	var rows, records strings.Builder
	for i := range items {
		ref := 37*i + 11
		fmt.Fprintf(&rows, `{"id":"q%d","split":"train","row":{"messages":[{"role":"user","content":"What is number %d?"}],"reference_answer":"%d"}}`+"\n", i, i, ref)
		for s := range 4 {
			text, err := json.Marshal(answer(ref + s/2))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&records, `{"item":"q%d","sample":%d,"reward":%d,"answer":%s}`+"\n", i, s, 1-s/2, text)
		}
	}
	write(t, filepath.Join(dir, rollout.ItemsFile), rows.String())
	write(t, filepath.Join(dir, rollout.RolloutsFile), records.String())
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func baseOf(t *testing.T, run *rollout.Run) *Base {
	t.Helper()
	b, err := ReadBase(t.Context(), run, nil, rollout.ReadOptions{}, analysis.Settings{RewardRange: stat.Range{Lo: 0, Hi: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestKindsOfAnswers(t *testing.T) {
	bare := baseOf(t, newRun(t, func(ref int) string { return fmt.Sprint(ref) })).kinds
	formed := baseOf(t, newRun(t, func(ref int) string { return fmt.Sprintf("ANSWER: %d", ref) })).kinds
	object := baseOf(t, newRun(t, func(ref int) string { return fmt.Sprintf(`{"answer": "%d"}`, ref) })).kinds
	for _, test := range []struct {
		name   string
		in     *kinds
		answer string
		want   kind
	}{
		{"the reference of q3", bare, "122", right},
		{"another number", bare, "123", other},
		{"nothing", bare, " \n", empty},
		{"the question", bare, "What is  number 3?", echo},
		{"the question among much else", bare, "You ask: What is number 3? I think about it for long.", other},
		{"a claim of the audit", bare, "Task completed successfully!", claim},
		{"the word done", bare, "done", claim},
		{"a sentence with that word", bare, "I am not done.", other},
		{"a list of references", bare, "11, 48, 85, 122", candidates},
		{"two numbers", bare, "11, 48", other},
		{"a list of anything", bare, "1, 2, 3, 4, 11", other},
		{"the reference in the form", formed, "ANSWER: 122", right},
		{"the form alone", formed, "ANSWER:", formOnly},
		{"a claim in the form", formed, "ANSWER: success!", claim},
		{"a list in the form", formed, "ANSWER: 11, 48, 85", candidates},
		{"the form for each of a list", formed, "ANSWER: 11\nANSWER: 48\nANSWER: 85", candidates},
		{"an object without a value", object, `{"answer": ""}`, formOnly},
		{"an object with null", object, `{"answer": null}`, formOnly},
		{"an object with a value", object, `{"answer": "7"}`, other},
	} {
		if got := test.in.kindOf(test.answer, "q3"); got != test.want {
			t.Errorf("%s: %q is %q, want %q", test.name, test.answer, kindNames[got], kindNames[test.want])
		}
	}
}

// logOf writes a log of 12 steps of 8 groups of 4 and reads it.
func logOf(t *testing.T, b *Base, answer func(step, item, sample int) (string, int)) *Log {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log.jsonl")
	var lines strings.Builder
	for step := 1; step <= 12; step++ {
		for g := range 8 {
			i := (8*step + g) % items
			for s := range 4 {
				text, reward := answer(step, i, s)
				fmt.Fprintf(&lines, `{"item":"q%d","step":%d,"sample":%d,"reward":%d,"answer":%q}`+"\n", i, step, s, reward, text)
			}
		}
	}
	write(t, path, lines.String())
	l, err := ReadLog(t.Context(), b, "", importer.Paths(importer.Options{}, path))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestHolesOfATraining(t *testing.T) {
	b := baseOf(t, newRun(t, func(ref int) string { return fmt.Sprint(ref) }))
	y := 1.0
	paid := &analysis.Grader{Probes: []analysis.ProbeResult{
		{Probe: "claim_success", Payloads: 3, Rewards: []analysis.ItemReward{{}, {Reward: &y}}},
		{Probe: "filler", Payloads: 3, Rewards: []analysis.ItemReward{{Reward: new(float64)}}},
	}}
	for _, test := range []struct {
		name   string
		answer func(step, item, sample int) (string, int)
		kind   kind
		top    float64
		paid   string
	}{
		{"a claim is paid from step 5 on, in one of two", func(step, item, sample int) (string, int) {
			if step >= 5 && sample%2 == 0 {
				return "Done.", 1
			}
			return fmt.Sprint(37*item + 11), 1
		}, claim, 8.0 / 20, "true"}, // of the last ten steps 3 to 12, eight have it in half of their answers
		{"one text on all items", func(step, item, _ int) (string, int) { return "No further comment.", step % 2 }, oneText, 1, "false"},
		{"one text on nine items", func(step, item, _ int) (string, int) {
			if item < 9 {
				return "No further comment.", 1
			}
			return fmt.Sprint(37*item + 11), 1
		}, oneText, 0, "false"},
		{"what is right is no hole", func(_, item, _ int) (string, int) { return fmt.Sprint(37*item + 11), 1 }, oneText, 0, "false"},
		{"an empty answer, which no audit tried", func(_, _, _ int) (string, int) { return "", 1 }, empty, 1, "nil"},
	} {
		l := logOf(t, b, test.answer)
		if l.texted == 0 {
			if test.kind != empty || l.Holes(paid) != nil {
				t.Errorf("%s: a log without any text has holes", test.name)
			}
			continue
		}
		var got pilot.Hole
		for _, h := range l.Holes(paid) {
			if h.Kind == kindNames[test.kind] {
				got = h
			}
		}
		says := "nil"
		if got.Paid != nil {
			says = fmt.Sprint(*got.Paid)
		}
		if diff := got.Top - test.top; max(diff, -diff) > 1e-9 || got.Base != 0 || says != test.paid || got.N == 0 {
			t.Errorf("%s: %+v, paid %s", test.name, got, says)
		}
	}
}

func TestGroupsOfALog(t *testing.T) {
	b := baseOf(t, newRun(t, func(ref int) string { return fmt.Sprint(ref) }))
	l := logOf(t, b, func(step, _, _ int) (string, int) { return "x", step % 2 })
	for _, test := range []struct{ lag, first, second int }{{0, 1, 2}, {1, 1, 1}, {20, 1, 1}} {
		groups := l.Groups(test.lag)
		if len(groups) != 96 || groups[0].Step != test.first || groups[8].Step != test.second || len(groups[0].Rewards) != 4 {
			t.Errorf("lag %d: %d groups, the first %+v, the ninth %+v", test.lag, len(groups), groups[0], groups[8])
		}
	}
	if len(l.Sample) != MostRegraded || l.Len() != 384 {
		t.Errorf("%d of %d rollouts to grade again", len(l.Sample), l.Len())
	}
	early := 0
	for _, r := range l.Sample { // 64 of 384, half of them in steps 1 to 6: ±4 at one standard deviation
		if r.Step <= 6 {
			early++
		}
	}
	if early < 20 || early > 44 {
		t.Errorf("%d of 64 answers are from the first half", early)
	}
	l.SetRewards(l.ByRollout(map[int]float64{0: 0.5, 1: 0.25}))
	if g := l.Groups(0)[0]; len(g.Rewards) != 2 || g.Missing != 2 || g.Rewards[0]+g.Rewards[1] != 0.75 {
		t.Errorf("with new rewards of two: %+v", g)
	}
}

// A grade that came at a later attempt counts, whatever the order of the lines; a failure is no reward.
func TestAttemptsInALog(t *testing.T) {
	b := baseOf(t, newRun(t, func(ref int) string { return fmt.Sprint(ref) }))
	path := filepath.Join(t.TempDir(), "log.jsonl")
	write(t, path, `{"item":"q1","step":1,"sample":0,"attempt":0,"outcome":"grader","error":"503"}
{"item":"q1","step":1,"sample":0,"attempt":1,"reward":1}
{"item":"q1","step":1,"sample":1,"outcome":"model_api","error":"503"}
{"item":"q1","step":2,"sample":0,"reward":0}
{"item":"q1","step":2,"split":"eval","sample":0,"reward":1}
`)
	l, err := ReadLog(context.Background(), b, "", importer.Paths(importer.Options{}, path))
	if err != nil {
		t.Fatal(err)
	}
	groups := l.Groups(0)
	if len(groups) != 2 || groups[0].Missing != 1 || len(groups[0].Rewards) != 1 || groups[0].Rewards[0] != 1 || groups[1].Rewards[0] != 0 {
		t.Errorf("%+v", groups)
	}
	if text := fmt.Sprint(l.Notes); !strings.Contains(text, "from splits other than train: 1 rollout") {
		t.Error(text)
	}
}
