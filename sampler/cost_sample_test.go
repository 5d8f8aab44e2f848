package sampler

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonogo/sampler/limit"
	"gonogo/sampler/rollout"
)

// flight is a rollout that ends at a time.
type flight struct {
	place    int
	at, cost float64
}

type flights []flight

func (f flights) Len() int           { return len(f) }
func (f flights) Less(i, j int) bool { return f[i].at < f[j].at }
func (f flights) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *flights) Push(x any)        { *f = append(*f, x.(flight)) }

func (f *flights) Pop() any {
	last := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return last
}

// What rollouts cost goes with how long they take, so those which end first
// are cheap. 64 at a time, lognormal with 1 as the logarithm's standard deviation:
// the mean is √e. Of what is so skewed, Student's interval by 20 holds less than
// it says; how much less is reported here.
func TestTheFirstsAreNoCheaperThanTheRest(t *testing.T) {
	const runs, all, atOnce = 1000, 640, 64
	rng := rand.New(rand.NewPCG(1, 2))
	var told, ended, held float64
	for range runs {
		var f costSample
		var first limit.Sum
		var inFlight flights
		var now, total float64
		begin := func(place int) {
			cost := math.Exp(rng.NormFloat64())
			total += cost
			heap.Push(&inFlight, flight{place, now + cost, cost})
		}
		for place := range atOnce {
			begin(place)
		}
		var early limit.Sum
		for next := atOnce; len(inFlight) > 0; next++ {
			one := heap.Pop(&inFlight).(flight)
			now = one.at
			if early.N < leastFirsts {
				early.Add(one.cost, nil)
			}
			f.end(one.place, &one.cost, itemKey{rollout.Train, fmt.Sprint(one.place)})
			if first.N == 0 {
				first = f.judged
			}
			if next < all {
				begin(next)
			}
		}
		if first.N != leastFirsts {
			t.Fatalf("it judges by %d at first, want %d", first.N, leastFirsts)
		}
		told += first.Mean() / runs
		ended += early.Mean() / runs
		if _, low, high, _ := first.Forecast(all - first.N); low <= total && total <= high {
			held += 1.0 / runs
		}
	}
	if want := math.Exp(0.5); math.Abs(told/want-1) > 0.05 {
		t.Errorf("the first that began cost %.3f on average, the rest %.3f", told, want)
	}
	if ended > told/2 {
		t.Errorf("the first that ended cost %.3f on average, those that began %.3f: the trap is none", ended, told)
	}
	if held < 0.87 || held > 0.97 {
		t.Errorf("%.1f %% of the intervals hold what all cost", 100*held)
	}
}

func TestWhatIsJudgedBy(t *testing.T) {
	one := 1.0
	key := func(n int) itemKey { return itemKey{rollout.Train, fmt.Sprint(n % 7)} }
	var f costSample
	for n := 1; n < 100; n++ {
		if f.end(n, &one, key(n)); f.judged.N > 0 {
			t.Fatalf("it judges by %d while the first is in flight", f.judged.N)
		}
	}
	f.end(0, nil, key(0)) // no one told what it cost
	if f.judged.N != leastFirsts-1 || f.judged.Items != 7 || f.judged.Total != leastFirsts-1 {
		t.Errorf("it judges by %+v, want all but one of %d, of 7 items", f.judged, leastFirsts)
	}
	f.end(100, &one, key(100))
	f.end(101, &one, key(101))
	if f.judged.N != 4*leastFirsts-1 {
		t.Errorf("later it judges by %d", f.judged.N)
	}
	for n := 102; n < 2*mostFirsts; n++ {
		f.end(n, &one, key(n))
	}
	if f.judged.N != mostFirsts-1 || len(f.ended) > 0 {
		t.Errorf("at last it judges by %d and keeps %d", f.judged.N, len(f.ended))
	}
}
