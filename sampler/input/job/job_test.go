package job

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func agent(t *testing.T) *Job {
	t.Helper()
	body, err := os.ReadFile("testdata/agent.json")
	if err != nil {
		t.Fatal(err)
	}
	j, err := Parse("agent.json", body)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestFullBodyIsReadVerbatim(t *testing.T) {
	j := agent(t)
	if j.Model != "gpt-5-2025-08-07" || j.TrainingFile != "file-train" || j.ValidationFile != "file-val" || j.Suffix != "try-2" || *j.Seed != 42 || j.MaxEpisodeSteps != 50 {
		t.Errorf("plain fields: %+v", j)
	}
	if diff := cmp.Diff([]string{"search", "cat"}, j.ToolNames()); diff != "" {
		t.Error(diff)
	}
	if got := string(j.Tools[0].Extra["rate_limit"]); got != "20" {
		t.Errorf("extra key of a tool: %q", got)
	}
	if j.Tools[0].Headers["Authorization"] != "Bearer planted-tool-key" {
		t.Errorf("headers: %v", j.Tools[0].Headers)
	}
	h := j.Hyper
	if n, ok := h.BatchSize.Int(); !ok || n != 16 {
		t.Errorf("batch_size: %+v", h.BatchSize)
	}
	if !h.LearningRateMultiplier.Auto || h.ReasoningEffort != "medium" {
		t.Errorf("hyperparameters: %+v", h)
	}
	if p, ok := j.PassThreshold(); !ok || p != 0.65 {
		t.Errorf("pass_threshold: %v, %v", p, ok)
	}
	if len(j.Unknown) != 0 {
		t.Errorf("unknown keys: %v", j.Unknown)
	}
	original, err := os.ReadFile("testdata/agent.json")
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(original)) != string(j.Raw) {
		t.Error("Raw is not the body as written")
	}
}

func TestThreeShapesGiveTheSameJob(t *testing.T) {
	j := agent(t)
	var body struct {
		Method struct {
			Reinforcement json.RawMessage `json:"reinforcement"`
		} `json:"method"`
	}
	if err := json.Unmarshal(j.Raw, &body); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"only the method":                   `{"type":"reinforcement","reinforcement":` + string(body.Method.Reinforcement) + `}`,
		"the method without its type":       `{"reinforcement":` + string(body.Method.Reinforcement) + `}`,
		"only the reinforcement object":     string(body.Method.Reinforcement),
		"behind a byte order mark, CRLF":    "\ufeff\r\n" + string(body.Method.Reinforcement) + "\r\n",
		"beside keys with null for a value": `{"model":null,"seed":null,"method":{"type":"reinforcement","reinforcement":` + string(body.Method.Reinforcement) + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse("job.json", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(j.Tools, got.Tools); diff != "" {
				t.Error(diff)
			}
			if string(got.Grader) != string(j.Grader) || string(got.ResponseFormat) != string(j.ResponseFormat) || got.MaxEpisodeSteps != j.MaxEpisodeSteps {
				t.Error("grader, response_format or max_episode_steps differ")
			}
		})
	}
}

func TestUnknownKeysAreKeptAndNamed(t *testing.T) {
	j, err := Parse("job.json", []byte(`{"model":"m","eval_id":"e","method":{"type":"reinforcement","reinforcement":{"grader":{"type":"string_check","odd":1},"hyperparameters":{"beta":1},"max_steps":3},"x":0}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"eval_id", "method.x", "method.reinforcement.max_steps", "method.reinforcement.hyperparameters.beta"}
	if diff := cmp.Diff(want, j.Unknown); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(string(j.Raw), `"eval_id":"e"`) || !strings.Contains(string(j.Grader), `"odd":1`) {
		t.Error("unknown keys were dropped")
	}
}

func TestMistakesAreNamedWithTheirPlace(t *testing.T) {
	reinforcement := func(text string) string {
		return "{\"method\":{\"type\":\"reinforcement\",\n\"reinforcement\":{" + text + "}}}"
	}
	const grader = `"grader":{"type":"string_check"}`
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"nothing":                   {"", []string{"job.json:1:1: broken JSON: unexpected end of JSON input"}},
		"a comma too many":          {"{\n \"model\": \"m\",\n}", []string{"job.json:3:1: broken JSON"}},
		"two objects":               {"{}\n{}", []string{"job.json:2:1: broken JSON"}},
		"a list":                    {"[]", []string{"job.json:1:1: a job is a JSON object, this is an array"}},
		"null":                      {"null", []string{"a job is a JSON object, this is null"}},
		"a grader alone":            {`{"type":"string_check"}`, []string{`write it as {"grader": {…}}`}},
		"neither shape":             {`{"model":"m"}`, []string{`no "method", "reinforcement" or "grader" in it`}},
		"a supervised job":          {`{"method":{"type":"supervised","supervised":{}}}`, []string{`job.json:1:19: method.type: the method is "supervised"`}},
		"the method is text":        {`{"method":"reinforcement"}`, []string{"job.json:1:11: method: must be an object, got a string"}},
		"no reinforcement":          {`{"method":{"type":"reinforcement"}}`, []string{"method.reinforcement: missing"}},
		"no grader":                 {reinforcement(""), []string{"job.json:2:17: method.reinforcement.grader: missing"}},
		"a grader without type":     {reinforcement(`"grader":{"name":"x"}`), []string{"job.json:2:27: method.reinforcement.grader.type: missing"}},
		"Bedrock's Lambda grader":   {reinforcement(`"grader":{"lambdaGrader":{"lambdaArn":"arn:aws:lambda:us-east-1:123456789012:function:grade"}}`), []string{"grader.lambdaGrader: Bedrock's Lambda grader runs at AWS", `"file": "handler.py"`}},
		"a child without type":      {reinforcement(`"grader":{"type":"multi","graders":{"a":{}}}`), []string{"grader.graders.a.type: missing"}},
		"children as a list":        {reinforcement(`"grader":{"type":"multi","graders":[]}`), []string{"grader.graders: must be a map from name to grader, got an array"}},
		"a tool served twice":       {reinforcement(grader + `,"tools":[{"name":"a","server_url":"http://x/1"},{"name":"a","server_url":"http://x/2"}]`), []string{`tools[1].name: "a" is served twice, also by method.reinforcement.tools[0]`}},
		"a tool without URL":        {reinforcement(grader + `,"tools":[{"name":"a"}]`), []string{`tools[0].server_url: missing: the URL at which tool "a" is called`}},
		"a tool without name":       {reinforcement(grader + `,"tools":[{"server_url":"http://x"}]`), []string{`tools[0].name: missing`}},
		"another scheme":            {reinforcement(grader + `,"tools":[{"name":"a","server_url":"ftp://u:secretpass@x/y"}]`), []string{`tools[0].server_url: must be a http:// or https:// URL`}},
		"a grader's URL":            {reinforcement(`"grader":{"type":"endpoint","url":"grade.example.com"}`), []string{"grader.url: must be a http:// or https:// URL"}},
		"a header that is a list":   {reinforcement(grader + `,"tools":[{"name":"a","server_url":"http://x","headers":{"K":[1]}}]`), []string{"headers.K: must be a string, got an array"}},
		"steps as text":             {reinforcement(grader + `,"max_episode_steps":"50"`), []string{`max_episode_steps: must be a whole number, got "50"`}},
		"no steps at all":           {reinforcement(grader + `,"max_episode_steps":0`), []string{"max_episode_steps: must be 1 or more, got 0"}},
		"half a seed":               {`{"seed":0.5,"method":{"type":"reinforcement","reinforcement":{` + grader + `}}}`, []string{"job.json:1:9: seed: must be a whole number, got 0.5"}},
		"a setting of neither kind": {reinforcement(grader + `,"hyperparameters":{"batch_size":"large"}`), []string{`batch_size: must be a number or "auto", got "large"`}},
		"one key twice":             {`{"model":"a","model":"b"}`, []string{"job.json:1:14: model: this key appears twice"}},
		"several at once, by line":  {reinforcement("\"max_episode_steps\":-1,\n\"tools\":{}"), []string{"job.json:2:17: method.reinforcement.grader: missing", "\njob.json:2:38: ", "\njob.json:3:9: method.reinforcement.tools: must be a list"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("job.json", []byte(c.body))
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q\nlacks %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "secretpass") {
				t.Errorf("the error shows a credential: %v", err)
			}
		})
	}
}

func TestDeepNestingIsRefused(t *testing.T) {
	_, err := Parse("job.json", []byte(strings.Repeat(`{"a":`, 500)+"1"+strings.Repeat("}", 500)))
	if err == nil || !strings.Contains(err.Error(), "nested deeper") {
		t.Errorf("got %v", err)
	}
}

func TestWarnings(t *testing.T) {
	before := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	after := time.Date(2027, 1, 6, 0, 0, 0, 0, time.UTC)
	judged := `{"model":"my-model","method":{"reinforcement":{"grader":{"type":"multi","graders":{"j":{"type":"score_model","model":"gpt-4o-mini"}}}}}}`
	for name, c := range map[string]struct {
		body, target string
		now          time.Time
		want         []string // rule and a word of each, in order
	}{
		"the end is near":      {`{"grader":{"type":"a"}}`, "openai", before, []string{"deadline: from 2027-01-06"}},
		"the end has come":     {`{"grader":{"type":"a"}}`, "openai", after, []string{"deadline: as of 2027-01-06"}},
		"elsewhere no end":     {`{"grader":{"type":"a"}}`, "azure", after, nil},
		"no platform":          {`{"grader":{"type":"text_similarity","evaluation_metric":"cosine"},"hyperparameters":{"n_epochs":51}}`, "none", after, nil},
		"a judge goes":         {judged, "openai", before, []string{"deadline: ", "retired_model: from 2027-01-14 the judge gpt-4o-mini"}},
		"a base model is gone": {`{"model":"o4-mini-2025-04-16","method":{"reinforcement":{"grader":{"type":"a"}}}}`, "openai", before, []string{"deadline: ", "retired_model: as of 2026-10-23 the model o4-mini"}},
		"too many epochs":      {`{"grader":{"type":"a"},"hyperparameters":{"n_epochs":51,"batch_size":"auto","reasoning_effort":"none"}}`, "azure", before, []string{"hyperparameter: n_epochs is 51", "hyperparameter: reasoning_effort"}},
		"graders within graders": {
			`{"grader":{"type":"multi","graders":{"a":{"type":"multi","graders":{}},"b":{"type":"text_similarity","evaluation_metric":"cosine","pass_threshold":1}}}}`, "azure", before,
			[]string{"grader: a multi grader inside", "grader: the metric cosine", "grader: pass_threshold cannot"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			j, err := Parse("job.json", []byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			got := j.Warnings(c.target, c.now)
			if len(got) != len(c.want) {
				t.Fatalf("got %d warnings %v, want %d", len(got), got, len(c.want))
			}
			for i, w := range got {
				if text := w.Rule + ": " + w.Text; !strings.HasPrefix(text, c.want[i]) {
					t.Errorf("got %q, want it to begin with %q", text, c.want[i])
				}
			}
		})
	}
}

func TestJudgesAreTheModelsThatGrade(t *testing.T) {
	j, err := Parse("job.json", []byte(`{"grader":{"type":"multi","graders":{"z":{"type":"score_model","model":"big"},"a":{"type":"label_model","model":"small"},"m":{"type":"endpoint","url":"http://x","model":"no judge"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"small", "big"}, j.Judges()); diff != "" {
		t.Error(diff)
	}
}

func FuzzParse(f *testing.F) {
	if body, err := os.ReadFile("testdata/agent.json"); err == nil {
		f.Add(body)
	}
	f.Add([]byte(`{"grader":{"type":"a"},"tools":[{"name":"x","server_url":"http://u:p@h/?code=k","headers":{"A":"${B}"}}]}`))
	f.Add([]byte(`{"reinforcement":{"grader":{"type":"é\ud83d\ude00","headers":{"k":null,"n":5}}}}`))
	f.Add([]byte(`{"a":1,"a":2}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		j, err := Parse("job.json", body)
		if err != nil {
			return
		}
		again, err := Parse("job.json", j.Raw)
		if err != nil {
			t.Fatalf("what was read is not read again: %v", err)
		}
		if again.Hash() != j.Hash() {
			t.Error("the hash of the same body differs")
		}
		masked := j.Masked()
		if !json.Valid(masked) {
			t.Fatalf("masked is not JSON: %s", masked)
		}
		m, err := Parse("job.json", masked)
		if err != nil {
			t.Fatalf("masked is not read again: %v", err)
		}
		if m.Hash() != j.Hash() {
			t.Error("masking changes the hash")
		}
	})
}
