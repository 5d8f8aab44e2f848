package grader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"golang.org/x/time/rate"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout/credential"
)

var endpointKind = Kind{
	Name:   "endpoint",
	Doc:    "Posts the output, the item and the trace id to your URL, which answers with a score.",
	New:    newEndpoint,
	Remote: true,
}

// maxScore is the maximum length of a grader's answer, in bytes.
const maxScore = 1 << 20

// largeBody is the size of a request, in bytes, above which Azure's trainer discards the rollout,
// according to its documentation. Here such a request is sent and reported.
const largeBody = 1 << 20

// Endpoint is a grader behind HTTP. Its score is returned unchanged, without a check against the
// reward range.
type Endpoint struct {
	address sampler.Address
	name    string // name in a run
	client  *http.Client
	limiter *rate.Limiter
	tools   string

	large   atomic.Int64 // requests above largeBody
	largest atomic.Int64 // bytes of the largest request
}

func newEndpoint(raw json.RawMessage, env Env) (sampler.Grader, error) {
	var c struct {
		URL       string            `json:"url"`
		Headers   map[string]string `json:"headers"`
		RateLimit *float64          `json:"rate_limit"`
	}
	if err := decode(raw, &c); err != nil {
		return nil, err
	}
	if env.Rewrite != nil {
		c.URL = env.Rewrite(c.URL)
	}
	address, err := sampler.NewAddress("url", c.URL, c.Headers)
	if err != nil {
		return nil, err
	}
	g := &Endpoint{name: endpoint.Grader, address: address, client: env.HTTP, tools: env.SampleTools}
	if env.part != "" {
		g.name += " " + env.part
	}
	if g.client == nil {
		g.client = endpoint.HTTPClient(nil, 16)
	}
	if c.RateLimit != nil {
		if *c.RateLimit <= 0 {
			return nil, fmt.Errorf("rate_limit is %v: it must be more than 0 requests a second", *c.RateLimit)
		}
		g.limiter = rate.NewLimiter(rate.Limit(*c.RateLimit), max(1, int(*c.RateLimit)))
	}
	return g, nil
}

// SessionReads lists the session variables in the grader's address.
func (g *Endpoint) SessionReads() []string { return g.address.Reads() }

// Enter waits until rate_limit allows the next request. Grade calls it for each request, unless
// the output's Request has its own Enter.
func (g *Endpoint) Enter(ctx context.Context) (leave func(), err error) {
	if g.limiter == nil {
		return nil, nil
	}
	if err := g.limiter.Wait(ctx); err != nil {
		return nil, fmt.Errorf("wait for the grader's rate_limit of %v requests a second: %w", g.limiter.Limit(), err)
	}
	return nil, nil
}

// Grade posts the output and reads the score. 401, 403 and 404 mean a wrong key or URL; other 4xx
// except 408, 409, 425 and 429 end the grading of this output only; any other answer without a
// score is retried, as the trainer retries any failure. A second grading of the same output sends
// the same trace id, which names the rollout, not the request.
func (g *Endpoint) Grade(ctx context.Context, out sampler.Output) (grade sampler.Grade, err error) {
	address, header, secrets, err := g.address.In(out.RolloutSession)
	if err != nil {
		return sampler.Grade{}, err
	}
	body := requestBody(out, g.tools)
	r := out.Request
	if r.Endpoint = g.name; r.Enter == nil {
		r.Enter = g.Enter
	}
	_, err = out.Caller.Do(ctx, r, func(ctx context.Context, t *endpoint.Try) error {
		g.note(int64(len(body)))
		a, err := t.Post(ctx, g.client, address, header, body, maxScore)
		if err != nil {
			return err
		}
		if a.Status >= 300 {
			return endpoint.StatusFailure(address, secrets.Answer(a))
		}
		score, kind, err := readScore(a)
		if err != nil {
			f := &endpoint.Failure{
				URL: credential.BareURL(address), Status: a.Status, Temporary: true,
				Err: errors.New(secrets.Mask(err.Error())),
			}
			return &sampler.GradeError{Kind: kind, Err: f}
		}
		grade.Reward = score
		return nil
	})
	return grade, err
}

// note counts requests that a platform would not send.
func (g *Endpoint) note(size int64) {
	if size <= largeBody {
		return
	}
	g.large.Add(1)
	for old := g.largest.Load(); size > old && !g.largest.CompareAndSwap(old, size); old = g.largest.Load() {
	}
}

// requestBody returns the request for a grader outside of this program: sample, item and trace_id as
// JSON.
func requestBody(out sampler.Output, tools string) []byte {
	sample := NewSample(out, tools).JSON()
	b := make([]byte, 0, len(sample)+len(out.Item.Row)+128)
	b = append(append(b, `{"sample":`...), sample...)
	b = append(b, `,"item":`...)
	if len(out.Item.Row) > 0 {
		b = append(b, out.Item.Row...)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"trace_id":`...)
	b = jsontext.AppendQuoted(b, out.TraceID)
	return append(b, '}')
}

// Warnings reports the requests so far that were too large for a platform to send.
func (g *Endpoint) Warnings() []string {
	n := g.large.Load()
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("endpoint: requests larger than 1 MB: %d, up to %.1f MB; Azure's trainer takes no "+
		"input above 1 MB and discards the rollout",
		n, float64(g.largest.Load())/(1<<20))}
}

// Choices says what does not count as a score.
func (g *Endpoint) Choices() map[string]string {
	return map[string]string{
		"endpoint reply": "a reply without a finite number as score (or reward), or with a mark of failure such as " +
			"error, exception, failed, status error, or success of false, is a failure: it is retried, then the " +
			"output has no grade",
	}
}
