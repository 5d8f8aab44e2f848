package main

import (
	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
)

// logFormatFlag is the flag of the commands that ask endpoints.
func logFormatFlag() cli.Flag {
	return &cli.StringFlag{Name: "log-format", Value: "text", Usage: "what standard error holds: `text|json`; json is one event a line, for machines"}
}

// speakEvents makes events of all that the command writes to standard error,
// when it is asked to.
func speakEvents(c *cli.Context) error {
	switch format := c.String("log-format"); format {
	case "", "text":
	case "json":
		c.App.ErrWriter = ui.NewEvents(c.App.ErrWriter)
	default:
		return exit.Usagef("--log-format %q: there are text and json", format)
	}
	return nil
}
