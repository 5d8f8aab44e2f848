package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/output"
	"gonogo/sampler/rollout/disk"
)

func skillCommand() *cli.Command {
	return &cli.Command{
		Name:  "skill",
		Usage: "write a SKILL.md with which a coding agent works with gonogo",
		Description: `What to run when, what a verdict and each finding means and how to fix it, and the
exit codes, made from what this version knows.

Example:
   gonogo skill -o .claude/skills/gonogo/SKILL.md`,
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name: "output", Aliases: []string{"o"},
				Usage: "write to `FILE` instead of standard output; - is standard output, too",
			},
			&cli.BoolFlag{Name: "force", Usage: "overwrite the file"},
		},
		Action: func(c *cli.Context) error {
			out := c.String("output")
			if out == "" || out == output.StandardOutput {
				_, err := io.WriteString(c.App.Writer, skill())
				return err
			}
			if !c.Bool("force") {
				if err := refuseExisting("choose another name with -o, or overwrite it with "+
					"--force", out); err != nil {
					return err
				}
			}
			if err := disk.MakeDir(filepath.Dir(out)); err != nil {
				return err
			}
			return disk.WriteFile(out, []byte(skill()))
		},
	}
}

// skillHead is the part of SKILL.md that is not made from lists.
//
//go:embed skill.md
var skillHead string

// fixes are the remedies of the gates whose own ones need a run's numbers.
var fixes = map[string]string{
	"infra.failures": "The finding names the endpoint that lost most rollouts and the most frequent error. " +
		"Repair it, or lower `sampling.concurrency`; the same command makes the lost rollouts again. An " +
		"import has none to make: grade its rollouts with `--grader`, or export them again with their scores.",
	"rollouts.markup": "Turn on the tool-call and reasoning parsers of the model's server, then sample into a " +
		"new run directory.",
	"rollouts.unfinished": "Raise `model.max_output_tokens` or the step limit if answers are cut off; read the raw " +
		"replies if they are empty: the usual cause is a wrong chat template.",
	"rollouts.prompts": "Give each prompt its own id.",
	"rollouts.models":  "Pin the model's version at its server or gateway, then sample into a new run directory.",
	"endpoint.lost": "Give the endpoint more capacity, let it make callers wait instead of failing them, or use " +
		"a smaller batch.",
	"endpoint.crosstalk": "Keep state per rollout, by its trace_id.",
	"endpoint.wire":      "Correct the answers as docs/wire.md describes them.",
	"endpoint.latency":   "Give the endpoint more capacity, or use a smaller batch.",
	"grader.truth": "Grade one rejected reference by hand with `gonogo audit RUN --replay ID`. Usual causes: the " +
		"grader expects another form (set `audit.answer`), compares with the wrong field, or the references are " +
		"wrong.",
	"grader.hackable": "Replay the named payload with `gonogo audit RUN --replay ID`, close the hole in the " +
		"grader, then grade the recorded answers with it and audit again. Do not train until no probe is paid.",
	"grader.layers": "Make the core a condition of the other parts, for example by multiplying: core * (0.7 + " +
		"0.3 * the rest).",
	"grader.too_good": "Read some rollouts before believing it.",
	"grader.length":   "Grade what the answer says, not how long it is; or limit the length in the prompt.",
	"grader.brittle": "Normalize answer and reference before comparing them, or state the one right form in the " +
		"prompt.",
	"baseline.headroom": "Read rollouts that earned the top. If they are right, use harder items, or use the " +
		"model as it is.",
	"signal.informative": "Replace items that always or never earn reward, give partial credit, or use larger groups.",
	"eval.power":         "Sample more items of eval, or expect a larger gain (threshold `eval.power`).",
	"variants.gain":      "Take the variant over into the configuration, and judge training from there.",
	"tools.unused": "If calls were expected: turn on the tool-call parser of the model's server, and see that " +
		"rows offer the tools.",
	"tools.budget":  "Raise the limit of steps or tool calls, or look at what the model spends them on.",
	"latency.limit": "Use fewer steps or faster tools.",
	"data.valid":    "Fix the lines that are listed, then measure into a new run directory.",
}

// skill returns the text of SKILL.md.
func skill() string {
	var b strings.Builder
	b.WriteString(skillHead + "## Exit codes\n\n| code | meaning |\n|--:|---|\n")
	for _, code := range []int{
		exit.OK, exit.Tool, exit.Usage, exit.NoGo, exit.Undecided, exit.Budget, exit.Interrupted,
	} {
		fmt.Fprintf(&b, "| %d | %s |\n", code, exit.Meaning(code))
	}
	b.WriteString("\n## Findings\n\nWhat each gate is about, and what to do if it fails or warns. `gonogo " +
		"report` has the numbers and the items.\n\n")
	for _, g := range gate.All() {
		line := func(indent string, g *analysis.Gate, about string) {
			fmt.Fprintf(&b, "%s- `%s`: %s", indent, g.Name, about)
			if fix := cmp.Or(fixes[g.Name], advice(g.Words)); fix != "" {
				fmt.Fprintf(&b, " Fix: %s", fix)
			}
			b.WriteString("\n")
		}
		if len(g.Parts) == 0 {
			line("", g, g.Words.Why)
			continue
		}
		fmt.Fprintf(&b, "- `%s`: %s\n", g.Name, g.Doc)
		for _, part := range g.Parts {
			line("  ", part, part.Words.Why)
		}
	}
	b.WriteString("\n## Commands\n\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "- `gonogo %s`: %s\n", c.Name, c.Usage)
	}
	return b.String()
}

// endArguments are the arguments of a remedy that follow a sentence.
var endArguments = regexp.MustCompile(`\.(\{[a-z_]+\})+`)

// advice returns those sentences of a gate's remedy that hold for any run.
func advice(w analysis.Words) string {
	for _, remedy := range []string{w.FailRemedy, w.UnknownRemedy, w.CautionRemedy} {
		sentences := slices.DeleteFunc(strings.SplitAfter(endArguments.ReplaceAllString(remedy, "."), ". "),
			func(s string) bool { return strings.ContainsAny(s, "{}") || strings.TrimSpace(s) == "" })
		if len(sentences) > 0 {
			return strings.TrimSpace(strings.Join(sentences, ""))
		}
	}
	return ""
}
