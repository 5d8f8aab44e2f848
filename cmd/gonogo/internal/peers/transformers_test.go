package peers

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"gonogo/sampler/rollout"
)

// transformers serves a tiny model on the processor: every rollout has an answer or was cut
// off, and its tokens, by both APIs. The responses API streams without being asked, and
// says that an answer of the most tokens is complete.
func TestTransformersServe(t *testing.T) {
	p := meet(t, "trl")
	dir := t.TempDir()
	model := filepath.Join(dir, "tiny")
	p.python("tiny.py", model)
	url := p.transformers(model)
	write(t, dir, "rows.jsonl", `{"messages":[{"role":"developer","content":"what is it"},{"role":"user","content":"what is one plus two"}],"answer":"three"}
{"messages":[{"role":"user","content":"what is two plus two"}],"answer":"four"}
`)
	for _, api := range []string{"chat", "responses"} {
		config, run := filepath.Join(dir, api+".yaml"), filepath.Join(dir, api)
		write(t, dir, api+".yaml", `data: {train: rows.jsonl}
model: {name: "`+model+`", base_url: "`+url+`/v1", api: `+api+`, api_key_env: none, max_output_tokens: 16}
job: {grader: {type: string_check, name: has, input: "{{sample.output_text}}", reference: "{{item.answer}}", operation: like}}
`)
		p.gonogo(0, "sample", "-c", config, "--samples", "3", "--yes", "-o", run)
		records := p.records(run)
		for _, r := range records {
			cut := r.Outcome == rollout.NoAnswer && r.Finish == rollout.FinishLength
			if r.Outcome != rollout.Graded && !cut || r.Usage.Output == nil || *r.Usage.Output < 1 || *r.Usage.Output > 16 || len(r.Messages) == 0 {
				t.Errorf("%s: %s/%d is %s, %s: tokens %v, finish %q", api, r.Item, r.Sample, r.Outcome, r.Error, r.Usage.Output, r.Finish)
			}
		}
		if len(records) != 6 {
			t.Errorf("%s: %d rollouts, want 6", api, len(records))
		}
	}
}

// transformers starts its server and waits until it answers.
func (p peer) transformers(model string) (url string) {
	p.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		p.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	free.Close()
	return p.serving("http://127.0.0.1:"+port, "/health", p.command("transformers", "serve", "--host", "127.0.0.1", "--port", port, "--device", "cpu", model))
}

// serving starts a server and waits until it answers at a path.
func (p peer) serving(url, path string, cmd *exec.Cmd) string {
	p.Helper()
	log, err := os.Create(filepath.Join(p.TempDir(), "log"))
	if err != nil {
		p.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		log.Close()
	})
	for range 300 {
		if r, err := http.Get(url + path); err == nil {
			r.Body.Close()
			return url
		}
		time.Sleep(time.Second)
	}
	said, _ := os.ReadFile(log.Name())
	p.Fatalf("%s does not answer:\n%s", filepath.Base(cmd.Path), tail(said))
	return ""
}
