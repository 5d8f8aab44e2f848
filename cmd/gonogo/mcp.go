package main

import (
	"context"
	"io"
	"os/signal"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/mcpserver"
	"gonogo/cmd/gonogo/internal/project"
)

func mcpCommand() *cli.Command {
	return &cli.Command{
		Name:  "mcp",
		Usage: "answer a coding agent about runs, over the Model Context Protocol",
		Description: `An MCP server on standard input and output, for the runs and configurations below
the current directory. Its tools explain a verdict, list findings, show rollouts,
check a configuration, estimate what a run takes and compare two runs. They write
nothing, start no program and send no request. With --allow-run there is also
start_run, which runs gonogo run. docs/mcp.md has the tools.

Example:
   claude mcp add gonogo -- gonogo mcp`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "allow-run", Usage: "let the agent start gonogo run, which costs money and runs programs"},
		},
		Action: func(c *cli.Context) error {
			ctx, stop := signal.NotifyContext(c.Context, syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			opt := mcpserver.Options{Version: project.Version()}
			if c.Bool("allow-run") {
				opt.Run = func(ctx context.Context, args []string, out io.Writer) int {
					return run(ctx, append([]string{"gonogo"}, args...), strings.NewReader(""), out, out)
				}
			}
			return mcpserver.Serve(ctx, c.App.Reader, c.App.Writer, opt)
		},
	}
}
