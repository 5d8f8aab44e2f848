package mcp_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"gonogo/sampler"
	"gonogo/sampler/boundary/mcp"
	"gonogo/sampler/endpoint"
)

// ways are the ways in which a server is reached: all answer alike.
func ways(t *testing.T) map[string]mcp.Config {
	t.Helper()
	return map[string]mcp.Config{
		"stdio":            program("files", "serve"),
		"streamable HTTP":  served(t, "files", nil),
		"JSON over HTTP":   served(t, "files", &sdk.StreamableHTTPOptions{JSONResponse: true}),
		"HTTP, no session": served(t, "files", &sdk.StreamableHTTPOptions{Stateless: true}),
	}
}

func TestAnswersByEveryWay(t *testing.T) {
	const long = "413: the tool's output is longer than 1000000 bytes"
	for way, cfg := range ways(t) {
		t.Run(way, func(t *testing.T) {
			tools := open(t, mcp.Options{}, cfg)
			for _, c := range []struct {
				why, tool string
				want      sampler.Result
			}{
				{"arguments arrive as they are", "echo", sampler.Result{Output: `{"text":"é","n":1.0}`}},
				{"the trace id is in _meta", "trace", sampler.Result{Output: "trace_x"}},
				{"texts are joined", "two", sampler.Result{Output: "a\nb"}},
				{"what is no text is named", "picture", sampler.Result{Output: "here\n[image image/png]", Note: "the answer contains something other than text (image): the model sees only its name"}},
				{"structured content stands in for text", "structured", sampler.Result{Output: `{"b":1,"a":2}`}},
				{"an error of the tool is shown to the model", "refuse", sampler.Result{Output: "no such document", Error: "the tool failed: no such document"}},
				{"an answer above 1 MB", "big", sampler.Result{Output: "Error: " + long, Error: long}},
				{"an answer that is not read to its end", "huge", sampler.Result{Output: "Error: " + long, Error: long}},
				{"after which the session stands", "count", sampler.Result{Output: "1"}},
			} {
				if c.tool == "huge" && way == "HTTP, no session" { // as with one
					continue
				}
				got, err := tools[c.tool].Call(t.Context(), sampler.Call{ID: "call_1", Arguments: `{"text":"é","n":1.0}`, TraceID: "trace_x"})
				if err != nil {
					t.Errorf("%s: %v", c.why, err)
				} else if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("%s (-want +got):\n%s", c.why, d)
				}
			}
		})
	}
}

// The model is offered what the server wrote: the properties in their order.
func TestToolsAreOfferedAsTheyAreListed(t *testing.T) {
	for way, cfg := range ways(t) {
		cfg.Prefix, cfg.Only, cfg.Rename = "my_", []string{"echo", "two"}, map[string]string{"two": "both"}
		tools := open(t, mcp.Options{}, cfg)
		if len(tools) != 2 || tools["both"] == nil {
			t.Fatalf("%s: %v", way, tools)
		}
		got := string(tools["my_echo"].Definition().Chat())
		want := `{"type":"function","function":{"name":"my_echo","description":"does echo","parameters":{"type":"object","properties":{"text":{"type":"string"},"again":{"type":"integer"}},"required":["text"]}}}`
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", way, d)
		}
	}
}

func TestATimeoutEndsTheCallAlone(t *testing.T) {
	for way, cfg := range ways(t) {
		t.Run(way, func(t *testing.T) {
			tools := open(t, mcp.Options{}, cfg)
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_, err := tools["slow"].Call(ctx, sampler.Call{Arguments: "{}"})
			if f, ok := endpoint.AsFailure(err); !ok || !f.Temporary {
				t.Errorf("a call that hung: %v", err)
			}
			if got, err := tools["echo"].Call(t.Context(), sampler.Call{Arguments: "{}"}); err != nil || got.Output != "{}" {
				t.Errorf("the call after it: %+v, %v", got, err)
			}
		})
	}
}

// Each rollout counts from 1 where it has a server to itself.
func TestAServerForEachRollout(t *testing.T) {
	for _, c := range []struct {
		per  bool
		want string
	}{{true, "1 2 1 2"}, {false, "1 2 3 4"}} {
		cfg := program("files", "serve")
		cfg.PerRollout = c.per
		tools := open(t, mcp.Options{}, cfg)
		var got []string
		for _, trace := range []string{"trace_1", "trace_1", "trace_2", "trace_2"} {
			res, err := tools["count"].Call(t.Context(), sampler.Call{Arguments: "{}", TraceID: trace})
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, res.Output)
		}
		tools["count"].Release("trace_1")
		tools["count"].Release("trace_1")
		if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
			t.Errorf("a server for each rollout %v (-want +got):\n%s", c.per, d)
		}
	}
}
