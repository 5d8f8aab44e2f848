package viewer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// trained is rollouts of two items of the given steps, two samples each, whose reward is
// their step / 10 and whose answer names them.
func trained(steps ...int) string {
	var b strings.Builder
	for _, step := range steps {
		for _, item := range []string{"q1", "q2/step-0"} {
			for sample := range 2 {
				fmt.Fprintf(&b, `{"item":%q,"step":%d,"sample":%d,"reward":%g,"answer":"said by %s %d %d"}`+"\n", item, step, sample, float64(step)/10, item, step, sample)
			}
		}
	}
	return b.String()
}

func TestRolloutsOfSeveralStepsAreAllShown(t *testing.T) {
	s := serve(t, Options{Rater: "ann"}, trained(0, 3))
	list := get[itemList](s, "/api/items?sort=item")
	var got []string
	for _, r := range list.Items {
		got = append(got, fmt.Sprintf("%s %d %g", r.Item, r.N, *r.Mean))
	}
	want := []string{"q1/step-0 2 0", "q1/step-3 2 0.3", "q2/step-0/step-0 2 0", "q2/step-0/step-3 2 0.3"}
	if !slices.Equal(got, want) {
		t.Fatalf("items are %q, want %q", got, want)
	}
	if state, _ := s.sides[0].index.State(); state.Rollouts != 8 || state.Superseded != 0 {
		t.Errorf("the state is %+v", state)
	}
	for shown, answer := range map[string]string{"q1/step-0": "said by q1 0 1", "q1/step-3": "said by q1 3 1", "q2/step-0/step-3": "said by q2/step-0 3 1"} {
		at := "of=train&item=" + url.QueryEscape(shown)
		if item := get[itemShown](s, "/api/item?"+at); item.Item != shown || len(item.Runs[0].Rollouts) != 2 || item.Runs[0].Row == nil || item.Known != strings.HasPrefix(shown, "q1/") {
			t.Errorf("%s is shown as %+v", shown, item)
		}
		if r := get[shownRollout](s, "/api/rollout?sample=1&"+at); r.Item != shown || r.Answer != answer {
			t.Errorf("the rollout of %s is %q of %s", shown, r.Answer, r.Item)
		}
	}
	if code, _, text := s.ask("GET", "/api/rollout?of=train&item=q1&sample=1", "", nil); code != 404 {
		t.Errorf("an id of two steps: %d %s", code, text)
	}
	if got := get[itemList](s, "/api/items?find=step-3"); got.Total != 2 {
		t.Errorf("a part of the id finds %d items", got.Total)
	}
	_, _, hits := s.ask("GET", "/api/search?q=said+by+q1+3", "", nil)
	if strings.Count(hits, `"item":"q1/step-3"`) != 2 || strings.Count(hits, `"hit"`) != 2 {
		t.Errorf("hits are %s", hits)
	}
}

// shownRollout is what the tests here read of a rollout.
type shownRollout struct {
	Item, Answer string
	Labels       []shownLabel
	Score        *float64
}

func TestLabelsAreOfOneStep(t *testing.T) {
	s := serve(t, Options{Rater: "ann"}, trained(0, 3))
	if code, _, text := s.ask("POST", "/api/label", `{"split":"train","item":"q1/step-3","sample":0,"mark":"hack"}`, nil); code != 200 || !strings.Contains(text, "hack") {
		t.Fatalf("%d %s", code, text)
	}
	list := get[itemList](s, "/api/items?mark=hack")
	if list.Total != 1 || list.Items[0].Item != "q1/step-3" {
		t.Errorf("marked are %+v", list.Items)
	}
	labels, err := s.sides[0].run.Labels()
	if err != nil || len(labels) != 1 || labels[0].Step != 3 || labels[0].Item != "q1" {
		t.Errorf("labels are %+v, %v", labels, err)
	}
}

// A label that names no step is of the only one.
func TestOneStepKeepsPlainIDs(t *testing.T) {
	s := serve(t, Options{}, trained(3))
	label := `{"item":"q1","sample":1,"rater":"bob","mark":"right"}` + "\n"
	if err := os.WriteFile(filepath.Join(s.dir, rollout.LabelsFile), []byte(label), 0o644); err != nil {
		t.Fatal(err)
	}
	list := get[itemList](s, "/api/items?sort=item")
	if list.Total != 2 || list.Items[0].Item != "q1" || list.Items[1].Item != "q2/step-0" || list.Items[0].Marks["right"] != 1 {
		t.Errorf("items are %+v", list.Items)
	}
	if r := get[shownRollout](s, "/api/rollout?of=train&item=q1&sample=1"); r.Answer != "said by q1 3 1" || len(r.Labels) != 1 {
		t.Errorf("the rollout is %+v", r)
	}
}

func TestADetectorZeroesTheStepThatItRead(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, []byte(strings.ReplaceAll(trained(0, 3), `"reward":0,`, `"reward":0.5,`)))
	mark := rollout.Record{
		Item: "q1", Split: rollout.Train, Step: 3, Sample: 1, Source: rollout.Probe, Outcome: rollout.Graded, Reward: new(1.0),
		Probe: &rollout.ProbeInfo{Name: "detector/x", Expect: rollout.Note, Zero: true, Base: &rollout.Base{Sample: 1}},
	}
	if err := os.WriteFile(filepath.Join(dir, rollout.ProbesFile), encoded(t, mark), 0o644); err != nil {
		t.Fatal(err)
	}
	x := opened(t, dir)
	for step, want := range map[int]bool{0: false, 3: true} {
		e, _, ok := x.find(rollout.Key{Split: rollout.Train, Item: "q1", Sample: 1, Step: step})
		if !ok || e.Flags.has(zeroed) != want {
			t.Errorf("step %d: found %v, zeroed %v, want %v", step, ok, e.Flags.has(zeroed), want)
		}
	}
}

func TestAKeptIndexKnowsTheSteps(t *testing.T) {
	dir := t.TempDir()
	var text bytes.Buffer
	for i := range blockLines + 10 {
		reward := float64(i%2) / 2
		rec := rollout.Record{Item: fmt.Sprintf("q%d", i/4), Split: rollout.Train, Step: i % 2, Sample: i % 4 / 2, Source: rollout.Live, Outcome: rollout.Graded, Reward: &reward}
		if err := json.NewEncoder(&text).Encode(rec); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, text.Bytes())
	if err := opened(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, IndexFile)); err != nil {
		t.Fatal(err)
	}
	x := opened(t, dir)
	if s, _ := x.State(); s.Rollouts != blockLines+10 || s.Note != "" {
		t.Errorf("the state is %+v", s)
	}
	e, names, ok := x.find(rollout.Key{Split: rollout.Train, Item: "q7", Sample: 1, Step: 1})
	if !ok || e.Reward != 0.5 || names.shown(names.Items[e.Item]) != "q7/step-1" {
		t.Errorf("step 1 of q7: %+v, found %v", e, ok)
	}
}
