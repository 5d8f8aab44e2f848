package queue

import (
	"gonogo/sampler/endpoint"
	"gonogo/sampler/limit"
)

// workerMessage is a message from a worker to the planner. Messages of one worker
// arrive in the order in which they were sent.
type workerMessage struct {
	Worker   string          `json:"w"`
	Term     string          `json:"t"`
	Op       op              `json:"op"`
	ID       uint64          `json:"id,omitempty"` // of a request to an endpoint, of a rest, or of a question
	Endpoint string          `json:"e,omitempty"`
	Trace    string          `json:"trace,omitempty"`
	Key      key             `json:"key,omitempty"`
	N        uint64          `json:"n,omitempty"` // deliveries of the job so far
	Delivery string          `json:"d,omitempty"` // the delivery that a result comes from
	Came     *requestOutcome `json:"came,omitempty"`
	End      *ending         `json:"end,omitempty"`
	Why      string          `json:"why,omitempty"`
	Beat     *beat           `json:"beat,omitempty"`
}

// op is the kind of message.
type op string

// The messages of workers.
const (
	opEnter  op = "enter"  // wait in an endpoint's queue
	opLeave  op = "leave"  // the request is over, or no longer waits
	opRest   op = "rest"   // the request pauses before a retry
	opRise   op = "rise"   // the pause is over
	opArrive op = "arrive" // a rollout is in its first queue
	opBegin  op = "begin"  // may the job be started? asks
	opBack   op = "back"   // a job is given back; asks, to be sure that it arrives
	opTwice  op = "twice"  // the key already holds the result of another delivery; asks
	opLacks  op = "lacks"  // the worker takes no jobs; asks
	opBye    op = "bye"    // the worker leaves
	opBeat   op = "beat"   // the full state of the worker; asks
)

// asks reports whether the message must be answered.
func (o op) asks() bool {
	switch o {
	case opBegin, opBack, opTwice, opLacks, opBeat:
		return true
	}
	return false
}

// beat is the full state of a worker.
type beat struct {
	Held    map[string][]uint64 `json:"held,omitempty"`    // granted requests, by endpoint
	Waiting map[string][]uint64 `json:"waiting,omitempty"` // requests waiting for their turn, by endpoint
	Resting map[string][]uint64 `json:"resting,omitempty"`
	Jobs    []key               `json:"jobs,omitempty"`
	Made    int                 `json:"made"`
	Missing int                 `json:"missing"`
	Lacks   string              `json:"lacks,omitempty"`
}

// plannerReply is a message from the planner to a worker.
type plannerReply struct {
	Term string  `json:"t"`
	Op   op      `json:"op"`
	ID   uint64  `json:"id,omitempty"`
	End  *ending `json:"end,omitempty"`
	Why  string  `json:"why,omitempty"`
}

// The messages of planners.
const (
	opGrant    op = "grant"    // a request may proceed
	opDead     op = "dead"     // the request's endpoint was given up
	opHeard    op = "heard"    // the message was received
	opStranger op = "stranger" // the planner does not know the worker, which must say hello first
	opOver     op = "over"     // the run is over
	opTake     op = "take"     // start the job
	opDrop     op = "drop"     // drop the job: it is done or no longer wanted
	opTaken    op = "taken"    // another worker has it
)

// requestOutcome is the wire form of endpoint.Outcome.
type requestOutcome struct {
	Result  limit.Result `json:"result"`
	Fault   limit.Fault  `json:"fault,omitzero"`
	Failure *failure     `json:"failure,omitempty"`
	Cause   string       `json:"cause,omitempty"`
}

// outcome decodes it. An invalid one counts as a cancelled request.
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
