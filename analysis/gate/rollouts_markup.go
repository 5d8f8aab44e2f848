package gate

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/markup"
)

var rolloutsMarkup = &analysis.Gate{
	Name: "rollouts.markup",
	Doc: "Blocking, on every sampled split: at most 2 % of answers hold text that the server should have parsed: a " +
		"tool call, reasoning or tokens of the chat template " +
		"that neither the item's prompt nor its reference mentions, unless the grader pays for reasoning in the " +
		"answer. Advisory: none does, and no secret was blanked out of what the model or the grader read.",
	Words: analysis.Words{
		Why: "Text that the server should have parsed is graded as the answer: a right answer looks " +
			"wrong, and a tool that the model calls is never run. The numbers then describe the server's settings, " +
			"not the model.",
		Pass:       "{percent} of answers hold unparsed markup",
		Fail:       "{percent} of answers hold markup that the server should have parsed, such as {token}",
		FailRemedy: "{advice} Then sample into a new run directory.",
		Caution:    "{percent} of answers hold markup that the server should have parsed, such as {token}",
		CautionRemedy: "{advice} If these answers are meant that way, mention the token in the prompt or set " +
			"thresholds.rollouts.markup.",
		CautionUnknown: "it is not known how many answers hold unparsed markup",
	},
	Check: onSplits(analysis.Blocking, noAnswers, func(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
		sr *analysis.SplitResult,
	) []analysis.Finding {
		e := &sr.Ends
		if e.Answers == 0 {
			return nil
		}
		seen := analysis.Observed(stat.Fraction(markedAnswers(e), e.Answers))
		const caution = 0 // no answer may hold any
		want := t.At(finishedMarkup)
		j := analysis.Judgement{
			Split: split, Severity: analysis.Blocking, Unit: "share", Want: analysis.WantAtMost(want),
			Items: e.MarkupItems,
			Args: message.Args{
				"token":  message.Foreign(e.MarkupText),
				"advice": message.Nested(MarkupAdvice(markupKinds(e)...)),
			},
		}
		judged := seen
		paid := r.Grader != nil && r.Grader.Form.PaysReasoning() && markedAnswers(e) == e.Markup[markup.Reasoning]
		if paid {
			judged = analysis.Observed(0)
		}
		blocking := j.Finding(judged.AtMost(want), judged)
		j.Severity, j.Want = analysis.Advisory, analysis.WantAtMost(caution)
		if paid && seen.AtMost(caution) != analysis.Pass {
			j.Instead = &paidWords
		}
		if seen.AtMost(caution) == analysis.Pass && e.Blanked > 0 {
			j.Instead, seen = &blankedWords, analysis.Observed(stat.Fraction(e.Blanked, e.Rollouts))
			j.Items, j.Args = nil, message.Args{"blanked": message.Int(e.Blanked), "rollouts": message.Int(e.Rollouts)}
		}
		return []analysis.Finding{blocking, j.Finding(seen.AtMost(caution), seen)}
	}),
}

// blankedWords replaces the words if all text was parsed, but secrets in it were blanked out.
var blankedWords = analysis.NewWording("rollouts.markup.blanked", "in {blanked} of {rollouts|rollout} the model or "+
	"the grader read ********** in the place of a value from the environment",
	"These rollouts do not show what the tool or the model said. Have the tool leave the value out, or write it "+
		"in the configuration if it is not a secret.")

// paidWords replaces the words if the grader itself seems to want reasoning in the answer.
var paidWords = analysis.NewWording("rollouts.markup.paid", "{percent} of answers hold {token}, as practically all "+
	"at the top do, and right answers without it earn least: the grader seems to want it",
	"Serve the model in training the same way, without a reasoning parser. If the grader does not need this text, "+
		"have the server separate it, and sample into a new run directory.")

// markupKinds lists the kinds that occur in answers.
func markupKinds(e *analysis.FinishStats) (kinds []markup.Kind) {
	for _, kind := range markup.Kinds() {
		if e.Markup[kind] > 0 {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// MarkupAdvice says how to make a server parse the markup that it left in answers.
//
// Sources: docs.vllm.ai, Tool Calling and Reasoning Outputs; docs.sglang.io, Tool Parser and
// Reasoning Parser; llama.cpp's function-calling.md and the server's README; ollama 0.9.0
// (thinking), its Modelfile reference (TEMPLATE).
func MarkupAdvice(kinds ...markup.Kind) message.Text {
	var parts []message.Text
	for _, kind := range kinds {
		switch kind {
		case markup.Tool:
			parts = append(parts, parseTools.Text())
		case markup.Reasoning:
			parts = append(parts, parseReasoning.Text())
		case markup.Template:
			parts = append(parts, parseTemplate.Text())
		}
	}
	return message.Join(parts...)
}

var (
	parseTools = message.New("rollouts.markup.tools", "Have the server parse tool calls. vLLM: "+
		"--enable-auto-tool-choice --tool-call-parser NAME; SGLang: --tool-call-parser NAME; llama.cpp: --jinja; "+
		"Ollama: a model whose TEMPLATE handles tools.")
	parseReasoning = message.New("rollouts.markup.reasoning", "Have the server separate reasoning from the answer. "+
		"vLLM and SGLang: --reasoning-parser NAME; llama.cpp: --jinja --reasoning-format deepseek; Ollama: version "+
		"0.9 or later and a model that it lists as a thinking model.")
	parseTemplate = message.New("rollouts.markup.template", "Have the server use the model's own chat template and "+
		"stop tokens. vLLM and SGLang: --chat-template FILE; llama.cpp: --jinja --chat-template-file FILE; Ollama: "+
		"TEMPLATE and PARAMETER stop in the Modelfile.")
)

var noAnswers = message.New("skip.no_answers", "the records have no answers")
