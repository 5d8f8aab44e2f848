package importer

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"gonogo/sampler/rollout"
)

const inspectHead = `{"version":2,"status":"success","eval":{"task":"arith","model":"openai/x","config":{"epochs":2}},"plan":{},"results":null}`

// inspectJSON is a log in JSON with these samples.
func inspectJSON(samples ...string) string {
	return strings.TrimSuffix(inspectHead, "}") + `,"samples":[` + strings.Join(samples, ",\n") + `],"reductions":[]}`
}

// oneSample is a sample with one score.
func oneSample(id, epoch, value string) string {
	return `{"id":` + id + `,"epoch":` + epoch + `,"input":"1+1?","target":"2","messages":[{"role":"user","content":"1+1?"},{"role":"assistant","content":"2"}],` +
		`"scores":{"match":{"value":` + value + `}}}`
}

// frames packs text into several zstd frames in a row, as Inspect does with
// long members.
func frames(t testing.TB, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	for _, part := range []string{text[:len(text)/2], text[len(text)/2:]} {
		w, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, part); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// inspectEval is an archive of members, given as name and text in turn.
func inspectEval(t testing.TB, method uint16, members ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(methodZstd, func(to io.Writer) (io.WriteCloser, error) { return &framer{t: t, to: to}, nil })
	for i := 0; i < len(members); i += 2 {
		m, err := w.CreateHeader(&zip.FileHeader{Name: members[i], Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(m, members[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

type framer struct {
	t    testing.TB
	to   io.Writer
	text bytes.Buffer
}

func (f *framer) Write(p []byte) (int, error) { return f.text.Write(p) }

func (f *framer) Close() error {
	_, err := f.to.Write(frames(f.t, f.text.String()))
	return err
}

// eval is a source of one .eval file.
func eval(archive string) Source {
	return Source{Files: []File{{Name: "log.eval", FS: fstest.MapFS{"log.eval": {Data: []byte(archive)}}, Path: "log.eval"}}}
}

func TestInspectArchive(t *testing.T) {
	for name, method := range map[string]uint16{"zstd in several frames": methodZstd, "deflate, as in older logs": zip.Deflate, "stored": zip.Store} {
		t.Run(name, func(t *testing.T) {
			archive := inspectEval(t, method,
				"_journal/start.json", inspectHead, "samples/1_epoch_1.json", oneSample("1", "1", `"I"`), "samples/1_epoch_2.json", oneSample("1", "2", "NaN"),
				"samples/1_epoch_1.json", oneSample("1", "1", `"C"`), "summaries.json", "[]", "header.json", inspectHead)
			f, g, err := importSource(t, "", eval(archive))
			if err != nil || f.Name != "inspect" {
				t.Fatalf("format %q, error %v", f.Name, err)
			}
			want := []string{"1/0 graded 1", "1/1 grader - score match is null"}
			if diff := cmp.Diff(want, told(g)); diff != "" {
				t.Errorf("of members with one name the last one counts, and NaN is unscored (-want +got):\n%s", diff)
			}
			if len(g.models) != 1 || g.models[0] != "openai/x" || len(g.items) != 1 {
				t.Errorf("models %v, items %v", g.models, g.items)
			}
		})
	}
}

func TestInspectArchiveOfACrash(t *testing.T) {
	_, g, err := importSource(t, "", eval(inspectEval(t, methodZstd, "_journal/start.json", `{"version":2,"eval":{"task":"a","model":"m"},"plan":{}}`, "samples/a_epoch_1.json", oneSample(`"a"`, "1", "0.25"))))
	if err != nil || len(g.records) != 1 || *g.records[0].Reward != 0.25 {
		t.Fatalf("records %v, error %v", told(g), err)
	}
	g.noted(t, "log.eval: it has no header: the evaluation was broken off")
}

func TestInspectArchivesThatAreNone(t *testing.T) {
	whole := inspectEval(t, methodZstd, "header.json", inspectHead, "samples/1_epoch_1.json", oneSample("1", "1", "1"))
	broken := strings.Replace(inspectEval(t, zip.Store, "header.json", inspectHead, "samples/1_epoch_1.json", oneSample("1", "1", "1")), `"epoch":1`, `"epoch":7`, 1)
	for name, tt := range map[string]struct{ archive, want string }{
		"cut off":              {whole[:len(whole)-10], "log.eval: the archive is broken or was cut off"},
		"a flipped bit":        {broken, "log.eval: samples/1_epoch_1.json: unpack: zip: checksum error"},
		"samples in chunks":    {inspectEval(t, zip.Store, "header.json", inspectHead, "samples/1_epoch_1/sample.json", "{}", "samples/1_epoch_1/messages/0.json", "[]"), "its samples are in chunks (samples/1_epoch_1/sample.json)"},
		"a sample of no shape": {inspectEval(t, zip.Store, "header.json", inspectHead, "samples/1_epoch_1.json", `{"id":1,"epoch":"x"}`), `log.eval: samples/1_epoch_1.json: "epoch": `},
		"no samples":           {inspectEval(t, zip.Store, "header.json", inspectHead), "no rollouts"},
	} {
		if f, _, err := importSource(t, "", eval(tt.archive)); err == nil || errors.Is(err, ErrUnrecognized) || f.Name != "inspect" || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: format %q, error %v, want %s", name, f.Name, err, tt.want)
		}
	}
	for name, archive := range map[string]string{
		"an archive of something else": inspectEval(t, zip.Deflate, "word/document.xml", "<xml/>"),
		"another header":               inspectEval(t, zip.Deflate, "header.json", `{"title":"x"}`),
	} {
		if _, _, err := importSource(t, "inspect", eval(archive)); !errors.Is(err, ErrUnrecognized) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

// Each row is a sample and what becomes of it.
func TestInspectOutcomes(t *testing.T) {
	score := func(v string) string { return `{"id":"q","epoch":1,"scores":{"s":{"value":` + v + `}}}` }
	tests := []struct{ name, sample, want string }{
		{"C is correct", score(`"C"`), "q/0 graded 1"},
		{"P is partly", score(`"P"`), "q/0 graded 0.5"},
		{"I is incorrect", score(`"I"`), "q/0 graded 0"},
		{"N is no answer, which Inspect counts 0", score(`"N"`), "q/0 graded 0"},
		{"a number", score(`0.75`), "q/0 graded 0.75"},
		{"a number as text", score(`"0.75"`), "q/0 graded 0.75"},
		{"true", score(`true`), "q/0 graded 1"},
		{"NaN is unscored", score(`NaN`), "q/0 grader - score s is null"},
		{"Infinity is no reward", score(`-Infinity`), "q/0 grader - score s is null"},
		{"the text NaN is no reward", score(`"NaN"`), `q/0 grader - score s is a word, not a number: --score selects another`},
		{"a letter that means nothing is no zero", score(`"B"`), `q/0 grader - score s is a word, not a number: --score selects another`},
		{"a list is no reward", score(`[1,0]`), "q/0 grader - score s is [1,0]"},
		{"a value with one key", score(`{"acc":0.5}`), "q/0 graded 0.5"},
		{"no scores", `{"id":"q","epoch":2}`, "q/1 grader - it was not scored"},
		{"scores are null", `{"id":"q","scores":null}`, "q/0 grader - it was not scored"},
		{"an old log has one score", `{"id":"q","epoch":1,"score":{"value":"C"}}`, "q/0 graded 1"},
		{"an error beside a score is a failure", `{"id":"q","epoch":1,"error":{"message":"boom\nmore","traceback":""},"scores":{"s":{"value":0}}}`, "q/0 model_api - boom"},
		{"an error of a tool", `{"id":"q","epoch":1,"error":{"message":"x","traceback":"inspect_ai/model/_call.py\ninspect_ai/tool/_tools.py"}}`, "q/0 tool - x"},
		{"an error of a scorer", `{"id":"q","epoch":1,"error":{"message":"x","traceback":"inspect_ai/scorer/_model.py"}}`, "q/0 grader - x"},
		{"a limit with a score", `{"id":"q","epoch":1,"limit":{"type":"message","limit":20.0},"scores":{"s":{"value":0.5}}}`, "q/0 step_limit 0.5 message limit of 20"},
		{"a limit without a score", `{"id":"q","epoch":1,"limit":{"type":"token","limit":1000}}`, "q/0 step_limit - token limit of 1000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, g, err := importText(t, "", inspectJSON(tt.sample))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{tt.want}, told(g)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A log that Inspect AI 0.3.285 wrote: the "kinds" of .ci/peers/inspect/make.py, one
// epoch, tracebacks and events shortened.
func TestInspectRecorded(t *testing.T) {
	b, err := os.ReadFile("testdata/peers/inspect-0.3.285.json")
	if err != nil {
		t.Fatal(err)
	}
	_, g, err := importText(t, "", string(b))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"apple/0 graded 1",
		"plum/0 tool - KeyError('plum')", // a tool in a file of the user
		"scorer-down/0 grader - ValueError('the judge is down')",
		"wrong/0 graded 0.25",
	}
	if diff := cmp.Diff(want, told(g)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	g.noted(t, "reward = score right, the first one that grades; parts are kind")
	for _, r := range g.records {
		if r.Item == "plum" && (len(r.Calls) != 1 || r.Calls[0].Status != rollout.CallFailed) {
			t.Errorf("the call that raised an error is %+v", r.Calls)
		}
	}
}

func TestInspectChoosesAScoreThatGrades(t *testing.T) {
	with := func(scores string) string { return `{"id":1,"epoch":1,"scores":` + scores + `}` }
	for name, tt := range map[string]struct{ file, want, note string }{
		"words come first": {inspectJSON(with(`{"kind":{"value":"long"},"right":{"value":1}}`)), "1/0 graded 1", "reward = score right"},
		"a number without metrics comes first": {
			strings.Replace(inspectJSON(with(`{"length":{"value":31},"right":{"value":1}}`)), `"config"`, `"scorers":[{"name":"length","metrics":[]},{"name":"right","metrics":[{"name":"mean"}]}],"config"`, 1),
			"1/0 graded 1", "reward = score right",
		},
		"a score that is missing is no word": {inspectJSON(with(`{"right":{"value":NaN},"length":{"value":31}}`)), "1/0 grader - score right is null", "reward = score right"},
		"words alone":                        {inspectJSON(with(`{"kind":{"value":"long"}}`)), `1/0 grader - score kind is a word, not a number: --score selects another`, "no score is a number, so no rollout has a grade: kind"},
		"a judge fails below a scorer":       {inspectJSON(`{"id":1,"epoch":1,"error":{"message":"429","traceback":"score_result = await scorer(\ninspect_ai/model/_model.py"}}`), "1/0 grader - 429", ""},
	} {
		_, g, err := importText(t, "", tt.file)
		if diff := cmp.Diff([]string{tt.want}, told(g)); err != nil || diff != "" {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, diff)
		}
		if tt.note != "" {
			g.noted(t, tt.note)
		}
	}
}

// A scorer that gave words in one sample and numbers in the others is one of numbers,
// wherever that sample is; one of words is none, whatever number it gave once.
func TestInspectChoosesTheScorerOverAllSamples(t *testing.T) {
	samples := []string{
		`{"id":1,"epoch":1,"scores":{"right":{"value":"n/a"},"kind":{"value":3}}}`,
		`{"id":2,"epoch":1,"scores":{"right":{"value":1},"kind":{"value":"long"}}}`,
		`{"id":3,"epoch":1,"scores":{"right":{"value":0},"kind":{"value":"short"}}}`,
	}
	for range samples {
		samples = append(samples[1:], samples[0])
		_, g, err := importText(t, "", inspectJSON(strings.Join(samples, ",")))
		if err != nil {
			t.Fatal(err)
		}
		g.noted(t, "reward = score right, the first one that grades; parts are")
		for _, r := range g.records {
			if graded := r.Item != "1"; (r.Reward != nil) != graded {
				t.Errorf("item %s: reward %v, %s", r.Item, r.Reward, r.Error)
			}
		}
	}
}

func TestInspectSeveralScores(t *testing.T) {
	sample := `{"id":1,"epoch":1,"scores":{"b":{"value":0.25},"a":{"value":"C"},"judge":{"value":{"style":0.5,"facts":NaN}}}}`
	importWith := func(score string) (*got, error) {
		src := text(inspectJSON(sample))
		src.Options.Score = score
		_, g, err := importSource(t, "", src)
		return g, err
	}
	t.Run("the first one is the reward, the others are parts", func(t *testing.T) {
		g, err := importWith("")
		if err != nil || *g.records[0].Reward != 0.25 {
			t.Fatalf("%v, error %v", told(g), err)
		}
		if diff := cmp.Diff(map[string]float64{"a": 1, "judge.style": 0.5}, g.records[0].Parts); diff != "" {
			t.Errorf("parts (-want +got):\n%s", diff)
		}
		g.noted(t, "reward = score b, the first one that grades; parts are a, judge.style, judge.facts")
	})
	t.Run("another one by name", func(t *testing.T) {
		g, err := importWith("judge.style")
		if err != nil || *g.records[0].Reward != 0.5 {
			t.Fatalf("%v, error %v", told(g), err)
		}
		g.noted(t, "reward = score judge.style, by --score")
	})
	t.Run("a scorer with several values must be told apart", func(t *testing.T) {
		if _, err := importWith("judge"); err == nil || !strings.Contains(err.Error(), "choose one by --score: b, a, judge.style, judge.facts") {
			t.Errorf("error is %v", err)
		}
		_, _, err := importText(t, "", inspectJSON(`{"id":1,"scores":{"judge":{"value":{"x":1,"y":0}}}}`))
		if err == nil || !strings.Contains(err.Error(), `score "judge" has several values: choose one by --score: judge.x, judge.y`) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("a name that no sample has", func(t *testing.T) {
		if g, err := importWith("nil"); err == nil || !strings.Contains(err.Error(), "--score nil: no rollout has a score of that name; there are a, b, judge.facts, judge.style") {
			t.Errorf("%v, error %v", told(g), err)
		}
	})
}

func TestInspectSampleWhole(t *testing.T) {
	sample := `{"id":"q1","epoch":1,"input":[{"role":"user","content":"attachment://aa"}],"target":["42"],"uuid":"u1","metadata":{"topic":"x"},
 "started_at":"2026-01-01T10:00:00+01:00","total_time":12.5,"working_time":7.0,
 "attachments":{"aa":"what \"is\" it?","bb":"seats: 0"},
 "messages":[{"role":"system","content":"be brief"},{"role":"user","content":"attachment://aa"},
  {"role":"assistant","content":[{"type":"reasoning","reasoning":"hm"},{"type":"text","text":"I look"}],"tool_calls":[
    {"id":"c1","function":"look","arguments":{"a":1},"type":"function"},{"id":"c2","function":"book","arguments":{},"parse_error":"bad json","type":"function"}]},
  {"role":"tool","tool_call_id":"c1","function":"look","content":"attachment://bb"},
  {"role":"tool","tool_call_id":"c2","function":"book","content":"","error":{"type":"parsing","message":"bad json"}},
  {"role":"assistant","content":"say \"attachment://aa"}],
 "output":{"model":"x","choices":[{"message":{"role":"assistant","content":"42"},"stop_reason":"stop"}]},
 "model_usage":{"openai/x":{"input_tokens":100,"output_tokens":20,"total_tokens":150,"input_tokens_cache_read":30,"input_tokens_cache_write":null,"reasoning_tokens":5},
   "openai/judge":{"input_tokens":7,"output_tokens":1}},
 "role_usage":{"grader":{"input_tokens":7,"output_tokens":1}},
 "error_retries":[{"message":"503","traceback":"inspect_ai/model/_x.py"}],
 "events":[{"event":"model","uuid":"c1"},{"event":"tool","id":"c1","timestamp":"2026-01-01T09:00:02Z","working_time":0.5,"result":NaN},7],
 "scores":{"match":{"value":1,"metadata":{"x":NaN}}}}`
	_, g, err := importText(t, "", inspectJSON(sample))
	if err != nil {
		t.Fatal(err)
	}
	if len(g.records) != 2 {
		t.Fatalf("%v, want the failed attempt and the last one", told(g))
	}
	if r := g.records[0]; r.Attempt != 0 || r.Outcome != rollout.ModelAPI || r.Error != "503" {
		t.Errorf("earlier attempt is %+v", r)
	}
	n := func(i int64) *int64 { return &i }
	one := 1.0
	want := &rollout.Record{
		Item: "q1", Split: rollout.Train, Sample: 0, Attempt: 1, Source: rollout.Import, Outcome: rollout.Graded, Reward: &one, Answer: "42", Finish: rollout.FinishStop, Turns: 2,
		Calls: []rollout.Call{
			{Turn: 0, ID: "c1", Name: "look", Arguments: `{"a":1}`, Output: "seats: 0", OutputBytes: 8, Status: rollout.CallOK, Elapsed: rollout.Seconds(time.Second / 2), Offset: 0},
			{Turn: 0, ID: "c2", Name: "book", Arguments: "unparsable: bad json", Output: "bad json", OutputBytes: 8, Status: rollout.CallMalformed, Error: "parsing: bad json"},
		},
		Usage:   rollout.Usage{Input: n(130), Output: n(20), Reasoning: n(5), Cached: n(30)},
		Judge:   rollout.Usage{Input: n(7), Output: n(1)},
		TraceID: "u1", Started: time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC), Elapsed: rollout.Seconds(12500 * time.Millisecond),
	}
	want.Calls[0].Offset = rollout.Seconds(2 * time.Second)
	got := *g.records[1]
	messages := got.Messages
	got.Messages = nil
	if diff := cmp.Diff(want, &got); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	if len(messages) != 4 || messages[0].Content != "I look" || messages[0].Reasoning != "hm" || messages[1].Content != "seats: 0" || messages[3].Content != `say "attachment://aa` {
		t.Errorf("messages are %+v", messages)
	}
	it := g.items[0]
	if it.ID != "q1" || len(it.Messages) != 2 || it.Messages[1].Content != `what "is" it?` || !strings.Contains(string(it.Row), `"target":["42"]`) || !strings.Contains(string(it.Row), `"topic":"x"`) {
		t.Errorf("item is %s", it.Row)
	}
	g.noted(t, "1 attempt that ended in an error was made again")
}

// An old log keeps events and attachments in a transcript.
func TestInspectOldTranscript(t *testing.T) {
	_, g, err := importText(t, "", inspectJSON(`{"id":1,"epoch":1,"messages":[{"role":"user","content":"attachment://x"}],"transcript":{"events":[],"content":{"x":"hello"}},"score":{"value":"C"}}`))
	if err != nil || g.items[0].Messages[0].Content != "hello" {
		t.Errorf("items %+v, error %v", g.items, err)
	}
}

func TestInspectIdentity(t *testing.T) {
	t.Run("of one sample twice in a list the last one counts", func(t *testing.T) {
		_, g, err := importText(t, "", inspectJSON(oneSample("1", "1", "0"), oneSample("1", "2", "1"), oneSample("1", "1", "1")))
		if diff := cmp.Diff([]string{"1/1 graded 1", "1/0 graded 1"}, told(g)); err != nil || diff != "" {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
	})
	t.Run("several logs of a task are further epochs", func(t *testing.T) {
		a, b := inspectJSON(oneSample("1", "1", "0"), oneSample("1", "2", "1")), inspectJSON(oneSample("1", "1", "0.5"), oneSample("2", "1", "0.5"))
		_, g, err := importSource(t, "", named("a.json", a, "b.json", b))
		if diff := cmp.Diff([]string{"1/0 graded 0", "1/1 graded 1", "1/2 graded 0.5", "2/0 graded 0.5"}, told(g)); err != nil || diff != "" {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
	})
	t.Run("a log that was made again from another one shares samples with it, by uuid", func(t *testing.T) {
		with := func(id, uuid string) string {
			return strings.Replace(oneSample(id, "1", "1"), `"epoch"`, `"uuid":"`+uuid+`","epoch"`, 1)
		}
		_, g, err := importSource(t, "", named("a.json", inspectJSON(with("1", "u1")), "b.json", inspectJSON(with("1", "u1"), with("2", "u2"))))
		if diff := cmp.Diff([]string{"1/0 graded 1", "2/0 graded 1"}, told(g)); err != nil || diff != "" {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
		g.noted(t, "1 rollout is in several logs")
	})
	t.Run("logs of several tasks name items by task", func(t *testing.T) {
		_, g, err := importSource(t, "", named("a.json", inspectJSON(oneSample("1", "1", "0")), "b.json", strings.Replace(inspectJSON(oneSample("1", "1", "1")), `"arith"`, `"geo"`, 1)))
		if diff := cmp.Diff([]string{"arith/1/0 graded 0", "geo/1/0 graded 1"}, told(g)); err != nil || diff != "" {
			t.Errorf("error %v (-want +got):\n%s", err, diff)
		}
	})
	t.Run("an operator's stop is no rollout", func(t *testing.T) {
		_, g, err := importText(t, "", inspectJSON(oneSample("1", "1", "1"), `{"id":2,"epoch":1,"limit":{"type":"operator","limit":1}}`))
		if err != nil || len(g.records) != 1 {
			t.Errorf("%v, error %v", told(g), err)
		}
		g.noted(t, "1 rollout was cut short by the operator")
	})
	for name, tt := range map[string]struct {
		src  Source
		want string
	}{
		"two models":       {named("a.json", inspectJSON(oneSample("1", "1", "0")), "b.json", strings.Replace(inspectJSON(oneSample("1", "1", "1")), "openai/x", "y", 1)), `b.json: its model is "y", but that of a.json is "openai/x"`},
		"id 1 and \"1\"":   {text(inspectJSON(oneSample("1", "1", "0"), oneSample(`"1"`, "2", "0"))), "log.json:2: byte "},
		"epoch 0":          {text(inspectJSON(oneSample("1", "0", "0"))), "epochs count from 1"},
		"no id":            {text(inspectJSON(`{"epoch":1}`)), `"id" is missing`},
		"a sample cut":     {text(inspectJSON(oneSample("1", "1", "0"))[:250]), "entry 0: the file ends within it"},
		"samples, no list": {text(strings.TrimSuffix(inspectHead, "}") + `,"samples":7}`), `"samples" must be a list`},
	} {
		if f, _, err := importSource(t, "", tt.src); err == nil || errors.Is(err, ErrUnrecognized) || f.Name != "inspect" || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: format %q, error %v, want %s", name, f.Name, err, tt.want)
		}
	}
}

// Attachments cannot make a sample longer than a member may be.
func TestInspectAttachmentsAreBounded(t *testing.T) {
	by := map[string]json.RawMessage{"a": json.RawMessage(`"` + strings.Repeat("x", 98) + `"`)}
	room := 250
	got := resolved([]byte("["+strings.Repeat(`"attachment://a",`, 99)+`"attachment://b"]`), by, &room)
	if n := bytes.Count(got, []byte("xx\"")); n != 2 || room != 50 || !json.Valid(got) {
		t.Errorf("%d attachments are resolved and room is left for %d bytes: want 2 and 50", n, room)
	}
}

func FuzzInspectJSON(f *testing.F) {
	f.Add(inspectJSON(oneSample("1", "1", `"C"`), `{"id":2,"limit":{"type":"token"},"error_retries":[{}]}`))
	f.Add(inspectJSON(`{"id":1,"messages":[{"role":"assistant","tool_calls":[{}]},{"role":"tool"}],"events":[{"event":"tool"}],"scores":{"a":{"value":{"x":NaN}}}}`))
	f.Fuzz(func(t *testing.T, file string) { fuzzed(t, "inspect", text(file)) })
}

func FuzzInspectEval(f *testing.F) {
	f.Add([]byte(inspectEval(f, methodZstd, "header.json", inspectHead, "samples/1_epoch_1.json", oneSample("1", "1", "1"))))
	f.Add([]byte(inspectEval(f, zip.Store, "_journal/start.json", inspectHead, "samples/1_epoch_1.json", oneSample("1", "1", "NaN"))))
	f.Fuzz(func(t *testing.T, file []byte) { fuzzed(t, "inspect", eval(string(file))) })
}

// fuzzed holds what a reader makes of anything to what a record must be: no
// number from a failure, no rollout twice, nothing that cannot be written.
func fuzzed(t *testing.T, format string, src Source) {
	t.Helper()
	var g got
	if _, err := Import(context.Background(), Formats(), format, src, g.sink()); err != nil {
		return
	}
	type place struct {
		rollout.Key
		attempt int
	}
	seen := make(map[place]bool)
	for _, r := range g.records {
		k := place{r.Key(), r.Attempt}
		if seen[k] {
			t.Errorf("%v came twice", k)
		}
		seen[k] = true
		if r.Outcome == rollout.Graded && r.Reward == nil || r.Outcome.Missing() && r.Reward != nil {
			t.Errorf("outcome %s with reward %v", r.Outcome, r.Reward)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Errorf("record cannot be written: %v", err)
		}
	}
	for _, it := range g.items {
		if _, err := json.Marshal(it); err != nil {
			t.Errorf("item cannot be written: %v", err)
		}
	}
}

// The last pass over an archive takes the members that an earlier one unpacked, as far as there was room.
func TestMembersAreUnpackedOnce(t *testing.T) {
	log, err := openInspectZip(largeArchive(t, 3).Files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer log.close()
	kept := &keptMembers{texts: make(map[*zip.File][]byte)}
	read := func(i int) []byte {
		t.Helper()
		text, err := kept.read(log, log.members[log.names[i]])
		if err != nil || !strings.HasSuffix(string(text), `{"value":"C"}}}`) {
			t.Fatalf("member %d: %v, %d bytes", i, err, len(text))
		}
		return text
	}
	first, second := read(0), read(1)
	kept.size = mostKept - 1
	third := read(2)
	log.lastPass = true
	if &read(0)[0] != &first[0] || &read(1)[0] != &second[0] || &read(2)[0] == &third[0] {
		t.Error("the last pass unpacks what was kept, or finds what there was no room for")
	}
	if len(kept.texts) > 0 || &read(0)[0] == &first[0] {
		t.Errorf("%d members are kept after the last pass", len(kept.texts))
	}
}
