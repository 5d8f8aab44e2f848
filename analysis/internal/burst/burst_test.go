package burst

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gonogo/analysis"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

func TestWhereLatencyDoubles(t *testing.T) {
	point := func(size int, p95 float64) analysis.LoadPoint {
		return analysis.LoadPoint{Size: size, P95: stat.Estimate{Value: &p95, Low: stat.FiniteOrNil(p95 * 0.9), High: stat.FiniteOrNil(p95 * 1.1)}}
	}
	for _, c := range []struct {
		why  string
		load []analysis.LoadPoint
		at   float64 // 0: not
	}{
		{"it never does", []analysis.LoadPoint{point(1, 1), point(2, 1.1), point(4, 1.9)}, 0},
		{"one wave alone has nothing to double", []analysis.LoadPoint{point(1, 1)}, 0},
		{"in proportion to the load", []analysis.LoadPoint{point(1, 1), point(2, 2), point(4, 4)}, 2},
		{"between two waves", []analysis.LoadPoint{point(1, 1), point(16, 1), point(32, 4)}, 16 * math.Sqrt2},
		{"once by chance is not for good", []analysis.LoadPoint{point(1, 1), point(2, 5), point(4, 1), point(8, 4)}, 4 * math.Sqrt2},
		{"a wave without an answer tells nothing", []analysis.LoadPoint{point(1, 1), {Size: 2}, point(4, 2)}, 4},
		{"nor does a burst whose smallest wave had none", []analysis.LoadPoint{{Size: 1}, point(2, 1), point(4, 2)}, 0},
	} {
		d := doubling(c.load)
		if got := stat.ValueOr(d.At, 0); math.Abs(got-c.at) > 1e-9 {
			t.Errorf("%s: at %v, want %v", c.why, got, c.at)
		}
	}
	d := doubling([]analysis.LoadPoint{point(1, 1), point(2, 1.5), point(4, 1.9), point(8, 2.1), point(16, 3)})
	if *d.Low != 2 || *d.High != 16 {
		t.Errorf("it doubles between %d and %d, want 2 and 16, whose whole intervals tell", *d.Low, *d.High)
	}
}

// A rollout whose calls of one turn failed together counted once for each of
// them: twelve were "discarded" of eight.
func TestALostRolloutCountsOnce(t *testing.T) {
	at := func(rolloutAt int, endpoint string, ended float64, discards bool) rollout.BurstCall {
		return rollout.BurstCall{Rollout: rolloutAt, Endpoint: endpoint, Elapsed: rollout.Seconds(time.Duration(ended * float64(time.Second))), Failed: true, Kind: "status 503", Discards: discards}
	}
	c := collector{endpoints: map[string]*load{}, lost: map[[2]int]*rollout.BurstCall{}}
	for _, call := range []rollout.BurstCall{
		at(0, "tool search", 2, true),
		at(0, "tool list", 1, true), // failed first
		at(0, "tool search", 3, true),
		at(1, "tool search", 1, true),
		at(1, "tool search", 1, true),
		at(2, "grader", 1, false), // repeated, and then answered
	} {
		c.inBurst(c.of(call.Endpoint), &call)
	}
	if diff := cmp.Diff(map[string]int{"tool list": 1, "tool search": 1}, c.lostBy()); diff != "" {
		t.Errorf("lost by (-want +got):\n%s", diff)
	}
}
