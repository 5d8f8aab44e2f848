package peers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// cost is what a process took, and how many of its rollouts have no reward.
type cost struct {
	wall, cpu float64 // seconds
	memory    float64 // most resident, MB
	lost      int
}

func costOf(cmd *exec.Cmd, began time.Time) cost {
	used := cmd.ProcessState
	return cost{
		wall: time.Since(began).Seconds(), cpu: (used.UserTime() + used.SystemTime()).Seconds(),
		memory: float64(used.SysUsage().(*syscall.Rusage).Maxrss) / 1024, // Linux counts in KB
	}
}

func (c cost) seconds() float64  { return c.wall }
func (c cost) used() float64     { return c.cpu }
func (c cost) resident() float64 { return c.memory }

// median returns the median of a property of an odd number of things.
func median[T any](list []T, of func(T) float64) float64 {
	xs := make([]float64, len(list))
	for i, x := range list {
		xs[i] = of(x)
	}
	slices.Sort(xs)
	return xs[len(xs)/2]
}

// manners are what the endpoint of a comparison does besides answering after 50 ms.
type manners struct {
	fails  int64 // one request of so many is answered with 500; 0 for none
	perSec int   // more are answered with 429 and Retry-After: 1; 0 for no limit
}

// before puts manners in front of an endpoint.
func (m manners) before(endpoint http.Handler) http.Handler {
	var n atomic.Int64
	var mu sync.Mutex
	var second int64
	var taken int
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if m.perSec > 0 {
			mu.Lock()
			if now := time.Now().Unix(); now != second {
				second, taken = now, 0
			}
			taken++
			over := taken > m.perSec
			mu.Unlock()
			if over {
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusTooManyRequests)
				fmt.Fprint(w, `{"error":{"message":"rate limit","type":"rate_limit_error"}}`)
				return
			}
		}
		if m.fails > 0 && n.Add(1)%m.fails == 0 {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, `{"error":{"message":"try again","type":"server_error"}}`)
			return
		}
		time.Sleep(50 * time.Millisecond)
		endpoint.ServeHTTP(w, r)
	})
}

// The same 200 items, 8 samples each, with one tool call and two model turns, by Inspect AI
// and by gonogo, 64 at once, in turns: docs/performance.md has the table that this prints.
func TestDeepInspectSideBySide(t *testing.T) {
	p := meet(t, "inspect")
	if os.Getenv("GONOGO_DEEP") == "" {
		t.Skip("it takes minutes: GONOGO_DEEP=1 .ci/peers/run inspect")
	}
	const items, samples, turns = 200, 8, 3
	tool := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"type":"function_call_output","output":"3"}`)
	}))
	t.Cleanup(tool.Close)
	var rows strings.Builder
	for i := range items {
		fmt.Fprintf(&rows, `{"messages":[{"role":"user","content":"What does thing %d cost?"}],"answer":"3","tools":[{"type":"function","function":{"name":"price","description":"Looks a price up.","parameters":{"type":"object","properties":{"item":{"type":"string"}},"required":["item"]}}}]}`+"\n", i)
	}
	for _, phase := range []struct {
		name string
		manners
	}{{"50 ms", manners{}}, {"one request of 20 fails", manners{fails: 20}}, {"100 requests a second", manners{perSec: 100}}} {
		var theirs, ours []cost
		for range turns {
			var n atomic.Int64
			server := httptest.NewServer(phase.before(script(func(r chatRequest) reply {
				if !r.answered() {
					return reply{call: `price{"item":"thing"}`}
				}
				return reply{content: fmt.Sprint("It costs ", 3+n.Add(1)%2)}
			})))
			theirs = append(theirs, p.byInspect(server.URL+"/v1", samples))
			ours = append(ours, p.byGonogo(server.URL+"/v1", tool.URL, rows.String(), samples))
			server.Close()
			if lost := ours[len(ours)-1].lost; lost > 0 {
				t.Errorf("%s: gonogo lost %d of %d rollouts", phase.name, lost, items*samples)
			}
		}
		for name, list := range map[string][]cost{"Inspect AI": theirs, "gonogo": ours} {
			t.Logf("| %s | %s | %.1f s | %.1f s | %.0f MB | %.0f |", phase.name, name, median(list, cost.seconds), median(list, cost.used),
				median(list, cost.resident), median(list, func(c cost) float64 { return float64(c.lost) }))
		}
	}
}

func (p peer) byInspect(url string, samples int) cost {
	p.Helper()
	logs := p.TempDir()
	cmd := p.command("inspect", "eval", "side_by_side.py", "--model", "openai-api/local/scripted", "--model-base-url", url,
		"--epochs", fmt.Sprint(samples), "--max-connections", "64", "--max-samples", "64", "--display", "none", "--log-dir", logs, "--no-fail-on-error")
	cmd.Dir, cmd.Env = p.scripts, append(cmd.Env, "LOCAL_API_KEY=none") // it takes no absolute path of a task
	began := time.Now()
	p.output(cmd)
	c := costOf(cmd, began)
	log := p.glob(filepath.Join(logs, "*.eval"))[0]
	read := p.inspected(log)[log]
	for _, s := range read.Samples {
		if s.Error != nil || s.Scores["includes"] == nil {
			c.lost++
		}
	}
	c.lost += 200*samples - len(read.Samples)
	return c
}

func (p peer) byGonogo(url, tool, rows string, samples int) cost {
	p.Helper()
	dir := p.TempDir()
	write(p.T, dir, "rows.jsonl", rows)
	write(p.T, dir, "gonogo.yaml", `data: {train: rows.jsonl}
model: {name: scripted, base_url: "`+url+`", api: chat, api_key_env: none}
sampling: {concurrency: 64}
job:
  grader: {type: string_check, name: has, input: "{{sample.output_text}}", reference: "{{item.answer}}", operation: like}
  tools: [{name: price, server_url: "`+tool+`/price"}]
`)
	run := filepath.Join(dir, "run")
	cmd := exec.CommandContext(p.Context(), program, "sample", "-c", filepath.Join(dir, "gonogo.yaml"), "--samples", fmt.Sprint(samples), "--yes", "-o", run)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.Fatalf("gonogo sample: %v\n%s", err, tail(out))
	}
	c := costOf(cmd, began)
	records := p.records(run)
	for _, r := range records {
		if r.Reward == nil {
			c.lost++
		}
	}
	c.lost += 200*samples - len(records)
	return c
}
