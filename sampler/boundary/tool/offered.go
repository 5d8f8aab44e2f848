package tool

import (
	"slices"

	"gonogo/sampler"
)

// Offered returns tools without the dropped ones, keyed by the names under which they are offered.
// renamed maps a tool's own name to its new one. A tool may take the name of a dropped one.
func Offered(tools map[string]sampler.Tool, dropped []string, renamed map[string]string) map[string]sampler.Tool {
	if len(dropped)+len(renamed) == 0 {
		return tools
	}
	out := make(map[string]sampler.Tool, len(tools))
	for name, t := range tools {
		if slices.Contains(dropped, name) {
			continue
		}
		if newName := renamed[name]; newName != "" {
			t = renamedTool{t, newName}
		}
		out[t.Name()] = t
	}
	return out
}

// renamedTool is a tool with another name. Its server still gets the tool's own name.
type renamedTool struct {
	sampler.Tool
	name string
}

// Name returns the name under which the tool is offered.
func (t renamedTool) Name() string { return t.name }

// URL returns the tool's URL; "" if it has none.
func (t renamedTool) URL() string {
	if inner, ok := t.Tool.(interface{ URL() string }); ok {
		return inner.URL()
	}
	return ""
}

// SessionReads returns the session variables that the tool reads.
func (t renamedTool) SessionReads() []string {
	if inner, ok := t.Tool.(interface{ SessionReads() []string }); ok {
		return inner.SessionReads()
	}
	return nil
}

// Release releases what the tool keeps for a rollout.
func (t renamedTool) Release(traceID string) {
	if inner, ok := t.Tool.(sampler.Releaser); ok {
		inner.Release(traceID)
	}
}
