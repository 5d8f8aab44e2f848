package queue

import (
	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
)

// workerMessage is a message of a worker to the planner. Messages of one worker
// arrive in the order in which they were sent.
type workerMessage struct {
	Worker   string          `json:"w"`
	Term     string          `json:"t"`
	Op       op              `json:"op"`
	ID       uint64          `json:"id,omitempty"` // of a request to an endpoint, or a rest
	Endpoint string          `json:"e,omitempty"`
	Trace    string          `json:"trace,omitempty"`
	Key      key             `json:"key,omitempty"`
	N        uint64          `json:"n,omitempty"` // deliveries of the job so far
	Delivery string          `json:"d,omitempty"` // of a result
	Came     *requestOutcome `json:"came,omitempty"`
	End      *ending         `json:"end,omitempty"`
	Why      string          `json:"why,omitempty"`
	Beat     *beat           `json:"beat,omitempty"`
}

// op is the kind of a message.
type op string

// What workers send.
const (
	opEnter  op = "enter"  // wait in an endpoint's line
	opLeave  op = "leave"  // the request is over, or waits no longer
	opRest   op = "rest"   // it will be made again
	opRise   op = "rise"   // its time has come
	opArrive op = "arrive" // a rollout is in its first line
	opBegin  op = "begin"  // may the job be begun? asks
	opBack   op = "back"   // a job is not made after all; asks, so as to be sure
	opTwice  op = "twice"  // the result of another is there; asks
	opLacks  op = "lacks"  // it takes no jobs; asks
	opBye    op = "bye"    // it goes
	opBeat   op = "beat"   // all that it has
)

// asks reports whether the message is repeated until it is answered.
func (o op) asks() bool {
	switch o {
	case opBegin, opBack, opTwice, opLacks, opBeat:
		return true
	}
	return false
}

// beat is the full state of a worker.
type beat struct {
	Held    map[string][]uint64 `json:"held,omitempty"`    // requests that were let through, by endpoint
	Waiting map[string][]uint64 `json:"waiting,omitempty"` // requests that were not
	Resting map[string][]uint64 `json:"resting,omitempty"`
	Jobs    []key               `json:"jobs,omitempty"`
	Made    int                 `json:"made"`
	Missing int                 `json:"missing"`
	Lacks   string              `json:"lacks,omitempty"`
}

// plannerReply is a message of the planner to a worker.
type plannerReply struct {
	Term string  `json:"t"`
	Op   op      `json:"op"`
	ID   uint64  `json:"id,omitempty"`
	End  *ending `json:"end,omitempty"`
	Why  string  `json:"why,omitempty"`
}

// What planners send.
const (
	opGrant    op = "grant"    // a request is let through
	opDead     op = "dead"     // its endpoint was given up
	opHeard    op = "heard"    // a beat
	opStranger op = "stranger" // say hello first
	opOver     op = "over"     // the run is
	opTake     op = "take"     // begin the job
	opDrop     op = "drop"     // do not: it is done, or no one wants it
	opTaken    op = "taken"    // another worker has it
)

// requestOutcome is endpoint.Outcome.
type requestOutcome struct {
	Result  limit.Result `json:"result"`
	Fault   limit.Fault  `json:"fault,omitzero"`
	Failure *failure     `json:"failure,omitempty"`
	Cause   string       `json:"cause,omitempty"`
}

// outcome reads it. One that cannot be is taken for a cancelled request.
func (c *requestOutcome) outcome() endpoint.Outcome {
	if c == nil || c.Result.Class < limit.Void || c.Result.Class > limit.Absent {
		return endpoint.Outcome{}
	}
	out := endpoint.Outcome{
		Result: c.Result, Fault: c.Fault, Failure: c.Failure.failure(),
		Cause: endpoint.Brief(c.Cause),
	}
	out.Result.Of = endpoint.Brief(c.Result.Of)
	out.Fault.Text, out.Fault.Subject = endpoint.Brief(c.Fault.Text), endpoint.Brief(c.Fault.Subject)
	if f := c.Fault; f.Class != c.Result.Class || f.Class.Rule().TripsBreaker && out.Failure == nil {
		out.Fault = limit.Fault{}
	}
	return out
}
