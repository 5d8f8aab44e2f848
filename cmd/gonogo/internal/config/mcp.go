package config

import (
	"fmt"
	"maps"
	"slices"

	"gonogo/sampler/mcp"
)

// checkMCP finds servers that cannot be reached, as far as the configuration alone
// shows.
func checkMCP(c *Config) error {
	if len(c.Tools.MCP) > 0 && c.Agent.Used() {
		return c.Fault("tools.mcp", "cannot be combined with an agent, which asks its servers itself: remove it")
	}
	var errs []error
	seen := map[string]bool{}
	for i, v := range c.Tools.MCP {
		err := mcp.Config(v).Validate()
		if seen[v.Name] {
			err = fmt.Errorf("there is a server %s already", v.Name)
		}
		if seen[v.Name] = true; err != nil {
			errs = append(errs, c.Fault(fmt.Sprintf("tools.mcp[%d]", i), "%v", err))
		}
	}
	return SortErrors(errs)
}

// takeMCP takes what headers and variables of the servers hold from the
// environment.
func takeMCP(c *Config) []error {
	var errs []error
	c.MCPServers = nil
	for i, v := range c.Tools.MCP {
		for name, values := range map[string]map[string]string{"headers": v.Headers, "env": v.Env} {
			if slices.Contains(slices.Collect(maps.Values(values)), MaskedSecret) {
				errs = append(errs, c.Fault(fmt.Sprintf("tools.mcp[%d]", i), "a run keeps no secrets, and this server wants some: name the configuration with --config"))
				continue
			}
			errs = append(errs, expandHeaders(c, fmt.Sprintf("tools.mcp[%d].%s", i, name), values)...)
		}
		c.MCPServers = append(c.MCPServers, mcp.Config(v))
	}
	return errs
}
