package console

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/report/plain"
	"gonogo/sampler/rollout"
	"gonogo/sampler/tryout"
)

// Check is what was found about a run before anything is sampled.
type Check struct {
	Files     []rollout.Data    `json:"files"`
	Rollouts  int               `json:"rollouts"`
	Problems  []rollout.Problem `json:"problems"`
	Warnings  []string          `json:"warnings"`
	Target    string            `json:"target,omitempty"` // the platform whose limits were checked
	Endpoints []Endpoint        `json:"endpoints"`
	Agent     *Endpoint         `json:"agent,omitempty"` // an agent that is a program: whether it exists
	MCP       []ToolServer      `json:"mcp,omitempty"`
	Sampling  *rollout.Sampling `json:"sampling,omitempty"`
	Grader    tryout.Result     `json:"grader"`
	Key       string            `json:"key,omitempty"` // why a run could not start without an API key
	Estimate  string            `json:"estimate"`
	Variants  []Variant         `json:"variants,omitempty"`

	// Findings are those of the gates about rows; nil if the rows were not compared.
	Findings []analysis.Finding `json:"findings,omitempty"`
	Shift    *analysis.Shift    `json:"shift,omitempty"`
}

// Endpoint says whether an endpoint answers, or whether a program exists; if so, Error is empty.
type Endpoint struct {
	Name  string `json:"name"`
	URL   string `json:"url"`
	Error string `json:"error,omitempty"`
}

// ToolServer is an MCP server with its tools, or why it cannot be used.
type ToolServer struct {
	Name  string   `json:"name"`
	Where string   `json:"where"` // its program or URL
	Tools []string `json:"tools"`
	Error string   `json:"error,omitempty"`
}

// Variant describes the changes of a variant of the run.
type Variant struct {
	Name     string           `json:"name"`
	Doc      string           `json:"doc,omitempty"`
	Changes  []rollout.Change `json:"changes"`
	Items    int              `json:"items"` // items whose requests differ in their messages or tools
	Rollouts int              `json:"rollouts"`
}

// WriteText writes the results, the estimate last.
func (f *Check) WriteText(w io.Writer) {
	for _, d := range f.Files {
		fmt.Fprintf(w, "%-10s %s: %s, %s taken\n", d.Split, plain.Text(d.File), Count(d.Rows, "item"),
			strconv.Itoa(d.Items))
	}
	for _, e := range f.Endpoints {
		if e.Error != "" {
			fmt.Fprintf(w, "endpoint   %s: %s\n", plain.Text(e.Name), Visible(e.Error)) // the error names the URL
			continue
		}
		fmt.Fprintf(w, "endpoint   %s %s: answers\n", plain.Text(e.Name), plain.Text(e.URL))
	}
	if a := f.Agent; a != nil && a.Error != "" {
		fmt.Fprintf(w, "agent      %s\n", Visible(a.Error))
	} else if a != nil {
		fmt.Fprintf(w, "agent      %s: found; gonogo run --rehearse makes one rollout with it\n", Visible(a.URL))
	}
	for _, s := range f.MCP {
		text := fmt.Sprintf("%s: %s: %s", s.Name, s.Where, Count(len(s.Tools), "tool"))
		switch {
		case s.Error != "":
			text = fmt.Sprintf("%s: %s", s.Name, s.Error)
		case len(s.Tools) > 0:
			text += ": " + strings.Join(s.Tools, ", ")
		}
		fmt.Fprintf(w, "mcp        %s\n", Visible(text))
	}
	writeSampling(w, f.Sampling)
	writeVariants(w, f.Variants)
	if f.Target != "" {
		fmt.Fprintf(w, "target     %s: its limits that are known are checked; what breaks one is a warning below\n",
			plain.Text(f.Target))
	}
	for _, warning := range f.Warnings {
		fmt.Fprintf(w, "warning    %s\n", Visible(warning))
	}
	WriteProblems(w, f.Problems)
	WriteFindings(w, f.Findings)
	WriteTrial(w, f.Grader, false)
	if f.Key != "" {
		fmt.Fprintf(w, "key        %s\n", Visible(f.Key))
	}
	fmt.Fprintln(w, f.Estimate)
}

// writeSampling writes the settings with which replies are drawn.
func writeSampling(w io.Writer, s *rollout.Sampling) {
	if s == nil {
		return
	}
	text := "nothing is sent"
	if len(s.Sent) > 0 {
		text = rollout.ParameterText(s.Sent) + " sent"
	}
	switch added := s.Added(); {
	case len(added) > 0:
		text += "; the server's own: " + rollout.ParameterText(added)
	case !s.Known():
		text += "; the server's own settings apply, and it does not report them: set model.temperature to what the " +
			"training will use"
	case len(s.Untold()) > 0:
		text += "; the server's own settings apply for " + strings.Join(s.Untold(), ", ") + ", and it does not " +
			"report them (vLLM takes those of generation_config.json): set model.top_p and model.extra to what the training " +
			"will use"
	default:
		text += "; the server does not report what else it sets"
	}
	if s.Context > 0 {
		text += fmt.Sprintf("; %d tokens of context", s.Context)
	}
	fmt.Fprintf(w, "sampling   %s\n", Visible(text))
}

// writeVariants writes the changes of each variant, one per line.
func writeVariants(w io.Writer, variants []Variant) {
	for _, v := range variants {
		about := Count(v.Rollouts, "rollout")
		if v.Doc != "" {
			about += "; " + v.Doc
		}
		fmt.Fprintf(w, "variant    %s: %s\n", v.Name, Visible(about))
		for _, c := range v.Changes {
			was, now := c.Base, c.New
			if was == "" {
				was = "not set"
			}
			if now == "" {
				now = "nothing"
			}
			fmt.Fprintf(w, "%-10s - %s: %s -> %s\n", "", Visible(c.Key), Visible(OneLine(was)), Visible(OneLine(now)))
		}
	}
}

// Blocked says why the run cannot, or should not, be made; "" if it can. data says that the data
// files are the reason.
func (f *Check) Blocked() (why string, data bool) {
	for _, e := range f.Endpoints {
		if e.Error != "" {
			return fmt.Sprintf("the %s endpoint does not answer: see above", e.Name), false
		}
	}
	if f.Agent != nil && f.Agent.Error != "" {
		return "the agent cannot be started: see above", false
	}
	for _, s := range f.MCP {
		if s.Error != "" {
			return "the MCP server " + s.Name + " cannot be used: see above", false
		}
	}
	if f.Key != "" {
		return "a key is missing: see above", false
	}
	if bad := f.Grader.Blocking(); bad != nil {
		return "the grader: " + bad.Title + ": see above", false
	}
	for _, p := range f.Problems {
		if p.Blocking {
			return "the platform would refuse these files", true
		}
	}
	if failed := analysis.Blockers(f.Findings, analysis.Fail); len(failed) > 0 {
		return fmt.Sprintf("the rows fail %s: see above; --no-shift leaves this out", strings.Join(failed, ", ")), true
	}
	return "", false
}

// TooFew warns if a run of these files, with the given number of samples per item of each split,
// could not decide anything, whatever its rollouts earn.
func TooFew(s analysis.Settings, files []rollout.Data, samples map[rollout.Split]int) []string {
	items, least := gate.Enough(s.Thresholds, s.GroupSize)
	for _, d := range files {
		if made := samples[d.Split]; d.Split == rollout.Train && (d.Items < items || made < least) {
			return []string{fmt.Sprintf("%s with %s each are UNDECIDED whatever they earn: a verdict needs at least "+
				"%s with %s each (threshold data.enough.items)",
				Count(d.Items, "train item"), Count(made, "sample"), Count(items, "item"), Count(least, "sample"))}
		}
	}
	return nil
}

// TooLong warns about items whose prompt cannot fit the context of the model's server, in tokens.
func TooLong(items []*rollout.Item, context int) []string {
	if len(items) == 0 {
		return nil
	}
	const listed = 5
	var rows []string
	for _, it := range items[:min(listed, len(items))] {
		rows = append(rows, fmt.Sprintf("%s:%d", it.File, it.Line))
	}
	if len(items) > listed {
		rows = append(rows, "…")
	}
	return []string{fmt.Sprintf("%s: the prompt does not fit the %d tokens of context that the model's server has, "+
		"even at a token a word: their rollouts would be lost (prompt_too_long); raise the server's context, or "+
		"drop the rows %s",
		Count(len(items), "item"), context, strings.Join(rows, ", "))}
}
