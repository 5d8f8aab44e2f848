package chart_test

import (
	"fmt"
	"strings"
	"testing"

	"gonogo/analysis"
	"gonogo/analysis/stat"
	"gonogo/report/chart"
	"gonogo/report/reporttest"
	"gonogo/sampler/rollout"
)

// loaded is a Result with a burst of 128 rollouts: a tool that slows down from
// 32 on, one that does not, and a grader.
func loaded(t *testing.T) *analysis.Result {
	t.Helper()
	r := reporttest.Load(t, "go")
	b := &analysis.Burst{Rollouts: 128, GroupSize: 8}
	for _, e := range []struct {
		name   string
		base   float64
		slows  bool
		doubly *float64
	}{{"tool search", 0.21, true, stat.FiniteOrNil(45.3)}, {"tool cat", 0.042, false, nil}, {"grader", 0.9, false, nil}} {
		one := analysis.BurstEndpoint{BurstEndpoint: rollout.BurstEndpoint{Name: e.name}, Doubles: analysis.Doubling{At: e.doubly}}
		for size := 1; size <= 128; size *= 2 {
			p95 := e.base * (1 + 0.02*float64(size%3))
			if e.slows && size > 32 {
				p95 *= float64(size) / 20
			}
			one.Load = append(one.Load, analysis.LoadPoint{Size: size, P95: stat.Estimate{Value: &p95, Low: stat.FiniteOrNil(p95 * 0.93), High: stat.FiniteOrNil(p95 * 1.12)}})
		}
		b.Endpoints = append(b.Endpoints, one)
	}
	r.Burst = b
	return r
}

func TestEndpointLoadPicture(t *testing.T) {
	checkPicture(t, "loaded", "endpoint_load", loaded(t))
}

func TestEndpointLoadInWords(t *testing.T) {
	for what, c := range map[string]struct {
		bend func(*analysis.Burst)
		want string
	}{
		"one doubles":  {func(*analysis.Burst) {}, "tool search takes twice as long from about 45 rollouts at once"},
		"none doubles": {func(b *analysis.Burst) { b.Endpoints[0].Doubles.At = nil }, "No endpoint takes twice as long with 128 rollouts as with one"},
		"all are quick": {func(b *analysis.Burst) {
			b.Endpoints = b.Endpoints[1:2]
			b.Endpoints[0].Doubles.At = stat.FiniteOrNil(2)
		}, "95 % of answers come within 0.0437 s with 128 rollouts at once"},
		"nobody answered": {func(b *analysis.Burst) { b.Endpoints = b.Endpoints[:1]; b.Endpoints[0].Load = nil }, "no endpoint answered"},
		"one wave, no bound": {func(b *analysis.Burst) {
			b.Endpoints[1].Load = []analysis.LoadPoint{{Size: 1, P95: stat.Estimate{Value: stat.FiniteOrNil(0)}}}
		}, "tool search takes twice"},
		"bands for all":  {func(*analysis.Burst) {}, "rollouts; bands: 95 % intervals, clustered by rollout"},
		"bands for some": {func(b *analysis.Burst) { b.Endpoints[1].Load[0].P95.Low = nil }, "; bands, where there are enough answers: 95 % intervals"},
		"no bands": {func(b *analysis.Burst) {
			for _, e := range b.Endpoints {
				e.Load[0].P95.High = nil
			}
		}, "128 rollouts; too few answers for intervals"},
		"many endpoints": {func(b *analysis.Burst) {
			for i := range 9 {
				e := b.Endpoints[1]
				e.Name = fmt.Sprintf("tool %d", i)
				b.Endpoints = append(b.Endpoints, e)
			}
		}, "7 endpoints not shown"},
	} {
		r := loaded(t)
		c.bend(r.Burst)
		f := chart.Render(chartNamed(t, "endpoint_load"), r)
		if alt := f.Alt() + f.Subtitle; !strings.Contains(alt, c.want) {
			t.Errorf("%s: the picture says %q, want %q", what, alt, c.want)
		}
		wellFormed(t, writeSVG(t, f))
	}
}
