package main

import (
	"encoding/json"
	"errors"
	"os"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/stage"
)

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:  "check",
		Usage: "check configuration, job, data files and endpoints without calling the model",
		Description: `Reads everything, reports what the platform would refuse, connects to every
endpoint, lists the tools of MCP servers, and estimates what the run will take.
The grader grades three answers for each of at most 50 items, drawn by the seed:
the reference, in the form of audit.answer, an empty answer and a wrong one. A
grader that fails on most references is an error. If a model grades, or the grader
needs a session, it grades only with --grade. The model's server is asked for its
context and its sampling defaults (GET /props and /models), which generates
nothing. No other request is sent. The rows
of all data files are compared with each other: copies and near copies between the
splits (leakage), equal prompts with different references, empty and cut off rows,
and whether the texts and fields of the splits differ. Exit code 3 when the data
breaks the platform's rules or a blocking gate about the rows fails.

Example:
   gonogo check -c gonogo.yaml`,
		Flags: append(projectFlags(),
			&cli.BoolFlag{Name: "json", Usage: "print what was found as JSON"},
			&cli.BoolFlag{Name: "offline", Usage: "do not connect to the endpoints"},
			&cli.BoolFlag{Name: "grade", Usage: "try the grader even if a model grades, which costs money, or if it " +
				"needs a session"},
			&cli.BoolFlag{
				Name:  "no-shift",
				Usage: "do not compare the rows with each other: no leakage, conflicts or shift",
			},
		),
		Action: func(c *cli.Context) error {
			asked := invocationOf(c)
			cfg, err := config.Peek(asked.Config, os.LookupEnv, asked.Overrides...)
			if err == nil {
				err = cfg.Complete()
			}
			if err != nil {
				return exit.AsUsage(asked.ByFlag(err))
			}
			noKey := cfg.TakeKeys() // no model is called here, so a missing key is reported with the other problems
			p := project.NewUnwired(cfg)
			p.MCP.Tolerant, p.MCP.Offline, p.MCP.Notes = true, c.Bool("offline"), c.App.ErrWriter
			p, err = project.Wire(c.Context, p)
			if err != nil {
				return err
			}
			defer p.Close()
			if err := errors.Join(p.Start(c.Context), p.Audit.StartDetectors(c.Context)); err != nil {
				return err
			}
			found := stage.Check(c.Context, p, asked, c.Bool("offline"), !c.Bool("no-shift"))
			if found.Grader, err = stage.TryGrader(c.Context, p, asked, c.Bool("grade"),
				c.Bool("offline")); err != nil {
				return err
			}
			if noKey != nil {
				found.Key = noKey.Error()
			}
			if c.Bool("json") {
				err = json.NewEncoder(c.App.Writer).Encode(found)
			} else {
				found.WriteText(c.App.Writer)
			}
			why, data := found.Blocked()
			switch {
			case why == "":
				return err
			case data:
				return errors.Join(err, &exit.Error{Code: exit.NoGo, Err: errors.New(why)})
			}
			return errors.Join(err, exit.Usagef("%s", why))
		},
	}
}
