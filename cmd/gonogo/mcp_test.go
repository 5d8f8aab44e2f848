package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// toolServer is a program for scripts: an MCP server with the tools that FILE
// describes, each of which asks a world's own tool, at URL/NAME.
func toolServer() {
	if len(os.Args) != 3 {
		panic("usage: toolserver FILE URL")
	}
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var tools []struct {
		Function struct {
			Name, Description string
			Parameters        json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &tools); err != nil {
		panic(err)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "world", Version: "1"}, nil)
	for _, t := range tools {
		f := t.Function
		server.AddTool(&mcp.Tool{Name: f.Name, Description: f.Description, InputSchema: f.Parameters}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return askWorld(ctx, os.Args[2]+"/"+f.Name, f.Name, r)
		})
	}
	fmt.Fprintln(os.Stderr, "serving", len(tools), "tools")
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		panic(err)
	}
}

func askWorld(ctx context.Context, url, name string, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	body, err := json.Marshal(map[string]any{
		"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name, "arguments": string(r.Params.Arguments),
		"trace_id": r.Params.Meta["gonogo/trace_id"], "item": map[string]any{},
	})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var out struct{ Output string }
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{IsError: resp.StatusCode >= 400, Content: []mcp.Content{&mcp.TextContent{Text: out.Output}}}, nil
}

// bare is a command of scripts: it takes the tools out of the job and the rows of
// the world in DIR, and writes their descriptions into DIR/tools.json.
func bare(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: bare DIR")
	}
	dir := ts.MkAbs(args[0])
	path := filepath.Join(dir, "rft_job.json")
	job := map[string]any{}
	text, err := os.ReadFile(path)
	ts.Check(err)
	ts.Check(json.Unmarshal(text, &job))
	delete(job["method"].(map[string]any)["reinforcement"].(map[string]any), "tools")
	text, err = json.Marshal(job)
	ts.Check(err)
	ts.Check(os.WriteFile(path, text, 0o644))
	for _, name := range []string{"train.jsonl", "eval.jsonl"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		ts.Check(err)
		var rows bytes.Buffer
		for line := range bytes.Lines(text) {
			row := map[string]json.RawMessage{}
			ts.Check(json.Unmarshal(line, &row))
			ts.Check(os.WriteFile(filepath.Join(dir, "tools.json"), row["tools"], 0o644))
			delete(row, "tools")
			ts.Check(json.NewEncoder(&rows).Encode(row))
		}
		ts.Check(os.WriteFile(filepath.Join(dir, name), rows.Bytes(), 0o644))
	}
}
