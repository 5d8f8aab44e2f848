package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"gonogo/analysis"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:  "check",
		Usage: "check configuration, job, data files and endpoints without calling the model",
		Description: `Reads everything, tells what the platform would refuse, connects to every
endpoint, lists the tools of MCP servers, and says what the run would take. The
grader grades three answers for each of at most 50 items, drawn by the seed: the
reference, in the form of audit.answer, an empty answer and a wrong one. A grader
that fails on most references is an error. Where a model grades, or the grader
needs a session, that needs --grade. No other request is sent. The rows
of all data files are compared with each other: copies and near copies between
the splits (leakage), equal prompts with different references, empty and cut off
rows, and whether texts and fields of the splits are alike. Exit code 3 when the
data breaks the platform's rules or a blocking gate about the rows fails.

Example:
   gonogo check -c gonogo.yaml`,
		Flags: append(projectFlags(),
			&cli.BoolFlag{Name: "json", Usage: "print what was found as JSON"},
			&cli.BoolFlag{Name: "offline", Usage: "do not connect to the endpoints"},
			&cli.BoolFlag{Name: "grade", Usage: "try the grader also where a model grades, which is paid for, or where it needs a session"},
			&cli.BoolFlag{Name: "no-shift", Usage: "do not compare the rows with each other: no leakage, conflicts or shift"},
		),
		Action: func(c *cli.Context) error {
			asked := callOf(c)
			cfg, err := config.Peek(asked.Config, os.LookupEnv, asked.overrides...)
			if err == nil {
				err = cfg.Complete()
			}
			if err != nil {
				return exit.AsUsage(asked.byFlag(err))
			}
			noKey := cfg.TakeKeys() // no model is called here: told with the rest
			p, err := wiredProject(c.Context, &project{cfg: cfg, mcp: toolServers{tolerant: true, offline: c.Bool("offline")}})
			if err != nil {
				return err
			}
			defer p.shut()
			if err := errors.Join(p.start(c.Context), p.startDetectors(c.Context)); err != nil {
				return err
			}
			found := p.checked(c.Context, asked)
			if found.Grader, err = p.trial(c.Context, asked, c.Bool("grade"), c.Bool("offline")); err != nil {
				return err
			}
			if noKey != nil {
				found.Key = noKey.Error()
			}
			if c.Bool("json") {
				err = json.NewEncoder(c.App.Writer).Encode(found)
			} else {
				found.print(c.App.Writer)
			}
			return errors.Join(err, found.exit())
		},
	}
}

// checks is what `gonogo check` found.
type checks struct {
	Files     []rollout.Data    `json:"files"`
	Rollouts  int               `json:"rollouts"`
	Problems  []rollout.Problem `json:"problems"`
	Warnings  []string          `json:"warnings"`
	Endpoints []reached         `json:"endpoints"`
	Agent     *reached          `json:"agent,omitempty"` // an agent that is a program: whether that is there
	MCP       []checkedServer   `json:"mcp,omitempty"`
	Grader    graderTrial       `json:"grader"`
	Key       string            `json:"key,omitempty"` // why a run could not begin for want of an API key
	Estimate  string            `json:"estimate"`
	Variants  []checkedVariant  `json:"variants,omitempty"`

	Findings []analysis.Finding `json:"findings,omitempty"` // of the gates about rows; none under --no-shift
	Shift    *analysis.Shift    `json:"shift,omitempty"`
}

// reached says whether an endpoint answers; Error is empty when it does.
type reached struct {
	Name  string `json:"name"`
	URL   string `json:"url"`
	Error string `json:"error,omitempty"`
}

func (p *project) checked(ctx context.Context, c *call) checks {
	jobs := sampler.Plan(p.items, p.samples(), nil)
	legs := []leg{{p: p, jobs: jobs}}
	for _, v := range p.variants {
		legs = append(legs, leg{v.Name, v.p, sampler.Plan(v.p.items, v.p.samples(), nil)})
	}
	found := checks{Rollouts: len(jobs), Problems: p.problems, Warnings: append(config.Doubts(p.cfg, time.Now()), p.warnings...), Estimate: p.estimateLegs(c, legs, nil), Files: p.data(), Variants: p.checkedVariants(), MCP: p.checkedServers()}
	if !c.NoShift {
		found.Shift, found.Findings = p.compareRows()
	}
	if c.Offline {
		return found
	}
	for _, e := range p.endpoints() {
		r := reached{Name: e.name, URL: sampler.RedactURL(e.url)}
		if err := sampler.Reach(ctx, e.url); err != nil {
			r.Error = p.redact.String(err.Error())
		}
		found.Endpoints = append(found.Endpoints, r)
	}
	found.Agent = p.agentProgram()
	return found
}

func (f checks) print(w io.Writer) {
	for _, d := range f.Files {
		fmt.Fprintf(w, "%-10s %s: %s, %s taken\n", d.Split, d.File, ui.Counted(d.Rows, "item"), strconv.Itoa(d.Items))
	}
	for _, e := range f.Endpoints {
		if e.Error != "" {
			fmt.Fprintf(w, "endpoint   %s: %s\n", e.Name, ui.Visible(e.Error)) // the error names the URL
			continue
		}
		fmt.Fprintf(w, "endpoint   %s %s: answers\n", e.Name, e.URL)
	}
	if a := f.Agent; a != nil && a.Error != "" {
		fmt.Fprintf(w, "agent      %s\n", ui.Visible(a.Error))
	} else if a != nil {
		fmt.Fprintf(w, "agent      %s: is there; gonogo run --rehearse makes one rollout by it\n", ui.Visible(a.URL))
	}
	printServers(w, f.MCP)
	printVariants(w, f.Variants)
	for _, warning := range f.Warnings {
		fmt.Fprintf(w, "warning    %s\n", ui.Visible(warning))
	}
	printProblems(w, f.Problems)
	printFindings(w, f.Findings)
	f.Grader.print(w, false)
	if f.Key != "" {
		fmt.Fprintf(w, "key        %s\n", ui.Visible(f.Key))
	}
	fmt.Fprintln(w, f.Estimate)
}

// printVariants shows what each variant changes, a line a change.
func printVariants(w io.Writer, variants []checkedVariant) {
	for _, v := range variants {
		about := ui.Counted(v.Rollouts, "rollout")
		if v.Doc != "" {
			about += "; " + v.Doc
		}
		fmt.Fprintf(w, "variant    %s: %s\n", v.Name, ui.Visible(about))
		for _, c := range v.Changes {
			was, now := c.Base, c.New
			if was == "" {
				was = "not set"
			}
			if now == "" {
				now = "nothing"
			}
			fmt.Fprintf(w, "%-10s - %s: %s -> %s\n", "", ui.Visible(c.Key), ui.Visible(ui.OneLine(was)), ui.Visible(ui.OneLine(now)))
		}
	}
}

func printProblems(w io.Writer, problems []rollout.Problem) {
	for _, p := range problems {
		kind := "advice"
		if p.Blocking {
			kind = "refused"
		}
		place := p.File
		if p.Line > 0 {
			place = fmt.Sprintf("%s:%d", p.File, p.Line)
		}
		if place != "" {
			place += ": "
		}
		fmt.Fprintf(w, "%-10s %s%s\n", kind, place, ui.Visible(p.Message))
	}
}

// exit is the exit code of what was found.
func (f checks) exit() error {
	for _, e := range f.Endpoints {
		if e.Error != "" {
			return &exit.Error{Code: exit.Usage, Err: fmt.Errorf("the endpoint of %s does not answer: see above", e.Name)}
		}
	}
	if f.Agent != nil && f.Agent.Error != "" {
		return &exit.Error{Code: exit.Usage, Err: errors.New("the agent cannot be started: see above")}
	}
	if err := unreachedServers(f.MCP); err != nil {
		return err
	}
	if f.Key != "" {
		return &exit.Error{Code: exit.Usage, Err: errors.New("a key is missing: see above")}
	}
	if bad := f.Grader.bad(); bad != nil {
		return bad
	}
	for _, p := range f.Problems {
		if p.Blocking {
			return &exit.Error{Code: exit.NoGo, Err: errors.New("the platform would refuse these files")}
		}
	}
	if failed := failedGates(f.Findings); len(failed) > 0 {
		return &exit.Error{Code: exit.NoGo, Err: fmt.Errorf("the rows fail %s: see above; --no-shift leaves this out", strings.Join(failed, ", "))}
	}
	return nil
}
