package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// checks is what `gonogo check` found.
type checks struct {
	Files     []rollout.Data           `json:"files"`
	Rollouts  int                      `json:"rollouts"`
	Problems  []rollout.Problem        `json:"problems"`
	Warnings  []string                 `json:"warnings"`
	Endpoints []project.EndpointStatus `json:"endpoints"`
	Agent     *project.EndpointStatus  `json:"agent,omitempty"` // an agent that is a program: whether that is there
	MCP       []project.CheckedServer  `json:"mcp,omitempty"`
	Grader    GraderTrial              `json:"grader"`
	Key       string                   `json:"key,omitempty"` // why a run could not begin for want of an API key
	Estimate  string                   `json:"estimate"`
	Variants  []checkedVariant         `json:"variants,omitempty"`

	Findings []analysis.Finding `json:"findings,omitempty"` // of the gates about rows; none under --no-shift
	Shift    *analysis.Shift    `json:"shift,omitempty"`
}

// Check tries what a run needs, without making rollouts: offline no endpoint, and with
// rows also what a comparison of the rows shows.
func Check(ctx context.Context, p *project.Project, c *project.Call, offline, rows bool) checks {
	jobs := sampler.Plan(p.Inputs.Items, p.Samples(), nil)
	legs := []leg{{p: p, jobs: jobs}}
	for _, v := range p.Variants {
		legs = append(legs, leg{v.Name, v.P, sampler.Plan(v.P.Inputs.Items, v.P.Samples(), nil)})
	}
	found := checks{Rollouts: len(jobs), Problems: p.Inputs.Problems, Warnings: append(config.SuspiciousValues(p.Config, time.Now()), p.Warnings...), Estimate: estimateLegs(p, c, legs, nil), Files: p.Inputs.Data(), Variants: checkedVariants(p), MCP: p.MCP.CheckedServers()}
	found.Warnings = append(found.Warnings, tooFew(p)...)
	if rows {
		found.Shift, found.Findings = compareRows(p)
	}
	if offline {
		return found
	}
	for _, e := range p.Endpoints() {
		r := project.EndpointStatus{Name: e.Name, URL: sampler.RedactURL(e.URL)}
		if err := sampler.Reach(ctx, e.URL); err != nil {
			r.Error = p.Redact.String(err.Error())
		}
		found.Endpoints = append(found.Endpoints, r)
	}
	found.Agent = project.AgentProgram(p)
	return found
}

// tooFew warns that a run of these items could decide nothing, whatever its rollouts earn.
func tooFew(p *project.Project) []string {
	s := p.Config.Settings()
	items, samples := gate.Enough(s.Thresholds, s.GroupSize)
	for _, d := range p.Inputs.Data() {
		if made := p.Samples()[d.Split]; d.Split == rollout.Train && (d.Items < items || made < samples) {
			return []string{fmt.Sprintf("%s with %s each are UNDECIDED whatever they earn: a verdict needs at least %s with %s each (threshold data.enough.items)",
				ui.Count(d.Items, "train item"), ui.Count(made, "sample"), ui.Count(items, "item"), ui.Count(samples, "sample"))}
		}
	}
	return nil
}

// Print shows the findings for people.
func (f checks) Print(w io.Writer) {
	for _, d := range f.Files {
		fmt.Fprintf(w, "%-10s %s: %s, %s taken\n", d.Split, d.File, ui.Count(d.Rows, "item"), strconv.Itoa(d.Items))
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
	project.PrintServers(w, f.MCP)
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
		about := ui.Count(v.Rollouts, "rollout")
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

// Exit is the exit code of what was found.
func (f checks) Exit() error {
	for _, e := range f.Endpoints {
		if e.Error != "" {
			return &exit.Error{Code: exit.Usage, Err: fmt.Errorf("the endpoint of %s does not answer: see above", e.Name)}
		}
	}
	if f.Agent != nil && f.Agent.Error != "" {
		return &exit.Error{Code: exit.Usage, Err: errors.New("the agent cannot be started: see above")}
	}
	if err := project.UnreachedServers(f.MCP); err != nil {
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
	if failed := analysis.Blockers(f.Findings, analysis.Fail); len(failed) > 0 {
		return &exit.Error{Code: exit.NoGo, Err: fmt.Errorf("the rows fail %s: see above; --no-shift leaves this out", strings.Join(failed, ", "))}
	}
	return nil
}
