package sampler_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"gonogo/fixtures"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// BenchmarkWorld is BenchmarkRollouts against an embedded world and its grader:
// the train items of "saturated", whose scripted policy makes no slips that a
// simple loop could not follow. All loops send the same request ids and so are
// given the same rollouts.
func BenchmarkWorld(b *testing.B) {
	for _, latency := range []time.Duration{0, 50 * time.Millisecond} {
		w, server := newWorldLoops(b, latency)
		var turns int64 // of one pass, by the first loop
		for _, loop := range []loop{{"sampler", theSampler}, {"bare", bareLoop}, {"typed", typedLoop}} {
			b.Run(fmt.Sprintf("latency=%v/%s", latency, loop.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					before := server.Counts().Responses
					loop.run(b, w)
					made := server.Counts().Responses - before
					if turns == 0 {
						turns = made
					}
					if made != turns {
						b.Fatalf("%d model turns, and another loop made %d: not the same load", made, turns)
					}
				}
			})
		}
	}
}

func newWorldLoops(b *testing.B, latency time.Duration) (*benchWorld, *fixtures.Server) {
	b.Helper()
	world, err := fixtures.Find("saturated")
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	if err := world.Write(dir); err != nil {
		b.Fatal(err)
	}
	train, err := dataset.Load(filepath.Join(dir, fixtures.TrainFile), rollout.Train, dataset.Options{})
	if err != nil {
		b.Fatal(err)
	}
	server, err := world.Serve(fixtures.ServeOptions{Latency: latency})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = server.Close() })
	w := newLoops(b, server.URL(), "scripted-policy", 64, benchSamples)
	w.items = train.Items
	w.tool = func(name string) string { return server.URL() + "/tools/" + name }
	w.grader = json.RawMessage(fmt.Sprintf(`{"type":"endpoint","name":"grade","url":%q}`, server.URL()+"/grade"))
	w.finish = func(it *rollout.Item, trace, answer string) error {
		var out struct{ Score *float64 }
		body := jsontext.AppendQuoted([]byte(`{"sample":{"output_text":`), answer)
		body = fmt.Appendf(body, `},"item":%s,"trace_id":%q}`, it.Row, trace)
		err := post(w.client, server.URL()+"/grade", trace, body, &out)
		if err == nil && out.Score == nil {
			err = errors.New("no score")
		}
		return err
	}
	w.flat, w.tools = rowTools(b, train.Items[0])
	return w, server
}

// rowTools returns the tools of a row as the two other loops send them.
func rowTools(b *testing.B, it rollout.Item) (flat []json.RawMessage, typed []responses.ToolUnionParam) {
	b.Helper()
	var nested []struct {
		Function struct {
			Name        string         `json:"name"`
			Description string         `json:"description"`
			Parameters  map[string]any `json:"parameters"`
		} `json:"function"`
	}
	if err := json.Unmarshal(it.Tools, &nested); err != nil {
		b.Fatal(err)
	}
	for _, t := range nested {
		raw, err := json.Marshal(map[string]any{"type": "function", "name": t.Function.Name, "description": t.Function.Description, "parameters": t.Function.Parameters})
		if err != nil {
			b.Fatal(err)
		}
		flat = append(flat, raw)
		typed = append(typed, responses.ToolUnionParam{OfFunction: &responses.FunctionToolParam{
			Name: t.Function.Name, Description: param.NewOpt(t.Function.Description), Parameters: t.Function.Parameters,
		}})
	}
	return flat, typed
}
