package limit

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestBreaker(t *testing.T) {
	same := func(n int, class Class, status int, every time.Duration) (out []Fault, at []time.Duration) {
		for i := range n {
			out = append(out, Fault{Class: class, Status: status, Text: fmt.Sprintf("worker %d of gpu-%04x ran out of memory", i, i*977), Subject: fmt.Sprint("item ", i), Fresh: true})
			at = append(at, time.Duration(i)*every)
		}
		return out, at
	}
	for _, c := range []struct {
		why    string
		class  Class
		status int
		every  time.Duration
		n      int
		change func(i int, f *Fault)
		opens  int // the number of the fault that opens it; 0 = none
	}{
		{"the same 500 five times", Broken, 500, 0, 9, nil, 5},
		{"the same refusal of five items", Refused, 400, 0, 9, nil, 5},
		{"the same refusal of one item", Refused, 400, 0, 50, func(_ int, f *Fault) { f.Subject = "item 1" }, 0},
		{"the same refusal of five items that were in flight together", Refused, 400, 0, 9, func(i int, f *Fault) { f.Fresh = i == 0 }, 5},
		{"the same useless answer five times", Unusable, 200, 0, 9, nil, 5},
		{"errors of requests in flight together count once", Broken, 500, 0, 50, func(i int, f *Fault) { f.Fresh = i%10 == 0 }, 41},
		{"another text in between", Broken, 500, 0, 50, func(i int, f *Fault) {
			if i%4 == 3 {
				f.Text = "no route"
			}
		}, 0},
		{"another status in between", Broken, 500, 0, 50, func(i int, f *Fault) {
			if i%4 == 3 {
				f.Status = 501
			}
		}, 0},
		{"an answer in between", Broken, 500, 0, 50, func(i int, f *Fault) {
			if i%4 == 3 {
				*f = Fault{Class: Served}
			}
		}, 0},
		{"requests that we broke off in between change nothing", Broken, 500, 0, 9, func(i int, f *Fault) {
			if i == 2 {
				*f = Fault{}
			}
		}, 6},
		{"one item alone, where nothing was ever answered", Broken, 500, 0, 9, func(_ int, f *Fault) { f.Subject = "item 1" }, 5},
		{"one item alone, where others were answered", Broken, 500, 0, 50, func(i int, f *Fault) {
			if f.Subject = "item 1"; i == 0 {
				f.Class = Served
			}
		}, 0},
		{"when nothing new begins, and others were answered", Broken, 500, 0, 50, func(i int, f *Fault) {
			if f.Last = true; i == 0 {
				f.Class = Served
			}
		}, 0},
		{"when nothing new begins, and nothing was ever answered", Broken, 500, 0, 9, func(_ int, f *Fault) { f.Last = true }, 5},
		{"503s that pass within a minute", Unavailable, 503, 5 * time.Second, 12, nil, 0},
		{"503s that do not", Unavailable, 503, 5 * time.Second, 30, nil, 13},
		{"no answer for a minute", Silent, 0, 20 * time.Second, 9, nil, 5},
		{"429s for nine minutes", Limited, 429, 30 * time.Second, 19, nil, 0},
		{"429s for ten minutes, and nothing else", Limited, 429, 30 * time.Second, 50, nil, 21},
		{"429s that ask for more than our patience", Limited, 429, 0, 9, func(_ int, f *Fault) { f.RetryAfter = 24 * time.Hour }, 5},
	} {
		t.Run(c.why, func(t *testing.T) {
			b := NewBreaker(5, DefaultRetry())
			faults, at := same(c.n, c.class, c.status, c.every)
			opened := 0
			for i, f := range faults {
				if c.change != nil {
					c.change(i, &f)
				}
				if open := b.Record(noon.Add(at[i]), f); open.Times > 0 && opened == 0 {
					opened = i + 1
				}
			}
			if opened != c.opens {
				t.Errorf("opened at fault %d, want %d", opened, c.opens)
			}
		})
	}
	b := NewBreaker(5, DefaultRetry())
	b.Record(noon, Fault{Class: Served})
	for i := range 3 {
		if down, _ := b.Down(noon.Add(time.Minute)); down != (i > 0) {
			t.Errorf("down after %d failures: %v", i, down)
		}
		b.Record(noon.Add(time.Duration(i)*time.Second), Fault{Class: Absent, Text: "refused", Fresh: true})
	}
	if down, _ := b.Down(noon.Add(-time.Second)); down {
		t.Error("it is down since before it answered")
	}
	if _, absent := b.Down(noon.Add(time.Minute)); !absent {
		t.Error("it takes no connections, and is not absent")
	}
	if b := NewBreaker(0, DefaultRetry()); b.Record(noon, Fault{Class: Broken}).Times != 0 {
		t.Error("0 never opens")
	}
}

// Whatever the texts, an endpoint that answers nothing but failures for a minute is given
// up; one where requests hang, get 429s or are in flight, after a quarter of an hour.
func TestAnOutage(t *testing.T) {
	words := []string{"overloaded", "no route", "out of memory", "worker gone", "bad gateway", "try later", "cold start"}
	for _, c := range []struct {
		why    string
		every  time.Duration
		n      int
		change func(i int, f *Fault)
		opens  int           // the number of the fault that opens it; 0 = none
		span   time.Duration // then
	}{
		{"a failure each other second", 2 * time.Second, 60, nil, 31, time.Minute},
		{"a failure a second", time.Second, 1000, nil, 61, time.Minute},
		{"of statuses that differ as well", 2 * time.Second, 60, func(i int, f *Fault) { f.Status = 500 + i%3 }, 31, time.Minute},
		{"429s among them", 30 * time.Second, 60, func(i int, f *Fault) {
			if i%2 == 0 {
				f.Class, f.Status = Limited, 429
			}
		}, 31, 15 * time.Minute},
		{"requests that hang, among others", 30 * time.Second, 60, func(i int, f *Fault) {
			if i%10 == 0 {
				f.Class, f.Status, f.Hung = Silent, 0, true
			}
		}, 31, 15 * time.Minute},
		{"rare failures: five waves at least", 10 * time.Minute, 9, nil, 5, 40 * time.Minute},
		{"failures of requests in flight together count once", 30 * time.Second, 200, func(i int, f *Fault) { f.Fresh = i%20 == 0 }, 81, 40 * time.Minute},
		{"fifty seconds", 2 * time.Second, 26, nil, 0, 0},
		{"an answer each half minute", 2 * time.Second, 200, func(i int, f *Fault) {
			if i%15 == 14 {
				*f = Fault{Class: Served}
			}
		}, 0, 0},
		{"a refusal each half minute: it is there", 2 * time.Second, 200, func(i int, f *Fault) {
			if i%15 == 14 {
				f.Class, f.Status = Refused, 400
			}
		}, 0, 0},
		{"an answer begins the time again", 2 * time.Second, 60, func(i int, f *Fault) {
			if i == 10 {
				*f = Fault{Class: Served}
			}
		}, 42, time.Minute},
		{"requests that we broke off change nothing", 2 * time.Second, 60, func(i int, f *Fault) {
			if i == 10 {
				*f = Fault{}
			}
		}, 31, time.Minute},
		{"one item alone, where others were answered", 30 * time.Second, 60, func(i int, f *Fault) {
			if f.Subject = "item 1"; i == 0 {
				f.Class = Served
			}
		}, 0, 0},
		{"one item alone, where nothing was ever answered", 2 * time.Second, 60, func(_ int, f *Fault) { f.Subject = "item 1" }, 31, time.Minute},
		{"when nothing new begins, and others were answered", 2 * time.Second, 60, func(i int, f *Fault) {
			if f.Last = true; i == 0 {
				f.Class = Served
			}
		}, 32, time.Minute},
		{"of two items, when nothing new begins, and others were answered", 2 * time.Second, 60, func(i int, f *Fault) {
			if f.Last, f.Subject = true, fmt.Sprint("item ", i%2); i == 0 {
				f.Class = Served
			}
		}, 0, 0},
		{"while other requests are in flight", 30 * time.Second, 60, func(_ int, f *Fault) { f.Busy = true }, 31, 15 * time.Minute},
		{"while they were, until then", 2 * time.Second, 60, func(i int, f *Fault) { f.Busy = i < 40 }, 41, 80 * time.Second},
		{"no connection for the last request", 2 * time.Second, 60, func(i int, f *Fault) {
			if f.Last, f.Subject, f.Class, f.Status = true, "item 1", Absent, 0; i == 0 {
				f.Class = Served
			}
		}, 32, time.Minute},
		{"hung requests, when nothing new begins and others were answered", 30 * time.Second, 60, func(i int, f *Fault) {
			if f.Last, f.Hung, f.Class, f.Status = true, true, Silent, 0; i == 0 {
				f.Class = Served
			}
		}, 0, 0},
	} {
		t.Run(c.why, func(t *testing.T) {
			b := NewBreaker(5, DefaultRetry())
			for i := range c.n {
				f := Fault{Class: Broken, Status: 500, Text: words[i%len(words)], Subject: fmt.Sprint("item ", i), Fresh: true}
				if c.change != nil {
					c.change(i, &f)
				}
				open := b.Record(noon.Add(time.Duration(i)*c.every), f)
				if open.Times == 0 {
					continue
				}
				if i+1 != c.opens || open.For != c.span {
					t.Errorf("opened at fault %d after %v, want %d after %v", i+1, open.For, c.opens, c.span)
				}
				return
			}
			if c.opens != 0 {
				t.Errorf("never opened, want at fault %d", c.opens)
			}
		})
	}
	b := NewBreaker(5, Retry{Total: 40 * time.Minute})
	for i := range 60 {
		if open := b.Record(noon.Add(time.Duration(i)*30*time.Second), Fault{Class: Broken, Status: 500, Text: words[i%7], Subject: fmt.Sprint(i), Fresh: true}); open.Times > 0 {
			t.Fatalf("%v is less than the 40 minutes of an outage", open)
		}
	}
}

func TestAlike(t *testing.T) {
	for _, c := range []struct {
		why, a, b string
		alike     bool
	}{
		{"request ids", "failed, request req_8a7F-12", "failed, request req_99bc-0e1", true},
		{"times and counts", "try again in 1.5s (3 of 10)", "try again in 20ms (4 of 10)", true},
		{"case and blanks", "Out  of\nmemory", "out of memory", true},
		{"addresses", "dial tcp 10.0.0.1:80: refused", "dial tcp 10.0.0.2:443: refused", true},
		{"another cause", "out of memory", "out of disk", false},
	} {
		if got := ErrorSignature(c.a) == ErrorSignature(c.b); got != c.alike {
			t.Errorf("%s: %q and %q are alike: %v", c.why, ErrorSignature(c.a), ErrorSignature(c.b), got)
		}
	}
}

func TestClassOf(t *testing.T) {
	for _, c := range []struct {
		class    Class
		statuses []int
	}{
		{Silent, []int{0}},
		{Served, []int{200, 204, 302}},
		{Refused, []int{400, 401, 403, 404, 413, 422, 451}},
		{Limited, []int{429}},
		{Unavailable, []int{408, 425, 502, 503, 504, 520, 524, 529}},
		{Broken, []int{409, 500, 501, 505, 599}},
	} {
		for _, status := range c.statuses {
			if got := ClassOf(status); got != c.class {
				t.Errorf("status %d is %v, want %v", status, got, c.class)
			}
		}
	}
	for i, r := range Rules() {
		if r.Class != Class(i) || r.Name == "" || r.Doc == "" || r.Class.Rule().Name != r.Class.String() {
			t.Errorf("row %d of the table is %+v", i, r)
		}
		if r.Counted && !r.Retryable || r.OnceEach && !r.TripsBreaker || r.TripsAfter > 0 && !r.TripsBreaker {
			t.Errorf("%s contradicts itself: %+v", r.Name, r)
		}
	}
}

// With sampling.breaker at 1 the first refusal stops the command, even if the endpoint has worked: one
// item is all that is asked for. With 2, one item's refusals show nothing about the others.
func TestABreakerOfOne(t *testing.T) {
	for after, want := range map[int]int{1: 1, 2: 0} {
		b := NewBreaker(after, DefaultRetry())
		b.Record(noon, Fault{Class: Served})
		if open := b.Record(noon, Fault{Class: Refused, Status: 400, Text: "no such model", Subject: "item 1", Fresh: true}); open.Times != want {
			t.Errorf("a breaker of %d opens after %d, want %d", after, open.Times, want)
		}
	}
}

// What follows from a failure is what gonogo help failures says of it, and no more.
func TestWhatFollowsFromAFailure(t *testing.T) {
	const (
		retried = "it is retried, up to sampling.retries times"
		fewer   = "fewer requests at once"
		pause   = "a pause for all requests, if it happens twice in a row"
		stops   = "the same sampling.breaker times in a row stops the command"
	)
	later := func(after string) string {
		return "the same sampling.breaker times in a row and for " + after + " stops the command"
	}
	for class, want := range map[Class][]string{
		Served:      {"nothing"},
		Refused:     {"the same for sampling.breaker items in a row stops the command"},
		Limited:     {"it is retried, for up to sampling.retry_for", fewer, pause, later("10m0s")}, // a quota may reset within Patience
		Unavailable: {retried, pause, later("1m0s")},                                               // a server that restarts
		Broken:      {retried, pause, stops},
		Unusable:    {retried, stops},
	} {
		if got := class.Rule().Then(); !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", class, got, want)
		}
	}
}
