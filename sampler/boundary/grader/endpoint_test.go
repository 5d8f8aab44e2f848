package grader_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout"
)

func TestEndpoint(t *testing.T) {
	type request struct {
		Sample  map[string]any
		Item    json.RawMessage
		TraceID string `json:"trace_id"`
	}
	for _, c := range []struct {
		why    string
		status int
		body   string
		want   float64
		says   string // of the error; "" when there is a score
		kind   string // of the error; "" when the failure is the endpoint's
		bad    fate
	}{
		{"a score", 200, `{"score":0.5}`, 0.5, "", "", again},
		{"a status of success that is not 200", 201, `{"score":0.5}`, 0.5, "", "", again},
		{"a reward", 200, `{"reward":-2,"why":"x"}`, -2, "", "", again},
		{"score comes before reward", 200, `{"reward":1,"score":0}`, 0, "", "", again},
		{"an error that tells of none", 200, `{"score":1,"error":null}`, 1, "", "", again},
		{"nor does an empty one", 200, `{"score":1,"error":""}`, 1, "", "", again},
		{"null is no score", 200, `{"score":null}`, 0, "no \"score\"", sampler.KindMalformed, again},
		{"no score", 200, `{"result":1}`, 0, "no \"score\"", sampler.KindMalformed, again},
		{"a key of another spelling", 200, `{"Score":1}`, 0, "no \"score\"", sampler.KindMalformed, again},
		{"a string is no score", 200, `{"score":"0.5"}`, 0, `the score "0.5" is not a number`, sampler.KindNotANumber, again},
		{"nor is a boolean", 200, `{"score":true}`, 0, "the score true is not a number", sampler.KindNotANumber, again},
		{"nor a list", 200, `{"score":[1]}`, 0, "the score [1] is not a number", sampler.KindNotANumber, again},
		{"NaN, as Python writes it", 200, `{"score": NaN}`, 0, "the score NaN is not a number", sampler.KindNotANumber, again},
		{"less than everything, as Python writes it", 200, `{"x":1,"reward":-Infinity}`, 0, "the score -Infinity is not a number", sampler.KindNotANumber, again},
		{"NaN elsewhere is no JSON either", 200, `{"score":1,"x":NaN}`, 0, "JSON object", sampler.KindMalformed, again},
		{"a number too large is none", 200, `{"score":1e999}`, 0, "not a number", sampler.KindNotANumber, again},
		{"a number alone", 200, `0.5`, 0, "JSON object", sampler.KindMalformed, again},
		{"null alone", 200, `null`, 0, "JSON object", sampler.KindMalformed, again},
		{"broken JSON", 200, `{"score":0.5`, 0, "JSON object", sampler.KindMalformed, again},
		{"a web page", 200, `<html>Welcome</html>`, 0, "a web page", sampler.KindMalformed, again},
		{"nothing", 200, ``, 0, "no text", sampler.KindMalformed, again},
		{"a reply without end", 200, `{"score":1,"log":"` + strings.Repeat("x", 1<<20) + `"}`, 0, "too long to be read", sampler.KindMalformed, again},
		{"an error with status 200", 200, `{"error":"oops planted-key"}`, 0, "oops **********", sampler.KindReported, again},
		{"an error beside a score", 200, `{"score":0,"error":"no such file"}`, 0, "reports an error: no such file", sampler.KindReported, again},
		{"an error in OpenAI's form", 200, `{"score":0,"error":{"code":"quota","message":"used up"}}`, 0, "quota: used up", sampler.KindReported, again},
		{"errors beside a score", 200, `{"score":0,"errors":["judge timed out","retry failed planted-key"]}`, 0, `reports an error: errors: ["judge timed out","retry failed **********"]`, sampler.KindReported, again},
		{"no errors", 200, `{"score":0,"errors":[]}`, 0, "", "", again},
		{"an exception beside a score", 200, `{"score":0,"exception":"KeyError: 'answer'"}`, 0, "exception: KeyError: 'answer'", sampler.KindReported, again},
		{"no exception", 200, `{"score":0.5,"exception":null,"success":true,"is_score_valid":true}`, 0.5, "", "", again},
		{"a score that is called invalid", 200, `{"score":0,"is_score_valid":false,"reason":"no verdict"}`, 0, `is_score_valid is false: {"score":0,"is_score_valid":false,"reason":"no verdict"}`, sampler.KindReported, again},
		{"a grading without success", 200, `{"score": 0, "success": false}`, 0, "success is false", sampler.KindReported, again},
		{"a reward without success", 200, `{"reward":1,"success":false}`, 0, "a mark for a wrong answer needs another name, such as passed", sampler.KindReported, again},
		{"an Error in another case", 200, `{"score":0,"Error":"judge down"}`, 0, "error: judge down", sampler.KindReported, again},
		{"an error_message", 200, `{"score":0,"error_message":"judge timed out"}`, 0, "error_message: judge timed out", sampler.KindReported, again},
		{"an error code", 200, `{"score":1,"error_code":429}`, 0, "error_code: 429", sampler.KindReported, again},
		{"a flag", 200, `{"score":0,"failed":true}`, 0, "reports an error: failed", sampler.KindReported, again},
		{"a traceback", 200, `{"score":0,"traceback":"Traceback: KeyError"}`, 0, "traceback: Traceback: KeyError", sampler.KindReported, again},
		{"a status of error", 200, `{"score":1,"status":"error"}`, 0, "status: error", sampler.KindReported, again},
		{"not ok", 200, `{"score":1,"ok":false}`, 0, "ok is false", sampler.KindReported, again},
		{"success of 0", 200, `{"score":1,"success":0}`, 0, "success is false", sampler.KindReported, again},
		{"success as a text", 200, `{"score":1,"success":"false"}`, 0, "success is false", sampler.KindReported, again},
		{"the flags of graders/run", 200, `{"reward":0,"metadata":{"errors":{"model_grader_server_error":true,"other_error":false}}}`, 0, "errors: model_grader_server_error", sampler.KindReported, again},
		{"what explains a score", 200, `{"score":0.5,"message":"an error in line 3","detail":"failed the second test","error":"none","errors":0,"failed":false,"status":"ok","error_rate":0.5,"passed":false}`, 0.5, "", "", again},
		{"a server error", 500, `{"error":"boom"}`, 0, "status 500: boom", "", again},
		{"a server error with a score", 500, `{"score":1}`, 0, "status 500", "", again},
		{"a server error with a web page", 502, `<html>`, 0, "a web page", "", again},
		{"too many", 429, ``, 0, "status 429", "", again},
		{"a bad request", 400, `{"detail":"no"}`, 0, "status 400: no", "", never},
		{"a wrong key", 401, ``, 0, "status 401", "", fatal},
		{"a wrong path", 404, ``, 0, "status 404", "", fatal},
	} {
		t.Run(c.why, func(t *testing.T) {
			var got request
			var key string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				key = r.Header.Get("X-Key")
				if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
					t.Errorf("request: %v", err)
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			defer server.Close()
			client := endpoint.HTTPClient(nil, 1)
			defer client.CloseIdleConnections()
			g := open(t, `{"type":"endpoint","url":"https://example.com/grade?k=planted","headers":{"X-Key":"planted-key"}}`, grader.Env{
				HTTP:    client,
				Rewrite: func(u string) string { return strings.Replace(u, "https://example.com", server.URL, 1) },
			})
			grade, err := g.Grade(t.Context(), output("Paris"))
			if got.TraceID != "trace_x" || string(got.Item) != row || got.Sample["output_text"] != "Paris" || key != "planted-key" {
				t.Errorf("request %+v with key %q", got, key)
			}
			if c.says == "" {
				if err != nil || grade.Reward != c.want {
					t.Errorf("reward %v, error %v; want %v", grade.Reward, err, c.want)
				}
				return
			}
			f, ok := endpoint.AsFailure(err)
			if !ok || f.Temporary != (c.bad == again) || f.Fatal != (c.bad == fatal) || grade.Reward != 0 {
				t.Errorf("failure %+v, grade %v; want %s", f, grade, c.bad)
			}
			if !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "planted") || kindOf(err) != c.kind {
				t.Errorf("error of kind %q: %v; want %q, %q", kindOf(err), err, c.kind, c.says)
			}
		})
	}
}

// fate is what a failure means for further tries.
type fate string

const (
	again fate = "worth another try"
	never fate = "the end of this grading"
	fatal fate = "the end of the run"
)

// kindOf is the kind of a failed grading; "" when it has none of its own.
func kindOf(err error) string {
	if e, ok := errors.AsType[*sampler.GradeError](err); ok {
		return e.Kind
	}
	return ""
}

func TestEndpointThatHangsUp(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer server.Close()
	client := endpoint.HTTPClient(nil, 1)
	defer client.CloseIdleConnections()
	_, err := open(t, `{"type":"endpoint","url":"`+server.URL+`"}`, grader.Env{HTTP: client}).Grade(t.Context(), output("x"))
	if f, ok := endpoint.AsFailure(err); !ok || !f.Temporary || kindOf(err) != "" {
		t.Errorf("error %v", err)
	}
}

func TestLargeRequestsAreToldOf(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"score":1}`) }))
	defer server.Close()
	client := endpoint.HTTPClient(nil, 1)
	defer client.CloseIdleConnections()
	g := open(t, `{"type":"endpoint","url":"`+server.URL+`"}`, grader.Env{HTTP: client})
	for _, c := range []struct {
		answer string
		warns  string
	}{
		{"Paris", ""},
		{strings.Repeat("x", 1<<20), "requests larger than 1 MB: 1, up to 2.0 MB"},
		{strings.Repeat("x", 2<<20), "requests larger than 1 MB: 2, up to 4.0 MB"},
		{strings.Repeat("x", 1<<20), "requests larger than 1 MB: 3, up to 4.0 MB"},
	} {
		if grade, err := g.Grade(t.Context(), output(c.answer)); err != nil || grade.Reward != 1 {
			t.Fatalf("grade %v, error %v", grade, err)
		}
		if warn := strings.Join(grader.Warnings(g), "\n"); !strings.Contains(warn, c.warns) || c.warns == "" && warn != "" {
			t.Errorf("after an answer of %d bytes: warnings %q, want %q", len(c.answer), warn, c.warns)
		}
	}
}

// called is an output whose grader has a caller.
func called(ctx context.Context) sampler.Output {
	out := output("42")
	out.Caller = (*endpoint.Caller)(nil).Until(ctx, 0, nil)
	return out
}

func TestEndpointRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, ContentLength: -1, Body: io.NopCloser(strings.NewReader(`{"score":1}`))}, nil
		})}
		for _, c := range []struct {
			limit string
			want  time.Duration // of six requests
		}{
			{`,"rate_limit":0.1`, 50 * time.Second},
			{`,"rate_limit":2`, 2 * time.Second}, // two at once, then one each half second
			{``, 0},
		} {
			g := open(t, `{"type":"endpoint","url":"http://x"`+c.limit+`}`, grader.Env{HTTP: client})
			begin := time.Now()
			for range 6 {
				if _, err := g.Grade(t.Context(), called(t.Context())); err != nil {
					t.Fatal(err)
				}
			}
			if took := time.Since(begin); took < c.want || took > c.want+time.Millisecond {
				t.Errorf("limit %q: six requests waited %v, want %v", c.limit, took, c.want)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := open(t, `{"type":"endpoint","url":"http://x","rate_limit":1}`, grader.Env{}).Grade(ctx, called(ctx)); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "rate_limit of 1 ") {
			t.Errorf("a canceled wait: error %v", err)
		}
	})
}

// TestAPartWaitsForItsPaceOutsideTheClock: ten seconds between requests are our
// own doing, so a try of five seconds does not run out in them.
func TestAPartWaitsForItsPaceOutsideTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, ContentLength: -1, Body: io.NopCloser(strings.NewReader(`{"score":1}`))}, nil
		})}
		g := open(t, multiOf("a*b", "a", exact, "b", `{"type":"endpoint","url":"http://x","rate_limit":0.1}`), grader.Env{HTTP: client})
		cfg := sampler.DefaultConfig()
		cfg.GraderTimeout = 5 * time.Second
		tasks := func(yield func(sampler.Task, error) bool) {
			for i := range 6 {
				r := &rollout.Record{Item: "q", Split: rollout.Train, Sample: i, Answer: "Paris", Outcome: rollout.Graded}
				if !yield(sampler.Task{Item: output("").Item, Record: r, Times: 1}, nil) {
					return
				}
			}
		}
		begin, graded := time.Now(), 0
		_, err := sampler.Regrade(t.Context(), sampler.RegradeOptions{
			Config: cfg, Tasks: tasks, Total: 6, Grader: g,
			Sink: sink(func(r *rollout.Record) {
				if r.Outcome != rollout.Graded || r.Retries != 0 {
					t.Errorf("record %+v", r)
				}
				graded++
			}),
		})

		if took := time.Since(begin); err != nil || graded != 6 || took < 50*time.Second || took > 51*time.Second {
			t.Errorf("%d graded in %v, error %v; want 6 in 50 s", graded, took, err)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
