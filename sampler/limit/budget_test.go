package limit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unsafe"
)

func some[T any](x T) *T { return &x }

func TestBudgetMoney(t *testing.T) {
	a := NewBudget(Bounds{USD: 1}).Open("", true)
	for i, step := range []struct {
		why    string
		settle *Used // first
		want   Grant
	}{
		{"nothing used yet", nil, Granted},
		{"what is in flight is unknown before the first ended", nil, Granted},
		{"0.10 used, and one in flight: 0.10 and as much twice over, for it rests on one", &Used{USD: some(0.1)}, Granted},
		{"0.10 used and two in flight at 0.30", nil, Granted},
		{"0.10 used and three in flight at 0.30", nil, Later},
		{"0.10 used, 0.10 by one that did not tell, and two in flight", &Used{}, Granted},
		{"0.20 used and three in flight", nil, Later},
		{"1.50 used", &Used{USD: some(0.9)}, Spent},
	} {
		if step.settle != nil {
			a.Settle(noon, *step.settle)
		}
		if got := a.Reserve(noon); got != step.want {
			t.Fatalf("step %d, %s: %v, want %v", i, step.why, got, step.want)
		}
	}
	if got := a.budget.Exceeded(); got != USD {
		t.Errorf("exceeded %q, want the money", got)
	}
}

func TestAFewTellWhatARolloutUses(t *testing.T) {
	b := NewBudget(Bounds{USD: 1})
	a := b.Open("", true)
	begun := 0
	for a.Reserve(noon) == Granted {
		begun++
	}
	if begun != pilots {
		t.Errorf("%d began before anybody knew what one costs, want %d", begun, pilots)
	}
	a.Settle(noon, Used{USD: some(0.01)})
	for a.Reserve(noon) == Granted {
		begun++
	}
	if begun != 1+2*pilots { // as many again for the one that told
		t.Errorf("%d began", begun)
	}
	a.Close()
	if next := b.Open("", true); next.Reserve(noon) != Granted || next.usd.mean() != 0.01 {
		t.Error("an account begins with what those before took")
	}
	free := NewBudget(Bounds{Rollouts: 100}).Open("", true)
	for range 100 {
		if free.Reserve(noon) != Granted {
			t.Fatal("without a bound on what they use all may begin")
		}
	}
}

func TestMoneyThatNobodyTellsIsNotBounded(t *testing.T) {
	a := NewBudget(Bounds{USD: 1}).Open("", true)
	for range maxSilence {
		a.Reserve(noon)
		a.Settle(noon, Used{Tokens: some(int64(5))})
	}
	if got := a.Reserve(noon); got != UnknownUsage {
		t.Errorf("%v, want untold", got)
	}
}

func TestAccountsShareABudget(t *testing.T) {
	b := NewBudget(Bounds{Rollouts: 3, Tokens: 1000})
	base := b.Open("rollouts", true)
	for range 2 {
		base.Reserve(noon)
		base.Settle(noon, Used{Tokens: some(int64(300))})
	}
	base.Close()
	base.Close() // as nothing the second time
	variant := b.Open("rollouts", true)
	if got := variant.Reserve(noon); got != Granted {
		t.Fatalf("600 of 1000 tokens and 2 of 3 rollouts: %v", got)
	}
	audit := b.Open("gradings", false)
	if got := audit.Reserve(noon); got != Granted {
		t.Fatalf("a rollout in flight counts what those before took, 900 of 1000: %v", got)
	}
	if got := variant.Reserve(noon); got != Spent || b.Exceeded() != Rollouts {
		t.Fatalf("3 of 3 rollouts: %v by %q", got, b.Exceeded())
	}
	if got := b.Spent(noon, false); got != NoBound {
		t.Errorf("gradings are no rollouts: %q", got)
	}
	audit.Settle(noon, Used{Tokens: some(int64(100))})
	variant.Settle(noon, Used{Tokens: some(int64(300))})
	if got := audit.Reserve(noon); got != Spent || b.Exceeded() != Tokens {
		t.Errorf("1000 of 1000 tokens: %v by %q", got, b.Exceeded())
	}
	if _, tokens := b.Used(); tokens != 1000 {
		t.Errorf("%d tokens used", tokens)
	}
}

func TestBudgetDeadline(t *testing.T) {
	b := NewBudget(Bounds{Rollouts: 5, Deadline: noon.Add(10 * time.Minute)})
	a := b.Open("", true)
	if a.Reserve(noon.Add(9*time.Minute)) != Granted {
		t.Fatal("nobody knows yet how long one takes")
	}
	if a.Late(noon.Add(9 * time.Minute)) {
		t.Fatal("it may begin")
	}
	a.Settle(noon, Used{Took: 3 * time.Minute})
	if got := a.Reserve(noon.Add(6 * time.Minute)); got != Granted {
		t.Fatalf("it would end at 12:09: %v", got)
	}
	if got := a.Reserve(noon.Add(8 * time.Minute)); got != Spent || b.Exceeded() != Deadline {
		t.Fatalf("it would end at 12:11: %v by %q", got, b.Exceeded())
	}
	if !a.Late(noon.Add(8 * time.Minute)) {
		t.Fatal("one that waited too long for its turn does not begin")
	}
	if a.inFlight != 0 || b.begun != 1 {
		t.Errorf("%d in flight, %d begun: it was not given back", a.inFlight, b.begun)
	}
	if got := b.Spent(noon.Add(10*time.Minute), false); got != Deadline {
		t.Errorf("%q at the deadline", got)
	}
}

// jumped is t on a machine whose clock on the wall was set, or that was suspended,
// so that it is by that much ahead of the time that went by. Nothing in the
// package time makes such a time.
func jumped(t *testing.T, at time.Time, by time.Duration) time.Time {
	t.Helper()
	const nanosecondBits = 30 // below them the seconds on the wall, in a time with both clocks
	out := at
	*(*uint64)(unsafe.Pointer(&out)) += uint64(int64(by/time.Second)) << nanosecondBits
	if out.Sub(at) != 0 || out.Round(0).Sub(at.Round(0)) != by {
		t.Fatalf("a time is made in another way by now: %v by one clock, %v by the other", out.Sub(at), out.Round(0).Sub(at.Round(0)))
	}
	return out
}

func TestADeadlineIsHeldByBothClocks(t *testing.T) {
	now := time.Now()
	span, day := now.Add(2*time.Hour), now.Add(2*time.Hour).Round(0) // --deadline 2h, and --deadline 17:30
	for _, tt := range []struct {
		what     string
		now      time.Time
		span, at Bound
	}{
		{"an hour later", now.Add(time.Hour), NoBound, NoBound},
		{"two hours later", now.Add(2 * time.Hour), Deadline, Deadline},
		{"suspended for three hours", jumped(t, now.Add(time.Minute), 3*time.Hour), Deadline, Deadline},
		{"suspended for half an hour", jumped(t, now.Add(time.Minute), time.Hour/2), NoBound, NoBound},
		{"the clock was set back a day, an hour later", jumped(t, now.Add(time.Hour), -24*time.Hour), NoBound, NoBound},
		{"the clock was set back a day, two hours later", jumped(t, now.Add(2*time.Hour), -24*time.Hour), Deadline, NoBound},
	} {
		for deadline, want := range map[time.Time]Bound{span: tt.span, day: tt.at} {
			b := NewBudget(Bounds{Deadline: deadline})
			if got := b.Spent(tt.now, true); got != want {
				t.Errorf("%s, deadline %v: %q, want %q", tt.what, deadline, got, want)
			}
			a := b.Open("", true)
			if a.Reserve(now) == Granted && a.Late(tt.now) != (want == Deadline) {
				t.Errorf("%s, deadline %v: one that was reserved before is late: %v", tt.what, deadline, want != Deadline)
			}
		}
	}
}

// The rule that help tells: a cap is passed by at most what is in flight.
func TestACapIsPassedByAtMostWhatIsInFlight(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 7))
		at := 1 + rng.IntN(32)
		a := NewBudget(Bounds{USD: 10}).Open("", true)
		var flying []float64 // the costs of those in flight
		before := 0.0        // what those in flight cost when the last began
		for {
			if len(flying) < at && a.Reserve(noon) == Granted {
				flying = append(flying, 0.05*math.Exp(rng.NormFloat64()))
				before = 0
				for _, usd := range flying {
					before += usd
				}
				continue
			}
			if len(flying) == 0 {
				break
			}
			i := rng.IntN(len(flying))
			a.Settle(noon, Used{USD: some(flying[i])})
			flying = slices.Delete(flying, i, i+1)
		}
		usd, _ := a.budget.Used()
		if usd < 10 || usd > 10+before {
			t.Fatalf("seed %d, %d at once: $%.2f used of $10, $%.2f in flight at the end", seed, at, usd, before)
		}
	}
}

// What ends first is short and cheap: with what is in flight held at its mean, $20 came
// to $65 at a spread of 0.7 and to $88 at 1, with 64 at once. Virtual time: a rollout
// costs what it takes.
func TestACapHoldsThoughCheapRolloutsEndFirst(t *testing.T) {
	const limit, at, runs = 20.0, 64, 400 // dollars, at $1 a rollout on average
	type flight struct {
		ends time.Time
		took time.Duration
	}
	for name, spread := range map[string]float64{"all alike": 0, "lognormal 0.7": 0.7, "lognormal 1": 1} {
		var sum, worst float64
		for seed := range uint64(runs) {
			rng := rand.New(rand.NewPCG(seed, 11))
			a := NewBudget(Bounds{USD: limit}).Open("", true)
			now := noon
			var flying []flight
			for {
				if len(flying) < at && a.Reserve(now) == Granted {
					took := time.Duration(float64(time.Minute) * math.Exp(spread*rng.NormFloat64()-spread*spread/2))
					flying = append(flying, flight{now.Add(took), took})
					continue
				}
				if len(flying) == 0 {
					break
				}
				slices.SortFunc(flying, func(a, b flight) int { return a.ends.Compare(b.ends) })
				now = flying[0].ends
				a.Settle(now, Used{USD: some(flying[0].took.Minutes()), Took: flying[0].took})
				flying = flying[1:]
			}
			usd, _ := a.budget.Used()
			sum += usd
			worst = max(worst, usd)
		}
		t.Logf("%s: $%.2f of $%g on average, $%.2f at most", name, sum/runs, limit, worst)
		if mean := sum / runs; mean > 1.3*limit || mean < limit {
			t.Errorf("%s: $%.2f of $%g on average", name, mean, limit)
		}
	}
}

func TestBoundsRefused(t *testing.T) {
	for _, b := range []Bounds{{Rollouts: -1}, {Tokens: -1}, {USD: -1}, {USD: math.NaN()}, {USD: math.Inf(1)}} {
		if b.Validate() == nil {
			t.Errorf("%+v is accepted", b)
		}
	}
	var none *Budget
	if none.Open("", true).Reserve(noon) != Granted || none.Spent(noon, true) != NoBound || none.Bounds() != (Bounds{}) {
		t.Error("no budget bounds nothing")
	}
}
