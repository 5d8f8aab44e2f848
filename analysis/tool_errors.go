package analysis

import (
	"regexp"
	"sync"

	"gonogo/analysis/internal/automaton"
)

// ToolError returns the ToolError function of the settings that the result was made with.
func (r *Result) ToolError() func(output string) bool { return toolError(r.ToolErrors) }

func toolError(pattern string) func(output string) bool {
	if pattern == "" {
		return nil
	}
	if pattern == ToolErrors {
		return standard().Match
	}
	m, err := automaton.New(pattern)
	if err != nil { // settings are validated, but a result may have been edited
		return nil
	}
	return m.Match
}

// checkPattern returns what is wrong with a pattern.
func checkPattern(pattern string) error {
	if pattern == ToolErrors { // compiling it takes milliseconds
		return nil
	}
	_, err := regexp.Compile(pattern)
	return err
}

// standard compiles the default, which nearly all runs have, only once.
var standard = sync.OnceValue(func() *automaton.Matcher {
	m, err := automaton.New(ToolErrors)
	if err != nil {
		panic(err)
	}
	return m
})

// ToolErrors is the default of Settings.ToolErrors. It matches how the outputs of failing tools,
// their servers and the programs behind them begin:
//
//   - "error: …", "ERROR 1064 (42S22): …", "[Error] …", "Tool error: …", "Error executing …",
//     "Failed to execute …", <tool_use_error>
//   - the name of an exception and a colon, "[Errno 2] …", and Python's traceback
//   - "Invalid arguments: …", "no such column: …", "Permission denied"
//   - "Unknown tool: NAME", "Tool NAME not found"
//   - "HTTP 500", "404 Not Found"
//   - "bash: NAME: command not found" and other messages of a shell that cannot run a command,
//     also after the exit code
//   - a JSON object whose error is neither empty nor false; that says isError: true,
//     success: false, ok: false or status: "error"; whose statusCode is 400 or more; whose
//     detail is FastAPI's list of validation errors; or that has an exit code other than 0 and
//     a text that begins like a traceback or a shell's error
//
// An output that mentions an error further on, as a search result may, does not match. Neither does
// an exit code alone: for a model that programs, a failing test run is part of the work.
const ToolErrors = `(?i)^\s*(?:"?[^\w{"]{0,4}(?:` +
	`(?:(?:an?|the|tool|tool call|execution|runtime|internal|server|api|sql|database|unhandled|uncaught|fatal|mcp|syntax|connection|network|(?:in|out)put validation) )*(?:error|exception)` +
	`(?:(?: ?[(\[][^)\]\n]{0,40}[)\]]| [\w.-]{0,12}\d\w{0,8}){0,2} ?:|\W*$|[\])>]| (?:occurred|executing|calling|running|invoking|processing|performing|fetching|while|when)\b)` +
	`|(?-i:[A-Za-z_][\w.$]*(?:Error|Exception|Exit|Interrupt))(?:\W*$| ?:)` +
	`|errno -?\d+\]|tool_use_error>` +
	`|failed to (?:execute|run|call|invoke|connect|fetch|retrieve)\b` +
	`|(?:tool(?: call)?|command|execution|request|query) (?:failed|timed out)\b|fatal:|panic:` +
	`|invalid (?:arguments?|inputs?|parameters?|requests?|tool call|json|sql|query|syntax) ?:|no such (?:column|table|module|file or directory) ?:` +
	`|(?:permission|access) denied(?: ?:|\W*$)|failed: [45]\d\d [a-z]` +
	`|(?:unknown|no such|unrecognized) (?:tool|function)(?: name| call)?(?:\W*$| ?[:'"(\x60]| [\w.:/-]+[.!]?\s*$)` +
	`|(?:tool|function):? ['"\x60]?[\w.:/-]+['"\x60]? (?:is |was |does )?not (?:found|available|registered|exist)(?:\W*$|[.:;!\n]| in (?:the )?(?:available|registered|registry|tool|list)\b)` +
	`|(?:https?|status)(?: error| status)?(?: code)?[: ]{1,2}[45]\d\d\b` +
	`|[45]\d\d (?:bad request|unauthorized|forbidden|not found|too many requests|internal server error|bad gateway|service unavailable|gateway time-?out)` +
	`|(?:` + exitCode + `\W{1,3}[1-9]\d*(?:\W+(?:stdout|stderr|output|` + exitCode + `))*\W+)?(?:` + cannotRun + `)` +
	`|` + exitCode + `\W{1,3}12[67]\b` +
	`)|\{(?:\s*"[^"\\]*"\s*:\s*(?:"(?:[^"\\]|\\.)*"|[^"{}\[\],]+),)*?\s*"(?:` +
	`errors?"\s*:\s*(?:"[^"]|\{\s*"|\[\s*[^\]\s]|true|[1-9])` +
	`|is_?error"\s*:\s*true|(?:success|ok)"\s*:\s*false|status"\s*:\s*"error"` +
	`|status_?code"\s*:\s*"?[45]\d\d\b|` + exitCode + `"\s*:\s*"?12[67]\b` +
	`|detail"\s*:\s*\[\s*\{\s*"(?:type"\s*:\s*"[^"]*"\s*,\s*"loc|loc|msg)"|detail"\s*:\s*"(?:not found|method not allowed|not authenticated|internal server error)"` +
	`|` + exitCode + `"\s*:\s*"?-?[1-9]\d*"?` + inObject + saysSo +
	`|\w+"\s*:\s*` + saysSo + `(?:[^"\\]|\\.)*"` + inObject + `"` + exitCode + `"\s*:\s*"?-?[1-9]))`

// The parts that ToolErrors has several times.
const (
	exitCode  = `(?:exit[ _]?(?:code|status)|return[ _]?code)`
	cannotRun = `traceback \(most recent call last\)|(?:[\w./-]*/)?(?:ba|z|da|k|fi|a|c|tc)?sh: (?:[^\n"\\]*: )?(?:(?:command )?not found|no such file or directory|permission denied|unknown command)` + ofLine + `|[\w.+/-]+: command not found` + ofLine
	ofLine    = `(?:[:"\\\n]|\s*$)`
	inObject  = `(?:[^"\[]|"(?:[^"\\]|\\.)*")*?` // keys and values before the first list
	saysSo    = `"(?:\\[nrt]|\s)*(?:` + cannotRun + `)`
)
