package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/dataset"
	"gonogo/sampler/job"
	"gonogo/sampler/mcp"
	"gonogo/sampler/rollout"
)

// toolServers are the MCP servers of a project.
type toolServers struct {
	all      *mcp.Servers // nil without, and where they are not asked
	unknown  bool         // not all of their tools are known
	tolerant bool         // one that cannot be reached is told, not an error
	offline  bool         // none is asked
}

// startMCP starts the MCP servers and lists their tools.
func (p *project) startMCP(ctx context.Context) error {
	if len(p.cfg.MCPServers) == 0 {
		return nil
	}
	if p.mcp.offline {
		p.mcp.unknown = true
		return nil
	}
	servers := slices.Clone(p.cfg.MCPServers)
	for i := range servers {
		servers[i].URL = p.cfg.Connect(servers[i].URL)
		servers[i].Command = p.program(servers[i].Command)
	}
	client := sampler.HTTPClient(p.transport(p.inFlight()), p.inFlight())
	p.agentLog = &agentLog{}
	var err error
	p.mcp.all, err = mcp.New(ctx, servers, mcp.Options{
		Dir: p.cfg.Dir, Without: p.cfg.KeyNames(), HTTP: client, Log: p.agentLog,
	})
	p.close = append(p.close, p.mcp.all.Close, client.CloseIdleConnections)
	if p.mcp.tolerant && slices.ContainsFunc(p.listings(), func(l mcp.Listing) bool { return l.Err != nil }) {
		p.mcp.unknown = true
		err = nil
	}
	if err != nil {
		return fmt.Errorf("tools.mcp: %w", err)
	}
	return p.distinctTools()
}

// distinctTools refuses a server's tool that bears the name of one of the job's.
func (p *project) distinctTools() error {
	var errs []error
	for _, t := range p.mcpTools() {
		if slices.Contains(p.cfg.Body.ToolNames(), t.Name()) {
			errs = append(errs, p.cfg.Fault("tools.mcp", "the job and the MCP server %s both have a tool %q: give the server a prefix, rename it there, or leave it out (only)", t.Server(), t.Name()))
		}
	}
	return config.Join(errs)
}

// mcpTools are the tools of the MCP servers.
func (p *project) mcpTools() []*mcp.Tool {
	if p.mcp.all == nil {
		return nil
	}
	return p.mcp.all.Tools()
}

// toolNames names all tools of a run: those of the job, then those of its MCP
// servers.
func (p *project) toolNames() []string {
	names := p.cfg.Body.ToolNames()
	for _, t := range p.mcpTools() {
		names = append(names, t.Name())
	}
	return names
}

// offer has the model offered the tools of the MCP servers.
func (p *project) offer(items []rollout.Item) error {
	var tools []dataset.Offered
	for _, t := range p.mcpTools() {
		tools = append(tools, dataset.Offered{Name: t.Name(), Chat: t.Definition().Chat()})
	}
	if len(tools) == 0 {
		return nil
	}
	return dataset.Offer(items, tools)
}

// listings are what the MCP servers offer.
func (p *project) listings() []mcp.Listing {
	if p.mcp.all == nil {
		return nil
	}
	return p.mcp.all.Listings()
}

// mcpBinding is what a run is bound to of its MCP servers: where they are, as it is
// written, and what the model is offered of them.
func (p *project) mcpBinding() map[string]string {
	out := make(map[string]string)
	for i, l := range p.listings() {
		c := p.cfg.MCPServers[i]
		where := strings.Join(c.Command, " ")
		if c.URL != "" {
			where = job.MaskURL(c.URL)
		}
		out["tools.mcp."+l.Server] = config.Short(where)
		out["tools.mcp."+l.Server+".tools"] = l.Hash()
	}
	return out
}

// checkedServer is what `gonogo check` says of an MCP server.
type checkedServer struct {
	Name  string   `json:"name"`
	Where string   `json:"where"` // its program or URL
	Tools []string `json:"tools"`
	Error string   `json:"error,omitempty"`
}

func (p *project) checkedServers() []checkedServer {
	var out []checkedServer
	for _, l := range p.listings() {
		s := checkedServer{Name: l.Server, Where: p.redact.String(l.Where), Tools: []string{}}
		for _, d := range l.Tools {
			s.Tools = append(s.Tools, d.Name)
		}
		if l.Err != nil {
			s.Error = p.redact.String(l.Err.Error())
		}
		out = append(out, s)
	}
	return out
}

// printServers shows each server with its tools.
func printServers(w io.Writer, servers []checkedServer) {
	for _, s := range servers {
		text := fmt.Sprintf("%s: %s: %s", s.Name, s.Where, ui.Counted(len(s.Tools), "tool"))
		switch {
		case s.Error != "":
			text = fmt.Sprintf("%s: %s", s.Name, s.Error)
		case len(s.Tools) > 0:
			text += ": " + strings.Join(s.Tools, ", ")
		}
		fmt.Fprintf(w, "mcp        %s\n", ui.Visible(text))
	}
}

// unreachedServers is the error of servers that could not be asked.
func unreachedServers(servers []checkedServer) error {
	for _, s := range servers {
		if s.Error != "" {
			return &exit.Error{Code: exit.Usage, Err: errors.New("the MCP server " + s.Name + " cannot be used: see above")}
		}
	}
	return nil
}
