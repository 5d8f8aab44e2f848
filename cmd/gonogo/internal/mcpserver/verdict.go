package mcpserver

import (
	"cmp"
	"context"
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/report"
	"gonogo/report/block"
	"gonogo/sampler/rollout"
)

// runInput names a run.
type runInput struct {
	Run string `json:"run" jsonschema:"the run directory, or a .jsonl file of rollouts"`
}

// judged is a run with its result: as it is, and without the words of others.
type judged struct {
	dir        string
	result     *analysis.Result
	tamed      *analysis.Result
	page, bare *report.RunPage // of result and of tamed
	place      message.Place
}

// judge analyzes a run and stores nothing. A stored result is not read: whoever wrote it could have
// put any words into it.
func (s *server) judge(ctx context.Context, c *call, run string) (*judged, error) {
	dir, err := s.below(run)
	if err != nil {
		return nil, err
	}
	cfg, _, err := output.RunConfig(c.invocation(), dir)
	if err != nil {
		return nil, err
	}
	c.hide(cfg.Secrets()...)
	c.hideKeys(cfg.KeyNames())
	j := &judged{dir: dir}
	if j.result, err = output.AnalyzeRun(ctx, c.invocation(), dir); err != nil {
		return nil, err
	}
	if j.tamed, err = tameResult(j.result); err != nil {
		return nil, err
	}
	var english config.ReportValues
	j.page, j.bare = output.PageOf(c.invocation(), dir, j.result, english),
		output.PageOf(c.invocation(), dir, j.tamed, english)
	j.place = message.Place{Dir: dir, ConfigFile: j.page.ConfigFile, GraderFile: j.page.GraderFile}
	return j, nil
}

// explanation is what explain_verdict returns.
type explanation struct {
	Run       string    `json:"run"`
	Verdict   string    `json:"verdict" jsonschema:"GO, NO-GO or UNDECIDED"`
	Claim     string    `json:"claim" jsonschema:"start, repair or nothing_to_learn; empty if undecided"`
	ExitCode  int       `json:"exit_code"`
	Scope     string    `json:"scope,omitempty" jsonschema:"what the verdict is based on, if not everything that blocks"`
	Unchecked string    `json:"unchecked,omitempty"`
	Reason    string    `json:"reason"`
	Why       []string  `json:"why"`
	DoFirst   []string  `json:"do_first" jsonschema:"what to do first, each a command or an edit"`
	Deciding  []finding `json:"deciding_findings"`
	Cautions  []string  `json:"cautions" jsonschema:"advisory gates that failed: see list_findings"`
	Untrusted string    `json:"untrusted_text,omitempty"`
}

func (s *server) explain(ctx context.Context, c *call, in runInput) (*explanation, error) {
	j, err := s.judge(ctx, c, in.Run)
	if err != nil {
		return nil, err
	}
	said, full := verdictOf(j.bare), verdictOf(j.page)
	out := &explanation{
		Run: name(j.dir), Verdict: string(j.result.Verdict), Claim: j.result.Claim, ExitCode: j.result.ExitCode,
		Scope: said.Scope, Unchecked: said.Unchecked, Reason: said.Reason, Why: nonNil(said.Texts),
		DoFirst: nonNil(said.Next), Cautions: nonNil(j.result.Cautions), Deciding: []finding{},
		Untrusted: c.untrusted(mostText, differing(append([]string{full.Reason}, full.Next...),
			append([]string{said.Reason}, said.Next...))+"\n"+c.notes.String()),
	}
	for i, f := range j.result.Findings {
		decides := j.result.Reason != nil && f.Gate == *j.result.Reason
		if f.Severity == analysis.Blocking && open(f) && (decides || f.Status == analysis.Fail) {
			out.Deciding = append(out.Deciding, j.finding(c, i))
		}
	}
	slices.SortStableFunc(out.Deciding, func(a, b finding) int {
		return cmp.Compare(j.rank(a.Gate), j.rank(b.Gate))
	})
	return out, nil
}

// rank puts the gate that decides first.
func (j *judged) rank(gate string) int {
	if j.result.Reason != nil && gate == *j.result.Reason {
		return 0
	}
	return 1
}

// verdictOf returns the opening of a page.
func verdictOf(p *report.RunPage) block.Verdict {
	for _, b := range p.Doc().Brief {
		if v, ok := b.(block.Verdict); ok {
			return v
		}
	}
	return block.Verdict{}
}

// finding is the answer of a gate.
type finding struct {
	Gate      string   `json:"gate"`
	Split     string   `json:"split" jsonschema:"train, eval or production; empty if it is about the whole run"`
	Severity  string   `json:"severity" jsonschema:"blocking or advisory"`
	Status    string   `json:"status" jsonschema:"pass, fail, unknown or skipped"`
	Value     *float64 `json:"value"`
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	Threshold *float64 `json:"threshold"`
	Unit      string   `json:"unit,omitempty"`
	Message   string   `json:"message"`
	Why       string   `json:"why"`
	Remedy    string   `json:"remedy,omitempty"`
	Items     []string `json:"items" jsonschema:"items to look at with get_rollouts"`
	Untrusted string   `json:"untrusted_text,omitempty"`
}

// mostItems is the number of items that a finding names.
const mostItems = 20

// finding returns the i-th finding of the result.
func (j *judged) finding(c *call, i int) finding {
	return findingOf(c, j.result.Findings[i], j.tamed.Findings[i], j.place)
}

// findingOf returns a finding in the words of its tamed copy.
func findingOf(c *call, full, tamed analysis.Finding, place message.Place) finding {
	texts := func(f analysis.Finding) []string {
		var list []string
		for _, x := range f.Facts() {
			list = append(list, x.Title.At(place).String(), x.Remedy.At(place).String())
			for _, row := range x.Rows {
				list = append(list, row.String())
			}
		}
		return list
	}
	return finding{
		Gate: full.Gate, Split: string(full.Split), Severity: string(full.Severity), Status: full.Status.String(),
		Value: full.Value, Low: full.Low, High: full.High, Threshold: full.Threshold, Unit: full.Unit,
		Message: tamed.Title.At(place).String(), Why: tamed.Why.At(place).String(), Remedy: tamed.Remedy.At(place).String(),
		Items:     names(full.Items[:min(mostItems, len(full.Items))]),
		Untrusted: c.untrusted(mostText, differing(texts(full), texts(tamed))),
	}
}

// differing returns those lines of full that are not in tamed.
func differing(full, tamed []string) string {
	text := ""
	for _, line := range full {
		if line != "" && !slices.Contains(tamed, line) {
			text += line + "\n"
		}
	}
	return text
}

func open(f analysis.Finding) bool { return f.Status == analysis.Fail || f.Status == analysis.Unknown }

// findingsInput selects findings.
type findingsInput struct {
	Run  string `json:"run" jsonschema:"the run directory, or a .jsonl file of rollouts"`
	All  bool   `json:"all,omitempty" jsonschema:"also those that passed or had nothing to judge"`
	Gate string `json:"gate,omitempty" jsonschema:"only those of this gate"`
}

// findingList is what list_findings returns.
type findingList struct {
	Run       string    `json:"run"`
	Verdict   string    `json:"verdict"`
	Findings  []finding `json:"findings"`
	Passed    int       `json:"passed" jsonschema:"how many findings passed"`
	Untrusted string    `json:"untrusted_text,omitempty"`
}

func (s *server) findings(ctx context.Context, c *call, in findingsInput) (*findingList, error) {
	j, err := s.judge(ctx, c, in.Run)
	if err != nil {
		return nil, err
	}
	out := &findingList{
		Run: name(j.dir), Verdict: string(j.result.Verdict), Findings: []finding{},
		Untrusted: c.untrusted(mostText, c.notes.String()),
	}
	order := make([]int, len(j.result.Findings))
	for i := range order {
		order[i] = i
	}
	urgency := map[analysis.Status]int{analysis.Fail: 0, analysis.Unknown: 1, analysis.Pass: 2, analysis.Skipped: 3}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := j.result.Findings[a], j.result.Findings[b]
		return cmp.Or(cmp.Compare(urgency[x.Status], urgency[y.Status]), -cmp.Compare(x.Severity, y.Severity),
			cmp.Compare(j.rank(x.Gate), j.rank(y.Gate)))
	})
	known := false
	for _, i := range order {
		f := j.result.Findings[i]
		known = known || f.Gate == in.Gate
		if f.Status == analysis.Pass {
			out.Passed++
		}
		if in.Gate != "" && f.Gate != in.Gate || !in.All && in.Gate == "" && !open(f) {
			continue
		}
		out.Findings = append(out.Findings, j.finding(c, i))
	}
	if in.Gate != "" && !known {
		return nil, refuse("no finding of the run has the gate %q: see list_findings with all", name(in.Gate))
	}
	return out, nil
}

func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// readRun opens a run of the server's folder.
func (s *server) readRun(c *call, run string) (*rollout.Run, *config.Config, error) {
	dir, err := s.below(run)
	if err != nil {
		return nil, nil, err
	}
	opened, err := rollout.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	cfg, err := project.ConfigFor(c.invocation(), opened.Manifest)
	if err != nil {
		return nil, nil, err
	}
	c.hide(cfg.Secrets()...)
	c.hideKeys(cfg.KeyNames())
	return opened, cfg, nil
}
