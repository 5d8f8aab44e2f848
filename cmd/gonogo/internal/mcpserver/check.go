package mcpserver

import (
	"context"
	"os"
	"time"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/stage"
	"gonogo/sampler/rollout"
)

// configInput names a configuration.
type configInput struct {
	Config string `json:"config" jsonschema:"the configuration, such as gonogo.yaml"`
}

// checked is what check_configuration returns.
type checked struct {
	Ready      bool       `json:"ready" jsonschema:"nothing that was checked keeps gonogo run from starting"`
	KeyMissing bool       `json:"key_missing"`
	Rollouts   int        `json:"rollouts"`
	Files      []dataFile `json:"files"`
	Problems   []problem  `json:"problems" jsonschema:"rules of the platform that rows break; at most 50"`
	Findings   []finding  `json:"findings" jsonschema:"of the gates about rows"`
	Estimate   string     `json:"estimate"`
	NotChecked string     `json:"not_checked"`
	Untrusted  string     `json:"untrusted_text,omitempty" jsonschema:"mistakes, warnings and problems"`
}

type dataFile struct {
	Split string `json:"split"`
	Rows  int    `json:"rows"`
	Items int    `json:"items" jsonschema:"taken into the run"`
}

type problem struct {
	Split    string `json:"split"`
	Line     int    `json:"line"`
	Rule     string `json:"rule"`
	Blocking bool   `json:"blocking" jsonschema:"the platform refuses the job because of it"`
}

// mostProblems is the number of problems that a result lists.
const mostProblems = 50

func (s *server) check(ctx context.Context, c *call, in configInput) (*checked, error) {
	out := &checked{
		Files: []dataFile{}, Problems: []problem{}, Findings: []finding{},
		NotChecked: "endpoints, MCP servers and the grader: gonogo check tries them",
	}
	path, err := s.below(in.Config)
	if err != nil {
		return nil, err
	}
	p, found, err := inspect(ctx, c, path, true)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		out.Untrusted = c.untrusted(mostText, err.Error()) // a mistake to correct is an answer
		return out, nil
	}
	defer p.Close()
	why, _ := found.Blocked()
	texts := append([]string{found.Key}, found.Warnings...)
	out.Ready, out.KeyMissing, out.Rollouts, out.Estimate = why == "", found.Key != "", found.Rollouts, found.Estimate
	for _, f := range found.Files {
		out.Files = append(out.Files, dataFile{string(f.Split), f.Rows, f.Items})
	}
	for i, x := range found.Problems {
		if i == mostProblems {
			break
		}
		out.Problems = append(out.Problems, problem{string(x.Split), x.Line, name(x.Rule), x.Blocking})
		texts = append(texts, x.Message)
	}
	tamed, err := tame(found.Findings)
	if err != nil {
		return nil, err
	}
	for i, f := range found.Findings {
		if open(f) {
			out.Findings = append(out.Findings, findingOf(c, f, tamed[i], message.Place{}))
		}
	}
	out.Untrusted = c.untrusted(mostText, texts...)
	return out, nil
}

// inspect reads a configuration with its files and checks what needs neither a request nor a program.
// The caller must close the project.
func inspect(ctx context.Context, c *call, path string, rows bool) (*project.Project, console.Check, error) {
	cfg, err := config.Peek(path, os.LookupEnv)
	if err == nil {
		err = cfg.Complete()
	}
	if err != nil {
		return nil, console.Check{}, exit.AsUsage(err)
	}
	noKey := cfg.TakeKeys()
	c.hide(cfg.Secrets()...)
	p := project.NewUnwired(cfg)
	p.MCP.Offline = true
	if p, err = project.Wire(ctx, p); err != nil {
		return nil, console.Check{}, err
	}
	found := stage.Check(ctx, p, c.invocation(), true, rows)
	if noKey != nil {
		found.Key = noKey.Error()
	}
	return p, found, nil
}

// costInput names a configuration, and a run that shows what a rollout takes.
type costInput struct {
	Config string `json:"config" jsonschema:"the configuration, such as gonogo.yaml"`
	Run    string `json:"run,omitempty" jsonschema:"a run whose rollouts show what one takes"`
}

// cost is what estimate_cost returns.
type cost struct {
	Rollouts     int      `json:"rollouts"`
	Text         string   `json:"text"`
	Measured     int      `json:"measured" jsonschema:"rollouts that the means below come from"`
	InputTokens  *float64 `json:"input_tokens" jsonschema:"null if unknown"`
	OutputTokens *float64 `json:"output_tokens"`
	USD          *float64 `json:"usd" jsonschema:"by the configured, else the published prices"`
	Hours        *float64 `json:"rollout_hours" jsonschema:"hours of rollouts, one after the other"`
	NotIncluded  string   `json:"not_included"`
}

func (s *server) estimate(ctx context.Context, c *call, in costInput) (*cost, error) {
	path, err := s.below(in.Config)
	if err != nil {
		return nil, err
	}
	p, found, err := inspect(ctx, c, path, false)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	out := &cost{Rollouts: found.Rollouts, Text: found.Estimate, NotIncluded: "the audit of the grader"}
	if in.Run == "" {
		out.NotIncluded += "; tokens, money and hours need a run that shows what a rollout takes, such as one of 5 " +
			"items with 2 samples"
		return out, nil
	}
	run, _, err := s.readRun(c, in.Run)
	if err != nil {
		return nil, err
	}
	var input, output, usd, hours mean
	price := p.Config.TokenPrices().Rollout
	_, err = run.Records(ctx, rollout.ReadOptions{Lean: true, SkipPrompts: true}, func(rec *rollout.Record) error {
		if rec.Outcome.Missing() {
			return nil
		}
		out.Measured++
		if u := rec.Usage; u.Input != nil && u.Output != nil {
			input.add(float64(*u.Input))
			output.add(float64(*u.Output))
		}
		if x, known := price(rec); known {
			usd.add(x)
		}
		if rec.Elapsed > 0 {
			hours.add(time.Duration(rec.Elapsed).Hours())
		}
		return nil
	})
	n := float64(found.Rollouts)
	out.InputTokens, out.OutputTokens, out.USD, out.Hours = input.times(n), output.times(n), usd.times(n), hours.times(n)
	return out, err
}

// mean is a mean under construction.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(x float64) { m.sum, m.n = m.sum+x, m.n+1 }

// times returns n times the mean; nil if there is none.
func (m *mean) times(n float64) *float64 {
	if m.n == 0 {
		return nil
	}
	return new(n * m.sum / float64(m.n))
}
