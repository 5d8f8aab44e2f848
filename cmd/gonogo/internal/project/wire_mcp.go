package project

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/sampler/boundary/agent"
	"gonogo/sampler/boundary/mcp"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/input/document"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/credential"
)

// ToolServers are the MCP servers of a project.
type ToolServers struct {
	p        *Project
	all      *mcp.Servers // empty if offline
	unknown  bool         // the tools of some servers are unknown
	Tolerant bool         // a server that cannot be reached is reported, not an error
	Offline  bool         // no server is called
	Notes    io.Writer    // receives notes about servers that are slow to answer; nil for none
}

// StartMCP starts the MCP servers and lists their tools.
func (ts *ToolServers) StartMCP(ctx context.Context) error {
	if len(ts.p.Config.MCPServers) == 0 {
		return nil
	}
	if ts.Offline {
		ts.unknown = true
		return nil
	}
	servers := slices.Clone(ts.p.Config.MCPServers)
	for i := range servers {
		servers[i].URL = ts.p.Config.Connect(servers[i].URL)
		servers[i].Command = agent.Program(servers[i].Command, ts.p.Config.Dir)
	}
	client := endpoint.HTTPClient(ts.p.transport(ts.p.inFlight()), ts.p.inFlight())
	ts.p.AgentLog = &agent.Log{}
	var err error
	ts.all, err = mcp.New(ctx, servers, mcp.Options{
		Dir: ts.p.Config.Dir, Without: ts.p.Config.KeyNames(), HTTP: client, Log: ts.p.AgentLog, Slow: ts.saySlow,
	})
	ts.p.closers = append(ts.p.closers, ts.all.Close, client.CloseIdleConnections)
	if ts.Tolerant && slices.ContainsFunc(ts.all.Listings(), func(l mcp.Listing) bool { return l.Err != nil }) {
		ts.unknown = true
		err = nil
	}
	if err != nil {
		return fmt.Errorf("tools.mcp: %w", err)
	}
	return ts.distinctTools()
}

// saySlow says which servers the command waits for.
func (ts *ToolServers) saySlow(waiting string) {
	if ts.Notes != nil {
		fmt.Fprintf(ts.Notes, "note: %s\n", console.Visible(ts.p.Redact.String(waiting)))
	}
}

// distinctTools refuses a server's tool with the same name as one of the job's.
func (ts *ToolServers) distinctTools() error {
	var errs []error
	for _, t := range ts.all.Tools() {
		if slices.Contains(ts.p.Config.Body.ToolNames(), t.Name()) {
			errs = append(errs, ts.p.Config.Fault("tools.mcp", "the job and the MCP server %s both have a tool %q: "+
				"give the server a prefix, rename it there, or exclude it with only", t.Server(), t.Name()))
		}
	}
	return document.SortErrors(errs)
}

// ToolNames lists all tools of a run: those of the job, then those of its MCP servers.
func (ts *ToolServers) ToolNames() []string {
	names := ts.p.Config.Body.ToolNames()
	for _, t := range ts.all.Tools() {
		names = append(names, t.Name())
	}
	return names
}

// Offer adds the tools of the MCP servers to those that the items offer to the model.
func (ts *ToolServers) Offer(items []rollout.Item) error {
	var tools []dataset.OfferedTool
	for _, t := range ts.all.Tools() {
		tools = append(tools, dataset.OfferedTool{Name: t.Name(), Chat: t.Definition().Chat()})
	}
	if len(tools) == 0 {
		return nil
	}
	return dataset.AddTools(items, tools)
}

// mcpBinding returns what a run is bound to because of its MCP servers: their addresses as
// configured, and the tools that the model is offered.
func (ts *ToolServers) mcpBinding() map[string]string {
	out := make(map[string]string)
	for i, l := range ts.all.Listings() {
		c := ts.p.Config.MCPServers[i]
		where := strings.Join(c.Command, " ")
		if c.URL != "" {
			where = credential.MaskURL(c.URL)
		}
		out["tools.mcp."+l.Server] = config.Short(where)
		out["tools.mcp."+l.Server+".tools"] = l.Hash()
	}
	return out
}

// CheckedServers describes for each server what it offers, or why it cannot be used.
func (ts *ToolServers) CheckedServers() []console.ToolServer {
	var out []console.ToolServer
	for _, l := range ts.all.Listings() {
		s := console.ToolServer{Name: l.Server, Where: ts.p.Redact.String(l.Where), Tools: []string{}}
		for _, d := range l.Tools {
			s.Tools = append(s.Tools, d.Name)
		}
		if l.Err != nil {
			s.Error = ts.p.Redact.String(l.Err.Error())
		}
		out = append(out, s)
	}
	return out
}
