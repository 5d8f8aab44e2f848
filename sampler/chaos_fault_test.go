package sampler_test

import (
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gonogo/fixtures/chaos"
	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// trial is what should come from one fault at the endpoints it makes sense at.
type trial struct {
	fault string
	at    string // boundaries; "" is all
	cause string // what the record says when every try meets it; "" where the answer is taken
}

const (
	everywhere = "model tool grader judge session"
	noSession  = "model tool grader judge" // a session's start may answer nothing, and any object
	cannotRead = `answer cannot be used|is not a JSON object|neither a JSON object nor empty|answer is not a JSON|has no choices|no "score"|not a number|web page|no "key"`
)

// trials has a row for each fault.
var trials = []trial{
	{"late", everywhere, ""},
	{"trickle", everywhere, ""},
	{"early_hints", everywhere, ""},
	{"as_text", everywhere, ""},
	{"as_html", everywhere, ""},
	{"redirect_within", everywhere, ""},
	{"no_keep_alive", everywhere, ""},
	{"same_response_id", everywhere, ""},
	{"same_call_ids", "model", ""},

	{"reset_unheard", everywhere, "connection reset|EOF"},
	{"reset_before", everywhere, "connection reset|EOF"},
	{"reset_in_header", everywhere, "connection reset|EOF|malformed MIME"},
	{"reset_in_body", everywhere, "connection reset|EOF"},
	{"closed", everywhere, "EOF|connection reset"},
	{"short_length", everywhere, "EOF"},
	{"short_chunks", everywhere, "EOF"},
	{"short_close", everywhere, cannotRead},
	{"no_http", everywhere, "malformed HTTP response"},

	{"switching", everywhere, "another protocol"},

	{"429", everywhere, "status 429: chaos: the fault was asked for"},
	{"429_moment", everywhere, "status 429: upstream request timeout"},
	{"500", everywhere, "status 500: chaos: the fault was asked for"},
	{"500_score", everywhere, "status 500"},
	{"502", everywhere, "status 502: the answer is a web page"},
	{"503", everywhere, "status 503: no text"},
	{"504", everywhere, "status 504: upstream request timeout"},
	{"529", everywhere, "status 529"},

	{"half_json", everywhere, cannotRead},
	{"two_jsons", everywhere, cannotRead},
	{"page", everywhere, cannotRead},
	{"empty", noSession, cannotRead},
	{"no_content", noSession, cannotRead},
	{"wrong_shape", everywhere, cannotRead},
	{"no_gzip", everywhere, "gzip"},
	{"short_gzip", everywhere, "EOF"},
	{"foreign", "tool", "another call"},

	{"long", "model judge", ""},
	{"long", "grader session", "too long|longer than"},
	{"endless", "grader session", "too long|longer than"},
}

// apart are the faults that a test of its own has.
var apart = []string{"stall_before", "stall_in_header", "stall_in_body", "endless_trickle", "429_seconds", "429_date", "closed_unsaid", "twice", "redirect_away"}

func TestChaosTrialsHaveEveryFault(t *testing.T) {
	for _, f := range chaos.Faults() {
		tried := slices.ContainsFunc(trials, func(r trial) bool {
			return r.fault == f.Name && (f.Whole == (r.cause == "") || f.Name == "long") // how long is too long depends on the endpoint
		})
		if !tried && !slices.Contains(apart, f.Name) {
			t.Errorf("no test meets %s", f.Name)
		}
	}
}

// plan has the first tries of requests to a boundary meet the fault.
func (r trial) plan(tries int, boundary string) chaos.Plan {
	fault := chaos.Find(r.fault)[0]
	fault.Whole = r.cause == "" // how long is too long depends on the endpoint
	plan := chaos.First(&fault, tries, boundary)
	if r.fault == "foreign" { // a tool must have shown before that it names the calls it answers
		plan = chaos.After(2, plan)
	}
	return plan
}

// ordeal is few rollouts that meet many faults.
func (r trial) ordeal(boundary string) ordeal {
	o := ordeal{items: 2, samples: 2, judged: boundary == "judge", cfg: chaosConfig(patient)}
	if boundary == "model" || boundary == "judge" {
		o.api = []string{"responses", "chat"}[len(r.fault)%2]
	}
	o.cfg.Breaker = 0
	if r.fault == "foreign" {
		o.cfg.Concurrency, o.cfg.Rollouts = 1, 4
	}
	o.cfg.Retry = limit.Retry{Max: 1, Wait: 2 * time.Millisecond, Cap: 10 * time.Millisecond, Total: 200 * time.Millisecond}
	return o
}

// Each fault alone, at the first try of every request to an endpoint: an answer
// that is whole is taken as it is, all else is asked for again, and every rollout
// is graded rightly.
func TestLongChaosOnceEach(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	for _, r := range trials {
		for _, boundary := range strings.Fields(r.at) {
			t.Run(r.fault+" at "+boundary, func(t *testing.T) {
				t.Parallel()
				o := r.ordeal(boundary)
				o.plan = r.plan(1, boundary)
				out := o.run(t)
				if graded := out.reconcile(4); graded != 4 {
					t.Errorf("%d of 4 are graded: %s", graded, out.causes())
				}
				met, again := 0, 0
				for _, q := range out.account {
					if q.Fault != "" {
						met++
					}
					if q.Try > 0 {
						again++
					}
				}
				want := met
				if r.cause == "" {
					want = 0
				}
				if met < 2 || again != want {
					t.Errorf("%d requests met it and %d came again, want %d", met, again, want)
				}
			})
		}
	}
}

// Each fault alone, at every try of some rollouts: they are missing, with the
// boundary and the cause named; the others are graded rightly.
func TestLongChaosForSome(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	for _, r := range trials {
		if r.cause == "" {
			continue
		}
		for _, boundary := range strings.Fields(r.at) {
			t.Run(r.fault+" at "+boundary, func(t *testing.T) {
				t.Parallel()
				o := r.ordeal(boundary)
				always, hit := r.plan(1000, boundary), map[string]bool{}
				o.plan = func(q chaos.Request) *chaos.Fault {
					f := always(q)
					if f == nil || !unlucky(q.Trace) {
						return nil
					}
					hit[q.Trace] = true
					return f
				}
				out := o.run(t)
				graded := out.reconcile(4)
				for _, rec := range out.records {
					if (rec.Outcome != rollout.Graded) != hit[rec.TraceID] {
						t.Errorf("%s: %s %q; it met the fault: %v", rec.TraceID, rec.Outcome, rec.Error, hit[rec.TraceID])
					}
					if rec.Outcome != rollout.Graded && !regexp.MustCompile(r.cause).MatchString(rec.Error) {
						t.Errorf("%s: the cause is %q, want %s", rec.TraceID, rec.Error, r.cause)
					}
				}
				if graded == 0 || graded == 4 {
					t.Errorf("%d of 4 are graded: some should be, and some not", graded)
				}
			})
		}
	}
}

// unlucky picks about a third of the rollouts.
func unlucky(trace string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(trace))
	return h.Sum32()%3 == 0
}

// causes are what the records say that failed them.
func (o outcome) causes() string {
	var all []string
	for _, r := range o.records {
		if r.Error != "" {
			all = append(all, string(r.Outcome)+": "+r.Error)
		}
	}
	return strings.Join(all, "\n")
}
