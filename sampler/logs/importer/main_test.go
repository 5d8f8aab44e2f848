package importer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"gonogo/sampler/rollout"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// text is a source that is not a file.
func text(s string) Source {
	return Source{Files: []File{{Name: "log.json", FS: fstest.MapFS{"log.json": {Data: []byte(s)}}, Path: "log.json"}}}
}

// got is what an import handed on.
type got struct {
	items   []rollout.Item
	records []*rollout.Record
	notes   []string
	models  []string
}

func (g *got) sink() Sink {
	return Sink{
		Item:   func(it rollout.Item) error { g.items = append(g.items, it); return nil },
		Record: func(r *rollout.Record) error { g.records = append(g.records, r); return nil },
		Model:  func(s string) { g.models = append(g.models, s) },
		Note:   func(s string) { g.notes = append(g.notes, s) },
	}
}

func (g *got) empty() bool { return len(g.items)+len(g.records)+len(g.notes)+len(g.models) == 0 }

// noted fails the test unless the notes hold all of the texts.
func (g *got) noted(t *testing.T, want ...string) {
	t.Helper()
	notes := strings.Join(g.notes, "\n")
	for _, w := range want {
		if !strings.Contains(notes, w) {
			t.Errorf("notes lack %q:\n%s", w, notes)
		}
	}
}

func importText(t *testing.T, name, s string) (Format, *got, error) {
	t.Helper()
	var g got
	f, err := Import(context.Background(), Formats(), name, text(s), g.sink())
	return f, &g, err
}

// samples holds a small file for each format.
var samples = map[string]string{
	"otlp": `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a1","spanId":"b1","name":"run","startTimeUnixNano":"10","endTimeUnixNano":"90","attributes":[{"key":"item.id","value":{"stringValue":"1"}},{"key":"reward","value":{"doubleValue":1}}],"status":{}},{"traceId":"a1","spanId":"b2","parentSpanId":"b1","name":"chat m","startTimeUnixNano":"20","endTimeUnixNano":"80","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.request.model","value":{"stringValue":"m"}},{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"Q\"}]}]"}},{"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"A\"}]}]"}}],"status":{}}]}]}]}
`,
	"gonogo":            `{"item":"q1","reward":0.5}` + "\n",
	"inspect":           `{"version":2,"status":"success","eval":{"task":"t","model":"m"},"samples":[{"id":1,"epoch":1,"scores":{"s":{"value":"C"}}}]}`,
	"verifiers":         `{"example_id":1,"prompt":"a","completion":[{"role":"assistant","content":"b"}],"reward":1.0,"is_completed":true}`,
	"verifiers-v1":      `{"id":"e","task":{"key":"k"},"ok":true,"traces":[{"agent":{"trainable":true},"rewards":{"r":{"score":1}}}]}`,
	"eval-protocol":     `{"input_metadata":{"row_id":"r"},"evaluation_result":{"score":1.0,"is_score_valid":true}}`,
	"nemo-gym":          `{"responses_create_params":{"input":"2+2?"},"response":{"model":"m","output":[]},"reward":1.0,"_ng_task_index":0,"_ng_rollout_index":0}` + "\n",
	"harbor":            `{"task_name":"t","trial_name":"t__a","task_checksum":"c","agent_info":{"name":"a"},"verifier_result":{"rewards":{"reward":1}},"exception_info":null,"finished_at":"2026-11-20T09:00:00Z"}`,
	"atif":              `{"schema_version":"ATIF-v1.7","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"user","message":"2+2?"},{"step_id":2,"source":"agent","message":"4"}]}`,
	"skyrl":             `{"input_prompt":"2+2?","output_response":"4","score":1.0,"stop_reason":"stop","env_class":"e","env_extras":{},"data_source":"d"}` + "\n",
	"tinker":            `{"schema_version":1,"split":"train","iteration":1,"group_idx":0,"traj_idx":0,"total_reward":1.0,"steps":[{"ob_len":2,"ac_len":1,"metrics":{}}]}` + "\n",
	"swe-agent":         sweTraj(`"submitted"`),
	"terminal-bench":    `{"results":[{"id":"1","trial_name":"t.1","task_id":"t","instruction":"x","is_resolved":true,"failure_mode":"unset"}],"n_resolved":1}`,
	"verl":              `{"input":"2+2?","output":"4","gts":"4","score":1.0,"step":1}` + "\n",
	"trl":               trlSample(),
	"promptfoo":         `{"evalId":"e","results":{"version":3,"results":[{"promptIdx":0,"testIdx":0,"provider":{"id":"p"},"vars":{},"score":1}]}}`,
	"tau-bench":         `[{"task_id":0,"reward":1,"info":{},"traj":[{"role":"user","content":"hi"}],"trial":0}]`,
	"tau2-bench":        `{"timestamp":"t","info":{"num_trials":1},"tasks":[{"id":"7"}],"simulations":[{"id":"s","task_id":"7","trial":0,"termination_reason":"user_stop","reward_info":{"reward":1},"messages":[]}]}`,
	"build-hours":       `{"sample_index":3,"input_item":{},"trace":[],"final_message_text":"4","metrics":{"g":1},"error":null}` + "\n",
	"item-index":        `{"item_index":3,"score":0.5,"trajectory":"[]"}` + "\n",
	"openai-evals":      `{"object":"eval.run.output_item","run_id":"r","datasource_item_id":3,"results":[{"name":"g","score":1,"passed":true}],"sample":{}}` + "\n",
	"build-hours-evals": `{"datasource_item_id":3,"item_id":"q","reference":"4","prediction":"4","score":1}` + "\n",
	"every-eval-ever":   `{"schema_version":"0.3.0","evaluation_id":"e","model_id":"m","evaluation_name":"g","sample_id":"1","interaction_type":"single_turn","input":{"raw":"q","reference":["4"]},"output":{"raw":["4"]},"answer_attribution":[],"evaluation":{"score":1.0,"is_correct":true}}` + "\n",
	"lm-eval":           `{"doc_id":0,"doc":{},"target":"4","arguments":{},"resps":[["4"]],"filtered_resps":["4"],"filter":"none","metrics":["acc"],"acc":1.0}` + "\n",
	"evals-recorder":    `{"spec":{}}` + "\n" + `{"run_id":"r","event_id":0,"sample_id":"a.0","type":"match","data":{"correct":true}}` + "\n",
	"csv":               "item,reward\nq1,0.5\n",
	"parquet":           parquetSample(),
	"jsonl":             `{"question":"q1","score":0.5}` + "\n",
}

// sample is the source of a format's sample; JSON lines of any keys are
// nothing without a mapping.
func sample(format string) Source {
	src := text(samples[format])
	if format == "jsonl" {
		src.Options.Map = map[string]string{"item": "question", "reward": "score"}
	}
	return src
}

// Every format has a name, a doc and a sample, recognizes its own sample and
// leaves the others' alone without touching the sink.
func TestFormats(t *testing.T) {
	seen := make(map[string]bool)
	for _, f := range Formats() {
		if f.Name == "" || f.Doc == "" || f.Read == nil || seen[f.Name] {
			t.Errorf("format %q: name, doc or func is missing, or the name is taken", f.Name)
		}
		seen[f.Name] = true
		if samples[f.Name] == "" {
			t.Errorf("format %s has no sample", f.Name)
		}
		for of := range samples {
			var g got
			err := f.read(context.Background(), sample(of), g.sink())
			switch {
			case of == f.Name && (err != nil || len(g.records) == 0):
				t.Errorf("%s does not read its own sample: %v", f.Name, err)
			case of != f.Name && (!errors.Is(err, ErrUnrecognized) || !g.empty()):
				t.Errorf("%s on a sample of %s: error %v, handed on %+v", f.Name, of, err, g)
			}
		}
	}
}

func TestImportSniffs(t *testing.T) {
	for want := range samples {
		if f, g, err := importSource(t, "", sample(want)); err != nil || f.Name != want || len(g.records) != 1 {
			t.Errorf("sample of %s was read as %q, error %v", want, f.Name, err)
		}
	}
}

func TestImportOfUnknownFiles(t *testing.T) {
	for name, s := range map[string]string{
		"nothing": "", "blank": " \n", "prose": "Dear reader,\n", "an object": `{"results":{"version":3}}`, "a pretty object": "{\n  \"version\": 2\n}",
		"an empty array": "[]", "an array of numbers": "[1,2]", "rows of another tool": `{"example_id":0,"reward":1}` + "\n",
		"a data set with item objects": `{"item":{"q":1},"sample":{}}` + "\n", "half an array": `[{"id":`, "bytes": "PK\x03\x04\x00",
		"an array of other entries": `[{"task_id":1,"messages":[]}]`,
	} {
		_, g, err := importText(t, "", s)
		if !errors.Is(err, ErrUnrecognized) || !g.empty() {
			t.Errorf("%s: error is %v", name, err)
			continue
		}
		if lines := strings.Count(err.Error(), "\n") + 1; lines > 8 {
			t.Errorf("%s: the error has %d lines: %s", name, lines, err)
		}
		if strings.TrimSpace(s) == "" {
			if err.Error() != "import log.json: it is empty" {
				t.Errorf("%s: error %q", name, err)
			}
			continue
		}
		if want := fmt.Sprintf("gonogo help formats describes the %d", len(Formats())); !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %q does not say %q", name, err, want)
		}
		if !strings.Contains(err.Error(), "\n  tau-bench: not of this format: ") {
			t.Errorf("%s: error %q does not say what a .json of tau-bench has", name, err)
		}
	}
}

// A log of a known format without a rollout is not an import, and the error says
// what became of those that it is about.
func TestImportOfNoRollouts(t *testing.T) {
	for name, c := range map[string]struct{ format, file, want string }{
		"a table of a header alone":      {"csv", "item,reward\n", "split is train"},
		"a list of no output items":      {"openai-evals", `{"object":"list","data":[],"has_more":true}`, "more pages"},
		"rollouts that were running":     {"eval-protocol", `{"input_metadata":{"row_id":"r"},"evaluation_result":null,"rollout_status":{"code":101}}`, "1 rollout was running"},
		"samples that were cut short":    {"inspect", `{"version":2,"status":"cancelled","eval":{},"samples":[{"id":1,"epoch":1,"limit":{"type":"operator"}}]}`, "1 rollout was cut short"},
		"an evaluation without a row":    {"promptfoo", `{"evalId":"e","results":{"version":3,"results":[]}}`, "reward = score"},
		"events of none but a spec":      {"evals-recorder", `{"spec":{}}`, "the run was broken off"},
		"episodes of untrainable agents": {"verifiers-v1", `{"id":"e","task":{"key":"k"},"ok":true,"traces":[]}`, "were left out"},
	} {
		_, g, err := importText(t, c.format, c.file)
		if !errors.Is(err, rollout.ErrNoRecords) || !strings.Contains(err.Error(), "read log.json: ") || !strings.Contains(err.Error(), c.want) || len(g.records) > 0 {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

func TestImportByName(t *testing.T) {
	var names []string
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	if _, _, err := importText(t, "nonesuch", samples["gonogo"]); err == nil || !strings.Contains(err.Error(), `unknown format "nonesuch": use one of `+strings.Join(names, ", ")) {
		t.Errorf("unknown name: %v", err)
	}
	if _, _, err := importText(t, "tau-bench", samples["gonogo"]); !errors.Is(err, ErrUnrecognized) || !strings.Contains(err.Error(), "log.json as tau-bench") {
		t.Errorf("wrong name: %v", err)
	}
	if f, g, err := importText(t, "gonogo", samples["gonogo"]); err != nil || f.Name != "gonogo" || len(g.records) != 1 {
		t.Errorf("right name: %v", err)
	}
}

func TestImportMissingFile(t *testing.T) {
	_, err := Import(context.Background(), Formats(), "", Paths(Options{}, t.TempDir()+"/none.json"), Sink{})
	if err == nil || !strings.Contains(err.Error(), "none.json") || errors.Is(err, ErrUnrecognized) {
		t.Errorf("error is %v", err)
	}
}

// An error of the sink ends the import and comes back as it is; a cancelled
// context ends it too.
func TestImportStops(t *testing.T) {
	full := errors.New("disk full")
	for name := range samples {
		_, err := Import(context.Background(), Formats(), name, sample(name), Sink{Record: func(*rollout.Record) error { return full }})
		if !errors.Is(err, full) {
			t.Errorf("%s: error is %v, want that of the sink", name, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Import(ctx, Formats(), name, sample(name), Sink{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error is %v, want that of the context", name, err)
		}
	}
}
