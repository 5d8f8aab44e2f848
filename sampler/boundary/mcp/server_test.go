package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"gonogo/sampler/boundary/mcp"
	"gonogo/sampler/endpoint"
)

// behaviour is the variable that makes this test binary a server: "serve" a real
// one, else one that is scripted.
const behaviour = "GONOGO_TEST_MCP"

func TestMain(m *testing.M) {
	switch how := os.Getenv(behaviour); how {
	case "":
		goleak.VerifyTestMain(m)
	case "serve":
		_ = newServer().Run(context.Background(), &sdk.StdioTransport{})
	default:
		scripted(how)
	}
}

// newServer is a real server, with a tool for each kind of answer.
func newServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ServerOptions{PageSize: 5})
	var counted atomic.Int32
	add := func(name string, f func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error)) {
		s.AddTool(&sdk.Tool{
			Name: name, Description: "does " + name,
			InputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"},"again":{"type":"integer"}},"required":["text"]}`),
		}, f)
	}
	text := func(s string) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
	}
	add("echo", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text(string(r.Params.Arguments)), nil
	})
	add("trace", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text(fmt.Sprint(r.Params.Meta["gonogo/trace_id"])), nil
	})
	add("count", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text(fmt.Sprint(counted.Add(1))), nil
	})
	add("env", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var args struct{ Text string }
		_ = json.Unmarshal(r.Params.Arguments, &args)
		return text(os.Getenv(args.Text)), nil
	})
	add("two", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "a"}, &sdk.TextContent{Text: "b"}}}, nil
	})
	add("picture", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "here"}, &sdk.ImageContent{MIMEType: "image/png", Data: []byte("x")}}}, nil
	})
	add("structured", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{}, StructuredContent: json.RawMessage(`{"b":1,"a":2}`)}, nil
	})
	add("refuse", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "no such document"}}}, nil
	})
	add("big", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text(strings.Repeat("x", 1_000_001)), nil
	})
	add("huge", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text(strings.Repeat("x", 17<<20)), nil
	})
	add("slow", func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		select {
		case <-ctx.Done():
		case <-time.After(300 * time.Millisecond):
		}
		return text("late"), nil
	})
	add("crash", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "Traceback: out of luck")
		os.Exit(7)
		return nil, nil
	})
	add("spawn", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		_ = exec.Command("/bin/sh", "-c", fmt.Sprintf("(setsid sleep 4343.%[1]d &) ; sleep 4343.%[1]d &", os.Getppid())).Run()
		return text("spawned"), nil
	})
	return s
}

// scripted is a server that answers as the case says.
func scripted(how string) {
	fmt.Fprintln(os.Stderr, "started as", how)
	list := `{"tools":[]}`
	switch how {
	case "garbage":
		fmt.Println("Server is listening …")
	case "mute":
		time.Sleep(time.Hour)
	case "ends":
		os.Exit(3)
	case "twins":
		list = `{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"a","inputSchema":{"type":"object"}}]}`
	case "dotted":
		list = `{"tools":[{"name":"files.read","inputSchema":{"type":"object"}}]}`
	case "schemaless":
		list = `{"tools":[{"name":"a","inputSchema":"text"}]}`
	case "listed":
		list = `{"tools":[{"name":"a","inputSchema":[{"type":"object"}]}]}`
	case "string":
		list = `{"tools":[{"name":"a","inputSchema":{"type":"string"}}]}`
	case "nameless":
		list = `{"tools":[{"inputSchema":{"type":"object"}}]}`
	case "endless":
		list = `{"tools":[],"nextCursor":"on"}`
	case "old":
		list = `{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}`
	case "broken":
		list = `{"tools":{}}`
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var req struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		_ = json.Unmarshal(in.Bytes(), &req)
		answer := func(text string) { fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", req.ID, text) }
		switch {
		case req.ID == nil:
		case req.Method == "server/discover" && how == "old":
			os.Exit(1)
		case req.Method == "initialize":
			answer(`"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"scripted","version":"1"}}`)
		case req.Method == "tools/list":
			answer(`"result":` + list)
		default:
			answer(`"error":{"code":-32601,"message":"no such method"}`)
		}
	}
}

// program is this test binary as a server.
func program(name, how string) mcp.Config {
	return mcp.Config{Name: name, Command: []string{os.Args[0]}, Env: map[string]string{behaviour: how, "GOCOVERDIR": os.TempDir()}}
}

// served is a server over HTTP.
func served(t *testing.T, name string, opts *sdk.StreamableHTTPOptions) mcp.Config {
	t.Helper()
	s := newServer()
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, opts)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer planted-key" {
			http.Error(w, `{"error":"no key planted-key"}`, http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		for session := range s.Sessions() { // whom no one said good-bye to
			_ = session.Close()
		}
		server.CloseClientConnections()
		server.Close()
	})
	return mcp.Config{Name: name, URL: server.URL + "/mcp", Headers: map[string]string{"Authorization": "Bearer planted-key"}}
}

// open starts the servers, and closes them with the test.
func open(t *testing.T, opts mcp.Options, cfgs ...mcp.Config) map[string]*mcp.Tool {
	t.Helper()
	opts.HTTP = endpoint.HTTPClient(nil, 4)
	t.Cleanup(opts.HTTP.CloseIdleConnections)
	all, err := mcp.New(t.Context(), cfgs, opts)
	t.Cleanup(all.Close)
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]*mcp.Tool{}
	for _, tool := range all.Tools() {
		tools[tool.Name()] = tool
	}
	return tools
}
