package analysis

import (
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Burst is what the rehearsal of a training step showed of tools and grader. Fields without a
// qualifier describe only the bursts: waves that start a whole step's rollouts at once.
type Burst struct {
	Rollouts  int           `json:"rollouts"`   // started at once
	BatchSize *int          `json:"batch_size"` // items of a step; null if the number of rollouts was given
	GroupSize int           `json:"group_size"`
	Split     rollout.Split `json:"split"`
	Bursts    int           `json:"bursts"`
	Gaps      bool          `json:"gaps"`    // whether the recorded time between calls was kept
	Retries   int           `json:"retries"` // of a failed request, after which its rollout is discarded

	Lost         stat.Estimate  `json:"lost"`          // share of rollouts that a trainer would discard
	LostBy       map[string]int `json:"lost_by"`       // those rollouts, by the endpoint that failed first
	FirstFailure *FirstFailure  `json:"first_failure"` // null if no request failed

	Endpoints []BurstEndpoint `json:"endpoints"`
	Wire      BurstWire       `json:"wire"`      // of all waves
	Crosstalk Crosstalk       `json:"crosstalk"` // of all waves
	// share of different requests that were answered differently the second time
	Repeats stat.Estimate `json:"repeats"`
	// different requests of all waves, to the endpoints that received some of them twice
	Requests int            `json:"requests"`
	Waves    []rollout.Wave `json:"waves"`
	Notes    []message.Text `json:"notes"`
}

// FirstFailure is the failed request that came earliest after its burst began.
type FirstFailure struct {
	After    float64 `json:"after_s"`
	Endpoint string  `json:"endpoint"`
	Kind     string  `json:"kind"`
	Error    string  `json:"error"`
}

// BurstEndpoint is what a burst showed of one endpoint. Latencies are of
// answered requests, refusals included, in seconds.
type BurstEndpoint struct {
	rollout.BurstEndpoint
	Requests   int            `json:"requests"`
	Failed     int            `json:"failed"`  // without an answer that a rollout can continue with
	Refused    int            `json:"refused"` // answered with a 4xx, which the model is shown
	P50        stat.Estimate  `json:"p50_s"`
	P95        stat.Estimate  `json:"p95_s"`
	P99        stat.Estimate  `json:"p99_s"`
	Max        *float64       `json:"max_s"`
	Flight     int            `json:"in_flight"` // most requests in flight at once
	Errors     []BurstError   `json:"errors"`    // most frequent first
	Load       []LoadPoint    `json:"load"`      // by rollouts at once, ascending; the last is the burst
	Doubles    Doubling       `json:"doubles"`
	Departures map[string]int `json:"departures"` // of all waves: answers that depart from the wire contract, by kind
	Leaks      int            `json:"leaks"`      // of all waves: answers that contain another rollout's id
	Repeats    stat.Estimate  `json:"repeats"`
	Largest    int64          `json:"largest_reply_bytes"` // of all waves
}

// BurstError is one kind of failure at an endpoint.
type BurstError struct {
	Kind    string  `json:"kind"`
	Count   int     `json:"count"`
	Share   float64 `json:"share"` // of the endpoint's requests
	Example string  `json:"example"`
}

// LoadPoint describes an endpoint under one number of rollouts at once.
type LoadPoint struct {
	Size     int           `json:"size"`
	Rollouts int           `json:"rollouts"`
	Failed   int           `json:"failed"` // requests
	P95      stat.Estimate `json:"p95_s"`
}

// Doubling is the number of rollouts at once at which the 95th percentile of the latency is twice
// that of the smallest wave. It is interpolated on logarithmic scales between the last wave below
// twice the base and the first from which on all waves are above. Low is the largest wave whose
// whole interval is below, High the smallest whose whole interval is above.
type Doubling struct {
	At    *float64 `json:"at"` // null if it did not double or is unknown
	Low   *int     `json:"low"`
	High  *int     `json:"high"`
	Base  *float64 `json:"base_p95_s"`
	Times *float64 `json:"times"` // the burst's 95th percentile over the base
}

// BurstWire counts answers that depart from the wire contract.
type BurstWire struct {
	Answers   int            `json:"answers"`
	Departing int            `json:"departing"`
	By        map[string]int `json:"by"`
}

// Crosstalk counts answers that contain the trace id or a call id of another rollout.
type Crosstalk struct {
	Answers  int       `json:"answers"`
	Leaks    int       `json:"leaks"`
	Examples []StrayID `json:"examples"`
}

// StrayID is one answer that contains another rollout's id.
type StrayID struct {
	Endpoint string `json:"endpoint"`
	TraceID  string `json:"trace_id"` // of the rollout that was answered
	Holds    string `json:"holds"`    // the other's id
}
