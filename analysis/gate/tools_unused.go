package gate

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout/markup"
)

// leastOffered is how many rollouts with tools must make no call before this points to a problem
// and not to a model that rarely needs its tools: if a model calls one in a tenth of its rollouts,
// 32 rollouts without any have a probability of 3 %.
const leastOffered = 32

var toolsUnused = &analysis.Gate{
	Name: "tools.unused",
	Doc: "Blocking, where at least 32 rollouts were offered tools: one of them is called, else the run is " +
		"UNDECIDED; Advisory with tools.optional.",
	Words: analysis.Words{
		Why: "The verdict is about a model with tools, and these rollouts show a model without. Usually " +
			"the model did call them, but the server did not parse the calls or did not show it the tools.",
		Pass:          "{value|call} in {rollouts|rollout} with tools",
		Unknown:       "none of {rollouts|rollout} with tools called one",
		UnknownRemedy: "{advice} If the task can be done without its tools, set tools.optional: true.",
		Caution:       "none of {rollouts|rollout} with tools called one",
		CautionRemedy: "If calls were expected: {advice}",
	},
	Check: func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		offered, calls, optional := 0, 0, false
		for _, sr := range r.Splits {
			offered, optional = offered+sr.Tools.Offered, optional || sr.Tools.Optional
			for _, s := range sr.Tools.ByTool {
				calls += s.Calls
			}
		}
		j := analysis.Judgement{
			Severity: analysis.Blocking, Unit: "calls", Want: wantCalls.Text(),
			Args: message.Args{"rollouts": message.Int(offered), "advice": message.Nested(UnusedAdvice())},
		}
		status := analysis.Unknown
		switch {
		case offered < leastOffered, calls > 0 && !optional: // a pass would let this gate block any run with tools
			return nil
		case calls > 0:
			j.Severity, status = analysis.Advisory, analysis.Pass
		case optional:
			j.Severity, status = analysis.Advisory, analysis.Fail
		}
		return []analysis.Finding{j.Finding(status, analysis.Observed(float64(calls)))}
	},
}

var wantCalls = message.New("want.calls", "some calls")

// UnusedAdvice says what to check if no rollout calls a tool. A server whose chat template has no
// tools still accepts them but does not show them to the model; llama.cpp's does so silently.
func UnusedAdvice() message.Text {
	return message.Join(unusedAdvice.Text(), MarkupAdvice(markup.Template))
}

var unusedAdvice = message.New("tools.unused.advice", "Check that the server parses tool calls (vLLM: "+
	"--enable-auto-tool-choice --tool-call-parser NAME; SGLang: --tool-call-parser NAME; llama.cpp: --jinja) and "+
	"supports tools with model.api. "+
	"Check that the model is shown its tools: a request with tools must count more input tokens than the same "+
	"request without.")
