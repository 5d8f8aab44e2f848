package sampler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gonogo/fixtures/chaos"
	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/boundary/isolation"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/boundary/tool"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// ordeal is one run of a mill behind a faulty network.
type ordeal struct {
	api     string     // of model and judge: responses or chat
	judged  bool       // a judge grades, not an endpoint
	plan    chaos.Plan // which fault meets which request
	cfg     sampler.Config
	items   int
	samples int
	sink    sampler.Sink      // in addition to the list of records; nil is none
	jobs    []sampler.Rollout // nil is samples of each item
	pause   time.Duration     // of the proxy
	watch   func(sampler.Event)
	log     slog.Handler // nil is one that a failed test shows
}

func (o ordeal) planned() []sampler.Rollout {
	if o.jobs != nil {
		return o.jobs
	}
	return sampler.Plan(makeItems(o.items), map[rollout.Split]int{rollout.Train: o.samples}, nil)
}

// stalled is the longest silence in a run that meets stalls: each costs as much,
// and a machine that is busy must not take longer over an answer. patient is for
// runs that meet none.
const (
	stalled = 1500 * time.Millisecond
	patient = 20 * time.Second
)

func chaosConfig(patience time.Duration) sampler.Config {
	cfg := sampler.DefaultConfig()
	cfg.ModelTimeout, cfg.ToolTimeout, cfg.GraderTimeout, cfg.IsolationTimeout = patience, patience, patience, patience
	cfg.Retry = limit.Retry{Max: 3, Wait: 4 * time.Millisecond, Cap: 30 * time.Millisecond, Total: 20 * time.Second}
	return cfg
}

// outcome is how it ended.
type outcome struct {
	t       *testing.T
	mill    *mill
	records []*rollout.Record
	stats   sampler.Stats
	err     error
	account []chaos.Request
	late    map[string]int // requests made again because no answer came in time, by trace
	opened  int            // connections
	most    int            // requests under way at once
}

// run makes the rollouts. It fails the test when that takes for ever.
func (o ordeal) run(t *testing.T) outcome {
	t.Helper()
	m := newMill(t, o.api)
	proxy, err := chaos.New(m, chaos.Options{Plan: o.plan, Pause: o.pause})
	if err != nil {
		t.Fatal(err)
	}
	b, end := m.boundaries(t, proxy.URL(), o.judged, &o.cfg)
	defer end()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // it takes seconds where nothing hangs
	defer cancel()
	sink, log := &list{}, new(bytes.Buffer)
	if o.log == nil {
		o.log = slog.NewTextHandler(log, nil)
	}
	o.cfg.Log = slog.New(o.log)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the run's log:\n%s", log)
		}
	})
	stats, err := sampler.Sample(ctx, sampler.SampleOptions{
		Config: o.cfg, Seed: m.seed, Rollouts: o.planned(), Boundaries: b, Sink: both{sink, o.sink}, Watch: o.watch,
	})
	if ctx.Err() != nil {
		t.Fatal("the run does not end")
	}
	out := outcome{t: t, mill: m, records: sink.records, stats: stats, err: err}
	if err := proxy.Close(); err != nil {
		t.Error(err)
	}
	out.account = proxy.Account()
	out.late = map[string]int{}
	for _, m := range silence.FindAllStringSubmatch(log.String(), -1) {
		out.late[m[1]]++
	}
	for _, r := range out.account {
		if strings.HasPrefix(r.Fault, "stall") && out.late[r.Trace] > 0 {
			out.late[r.Trace]--
		}
	}
	out.opened, out.most = proxy.Opened()
	slow := len(silence.FindAllString(log.String(), -1)) > 0 // then a stop may be late, too
	if n, broken := m.left(), len(out.broken("session stop")); n > stats.LeftOpen || stats.LeftOpen > broken && !slow {
		t.Errorf("%d sessions were not stopped, %d are told, and the answers to the stops of %d were broken", n, stats.LeftOpen, broken)
	}
	return out
}

var silence = regexp.MustCompile(`msg=retry .*(?:no answer within|no byte of it came).* trace_id=(\S+)`)

// both hands records to two sinks.
type both struct{ one, other sampler.Sink }

func (b both) Append(r *rollout.Record) error {
	if err := b.one.Append(r); err != nil || b.other == nil {
		return err
	}
	return b.other.Append(r)
}

// boundaries are the mill's endpoints as a run has them, at an origin, and its
// sessions.
func (m *mill) boundaries(t *testing.T, origin string, judged bool, cfg *sampler.Config) (b sampler.Boundaries, end func()) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	client, calls := endpoint.HTTPClient(nil, 256), endpoint.HTTPClient(nil, 256)
	policy, err := model.New(model.Config{Name: "m", BaseURL: origin + "/v1", API: m.api, HTTP: client})
	check(err)
	judge, err := model.NewJudge(model.Config{BaseURL: origin + "/judge", API: m.api, HTTP: client})
	check(err)
	var configs []tool.Config
	for _, name := range []string{"search", "cat"} {
		configs = append(configs, tool.Config{Name: name, ServerURL: origin + "/tools/" + name, Headers: map[string]string{"x-key": "{{session.key}}"}})
	}
	tools, err := tool.New(configs, tool.Options{HTTP: calls})
	check(err)
	raw := fmt.Sprintf(`{"type":"endpoint","url":%q}`, origin+"/grade")
	if judged {
		raw = `{"type":"score_model","model":"j","input":[{"role":"user","content":"rate {{sample.output_text}}"}]}`
	}
	g, err := grader.New(grader.Kinds(), json.RawMessage(raw), grader.Env{HTTP: client, Judge: judge})
	check(err)
	keeper, err := isolation.New(isolation.Config{Start: origin + "/start", Stop: origin + "/stop", Reads: []string{"key"}, HTTP: client})
	check(err)
	cfg.Isolation = keeper
	b = sampler.Boundaries{Model: policy, Tools: map[string]sampler.Tool{}, Grader: g}
	for _, t := range tools {
		b.Tools[t.Name()] = t
	}
	return b, func() {
		client.CloseIdleConnections()
		calls.CloseIdleConnections()
	}
}

// reconcile holds the records against the proxy's account: each planned rollout
// has one, right where it is graded, and not graded exactly where the account
// says that a request of it was broken at its last try; then the outcome names
// the boundary of that request. No repeat is untold. Requests that a busy machine
// did not get out in time are the one thing that the account cannot know of.
func (o outcome) reconcile(planned int) (graded int) {
	t := o.t
	t.Helper()
	if o.err != nil {
		t.Errorf("the run ended with: %v", o.err)
	}
	seen, judged := map[rollout.Key]bool{}, map[string]int{}
	broken, repeats, all := o.broken(""), map[string]int{}, map[string]int{}
	for _, r := range o.account {
		if r.Left {
			t.Logf("nobody waited for the answer to %s %s, try %d: this machine is slow", r.Boundary, r.ID, r.Try)
		}
		if r.Boundary == endpoint.Judge {
			judged[r.Trace]++
		}
		switch {
		case r.Try == 0:
		case r.Boundary == "session stop": // of no rollout, but of the run
			all[endpoint.Session]++
		default:
			repeats[r.Trace]++
			all[r.Boundary]++
		}
	}
	for _, r := range o.records {
		if seen[r.Key()] {
			t.Errorf("%v is recorded twice", r.Key())
		}
		seen[r.Key()] = true
		if want := o.mill.traceOf(r.Item, r.Sample, r.Attempt); r.TraceID != want {
			t.Errorf("%v has the trace id %s, want %s", r.Key(), r.TraceID, want)
		}
		if unseen := r.Retries - repeats[r.TraceID]; unseen < 0 || unseen > o.late[r.TraceID] {
			t.Errorf("%s: %d retries are told, %d repeats came", r.TraceID, r.Retries, repeats[r.TraceID])
		}
		at := broken[r.TraceID]
		if r.Outcome == rollout.Graded {
			graded++
			o.mill.check(r)
			o.mill.checkJudge(r, judged[r.TraceID])
			if at != nil {
				t.Errorf("%s is graded, and %v broke it", r.TraceID, at)
			}
			continue
		}
		if r.Reward != nil || r.Error == "" {
			t.Errorf("%s: %s with the reward %v and the cause %q", r.TraceID, r.Outcome, r.Reward, r.Error)
		}
		if o.late[r.TraceID] > 0 && len(at) == 0 {
			t.Logf("%s: %s: %q: this machine is slow", r.TraceID, r.Outcome, r.Error)
			continue
		}
		if !slices.ContainsFunc(at, func(b chaos.Request) bool { return names(r, b.Boundary) }) {
			t.Errorf("%s: %s: %s %q: what broke it is %+v", r.TraceID, r.Outcome, r.Kind, r.Error, at)
		}
	}
	if len(seen) != planned || o.stats.Recorded != planned || o.stats.NotRun() != 0 {
		t.Errorf("%d of %d rollouts are recorded; %+v", len(seen), planned, o.stats)
	}
	unseen, slow := 0, 0
	for boundary, told := range o.stats.Retries {
		if unseen += told - all[boundary]; told < all[boundary] {
			t.Errorf("%s: %d retries are told, %d repeats came", boundary, told, all[boundary])
		}
		delete(all, boundary)
	}
	for _, n := range o.late {
		slow += n
	}
	if unseen > slow || len(all) > 0 {
		t.Errorf("%d retries are told that never came, and %v came untold; %d requests were late on this machine", unseen, all, slow)
	}
	return graded
}

// broken lists, by trace, the requests whose last try was not spared: those to one
// boundary, or all that make a rollout.
func (o outcome) broken(boundary string) map[string][]chaos.Request {
	last := map[string]chaos.Request{}
	for _, r := range o.account {
		if at, ok := last[r.Boundary+" "+r.ID]; !ok || r.Try > at.Try {
			last[r.Boundary+" "+r.ID] = r
		}
	}
	out := map[string][]chaos.Request{}
	for _, r := range last {
		if !r.Spared() && (r.Boundary == boundary || boundary == "" && r.Boundary != "session stop") {
			out[r.Trace] = append(out[r.Trace], r)
		}
	}
	return out
}

// names reports whether a record says that a boundary failed it.
func names(r *rollout.Record, boundary string) bool {
	kind, name, _ := strings.Cut(boundary, " ")
	switch kind {
	case "model":
		return r.Outcome == rollout.ModelAPI
	case "tool":
		return r.Outcome == rollout.ToolFailed && strings.Contains(r.Error, "call "+name)
	case "session":
		return r.Outcome == rollout.ToolFailed && r.Kind == sampler.KindSession
	case "grader", "judge":
		return r.Outcome == rollout.GraderFailed && r.Kind != ""
	}
	return false
}
