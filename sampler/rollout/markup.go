package rollout

import (
	"regexp"
	"slices"
	"strings"
)

// MarkupKind says which part of a model's output a server left in its answer.
type MarkupKind string

// The kinds of markup, in the order they are shown.
const (
	ToolMarkup      MarkupKind = "tool_call" // a tool call that was not parsed
	ReasoningMarkup MarkupKind = "reasoning" // reasoning that was not parted from the answer
	TemplateMarkup  MarkupKind = "template"  // tokens of the chat template
)

// MarkupKinds lists the kinds in the order they are shown.
func MarkupKinds() []MarkupKind { return []MarkupKind{ToolMarkup, ReasoningMarkup, TemplateMarkup} }

// Markup is text in an answer that the server should have parsed.
type Markup struct {
	Kind MarkupKind
	Text string // the token that gives it away
}

// markups are the tokens by which models write calls, reasoning and turns. Each
// model's parser in vLLM (vllm/tool_parsers, vllm/reasoning) and SGLang
// (function_call, reasoning_parser.py) takes them out of the answer.
var markups = []Markup{
	{ToolMarkup, "<tool_call>"},               // Hermes, Qwen
	{ToolMarkup, "<function="},                // Llama 3.1, Qwen3-Coder, Functionary
	{ToolMarkup, "[TOOL_CALLS]"},              // Mistral
	{ToolMarkup, "<|python_tag|>"},            // Llama 3
	{ToolMarkup, "<|tool_call"},               // Granite, Phi-4, Kimi K2
	{ToolMarkup, "<｜tool▁call"},               // DeepSeek
	{ToolMarkup, "<|channel|>commentary to="}, // gpt-oss
	{ReasoningMarkup, "</think>"},             // DeepSeek-R1, Qwen3; some templates write the opening token themselves
	{ReasoningMarkup, "<think>"},
	{ReasoningMarkup, "[THINK]"},     // Magistral
	{ReasoningMarkup, "◁think▷"},     // Kimi
	{ReasoningMarkup, "<|channel|>"}, // gpt-oss
	{TemplateMarkup, "<|im_start|>"}, // ChatML
	{TemplateMarkup, "<|im_end|>"},
	{TemplateMarkup, "<|start_header_id|>"}, // Llama 3
	{TemplateMarkup, "<|eot_id|>"},
	{TemplateMarkup, "<start_of_turn>"}, // Gemma
	{TemplateMarkup, "<end_of_turn>"},
	{TemplateMarkup, "[/INST]"}, // Mistral, Llama 2
}

// quotedCode is text between backticks: an answer may show a token there.
var quotedCode = regexp.MustCompile("(?s)```.*?(?:```|$)|`[^`\n]*`")

// MarkupIn finds what the server left in an answer; ok is false when there is
// nothing. A token that is quoted as code is none, nor is one that the item itself
// is about, in its prompt or its reference. it may be nil.
func MarkupIn(answer string, it *Item) (found Markup, ok bool) {
	// gpt-oss, where the server has dropped the special tokens: their names are left.
	if bare := "assistantfinal"; strings.HasPrefix(answer, "analysis") && strings.Contains(answer, bare) && !it.mentions(bare) {
		return Markup{ReasoningMarkup, bare}, true
	}
	if !strings.ContainsAny(answer, "<[◁") {
		return Markup{}, false
	}
	text := answer
	if strings.Contains(text, "`") {
		text = quotedCode.ReplaceAllString(text, "")
	}
	i := slices.IndexFunc(markups, func(m Markup) bool {
		return strings.Contains(text, m.Text) && !it.mentions(m.Text)
	})
	if i < 0 {
		return Markup{}, false
	}
	return markups[i], true
}

// mentions reports whether the item's row holds the token. Its closing form counts
// as well, and angle brackets may be escaped in JSON.
func (it *Item) mentions(token string) bool {
	if it == nil {
		return false
	}
	text := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u003C`, "<", `\u003E`, ">").Replace(string(it.Row))
	return strings.Contains(text, token) || strings.Contains(text, strings.Replace(token, "</", "<", 1))
}
