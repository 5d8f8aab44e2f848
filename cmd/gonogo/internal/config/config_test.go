package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/audit"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/rollout"
)

const (
	testJob = `{"model":"base-model","training_file":"file-t","validation_file":"file-v",
 "method":{"type":"reinforcement","reinforcement":{
  "tools":[{"name":"search","server_url":"https://tools.example.com/search","headers":{"Authorization":"Bearer ${TOOL_KEY}"}}],
  "grader":{"type":"score_model","name":"g","model":"judge-model","input":[],"range":[0,10],"pass_threshold":7},
  "max_episode_steps":12,"hyperparameters":{"batch_size":32,"n_epochs":"auto","reasoning_effort":"high"}}}}`
	testRow = `{"id":"a","messages":[{"role":"user","content":"q"}],"answer":"x"}` + "\n"
)

// folder writes files into a new folder and returns its path.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// environment is a lookup over pairs of name and value.
func environment(pairs ...string) Lookup {
	return func(name string) (string, bool) {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

var keysInPlace = environment("OPENAI_API_KEY", "sk-planted", "TOOL_KEY", "planted-tool")

// loaded loads yaml in addition to a job and two data files.
func loaded(t *testing.T, yaml string, env Lookup, overrides ...string) (*Config, string, error) {
	t.Helper()
	dir := folder(t, map[string]string{"gonogo.yaml": yaml, "job.json": testJob, "train.jsonl": testRow, "val.jsonl": testRow})
	c, err := Load(filepath.Join(dir, "gonogo.yaml"), env, overrides...)
	return c, dir, err
}

func TestLeftOutKeysComeFromJobAndDefaults(t *testing.T) {
	c, dir, err := loaded(t, "job: job.json\ndata:\n  files: {file-t: train.jsonl, file-v: val.jsonl}\nsampling: {samples: 4}\n", keysInPlace)
	if err != nil {
		t.Fatal(err)
	}
	type facts struct {
		Model, BaseURL, API, JudgeURL, Effort, Target   string
		Train, Eval                                     string
		Samples, Eval_, Steps, Batch, Epochs, GroupSize int
		Range                                           [2]float64
		Pass                                            float64
		ModelTimeout, JudgeTimeout                      time.Duration
		Key, JudgeKey                                   string
		SeedSet                                         bool
	}
	got := facts{
		c.Model.Name, c.Model.BaseURL, c.Model.API, c.Judge.BaseURL, c.Model.ReasoningEffort, c.Target,
		c.Data.Train, c.Data.Eval,
		c.Sampling.Samples, c.Sampling.EvalSamples, c.Sampling.MaxSteps, c.Training.BatchSize, c.Training.Epochs, c.Training.GroupSize,
		*c.RewardRange, *c.PassThreshold, c.Model.Timeout.Duration, c.Judge.Timeout.Duration, c.ModelKey, c.JudgeKey, c.Seed != nil,
	}
	want := facts{
		"base-model", defaultBaseURL, "responses", defaultBaseURL, "high", "none",
		filepath.Join(dir, "train.jsonl"), filepath.Join(dir, "val.jsonl"),
		4, 4, 12, 32, 0, 8,
		[2]float64{0, 10},
		7, 10 * time.Minute, 10 * time.Minute, "sk-planted", "sk-planted", false,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := c.Body.Tools[0].Headers["Authorization"]; got != "Bearer planted-tool" {
		t.Errorf("header %q", got)
	}
}

func TestWrittenKeysWin(t *testing.T) {
	c, _, err := loaded(t, `{"job": "job.json", "data": {"train": "train.jsonl"},
	"model": {"name": "other", "reasoning_effort": "low", "base_url": "http://127.0.0.1:1/v1"},
	"sampling": {"max_steps": 0, "eval_samples": 2}, "reward_range": [0, 1], "pass_threshold": 0.5, "training": {"batch_size": 4}}`, keysInPlace)
	if err != nil {
		t.Fatal(err)
	}
	if c.Model.Name != "other" || c.Model.ReasoningEffort != "low" || c.Sampling.MaxSteps != 0 || c.Sampling.EvalSamples != 2 ||
		*c.RewardRange != [2]float64{0, 1} || *c.PassThreshold != 0.5 || c.Training.BatchSize != 4 {
		t.Errorf("%+v", c.values)
	}
}

func TestAllMistakesAtOnceByLine(t *testing.T) {
	_, _, err := loaded(t, `jib: x
job:
  method: {reinforcement: {grader: {type: string_check}, tools: [{name: a, server_url: "ftp://x"}]}}
  seed: x
sampling: {sample: 3, samples: 0, tool_timeout: 5}
samples: 3
model: {headers: 3, api: respones, temprature: 1}
reward_range: [1, 0]
thresholds: {signal.informative.caution2: 0.1}
report: {formats: [htm]}
data: x
`, keysInPlace)
	if err == nil {
		t.Fatal("no error")
	}
	want := []string{
		`:1:1: unknown key "jib", did you mean "job"?`,
		`:3:76: job.method.reinforcement.tools[0].server_url: must be a http:// or https:// URL with a host`,
		`:4:3: job.seed: must be a whole number, got "x"`,
		`:5:12: unknown key "sampling.sample", did you mean "sampling.samples"?`,
		`:5:32: sampling.samples: must be 1 or more, got 0`,
		`:5:49: sampling.tool_timeout: must be a duration with its unit, such as 500ms, 30s or 5m, got 5`,
		`:6:1: unknown key "samples", did you mean sampling.samples?`,
		`:7:18: model.headers: must be a map from name to text, such as {api-key: "${AZURE_KEY}"}, got 3`,
		`:7:26: model.api: must be responses or chat, got "respones", did you mean responses?`,
		`:7:36: unknown key "model.temprature", did you mean "model.temperature"?`,
		`:8:15: reward_range: the first number must be below the second, got [1, 0]`,
		`:9:14: thresholds: there is no "signal.informative.caution2", did you mean signal.informative.caution?`,
		`:10:20: report.formats[0]: there is no "htm", did you mean html?`,
		`:11:7: data: is a group of keys such as data.train, got "x"`,
	}
	var got []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		_, rest, _ := strings.Cut(line, "gonogo.yaml")
		got = append(got, rest)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRefusedConfigurations(t *testing.T) {
	const rest = "\ndata: {train: train.jsonl}\n"
	for name, c := range map[string]struct {
		yaml string
		env  Lookup
		want string
	}{
		"an empty file":                    {"", keysInPlace, "job: missing"},
		"comments only":                    {"# nothing\n", keysInPlace, "job: missing"},
		"a list":                           {"- a\n", keysInPlace, "gonogo.yaml:1:1: a configuration is a map of keys, this is a list"},
		"a syntax error":                   {"job: [\n", keysInPlace, "gonogo.yaml:1:6: sequence end token ']' not found"},
		"one key twice":                    {"items: 1\nitems: 2\n", keysInPlace, `gonogo.yaml:2:1: mapping key "items" already defined`},
		"two documents":                    {"items: 1\n---\nitems: 2\n", keysInPlace, "gonogo.yaml:3"},
		"a tag":                            {"name: !!binary aGk=\n", keysInPlace, "gonogo.yaml:1:7: tags such as !!binary are not read"},
		"an alias to nothing":              {"name: *x\n", keysInPlace, "gonogo.yaml:1:7: the alias *x has no anchor &x before it"},
		"a map for a key":                  {"? {a: b}\n: c\n", keysInPlace, "gonogo.yaml:2:1: found an invalid key for this map"},
		"an alias bomb":                    {bomb(), keysInPlace, "more than 100 aliases"},
		"an alias within itself":           {"name: &a [*a]\n", keysInPlace, "more than 100"},
		"a hundred thousand brackets":      {strings.Repeat("[", 100_000), keysInPlace, "gonogo.yaml:1:1001: more than 1000 brackets or lists are open"},
		"a hundred thousand lists":         {strings.Repeat("- ", 100_000), keysInPlace, "gonogo.yaml:1:2001: more than 1000 brackets or lists are open"},
		"a group's name with its key's":    {"sampling.samples: 3\n", keysInPlace, `gonogo.yaml:1:1: unknown key "sampling.samples": write samples below sampling`},
		"a range without an end":           {"reward_range: [0, ~]\n", keysInPlace, "gonogo.yaml:1:19: reward_range[1]: must be a number, got nothing"},
		"a password in a key":              {"sampling: {address_map: {\"http://u:planted@h/\": [x]}}\n", keysInPlace, "sampling.address_map.http://**********@h/: must be text, got a list"},
		"a file of two megabytes":          {"name: " + strings.Repeat("x", 2<<20), keysInPlace, "1024 KB are allowed"},
		"a whole number that is too large": {"items: 99999999999999999999\n", keysInPlace, "gonogo.yaml:1:8: items: must be a whole number"},
		"a number beyond any":              {"prices: {model_input: 1e999999999}\n", keysInPlace, "gonogo.yaml:1:23: prices.model_input: must be a number"},
		"a number too small to compute":    {"prices: {model_input: 1e-999999999}\n", keysInPlace, "gonogo.yaml:1:23: prices.model_input: must be a number"},
		"a duration beyond any":            {"model: {timeout: 99999999999h}\n", keysInPlace, "gonogo.yaml:1:18: model.timeout: must be a duration with its unit"},
		"no number at all":                 {"ceiling: .nan\n", keysInPlace, "gonogo.yaml:1:10: ceiling: must be a number"},
		"an empty name":                    {"name: ''\n", keysInPlace, "name: is empty: leave the key out"},
		"a ceiling outside the range":      {"ceiling: 11\njob: job.json" + rest, keysInPlace, "gonogo.yaml:1:10: ceiling: must be in the reward range, above 0 and at most 10, got 11"},
		"no job file":                      {"job: nope.json" + rest, keysInPlace, "gonogo.yaml:1:6: job: stat "},
		"no data":                          {"job: job.json\n", keysInPlace, "data.train: missing: name a training file, an evaluation file (data.eval) or both, or say under data.files which path file-t is"},
		"a data file that is not there":    {"job: job.json\ndata:\n  train: nope.jsonl\n", keysInPlace, "gonogo.yaml:3:10: data.train: stat "},
		"a folder as data":                 {"job: job.json\ndata:\n  train: .\n", keysInPlace, "is a directory"},
		"no API key":                       {"job: job.json" + rest, environment("TOOL_KEY", "x"), "model.api_key_env: the environment has no OPENAI_API_KEY, the key for https://api.openai.com/v1"},
		"no key of the name given":         {"model: {api_key_env: MINE, base_url: http://localhost:1/v1}\njob: job.json" + rest, keysInPlace, "gonogo.yaml:1:22: model.api_key_env: the environment has no MINE"},
		"a header without its variable":    {"job: job.json\nmodel:\n  headers: {api-key: \"${NOPE}\"}" + rest, keysInPlace, "gonogo.yaml:3:12: model.headers: api-key: the environment has no NOPE"},
		"a job's header without variable":  {"job: job.json" + rest, environment("OPENAI_API_KEY", "k"), "job.json:3:104: method.reinforcement.tools[0].headers.Authorization: the environment has no TOOL_KEY"},
		"no model anywhere":                {"job: {grader: {type: string_check}}" + rest, keysInPlace, "model.name: missing, and the job names no model"},
		"a grader without type, inlined":   {"job:\n  grader:\n    name: x\n" + rest, keysInPlace, "gonogo.yaml:2:3: job.grader.type: missing"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := loaded(t, c.yaml, c.env)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

// One mistake a value, and a hundred in all: each costs a search for what was meant.
func TestMistakesAreBounded(t *testing.T) {
	for yaml, want := range map[string][]string{
		"sampling: {concurrency: 9e400}\nrequire: [x]\n": {"x:1:25: sampling.concurrency: must be a whole number, got 9e400", `x:2:11: require[0]: there is no "x"`},
		"reward_range: [1, 0, 2]\nseed: -1\n":            {"x:1:15: reward_range: must be a list of two numbers, such as [0, 1], got 3", "x:2:7: seed: must be 0 or more, got -1"},
		"audit: {regrades: 1e9}\nseed: -0.0\n":           {"x:1:19: audit.regrades: must be 1000000 or less, got 1000000000"},
	} {
		_, err := Decode("x", ".", []byte(yaml), noEnv)
		if err == nil || err.Error() != strings.Join(want, "\n") {
			t.Errorf("%s\ngives %v", yaml, err)
		}
	}
	for what, text := range map[string]string{"": "%d: 1\n", "thresholds:\n": "  %d: 1\n", "model:\n  headers:\n": "    %d: [1]\n", "judge:\n  <<:\n": "    %d: 1\n"} {
		var b strings.Builder
		b.WriteString(what)
		for i := range 2_000 {
			fmt.Fprintf(&b, text, i)
		}
		_, err := Decode("x", ".", []byte(b.String()), noEnv)
		if errs, ok := errors.AsType[Errors](err); !ok || len(errs) != 101 || !strings.Contains(errs[0].Msg, "more than 100 mistakes") {
			t.Errorf("%q: %d mistakes, the first %v", what, len(errs), errs[0])
		}
	}
}

// bomb is a document whose aliases unfold into 10^9 values.
func bomb() string {
	var b strings.Builder
	b.WriteString("thresholds:\n  a: &a [x,x,x,x,x,x,x,x,x,x]\n")
	for c := 'b'; c <= 'i'; c++ {
		alias := "*" + string(c-1)
		b.WriteString("  " + string(c) + ": &" + string(c) + " [" + strings.Repeat(alias+",", 9) + alias + "]\n")
	}
	return b.String()
}

func TestAnchorsAndMergesAreUnfolded(t *testing.T) {
	c, _, err := loaded(t, "job: job.json\ndata: {train: &file train.jsonl, eval: *file}\nmodel:\n  headers: &h {a: one-header-value}\njudge:\n  headers:\n    <<: *h\n    b: another-value\n", keysInPlace)
	if err != nil {
		t.Fatal(err)
	}
	if c.Data.Eval != c.Data.Train {
		t.Errorf("eval %q", c.Data.Eval)
	}
	if diff := cmp.Diff(map[string]string{"a": "one-header-value", "b": "another-value"}, c.Judge.Headers); diff != "" {
		t.Error(diff)
	}
}

func TestJobsInYAMLMeanTheSame(t *testing.T) {
	inline := `job:
  model: base-model
  training_file: file-t
  validation_file: file-v
  method:
    type: reinforcement
    reinforcement:
      tools:
        - {name: search, server_url: "https://tools.example.com/search", headers: {Authorization: "Bearer ${TOOL_KEY}"}}
      grader: {type: score_model, name: g, model: judge-model, input: [], range: [0, 10], pass_threshold: 7}
      max_episode_steps: 12
      hyperparameters: {batch_size: 32, n_epochs: auto, reasoning_effort: high}
`
	const data = "data: {train: train.jsonl}\n"
	asJSON, _, err := loaded(t, "job: job.json\n"+data, keysInPlace)
	if err != nil {
		t.Fatal(err)
	}
	inlined, dir, err := loaded(t, inline+data, keysInPlace)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "job.yaml"), []byte(strings.ReplaceAll(strings.TrimPrefix(inline, "job:\n"), "\n  ", "\n")[2:]), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "two.yaml"), []byte("job: job.yaml\n"+data), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := Load(filepath.Join(dir, "two.yaml"), keysInPlace)
	if err != nil {
		t.Fatal(err)
	}
	if a, b, c := asJSON.Body.Hash(), inlined.Body.Hash(), file.Body.Hash(); a != b || b != c {
		t.Errorf("hashes differ: JSON %s, inlined %s, YAML file %s", a, b, c)
	}
}

func TestKeysAndLoopback(t *testing.T) {
	const local = "job: {model: m, method: {reinforcement: {grader: {type: string_check}}}}\ndata: {train: train.jsonl}\n"
	for name, c := range map[string]struct {
		yaml      string
		env       Lookup
		key, base string
	}{
		"a local server needs no key":      {local + "model: {base_url: http://localhost:8000/v1}", environment(), "", "http://localhost:8000/v1"},
		"but is given one that is there":   {local + "model: {base_url: \"http://[::1]:8000/v1\"}", environment("OPENAI_API_KEY", "dummy"), "dummy", "http://[::1]:8000/v1"},
		"none means none":                  {local + "model: {base_url: https://far.example/v1, api_key_env: none}", environment("OPENAI_API_KEY", "sk"), "", "https://far.example/v1"},
		"the environment names the server": {local, environment("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"), "", "http://127.0.0.1:9/v1"},
		"the file wins over it":            {local + "model: {base_url: http://localhost:1}", environment("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"), "", "http://localhost:1"},
		"a key of another name":            {local + "model: {api_key_env: MINE}", environment("MINE", " mine\n"), "mine", defaultBaseURL},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := loaded(t, c.yaml, c.env)
			if err != nil {
				t.Fatal(err)
			}
			if got.ModelKey != c.key || got.Model.BaseURL != c.base {
				t.Errorf("key %q at %s", got.ModelKey, got.Model.BaseURL)
			}
		})
	}
}

func TestAnotherJudgeIsNotHandedTheModelsCredentials(t *testing.T) {
	const yaml = "job: job.json\ndata: {train: train.jsonl}\nmodel: {base_url: https://mine.example/v1, api_key_env: MINE, headers: {X-Secret: planted-header}}\n"
	env := environment("MINE", "planted-mine", "OPENAI_API_KEY", "sk-judge", "TOOL_KEY", "tool")
	same, _, err := loaded(t, yaml, env)
	if err != nil {
		t.Fatal(err)
	}
	if same.JudgeKey != "planted-mine" || same.Judge.Headers["X-Secret"] != "planted-header" {
		t.Errorf("on the same server: key %q, headers %v", same.JudgeKey, same.Judge.Headers)
	}
	other, _, err := loaded(t, yaml+"judge: {base_url: https://api.openai.com/v1}\n", env)
	if err != nil {
		t.Fatal(err)
	}
	if other.JudgeKey != "sk-judge" || len(other.Judge.Headers) != 0 {
		t.Errorf("on another server: key %q, headers %v", other.JudgeKey, other.Judge.Headers)
	}
}

func TestNoSecretInWhatIsWritten(t *testing.T) {
	c, _, err := loaded(t, `job: job.json
data: {train: train.jsonl}
model: {base_url: "https://user:planted-pass@mine.example/v1", headers: {api-key: "${AZURE}", X-Literal: plantedliteral12, x-region: "${REGION}", x-stage: "${STAGE}", X-Key: "k-${PART}"}}
sampling: {address_map: {"https://tools.example.com/": "https://t.example/?code=planted-code"}}
`, environment("OPENAI_API_KEY", "sk-planted", "TOOL_KEY", "planted-tool", "AZURE", "planted-azure", "REGION", "us-east-1", "STAGE", "the-stage-of-planted", "PART", "planted-part"))
	if err != nil {
		t.Fatal(err)
	}
	binding := c.Binding()
	var written strings.Builder
	written.Write(c.Masked())
	for name, value := range binding {
		written.WriteString(name + value)
	}
	if strings.Contains(written.String(), "planted") {
		t.Errorf("a planted secret is shown: %s", written.String())
	}
	secrets := strings.Join(c.Secrets(), "|")
	for _, want := range []string{"sk-planted", "planted-tool", "planted-azure", "plantedliteral12", "the-stage-of-planted", "us-east-1", "|planted-part", "planted-pass", "planted-code"} {
		if !strings.Contains(secrets, want) {
			t.Errorf("secrets lack %s: %s", want, secrets)
		}
	}
	if sure := c.SureSecrets(); !slices.Equal(sure, []string{"the-stage-of-planted"}) { // the rest is short, or written in the file
		t.Errorf("blanked out of what a model reads: %q", sure)
	}
}

func TestMaskedConfigurationIsReadAgain(t *testing.T) {
	c, _, err := loaded(t, "name: x\njob: job.json\ndata: {train: train.jsonl}\nseed: 18446744073709551615\nmodel: {temperature: 1e-1, headers: {k: planted-value}}\nthresholds: {signal.informative.caution: 0.25}\nreport: {formats: [html]}\n", keysInPlace)
	if err != nil {
		t.Fatal(err)
	}
	again, err := FromManifest("run.json", c.Masked())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(c.Masked()), string(again.Masked())); diff != "" {
		t.Error(diff)
	}
	if *again.Seed != *c.Seed || again.Thresholds["signal.informative.caution"] != 0.25 || *again.Model.Temperature != 0.1 {
		t.Errorf("%+v", again.values)
	}
}

func TestTrainerNormalizeReachesTheAnalysis(t *testing.T) {
	for pair, want := range map[string]string{"training.group_size=8": "std", "trainer.normalize=none": "none"} {
		c, _, err := loaded(t, "job: job.json\ndata: {train: train.jsonl}\n", keysInPlace, pair)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Settings().Normalize; got != want {
			t.Errorf("with %s the analysis takes %q, want %q", pair, got, want)
		}
	}
}

func TestEnvironmentThatContradictsOtherKeys(t *testing.T) {
	const shop = "model: {name: m}\nenvironment: {openenv: \"http://localhost:1\"}\n"
	for text, want := range map[string]string{
		"job: job.json\ndata: {train: train.jsonl}\nenvironment: {limit: 3}\n": "environment.limit: needs environment.verifiers or environment.openenv",
		shop + "data: {train: train.jsonl}\n":                                  "data.train: cannot be set together with environment",
		shop + "agent: {command: [a]}\n":                                       "agent.command: cannot be set together with environment",
		shop + "queue: {url: \"nats://localhost:1\"}\n":                        "queue.url: workers of a queue cannot make rollouts in an environment yet",
		"model: {name: m}\nenvironment: {verifiers: a, openenv: b}\n":          "environment: verifiers and openenv cannot be set together",
		"model: {name: m}\nenvironment: {verifiers: a, reward: sum}\n":         "environment.reward: works only with environment.openenv",
	} {
		if _, _, err := loaded(t, text, keysInPlace); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
	if _, _, err := loaded(t, shop, keysInPlace); err != nil {
		t.Errorf("an environment and a model are a whole configuration: %v", err)
	}
}

func TestBindingChangesWithBindingKeysOnly(t *testing.T) {
	base, _, err := loaded(t, "job: job.json\ndata: {train: train.jsonl}\n", keysInPlace)
	if err != nil {
		t.Fatal(err)
	}
	file := &dataset.File{Split: rollout.Train, SHA256: strings.Repeat("ab", 32)}
	if got := base.Binding(file)["data.train"]; got != "abababababababab" {
		t.Errorf("data.train %q", got)
	}
	for _, k := range Keys().Keys() {
		if k.File || strings.HasSuffix(k.Path, ".headers") {
			continue
		}
		value := map[string]string{
			"target": "azure", "items": "5", "data.id": "x", "data.category": "x", "data.family": "x", "model.api": "chat",
			"model.api_key_env": "none", "model.timeout": "3m", "model.temperature": "0.3", "model.top_p": "0.3", "judge.api_key_env": "none",
			"model.parallel_tool_calls": "false", "sampling.sample_tools": "last", "sampling.rollout_timeout": "3m", "sampling.tool_timeout": "3m",
			"sampling.grader_timeout": "3m", "sampling.retry_wait": "3s", "sampling.retry_for": "3m", "training.wanted_share": "0.3", "trainer.normalize": "none", "session.timeout": "3m", "burst.gaps": "true", "reward_range": "[0, 3]",
			"agent.per_rollout": "true", "agent.own_model": "true", "agent.timeout": "3m", "agent.poll": "3m", "agent.dialect": "sagemaker", "environment.reward": "sum",
			"queue.replicas": "3", "queue.wait": "1m", "report.lang": "zh", "report.paper": "letter", "audit.enabled": "false", "audit.unordered": "true", "python.timeout": "3m", "python.sandbox": "none",
		}[k.Path]
		if value == "" {
			if value = k.Example; value == "" {
				value = "77"
			}
		}
		const whole = "prices: {model_input: 1, model_output: 1, judge_input: 1, judge_output: 1}\nsession: {start: ./start}\n" // without which other keys are refused
		agent := ""
		if strings.HasPrefix(k.Path, "agent.") && k.Path != "agent.url" {
			agent = "agent: {command: [./agent]}\n"
		}
		if slices.Contains([]string{"agent.dialect", "agent.listen"}, k.Path) {
			agent = "agent: {url: \"http://localhost:1\", dialect: sagemaker}\n"
		}
		text, base := "job: job.json\ndata: {train: train.jsonl}\n"+whole+agent, base
		if strings.HasPrefix(k.Path, "environment.") { // it has items and rewards of its own
			text = "model: {name: m}\nenvironment: {openenv: \"http://localhost:1\"}\n"
			if k.Path == "environment.verifiers" {
				text = "model: {name: m}\nenvironment: {verifiers: other}\n"
			}
			if base, _, err = loaded(t, text, keysInPlace); err != nil {
				t.Fatal(err)
			}
		}
		changed, _, err := loaded(t, text, keysInPlace, k.Path+"="+value)
		if err != nil {
			t.Errorf("%s=%s: %v", k.Path, value, err)
			continue
		}
		var differ []string
		before, after := base.Binding(), changed.Binding()
		names := maps.Clone(before)
		maps.Copy(names, after)
		for name := range names {
			if before[name] != after[name] {
				differ = append(differ, name)
			}
		}
		found := false
		for _, name := range differ {
			found = found || name == k.Path
		}
		if found != k.Binding {
			t.Errorf("%s=%s changes %v; binding is %v", k.Path, value, differ, k.Binding)
		}
	}
}

// A run of a version without these keys goes on.
func TestABindingHasNoKeysOfWhatIsNotUsed(t *testing.T) {
	c, _, err := loaded(t, "job: job.json\ndata: {train: train.jsonl}\n", keysInPlace)
	if err != nil {
		t.Fatal(err)
	}
	for name := range c.Binding() {
		if name == "agent.dialect" || strings.HasPrefix(name, "environment.") {
			t.Errorf("the binding has %s", name)
		}
	}
}

func TestSet(t *testing.T) {
	for name, c := range map[string]struct{ path, value, want string }{
		"a number":                {"sampling.samples", "16", ""},
		"a number out of range":   {"sampling.samples", "0", "--set sampling.samples: must be 1 or more, got 0"},
		"a duration":              {"model.timeout", "90s", ""},
		"text with a colon":       {"name", "a: b # c", ""},
		"a threshold by its name": {"thresholds.signal.informative.caution", "0.2", ""},
		"a threshold of no name":  {"thresholds.signal.luck", "0.2", "there is no"},
		"a header by its name":    {"model.headers.X-Team", "blue team", ""},
		"an unknown key":          {"sampling.sampels", "3", `--set sampling.sampels: unknown key, did you mean "sampling.samples"?`},
		"a key below a path":      {"job.model", "x", "unknown key"},
		"a group":                 {"sampling", "3", "--set sampling: is a group of keys such as sampling.samples"},
		"names with commas":       {"require", "data, audit", ""},
		"one name":                {"report.formats", "html", ""},
		"texts with commas":       {"burst.safe", "search,cat", ""},
		"no such name":            {"require", "data,luck", `--set require: require[1]: there is no "luck"`},
		"two numbers":             {"reward_range", "0,2", ""},
		"two numbers in brackets": {"reward_range", "[0,2]", ""},
		"numbers upside down":     {"reward_range", "2,0", "--set reward_range: the first number must be below the second, got [2, 0]"},
		"one number":              {"reward_range", "2", "must be a list of two numbers, such as [0, 1], got 1"},
		"a program":               {"agent.command", "run,me", `must be a list of texts, such as [python3, my_agent.py], got "run,me"`},
		"past all numbers":        {"ceiling", "1e999", "--set ceiling: must be a number, got 1e999"},
		"no path":                 {"data.eval", "", "--set data.eval: is empty: leave the key out instead"},
		"an entry":                {"variants", "[{prompt: x}]", "--set variants: variants[0]: the entry has no name"},
		"a place in an entry":     {"variants", "[{name: base, prompt: x}]", "--set variants: variants[0].name: base is the run itself"},
		"a key of no entry":       {"variants", "[{name: x, max_output_tokens: 4}]", `unknown key "variants[0].max_output_tokens"; the keys are name, doc, prompt`},
		"a job of another method": {"job", "{method: {type: dpo}}", `--set job: job.method.type: the method is "dpo"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Peek("", environment())
			if err != nil {
				t.Fatal(err)
			}
			err = assign(got, c.path, c.value)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	c, err := Peek("", environment())
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]string{{"sampling.samples", "16"}, {"thresholds.signal.informative.caution", "0.2"}, {"thresholds.infra.failures.fail", "0.3"}, {"data.train", "x.jsonl"}, {"data.files.a", "a.jsonl"}, {"data.files", "{b: b.jsonl}"}} {
		if err := assign(c, pair[0], pair[1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, list := range []string{"[{name: a, regex: x, zero: true}, {name: b, regex: y}]", "[{name: c, regex: z}]"} { // the second replaces the first
		if err := assign(c, "audit.detectors", list); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]audit.CustomDetector{{Name: "c", Regex: "z"}}, c.Audit.Detectors); diff != "" {
		t.Error(diff)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if c.Sampling.EvalSamples != 16 || len(c.Thresholds) != 2 || c.Data.Train != filepath.Join(here, "x.jsonl") {
		t.Errorf("%+v", c.values)
	}
	if diff := cmp.Diff(map[string]string{"a": filepath.Join(here, "a.jsonl"), "b": filepath.Join(here, "b.jsonl")}, c.Data.Files); diff != "" {
		t.Error(diff)
	}
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte("job:\n  grader: &g {type: string_check}\nsampling: {samples: 3}\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Add([]byte("session: {timeout: 0s}\nseed: -0.0\n"))
	f.Add([]byte("<<: {name: x}\nmodel:\n  headers: {a: |\n    b\n  }\n"))
	f.Add([]byte("{\"name\": \"\\ud83d\\ude00\", \"reward_range\": [0, 1e3]}"))
	f.Add([]byte(bomb()))
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := Decode("x.yaml", ".", body, noEnv)
		if err != nil || c.written.Job.Path != "" {
			return
		}
		if c.resolve() != nil {
			return
		}
		again, err := FromManifest("run.json", c.Masked())
		if err != nil {
			t.Fatalf("what was written is not read: %v\n%s", err, c.Masked())
		}
		if string(again.Masked()) != string(c.Masked()) {
			t.Fatalf("%s\nis read as\n%s", c.Masked(), again.Masked())
		}
	})
}

// What it takes to read a configuration, the schema apart, which is compiled once.
func BenchmarkDecode(b *testing.B) {
	text := []byte("job: job.json\ndata: {train: train.jsonl}\nsampling: {samples: 4}\nthresholds: {signal.informative.caution: 0.2}\n")
	for b.Loop() {
		if _, err := Decode("gonogo.yaml", ".", text, noEnv); err != nil {
			b.Fatal(err)
		}
	}
}

// assign sets a key and resolves the configuration again.
func assign(c *Config, path, value string) error {
	if err := assignValue(c, path, value); err != nil {
		return err
	}
	return c.resolve()
}
