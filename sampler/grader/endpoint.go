package grader

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"golang.org/x/time/rate"

	"gonogo/sampler"
)

var endpoint = Kind{
	Name: "endpoint",
	Doc:  "Posts the output, the item and the trace id to a URL of yours, which answers with a score.",
	New:  newEndpoint,
}

// maxScore bounds how much of a grader's answer is read.
const maxScore = 1 << 20

// Endpoint is a grader behind HTTP. Its score is taken as it is: a value
// outside the reward range is for the analysis to complain about.
type Endpoint struct {
	url     string
	client  *http.Client
	header  http.Header
	secrets sampler.Secrets
	limiter *rate.Limiter
	tools   string
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
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("url %q is not an http or https URL", sampler.RedactURL(c.URL))
	}
	if err := sampler.CheckHeaders(c.Headers); err != nil {
		return nil, err
	}
	g := &Endpoint{url: c.URL, client: env.HTTP, header: sampler.JSONHeader(c.Headers), secrets: sampler.SecretsOf(c.Headers), tools: env.SampleTools}
	if g.client == nil {
		g.client = sampler.HTTPClient(nil, 16)
	}
	if c.RateLimit != nil {
		if *c.RateLimit <= 0 {
			return nil, fmt.Errorf("rate_limit is %v: it must be more than 0 requests a second", *c.RateLimit)
		}
		g.limiter = rate.NewLimiter(rate.Limit(*c.RateLimit), max(1, int(*c.RateLimit)))
	}
	return g, nil
}

// Wait waits until rate_limit lets the next request pass. It implements
// sampler.Pacer: Grade itself does not wait.
func (g *Endpoint) Wait(ctx context.Context) error {
	if g.limiter == nil {
		return nil
	}
	if err := g.limiter.Wait(ctx); err != nil {
		return fmt.Errorf("wait for the grader's rate_limit of %v requests a second: %w", g.limiter.Limit(), err)
	}
	return nil
}

// Grade makes one request. 401, 403 and 404 are taken for a wrong key or URL;
// other 4xx than 408, 409, 425 and 429 end the grading of this output only;
// all else that is no score is worth another try.
func (g *Endpoint) Grade(ctx context.Context, out sampler.Output) (sampler.Grade, error) {
	a, err := sampler.PostJSON(ctx, g.client, g.url, g.header, g.body(out), maxScore)
	if err != nil {
		return sampler.Grade{}, err
	}
	a.Body = []byte(g.secrets.Mask(string(a.Body)))
	if a.Status >= 300 {
		return sampler.Grade{}, sampler.StatusFailure(g.url, a)
	}
	score, err := readScore(a)
	if err != nil {
		return sampler.Grade{}, &sampler.Failure{URL: sampler.RedactURL(g.url), Status: a.Status, Temporary: true, Err: err}
	}
	return sampler.Grade{Reward: score}, nil
}

func (g *Endpoint) body(out sampler.Output) []byte {
	sample := NewSample(out, g.tools).JSON()
	b := make([]byte, 0, len(sample)+len(out.Item.Row)+128)
	b = append(append(b, `{"sample":`...), sample...)
	b = append(b, `,"item":`...)
	if len(out.Item.Row) > 0 {
		b = append(b, out.Item.Row...)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"trace_id":`...)
	b = sampler.AppendQuoted(b, out.TraceID)
	return append(b, '}')
}

// readScore reads {"score": x}, or {"reward": x}.
func readScore(a sampler.Answer) (float64, error) {
	var s struct {
		Score  json.RawMessage `json:"score"`
		Reward json.RawMessage `json:"reward"`
	}
	if a.Over || json.Unmarshal(a.Body, &s) != nil {
		return 0, fmt.Errorf("the answer is no JSON object with a \"score\": %s", sampler.ErrorText(a))
	}
	raw := s.Score
	if !present(raw) {
		raw = s.Reward
	}
	if !present(raw) {
		return 0, fmt.Errorf("the answer has no \"score\": %s", sampler.ErrorText(a))
	}
	var score float64
	if json.Unmarshal(bytes.TrimSpace(raw), &score) != nil {
		return 0, errors.New("the score " + sampler.Brief(string(raw)) + " is not a number")
	}
	return score, nil
}

// Reads lists every key of sample: the endpoint is handed all of it.
func (g *Endpoint) Reads() []string { return union(sampleKeys) }
