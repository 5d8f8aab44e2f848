package tool

import (
	"context"
	"testing"

	"gonogo/sampler"
)

type namedTool struct{ name string }

func (t namedTool) Name() string { return t.name }

func (t namedTool) Call(context.Context, sampler.Call) (sampler.Result, error) {
	return sampler.Result{Output: t.name}, nil
}

// A variant may put one tool in the place of another: it drops that one and takes its name.
func TestAToolMayTakeTheNameOfADroppedOne(t *testing.T) {
	tools := map[string]sampler.Tool{"search": namedTool{"search"}, "lookup": namedTool{"lookup"}}
	for range 20 { // in whatever order the tools come
		got := Offered(tools, []string{"search"}, map[string]string{"lookup": "search"})
		if len(got) != 1 || got["search"] == nil {
			t.Fatalf("offers %v, want lookup alone, as search", got)
		}
		if own, ok := got["search"].(renamedTool); !ok || own.Tool.Name() != "lookup" {
			t.Fatalf("search is %v, want lookup", got["search"])
		}
	}
}
