package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// rehearsed is a run with a burst of 8 rollouts at once, ten times, after waves
// of 1, 2 and 4: two searches of 0.2 s and a grading of 0.05 s each. bend
// changes each request, and says whether it discards its rollout.
func rehearsed(t *testing.T, bend func(w rollout.Wave, c *rollout.BurstCall)) *rollout.Run {
	t.Helper()
	dir := t.TempDir() + "/run"
	w, err := rollout.Create(dir, rollout.Manifest{Source: rollout.Live}, nil, rollout.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	must(w.Close())
	b := &rollout.Burst{
		ID: "b", Rollouts: 8, BatchSize: 2, GroupSize: 4, Split: rollout.Train, Retries: 3,
		Endpoints: []rollout.BurstEndpoint{{Name: "tool search", Recorded: 16}, {Name: "grader", Recorded: 8}},
		Waves:     []rollout.Wave{{Purpose: rollout.RepeatWave, Size: 4, Rollouts: 40}},
	}
	for _, size := range []int{1, 2, 4} {
		b.Waves = append(b.Waves, rollout.Wave{Purpose: rollout.RampWave, Size: size, Rollouts: 80})
	}
	for range 10 {
		b.Waves = append(b.Waves, rollout.Wave{Purpose: rollout.BurstWave, Size: 8, Rollouts: 8})
	}
	var calls []rollout.BurstCall
	for i := range b.Waves {
		wave := &b.Waves[i]
		for j := range wave.Rollouts {
			for k, name := range []string{"tool search", "tool search", "grader"} {
				c := rollout.BurstCall{
					Wave: i, Rollout: j, Endpoint: name, TraceID: fmt.Sprintf("trace_%d_%d", i, j), Request: fmt.Sprint(name, j, k), Flight: min(wave.Size, j+1),
					At: rollout.Seconds(time.Duration(k) * 200 * time.Millisecond), Elapsed: rollout.Seconds(200 * time.Millisecond), Status: 200, ReplyBytes: 100,
				}
				if name == "grader" {
					c.Elapsed = rollout.Seconds(50 * time.Millisecond)
				}
				if wave.Purpose == rollout.RepeatWave {
					c.Again = rollout.SameAnswer
				}
				bend(*wave, &c)
				if c.Discards {
					wave.Discarded++
				}
				calls = append(calls, c)
				if c.Discards {
					break
				}
			}
		}
	}
	must(writeBurst(dir, b, calls))
	run, err := rollout.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func bursted(t *testing.T, run *rollout.Run) *analysis.Result {
	t.Helper()
	r, err := AnalyzeBurst(t.Context(), run, analysis.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// answers are the findings about endpoints, one word each: severity and status.
func answers(r *analysis.Result) string {
	var parts []string
	for _, f := range analysis.ByFact(r.Findings) {
		parts = append(parts, fmt.Sprintf("%s %s %s", strings.TrimPrefix(f.Gate, "endpoint."), f.Severity, f.Status))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

const sound = "crosstalk advisory pass, latency advisory pass, lost advisory pass, lost blocking pass, repeat advisory pass, wire advisory pass"

func TestABurstOfSoundEndpoints(t *testing.T) {
	r := bursted(t, rehearsed(t, func(rollout.Wave, *rollout.BurstCall) {}))
	if got := answers(r); got != sound {
		t.Errorf("findings\n%s\nwant\n%s", got, sound)
	}
	b := r.Burst
	search := b.Endpoints[0]
	if b.Bursts != 10 || b.Lost.N != 80 || *b.Lost.Value != 0 || search.Requests != 160 || search.Flight != 8 || b.FirstFailure != nil || *b.BatchSize != 2 {
		t.Errorf("the burst is %+v", b)
	}
	// Clopper–Pearson of 0 of 80: 1 - 0.025^(1/80)
	if want := 1 - math.Pow(0.025, 1.0/80); math.Abs(*b.Lost.High-want) > 1e-9 {
		t.Errorf("up to %v are lost, want %v", *b.Lost.High, want)
	}
	for name, e := range map[string]stat.Estimate{"p50": search.P50, "p95": search.P95, "p99": search.P99} {
		if *e.Value != 0.2 || e.N != 160 || e.Items != 80 {
			t.Errorf("%s is %+v", name, e)
		}
	}
	if b.Wire.Answers != 3*(40+3*80+80) || b.Repeats.N != 120 {
		t.Errorf("%d answers, %d different requests made twice", b.Wire.Answers, b.Repeats.N)
	}
	if search.Doubles.At != nil || *search.Doubles.Times != 1 || *search.Doubles.Low != 8 {
		t.Errorf("doubling %+v", search.Doubles)
	}
}

func TestWhatABurstFinds(t *testing.T) {
	search := func(c *rollout.BurstCall) bool { return c.Endpoint == "tool search" }
	for what, c := range map[string]struct {
		bend func(rollout.Wave, *rollout.BurstCall)
		want string // instead of the sound answer
		with string
		says string
	}{
		"one rollout in eight is lost": {
			func(w rollout.Wave, c *rollout.BurstCall) {
				if w.Purpose == rollout.BurstWave && c.Rollout == 7 && search(c) {
					c.Status, c.Kind, c.Failed, c.Discards = 503, "status 503", true, true
				}
			}, "lost advisory pass, lost blocking pass", "lost advisory fail, lost blocking fail", "Discarded by: tool search 10. The first request failed after 0.2 s (tool search, status 503). Most frequent: tool search: status 503 (10 of 150 requests)",
		},
		"two of eighty are lost": {
			func(w rollout.Wave, c *rollout.BurstCall) {
				if w.Purpose == rollout.BurstWave && c.TraceID >= "trace_12" && c.Rollout == 0 && c.Endpoint == "grader" {
					c.Status, c.Kind, c.Failed, c.Discards = 0, "timeout", true, true
				}
			}, "lost advisory pass, lost blocking pass", "lost advisory fail, lost blocking unknown", "rollouts would be discarded with 8 at once: too few to tell (80 rollouts)",
		},
		"it slows down above four": {
			func(w rollout.Wave, c *rollout.BurstCall) {
				if w.Size == 8 && search(c) {
					c.Elapsed *= 4
				}
			}, "latency advisory pass", "latency advisory fail", "doubles at about 5.66 rollouts at once (between 4 and 8)",
		},
		"an id of another": {
			func(w rollout.Wave, c *rollout.BurstCall) {
				if w.Size == 2 && c.Rollout == 3 && search(c) {
					c.Leak = "trace_other"
				}
			}, "crosstalk advisory pass", "crosstalk advisory fail", "tool search answered trace_2_3 with trace_other",
		},
		"no call ids": {
			func(_ rollout.Wave, c *rollout.BurstCall) {
				if search(c) {
					c.Odd = []string{rollout.NoCallID}
				}
			}, "wire advisory pass", "wire advisory fail", "tool search: an answer without its call_id, 720 times",
		},
		"tools that speak otherwise, as MCP servers do": {
			func(_ rollout.Wave, c *rollout.BurstCall) { c.Status = 0 },
			sound, "crosstalk advisory skipped, latency advisory pass, lost advisory pass, lost blocking pass, repeat advisory pass, wire advisory skipped", "no answer came in the wire format of the job",
		},
		"another answer the second time": {
			func(_ rollout.Wave, c *rollout.BurstCall) {
				if c.Again != "" && search(c) && c.Rollout%2 == 0 {
					c.Again = rollout.OtherAnswer
				}
			}, "repeat advisory pass", "repeat advisory fail", "tool search 50 % of 80",
		},
	} {
		t.Run(what, func(t *testing.T) {
			r := bursted(t, rehearsed(t, c.bend))
			if got, want := answers(r), strings.Replace(sound, c.want, c.with, 1); got != want {
				t.Errorf("findings\n%s\nwant\n%s", got, want)
			}
			var texts []string
			for _, f := range analysis.ByFact(r.Findings) {
				texts = append(texts, f.Title.String(), f.Remedy.String())
				if f.Status == analysis.Unknown && (f.Needs == nil || !f.Settleable) {
					t.Errorf("%s does not say what would settle it", f.Gate)
				}
			}
			if all := strings.Join(texts, "\n"); !strings.Contains(all, c.says) || strings.ContainsAny(all, "{}") {
				t.Errorf("the findings say\n%s\nwant %q", all, c.says)
			}
		})
	}
}

// The same requests in another order give the same result.
func TestABurstIsJudgedTheSameEachTime(t *testing.T) {
	run := rehearsed(t, func(_ rollout.Wave, c *rollout.BurstCall) {
		c.Elapsed += rollout.Seconds(len(c.TraceID) * c.Rollout * 1e6)
	})
	var first, second strings.Builder
	must(bursted(t, run).Encode(&first))
	must(bursted(t, run).Encode(&second))
	if first.String() != second.String() {
		t.Error("two analyses of one burst differ")
	}
}

// A burst that fails is the reason of the verdict.
func TestABurstCanBeTheReason(t *testing.T) {
	r := crowded(false)
	r.Burst = bursted(t, rehearsed(t, func(w rollout.Wave, c *rollout.BurstCall) {
		if w.Purpose == rollout.BurstWave {
			c.Failed, c.Discards, c.Kind, c.Status = true, true, "unreachable", 0
		}
	})).Burst
	Judge(r, nil, gate.All())
	if r.Verdict != analysis.NoGo || r.Reason == nil || *r.Reason != "endpoint.burst" {
		t.Errorf("verdict %s, reason %v", r.Verdict, r.Reason)
	}
}

func writeBurst(dir string, b *rollout.Burst, calls []rollout.BurstCall, secrets ...string) error {
	w, err := rollout.OpenBurst(dir, rollout.NewRedactor(secrets...))
	if err != nil {
		return err
	}
	return errors.Join(w.Write(b, calls), w.Close())
}

func TestPartsRefuseAThresholdThatNoGateHas(t *testing.T) {
	run := rehearsed(t, func(rollout.Wave, *rollout.BurstCall) {})
	s := analysis.DefaultSettings()
	s.Thresholds = analysis.Thresholds{"endpoint.latencies": 1}
	for name, part := range map[string]func(context.Context, *rollout.Run, analysis.Settings) (*analysis.Result, error){
		"burst": AnalyzeBurst, "audit": AnalyzeAudit,
	} {
		if _, err := part(t.Context(), run, s); err == nil || !strings.Contains(err.Error(), "endpoint.latencies") {
			t.Errorf("%s: error is %v, want one that names the threshold", name, err)
		}
	}
}
