package limit

import "time"

// Class is the outcome of a request, as pacing and retries see it.
type Class int

// The classes.
const (
	Void        Class = iota // canceled by gonogo: it says nothing about the endpoint
	Served                   // answered
	Refused                  // 400, 422 and other 4xx: this request is wrong, another may not be
	Limited                  // 429: too many requests
	Unavailable              // 408, 425, 502, 503, 504, 520 to 524, 529: temporarily unavailable
	Broken                   // 500, and any other 5xx; 409
	Unusable                 // a success status with an unusable body
	Silent                   // no answer: the connection broke or hung
	Absent                   // no connection: refused, no such host, no TLS
)

// Rule says how a class affects its endpoint.
type Rule struct {
	Class Class
	Name  string
	Doc   string

	Retryable    bool // the same request may be retried
	Counted      bool // each try counts against Retry.Max; else Retry.Total alone bounds them
	ReducesLimit bool // fewer requests at once
	Pauses       bool // no request for a while, if it happens twice in a row

	// TripsBreaker says whether repeating the same error ends the run, and TripsAfter how long it
	// must have lasted: temporary errors get time to pass.
	TripsBreaker bool
	TripsAfter   time.Duration
	// OnceEach counts a refusal once per item: another request may succeed.
	OnceEach bool
}

// Then lists the consequences, in the terms of gonogo.yaml.
func (r Rule) Then() (then []string) {
	add := func(holds bool, text string) {
		if holds {
			then = append(then, text)
		}
	}
	add(r.Retryable && r.Counted, "it is retried, up to sampling.retries times")
	add(r.Retryable && !r.Counted, "it is retried, for up to sampling.retry_for")
	add(r.ReducesLimit, "fewer requests at once")
	add(r.Pauses, "a pause for all requests, if it happens twice in a row")
	add(r.TripsBreaker && r.OnceEach, "the same for sampling.breaker items in a row stops the command")
	add(r.TripsBreaker && !r.OnceEach && r.TripsAfter == 0, "the same sampling.breaker times in a row stops the command")
	add(r.TripsAfter > 0, "the same sampling.breaker times in a row and for "+r.TripsAfter.String()+" stops the command")
	add(len(then) == 0, "nothing")
	return then
}

// Rules is the table of classes.
func Rules() []Rule { return rules[:] }

var rules = [...]Rule{
	{Class: Void, Name: "void", Doc: "canceled by gonogo"},
	{Class: Served, Name: "served", Doc: "answered"},
	{
		Class: Refused, Name: "refused", Doc: "400, 422 and other 4xx: this request is wrong", TripsBreaker: true,
		OnceEach: true,
	},
	{
		Class: Limited, Name: "limited", Doc: "429: too many requests", Retryable: true, ReducesLimit: true, Pauses: true,
		TripsBreaker: true, TripsAfter: Patience,
	},
	{
		Class: Unavailable, Name: "unavailable",
		Doc: "408, 425, 502, 503, 504, 520 to 524, 529: temporarily unavailable", Retryable: true, Counted: true,
		Pauses: true, TripsBreaker: true, TripsAfter: Gone,
	},
	{
		Class: Broken, Name: "broken", Doc: "409, 500 and any other 5xx", Retryable: true, Counted: true, Pauses: true,
		TripsBreaker: true,
	},
	{
		Class: Unusable, Name: "unusable", Doc: "a success status with an unusable body", Retryable: true, Counted: true,
		TripsBreaker: true,
	},
	{
		Class: Silent, Name: "silent", Doc: "no answer: the connection broke or hung", Retryable: true, Counted: true,
		Pauses: true, TripsBreaker: true, TripsAfter: Gone,
	},
	{
		Class: Absent, Name: "absent", Doc: "no connection: refused, no such host, no TLS", Retryable: true, Counted: true,
		Pauses: true, TripsBreaker: true, TripsAfter: Gone,
	},
}

// Rule returns the class's row of the table.
func (c Class) Rule() Rule { return rules[c] }

// String returns the class's name.
func (c Class) String() string { return rules[c].Name }

// ClassOf returns the class of an HTTP status; 0 means no answer. A status below 400 is
// Served: only the reader of the body knows whether it is usable.
func ClassOf(status int) Class {
	switch {
	case status == 0:
		return Silent
	case status < 400:
		return Served
	}
	switch status {
	case 429:
		return Limited
	case 408, 425, 502, 503, 504,
		520, 521, 522, 523, 524, // Cloudflare's codes for an origin in trouble
		529: // "overloaded", used by several model services
		return Unavailable
	case 409:
		return Broken
	}
	if status >= 500 {
		return Broken
	}
	return Refused
}
