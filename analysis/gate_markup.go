package analysis

import (
	"strings"

	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

var rolloutsMarkup = Gate{
	Name: "rollouts.markup",
	Doc: "Blocking, on every sampled split: at most 2 % of answers hold text that the server should have parsed: a tool call, reasoning or tokens of the chat template " +
		"that neither the item's prompt nor its reference mentions. Advisory: none does.",
	Check: func(r *Result, t Thresholds) []Finding {
		const gate = "rollouts.markup"
		var out []Finding
		for _, split := range rollout.Splits() {
			sr := r.Splits[split]
			if sr == nil || sr.Ends.Answers == 0 {
				continue
			}
			e := &sr.Ends
			seen := observed(share(e.marked(), e.Answers))
			want, caution := t.At(gate), t.At(gate+".caution")
			j := judgement{
				gate: gate, split: split, severity: Blocking, unit: "share", want: "<= " + message.Plain(want), items: e.MarkupItems,
				vars: map[string]string{"token": e.MarkupText, "advice": MarkupAdvice(r.Lang, e.markupKinds()...)},
			}
			blocking := j.finding(r.Lang, seen.atMost(want), seen)
			j.severity, j.want = Advisory, "<= "+message.Plain(caution)
			out = append(out, blocking, j.finding(r.Lang, seen.atMost(caution), seen))
		}
		if out == nil {
			return []Finding{skipped(r.Lang, gate, "", Blocking, "the records hold no answers")}
		}
		return out
	},
}

// markupKinds are the kinds that answers hold.
func (e *Ends) markupKinds() (kinds []rollout.MarkupKind) {
	for _, kind := range rollout.MarkupKinds() {
		if e.Markup[kind] > 0 {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// MarkupAdvice says how to have a server parse what it left in answers.
//
// Sources: docs.vllm.ai, Tool Calling and Reasoning Outputs; docs.sglang.io, Tool
// Parser and Reasoning Parser; llama.cpp's docs/function-calling.md and the server's
// README; ollama 0.9.0 (thinking), its Modelfile reference (TEMPLATE).
func MarkupAdvice(l message.Language, kinds ...rollout.MarkupKind) string {
	var parts []string
	for _, kind := range kinds {
		switch kind {
		case rollout.ToolMarkup:
			parts = append(parts, l.Text("Have the server parse tool calls. vLLM: --enable-auto-tool-choice --tool-call-parser NAME; SGLang: --tool-call-parser NAME; llama.cpp: --jinja; Ollama: a model whose TEMPLATE handles tools."))
		case rollout.ReasoningMarkup:
			parts = append(parts, l.Text("Have the server part reasoning from the answer. vLLM and SGLang: --reasoning-parser NAME; llama.cpp: --jinja --reasoning-format deepseek; Ollama: version 0.9 or later and a model that it knows as a thinking one."))
		case rollout.TemplateMarkup:
			parts = append(parts, l.Text("Have the server use the model's own chat template and stop tokens. vLLM and SGLang: --chat-template FILE; llama.cpp: --jinja --chat-template-file FILE; Ollama: TEMPLATE and PARAMETER stop in the Modelfile."))
		}
	}
	return strings.Join(parts, " ")
}
