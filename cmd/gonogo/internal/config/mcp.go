package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"gonogo/sampler/job"
	"gonogo/sampler/mcp"
	"gonogo/sampler/rollout"
)

// mcpEntry lists the keys of an entry of tools.mcp.
func mcpEntry() []entryKey {
	name := nameEntry
	name.Doc = "what it is called in messages"
	return []entryKey{
		name,
		{Name: "command", Kind: yamlList, Doc: "a program and its arguments, which speaks over standard input and output; it runs in this file's folder"},
		{Name: "env", Kind: yamlMap, Doc: "variables for the program, in addition to gonogo's own without the API keys of model and judge; ${NAME} is taken from the environment", hidden: true},
		{Name: "url", Doc: "instead of a command: where the server answers over HTTP", Pattern: urlPattern, Want: "a http:// or https:// URL", hidden: true},
		{Name: "headers", Kind: yamlMap, Doc: "headers of its requests; ${NAME} is taken from the environment", hidden: true},
		{Name: "per_rollout", Kind: yamlBool, Doc: "whether each rollout has a process, or a session over HTTP, to itself, which ends with it; else all share one"},
		{Name: "only", Kind: yamlList, Doc: "the tools that are offered, as the server calls them; without it all are"},
		{Name: "prefix", Doc: "a prefix for the names of its tools, when two servers use the same ones"},
		{Name: "rename", Kind: yamlMap, Doc: "what a tool is offered as, by the server's name for it"},
	}
}

// mcpValue is one entry of tools.mcp.
type mcpValue struct {
	Name       string            `json:"name"`
	Command    []string          `json:"command"`
	Env        map[string]string `json:"env"`
	URL        string            `json:"url"`
	Headers    map[string]string `json:"headers"`
	PerRollout bool              `json:"per_rollout"`
	Only       []string          `json:"only"`
	Prefix     string            `json:"prefix"`
	Rename     map[string]string `json:"rename"`
}

func (v mcpValue) config() mcp.Config {
	return mcp.Config{
		Name: v.Name, Command: v.Command, Env: v.Env, URL: v.URL, Headers: v.Headers,
		PerRollout: v.PerRollout, Only: v.Only, Prefix: v.Prefix, Rename: v.Rename,
	}
}

// checkMCP finds servers that cannot be reached, as far as the configuration alone
// shows.
func checkMCP(c *Config) error {
	if len(c.Tools.MCP) > 0 && c.Agent.Used() {
		return c.Fault("tools.mcp", "cannot be combined with an agent, which asks its servers itself: remove it")
	}
	var errs []error
	seen := map[string]bool{}
	for i, v := range entries[mcpValue](c.Tools.MCP) {
		err := v.config().Validate()
		if seen[v.Name] {
			err = fmt.Errorf("there is a server %s already", v.Name)
		}
		if seen[v.Name] = true; err != nil {
			errs = append(errs, c.EntryFault("tools.mcp", c.Tools.MCP, i, err))
		}
	}
	return Join(errs)
}

// takeMCP takes what headers and variables of the servers hold from the
// environment.
func takeMCP(c *Config) []error {
	var errs []error
	c.MCPServers = nil
	for i, v := range entries[mcpValue](c.Tools.MCP) {
		for name, values := range map[string]map[string]string{"headers": v.Headers, "env": v.Env} {
			if slices.Contains(slices.Collect(maps.Values(values)), MaskedSecret) {
				errs = append(errs, c.EntryFault("tools.mcp", c.Tools.MCP, i, errors.New("a run keeps no secrets, and this server wants some: name the configuration with --config")))
				continue
			}
			errs = append(errs, expandHeaders(c, fmt.Sprintf("tools.mcp[%d].%s", i, name), values)...)
		}
		c.MCPServers = append(c.MCPServers, v.config())
	}
	return errs
}

// mcpSecrets are the secrets of the servers.
func mcpSecrets(c *Config) []string {
	var all []string
	for _, s := range c.MCPServers {
		for name, value := range s.Headers {
			all = append(all, rollout.HeaderSecrets(name, value)...)
		}
		for name, value := range s.Env {
			if rollout.IsSecret(name, value) {
				all = append(all, value)
			}
		}
		all = append(all, job.URLSecrets(s.URL)...)
	}
	return all
}

// maskedMCP are the entries without what may be secret.
func maskedMCP(c *Config) []MapValue {
	var out []MapValue
	for _, m := range c.Tools.MCP {
		var entry map[string]any
		if err := json.Unmarshal(m.Body, &entry); err != nil {
			panic(fmt.Sprintf("gonogo: an MCP server: %v", err)) // it was made from JSON
		}
		if url, ok := entry["url"].(string); ok {
			entry["url"] = job.MaskURL(url)
		}
		for _, name := range []string{"headers", "env"} {
			if values, ok := entry[name].(map[string]any); ok {
				for k := range values {
					values[k] = MaskedSecret
				}
			}
		}
		out = append(out, MapValue{Body: Marshal(entry)})
	}
	return out
}
