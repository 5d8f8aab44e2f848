package tool

import (
	"slices"

	"gonogo/sampler"
)

// Offered returns tools without the dropped ones, by the names that they are offered by:
// renamed has the new name of a tool by its own. A tool may take the name of a dropped one.
func Offered(tools map[string]sampler.Tool, dropped []string, renamed map[string]string) map[string]sampler.Tool {
	if len(dropped)+len(renamed) == 0 {
		return tools
	}
	out := make(map[string]sampler.Tool, len(tools))
	for name, t := range tools {
		if slices.Contains(dropped, name) {
			continue
		}
		if to := renamed[name]; to != "" {
			t = renamedTool{t, to}
		}
		out[t.Name()] = t
	}
	return out
}

// renamedTool is a tool by another name. Its server is asked by its own.
type renamedTool struct {
	sampler.Tool
	name string
}

// Name returns the name that the tool is offered by.
func (t renamedTool) Name() string { return t.name }

// URL is the tool's own; "" where it has none.
func (t renamedTool) URL() string {
	if own, ok := t.Tool.(interface{ URL() string }); ok {
		return own.URL()
	}
	return ""
}

// SessionReads are the tool's own.
func (t renamedTool) SessionReads() []string {
	if own, ok := t.Tool.(interface{ SessionReads() []string }); ok {
		return own.SessionReads()
	}
	return nil
}

// Release has the tool release what it keeps for a rollout.
func (t renamedTool) Release(traceID string) {
	if own, ok := t.Tool.(sampler.Releaser); ok {
		own.Release(traceID)
	}
}
