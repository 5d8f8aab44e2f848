package burst

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"sort"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Of measures the burst of a run; nil if it has none. The intervals are at level conf.
func Of(ctx context.Context, run *rollout.Run, conf float64) (*analysis.Burst, error) {
	c := collector{
		endpoints: map[string]*load{}, lost: map[[2]int]*rollout.BurstCall{},
		wire: analysis.BurstWire{By: map[string]int{}}, cross: analysis.Crosstalk{Examples: []analysis.StrayID{}},
	}
	b, err := rollout.ReadBurst(ctx, run, func(call *rollout.BurstCall) error {
		c.calls = append(c.calls, *call)
		return nil
	})
	if b == nil || err != nil {
		return nil, err
	}
	c.waves = b.Waves
	for i := range c.calls {
		c.add(&c.calls[i])
	}
	return c.result(b, conf), nil
}

// straysListed is the maximum number of examples of answers with another rollout's id.
const straysListed = 10

// collector sorts the requests of a burst by endpoint and wave.
type collector struct {
	calls     []rollout.BurstCall
	waves     []rollout.Wave
	endpoints map[string]*load
	lost      map[[2]int]*rollout.BurstCall // by wave and rollout: the first request that failed
	first     *analysis.FirstFailure
	wire      analysis.BurstWire
	cross     analysis.Crosstalk
}

// load is the requests to one endpoint.
type load struct {
	requests, failed, refused, flight int
	bySize                            map[int]*loadAt
	errors                            map[string]*analysis.BurstError
	departures                        map[string]int
	leaks                             int
	largest                           int64
	repeats                           map[string]bool // by request: whether some repeat of it was answered differently
}

// loadAt describes an endpoint under one number of rollouts at once.
type loadAt struct {
	failed    int
	latencies map[[2]int][]float64 // by wave and rollout, because requests of one rollout depend on each other
}

func (c *collector) of(name string) *load {
	l := c.endpoints[name]
	if l == nil {
		l = &load{
			bySize: map[int]*loadAt{}, errors: map[string]*analysis.BurstError{}, departures: map[string]int{},
			repeats: map[string]bool{},
		}
		c.endpoints[name] = l
	}
	return l
}

func (c *collector) add(call *rollout.BurstCall) {
	l, w := c.of(call.Endpoint), c.waves[call.Wave]
	c.contract(l, call)
	if call.Again != "" {
		l.repeats[call.Request] = l.repeats[call.Request] || call.Again == rollout.OtherAnswer
	}
	if w.Purpose != rollout.RepeatWave {
		l.under(w.Size).add(call)
	}
	if w.Purpose == rollout.BurstWave {
		c.inBurst(l, call)
	}
}

// contract records how an answer, of any wave, departs from the wire contract.
func (c *collector) contract(l *load, call *rollout.BurstCall) {
	if call.Status == 0 && len(call.Odd) == 0 {
		return // no answer came
	}
	c.wire.Answers++
	c.cross.Answers++
	l.largest = max(l.largest, call.ReplyBytes)
	if len(call.Odd) > 0 {
		c.wire.Departing++
	}
	for _, what := range call.Odd {
		c.wire.By[what]++
		l.departures[what]++
	}
	if call.Leak == "" {
		return
	}
	l.leaks++
	c.cross.Leaks++
	if len(c.cross.Examples) < straysListed {
		c.cross.Examples = append(c.cross.Examples, analysis.StrayID{
			Endpoint: call.Endpoint, TraceID: call.TraceID,
			Holds: call.Leak,
		})
	}
}

// inBurst records a request of a whole step.
func (c *collector) inBurst(l *load, call *rollout.BurstCall) {
	l.requests++
	l.flight = max(l.flight, call.Flight)
	if call.Kind != "" {
		e := l.errors[call.Kind]
		if e == nil {
			e = &analysis.BurstError{Kind: call.Kind, Example: call.Error}
			l.errors[call.Kind] = e
		}
		e.Count++
	}
	if call.Discards {
		// Calls of one turn are made at once, and several may fail, but the rollout is lost only
		// once.
		k := [2]int{call.Wave, call.Rollout}
		if was := c.lost[k]; was == nil || call.At+call.Elapsed < was.At+was.Elapsed {
			c.lost[k] = call
		}
	}
	switch after := seconds(call.At + call.Elapsed); {
	case !call.Failed && call.Kind != "":
		l.refused++
	case call.Failed:
		l.failed++
		if c.first == nil || after < c.first.After {
			c.first = &analysis.FirstFailure{After: after, Endpoint: call.Endpoint, Kind: call.Kind, Error: call.Error}
		}
	}
}

func (l *load) under(size int) *loadAt {
	at := l.bySize[size]
	if at == nil {
		at = &loadAt{latencies: map[[2]int][]float64{}}
		l.bySize[size] = at
	}
	return at
}

func (at *loadAt) add(call *rollout.BurstCall) {
	if call.Failed {
		at.failed++
		return
	}
	k := [2]int{call.Wave, call.Rollout}
	at.latencies[k] = append(at.latencies[k], seconds(call.Elapsed))
}

// items returns the latencies by rollout, in a fixed order.
func (at *loadAt) items() [][]float64 {
	var out [][]float64
	for _, k := range slices.SortedFunc(maps.Keys(at.latencies),
		func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }) {
		out = append(out, at.latencies[k])
	}
	return out
}

// lostBy counts the lost rollouts by the endpoint that failed them.
func (c *collector) lostBy() map[string]int {
	out := make(map[string]int)
	for _, call := range c.lost {
		out[call.Endpoint]++
	}
	return out
}

func (c *collector) result(b *rollout.Burst, conf float64) *analysis.Burst {
	out := &analysis.Burst{
		Rollouts: b.Rollouts, GroupSize: b.GroupSize, Split: b.Split, Gaps: b.Gaps, Retries: b.Retries,
		LostBy: c.lostBy(), FirstFailure: c.first, Wire: c.wire, Crosstalk: c.cross, Waves: b.Waves,
		Notes: message.Notes(b.Notes),
	}
	if b.BatchSize > 0 {
		out.BatchSize = &b.BatchSize
	}
	made, lost := 0, 0
	for _, w := range b.Waves {
		if w.Purpose == rollout.BurstWave {
			out.Bursts++
			made, lost = made+w.Rollouts, lost+w.Discarded
		}
	}
	out.Lost = stat.Share(lost, made, conf)
	out.Lost.Method = "share of rollouts; Clopper–Pearson interval, as if rollouts failed independently"
	differ, asked := 0, 0
	for _, e := range b.Endpoints {
		l := c.of(e.Name)
		out.Endpoints = append(out.Endpoints, l.result(e, b, conf))
		d, n := l.differing()
		differ, asked = differ+d, asked+n
	}
	out.Repeats = repeatShare(differ, asked, conf)
	different := map[string]bool{}
	for _, call := range c.calls {
		if len(c.of(call.Endpoint).repeats) > 0 {
			different[call.Request] = true
		}
	}
	out.Requests = len(different)
	return out
}

func (l *load) differing() (differ, asked int) {
	for _, other := range l.repeats {
		if other {
			differ++
		}
	}
	return differ, len(l.repeats)
}

func repeatShare(differ, asked int, conf float64) stat.Estimate {
	e := stat.Share(differ, asked, conf)
	e.Method = "share of requests; Clopper–Pearson interval"
	return e
}

func (l *load) result(e rollout.BurstEndpoint, b *rollout.Burst, conf float64) analysis.BurstEndpoint {
	out := analysis.BurstEndpoint{
		BurstEndpoint: e, Requests: l.requests, Failed: l.failed, Refused: l.refused, Flight: l.flight,
		Errors: []analysis.BurstError{}, Load: []analysis.LoadPoint{}, Departures: l.departures, Leaks: l.leaks,
		Largest: l.largest,
	}
	items := l.under(b.Rollouts).items()
	out.P50, out.P95, out.P99 = stat.QuantileItems(items, 0.50, conf), stat.QuantileItems(items, 0.95, conf),
		stat.QuantileItems(items, 0.99, conf)
	if all := slices.Concat(items...); len(all) > 0 {
		out.Max = stat.FiniteOrNil(slices.Max(all))
	}
	for _, err := range l.errors {
		err.Share = stat.Fraction(err.Count, l.requests)
		out.Errors = append(out.Errors, *err)
	}
	sort.Slice(out.Errors, func(i, j int) bool {
		a, b := &out.Errors[i], &out.Errors[j]
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind)) < 0
	})
	for _, size := range slices.Sorted(maps.Keys(l.bySize)) {
		p := analysis.LoadPoint{
			Size: size, Failed: l.bySize[size].failed,
			P95: stat.QuantileItems(l.bySize[size].items(), 0.95, conf),
		}
		for _, w := range b.Waves {
			if w.Size == size && w.Purpose != rollout.RepeatWave {
				p.Rollouts += w.Rollouts
			}
		}
		out.Load = append(out.Load, p)
	}
	out.Doubles = doubling(out.Load)
	d, n := l.differing()
	out.Repeats = repeatShare(d, n, conf)
	return out
}

// doubling finds where the 95th percentile is twice that of the smallest wave.
func doubling(load []analysis.LoadPoint) analysis.Doubling {
	known := slices.DeleteFunc(slices.Clone(load), func(p analysis.LoadPoint) bool {
		return !p.P95.Known() ||
			*p.P95.Value <= 0
	})
	if len(known) < 2 || known[0].Size != load[0].Size {
		return analysis.Doubling{}
	}
	base, last := *known[0].P95.Value, len(known)-1
	d := analysis.Doubling{Base: &base, Times: stat.FiniteOrNil(*known[last].P95.Value / base)}
	twice := 2 * base
	first := len(known) // from here on all are above
	for first > 0 && *known[first-1].P95.Value >= twice {
		first--
	}
	for i := range known {
		p := &known[i]
		if i < first && p.P95.High != nil && *p.P95.High < twice {
			d.Low = &p.Size
		}
		if i >= first && d.High == nil && p.P95.Low != nil && *p.P95.Low >= twice {
			d.High = &p.Size
		}
	}
	if first == len(known) {
		return d
	}
	a, b := known[first-1], known[first] // the smallest wave is not twice itself
	x, y := math.Log(float64(b.Size)/float64(a.Size)), math.Log(*b.P95.Value / *a.P95.Value)
	d.At = stat.FiniteOrNil(float64(a.Size) * math.Exp(x*math.Log(twice / *a.P95.Value)/y))
	return d
}

func seconds(s rollout.Seconds) float64 { return time.Duration(s).Seconds() }
