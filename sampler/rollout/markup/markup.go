// Package markup serves the gonogo command; its API may change in any release.
//
// It finds, in a model's answers, what its server should have parsed: tool calls, reasoning
// and the tokens of the chat template.
package markup

import (
	"regexp"
	"strings"
)

// Kind says which part of a model's output a server left in its answer.
type Kind string

// The kinds of markup, in the order they are shown.
const (
	Tool      Kind = "tool_call" // a tool call that was not parsed
	Reasoning Kind = "reasoning" // reasoning that was not separated from the answer
	Template  Kind = "template"  // tokens of the chat template
)

// Kinds lists the kinds in the order in which they are shown.
func Kinds() []Kind { return []Kind{Tool, Reasoning, Template} }

// Token is text in an answer that the server should have parsed.
type Token struct {
	Kind Kind
	Text string // the text that shows it
}

// tokens are the texts with which models mark calls, reasoning and turns. The parser of each model
// in vLLM (vllm/tool_parsers, vllm/reasoning) and SGLang (function_call, reasoning_parser.py)
// removes them from the answer.
var tokens = []Token{
	{Tool, "<tool_call>"},               // Hermes, Qwen
	{Tool, "<function="},                // Llama 3.1, Qwen3-Coder, Functionary
	{Tool, "[TOOL_CALLS]"},              // Mistral
	{Tool, "<|python_tag|>"},            // Llama 3
	{Tool, "<|tool_call"},               // Granite, Phi-4, Kimi K2
	{Tool, "<｜tool▁call"},               // DeepSeek
	{Tool, "<|channel|>commentary to="}, // gpt-oss
	{Reasoning, "</think>"},             // DeepSeek-R1, Qwen3; some templates write the opening token
	{Reasoning, "<think>"},
	{Reasoning, "[THINK]"},     // Magistral
	{Reasoning, "◁think▷"},     // Kimi
	{Reasoning, "<|channel|>"}, // gpt-oss
	{Template, "<|im_start|>"}, // ChatML
	{Template, "<|im_end|>"},
	{Template, "<|start_header_id|>"}, // Llama 3
	{Template, "<|eot_id|>"},
	{Template, "<start_of_turn>"}, // Gemma
	{Template, "<end_of_turn>"},
	{Template, "[/INST]"}, // Mistral, Llama 2
}

// quotedCode matches text between backticks: an answer may quote a token there.
var quotedCode = regexp.MustCompile("(?s)```.*?(?:```|$)|`[^`\n]*`")

// bare is what remains of gpt-oss's tokens if the server has dropped the special ones.
const bare = "assistantfinal"

// Own is the set of tokens that the item's row contains, in its prompt or its reference: the server
// did not leave these in an answer.
type Own uint32

// OwnOf searches an item's row for tokens. For a closing token the opening form counts as well, and
// angle brackets may be escaped in JSON.
func OwnOf(row []byte) (own Own) {
	text := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u003C`, "<", `\u003E`, ">").Replace(string(row))
	for i, m := range tokens {
		if strings.Contains(text, m.Text) || strings.Contains(text, strings.Replace(m.Text, "</", "<", 1)) {
			own |= 1 << i
		}
	}
	if strings.Contains(text, bare) {
		own |= 1 << len(tokens)
	}
	return own
}

// In finds what the server left in an answer; ok is false if there is nothing. A token that is
// quoted as code does not count, nor does one in own.
func In(answer string, own Own) (found Token, ok bool) {
	if strings.HasPrefix(answer, "analysis") && strings.Contains(answer, bare) && own>>len(tokens) == 0 {
		return Token{Reasoning, bare}, true
	}
	if !strings.ContainsAny(answer, "<[◁") {
		return Token{}, false
	}
	text := answer
	if strings.Contains(text, "`") {
		text = quotedCode.ReplaceAllString(text, "")
	}
	for i, m := range tokens {
		if own>>i&1 == 0 && strings.Contains(text, m.Text) {
			return m, true
		}
	}
	return Token{}, false
}
