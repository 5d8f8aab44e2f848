package project

import (
	"slices"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/sampler"
)

// offeredTools are tools by the names that a variant offers them by, without those that
// it drops.
func offeredTools(tools map[string]sampler.Tool, c *config.Config) map[string]sampler.Tool {
	if len(c.DroppedTools)+len(c.RenamedTools) == 0 {
		return tools
	}
	out := make(map[string]sampler.Tool, len(tools))
	for name, t := range tools {
		if slices.Contains(c.DroppedTools, name) {
			continue
		}
		if to := c.RenamedTools[name]; to != "" {
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
