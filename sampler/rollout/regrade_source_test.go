package rollout

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// formerRun is a run of every kind of rollout, graded by "exact".
func formerRun(t *testing.T) *Run {
	t.Helper()
	dir := t.TempDir()
	w := create(t, dir, Manifest{
		ID: "old", Seed: 7, Source: Live, Model: "m", Binding: map[string]string{"job": "1"},
		Grader: &GraderInfo{Kind: "string_check", Name: "exact", Hash: "0123456789abcdef"},
	}, []Item{{ID: "a", Split: Train}}, WriterOptions{SyncEvery: -1})
	answered := func(sample int, r Record) *Record {
		r.Item, r.Split, r.Sample, r.Source, r.Answer = "a", Train, sample, Live, "42"
		return &r
	}
	appendAll(t, w,
		answered(0, Record{Outcome: GraderFailed, Error: "broken", Kind: "grader_server_error"}),
		answered(1, Record{Outcome: Graded, Reward: number(0.5), Grades: []float64{0.5, 1}, Parts: map[string]float64{"p": 1}, Elapsed: 5e9, Judge: Usage{Input: new(int64)}, JudgeCalls: 2}),
		&Record{Item: "a", Split: Train, Sample: 2, Source: Live, Outcome: ModelAPI, Error: "status 500"},
		&Record{Item: "a", Split: Train, Sample: 3, Source: Live, Outcome: NoAnswer, Error: "refused"},
		answered(4, Record{Outcome: StepLimit, Error: "max_steps of 4 reached", Reward: number(0)}),
		&Record{Item: "a", Split: Train, Sample: 5, Source: Live, Outcome: Graded, Reward: number(1)}, // as the smallest line that may be read
		answered(0, Record{Outcome: Graded, Reward: number(1), Attempt: 1}),
	)
	closeIt(t, w)
	if err := AppendLabels(dir, []Label{{Item: "a", Output: "42", Mark: "right"}}); err != nil {
		t.Fatal(err)
	}
	return opened(t, dir)
}

// TestAnEmptyReplyIsAnOutput: where a grader was asked about it, and where the line
// shows that there was a reply.
func TestAnEmptyReplyIsAnOutput(t *testing.T) {
	empty := []Message{{Role: "user", Content: "q"}, {Role: "assistant"}}
	zero := number(0)
	for why, c := range map[string]struct {
		rec  Record
		want bool
	}{
		"graded, with the empty message":              {Record{Outcome: Graded, Reward: zero, Messages: empty}, true},
		"graded, with the word for it":                {Record{Outcome: Graded, Reward: zero, Finish: FinishEmpty}, true},
		"graded, a refusal without a text":            {Record{Outcome: Graded, Reward: zero, Finish: FinishRefusal}, true},
		"the model's own failure, with a grade":       {Record{Outcome: NoAnswer, Reward: zero, Finish: FinishEmpty}, true},
		"the grader failed on it":                     {Record{Outcome: GraderFailed, Messages: empty}, true},
		"the model's own failure, which has no grade": {Record{Outcome: NoAnswer, Messages: empty, Finish: FinishEmpty}, false},
		"a limit that left nothing to grade":          {Record{Outcome: StepLimit, Messages: empty, Finish: FinishStop}, false},
		"graded, and nothing is recorded":             {Record{Outcome: Graded, Reward: zero}, false},
		"graded, and the prompt alone is recorded":    {Record{Outcome: Graded, Reward: zero, Messages: append(empty, Message{Role: "user"})}, false},
		"the model's endpoint failed":                 {Record{Outcome: ModelAPI, Messages: empty, Finish: FinishEmpty}, false},
	} {
		if got := c.rec.gradable(); got != c.want {
			t.Errorf("%s: %v", why, got)
		}
	}
}

// TestASecretThatIsAKeyLeavesLabelsReadable: a secret may be a word of the
// file's own, or are where masking a line as text would break it.
func TestASecretThatIsAKeyLeavesLabelsReadable(t *testing.T) {
	from := formerRun(t)
	path := filepath.Join(from.Dir, LabelsFile)
	if err := os.WriteFile(path, []byte(`{"item":"a","output":"x human_score y","human_score":1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	redact := NewRedactor("human_score", "output")
	w := create(t, dir, from.RegradeManifest(&GraderInfo{Kind: "endpoint"}, nil), from.Items, WriterOptions{SyncEvery: -1, Redact: redact})
	if _, err := CopyForRegrade(context.Background(), from, ReadOptions{}, dir, w, 0); err != nil {
		t.Fatal(err)
	}
	closeIt(t, w)
	labels, err := opened(t, dir).Labels()
	if err != nil || len(labels) != 1 || labels[0].Output == "" || strings.Contains(labels[0].Output, "human_score") {
		t.Errorf("labels %+v, error %v", labels, err)
	}
}

func opened(t *testing.T, dir string) *Run {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// takeOver opens the heir and returns what is left to grade.
func takeOver(t *testing.T, from *Run, dir string) (*Writer, *RegradeSource, []*Record) {
	t.Helper()
	w := create(t, dir, from.RegradeManifest(&GraderInfo{Kind: "endpoint"}, map[string]string{"job": "2"}), from.Items, WriterOptions{SyncEvery: -1})
	f, err := CopyForRegrade(context.Background(), from, ReadOptions{}, dir, w, 0)
	if err != nil {
		t.Fatal(err)
	}
	var left []*Record
	for rec, err := range f.Records(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, rec)
	}
	if len(left) != f.Left {
		t.Errorf("%d rollouts are left, Left is %d", len(left), f.Left)
	}
	return w, f, left
}

func TestAnHeirTakesEveryRolloutOver(t *testing.T) {
	from, dir := formerRun(t), t.TempDir()
	w, f, left := takeOver(t, from, dir)
	if f.Copied != 3 || f.Ungradable != 1 {
		t.Errorf("copied %d, of them %d without an output; want 3 and 1", f.Copied, f.Ungradable)
	}
	want := []*Record{
		{
			Item: "a", Split: Train, Sample: 1, Source: Live, Outcome: Graded, Answer: "42", Elapsed: 5e9,
			Earlier: []Earlier{{Grader: "exact 01234567", Outcome: Graded, Reward: number(0.5), Grades: []float64{0.5, 1}, Parts: map[string]float64{"p": 1}}},
		},
		{
			Item: "a", Split: Train, Sample: 4, Source: Live, Outcome: StepLimit, Error: "max_steps of 4 reached", Answer: "42",
			Earlier: []Earlier{{Grader: "exact 01234567", Outcome: StepLimit, Error: "max_steps of 4 reached", Reward: number(0)}},
		},
		{
			Item: "a", Split: Train, Sample: 0, Source: Live, Attempt: 1, Outcome: Graded, Answer: "42",
			Earlier: []Earlier{{Grader: "exact 01234567", Outcome: Graded, Reward: number(1)}},
		},
	}
	if d := cmp.Diff(want, left, sameJSON); d != "" {
		t.Errorf("what is left to grade (-want +got):\n%s", d)
	}
	for _, rec := range left {
		rec.Outcome, rec.Error, rec.Reward = Graded, "", number(0.25)
	}
	failed := *left[0]
	failed.Outcome, failed.Reward, failed.Error, failed.Kind = GraderFailed, nil, "late", "grader_timeout"
	appendAll(t, w, &failed, left[1])
	closeIt(t, w)

	heir := opened(t, dir)
	if m := heir.Manifest; m.ID == "old" || m.GradedFrom != "old" || m.Seed != 7 || m.Model != "m" || m.Grader.Kind != "endpoint" || m.Binding["job"] != "2" || len(heir.Items) != 1 {
		t.Errorf("the heir's manifest is %+v", m)
	}
	if labels, err := heir.Labels(); err != nil || len(labels) != 1 {
		t.Errorf("labels %v, error %v", labels, err)
	}
	records := make(map[int]*Record)
	if _, err := heir.Records(context.Background(), ReadOptions{}, func(r *Record) error { records[r.Sample] = r; return nil }); err != nil {
		t.Fatal(err)
	}
	if r := records[2]; r == nil || r.Outcome != ModelAPI || len(r.Earlier) != 0 {
		t.Errorf("a rollout whose model failed became %+v", r)
	}
	if r := records[5]; r == nil || r.Outcome != GraderFailed || r.Reward != nil || len(r.Earlier) != 1 || !strings.Contains(r.Error, "no output") {
		t.Errorf("a grade without an output became %+v", r)
	}

	w, f, left = takeOver(t, from, dir) // as after a kill
	if f.Copied != 0 || len(left) != 2 || left[0].Sample != 1 || left[0].Attempt != 1 || left[1].Sample != 0 {
		t.Errorf("resuming copies %d and has left %d: %+v", f.Copied, len(left), left)
	}
	for _, rec := range left {
		rec.Outcome, rec.Error, rec.Reward = Graded, "", number(0.25)
	}
	appendAll(t, w, left...)
	closeIt(t, w)
	if _, f, _ = takeOver(t, from, dir); f.Left != 0 || f.Copied != 0 {
		t.Errorf("a finished heir copies %d and has left %d", f.Copied, f.Left)
	}
}

func TestAnHeirHasOneFormerRun(t *testing.T) {
	from, dir := formerRun(t), t.TempDir()
	w, _, _ := takeOver(t, from, dir)
	closeIt(t, w)
	another, other := *from, *from.Manifest
	other.ID, another.Manifest = "other", &other
	if _, err := Create(dir, another.RegradeManifest(nil, map[string]string{"job": "2"}), nil, WriterOptions{}); err == nil || !strings.Contains(err.Error(), "of run old") {
		t.Errorf("a second former run: error is %v", err)
	}
	if _, err := Create(from.Dir, from.RegradeManifest(nil, map[string]string{"job": "1"}), nil, WriterOptions{}); err == nil || !strings.Contains(err.Error(), "new directory") {
		t.Errorf("into a run with rollouts of its own: error is %v", err)
	}
	sampling := Manifest{Binding: map[string]string{"job": "2"}}
	if _, err := Create(dir, sampling, nil, WriterOptions{}); err == nil || !strings.Contains(err.Error(), "grading has not ended") {
		t.Errorf("sampling goes on before grading has ended: error is %v", err)
	}
	w, _, _ = takeOver(t, from, dir)
	if err := w.Amend(func(m *Manifest) { m.Grading = false }); err != nil {
		t.Fatal(err)
	}
	closeIt(t, w)
	w = create(t, dir, sampling, nil, WriterOptions{})
	if got := w.Manifest().GradedFrom; got != "old" {
		t.Errorf("after sampling on, graded_from is %q", got)
	}
}

func TestASingleFileOfRolloutsCanBeTakenOver(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.jsonl")
	text := `{"item":"a","reward":1,"answer":"x"}` + "\n" + `{"item":"a","reward":0,"answer":"y"}` + "\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, left := takeOver(t, opened(t, file), t.TempDir())
	if len(left) != 2 || left[1].Sample != 1 || left[1].Source != Import || left[1].Earlier[0].Grader != "unknown" {
		t.Errorf("left is %+v", left)
	}
}

func TestTakingOverStopsWhenItIsToldTo(t *testing.T) {
	from, dir := formerRun(t), t.TempDir()
	_, f, _ := takeOver(t, from, dir)
	for range f.Records(context.Background()) {
		break
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var got error
	for _, err := range f.Records(ctx) {
		got = err
	}
	if !errors.Is(got, context.Canceled) {
		t.Errorf("after the context ended: error is %v", got)
	}
}
