package analysis

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// toolsFailed are outputs of tools that failed.
var toolsFailed = []string{
	"error: no such column: total",
	"Error: file not found",
	"  Error : spaces",
	"ERROR",
	"error.",
	"ERROR 1064 (42S22): Unknown column",
	"Error (code 7): refused",
	"Error 404: no such document",
	"[ERROR] permission denied",
	"**Error:** it broke",
	`"Error: a JSON string"`,
	"<error>it broke</error>",
	"Tool error: it broke",
	"Internal Server Error: it broke",
	"Error executing tool search: timed out",
	"An error occurred: it broke",
	"An error occurred while the query ran",
	"Traceback (most recent call last):\n  File",
	"ValueError: invalid literal",
	"sqlite3.OperationalError: no such table: t",
	"java.lang.NullPointerException: x",
	"TimeoutError",
	"Exception: boom",
	"Unhandled exception: boom",
	"Tool call failed: boom",
	"Command failed with exit code 1",
	"fatal: not a git repository",
	"panic: runtime error",
	"HTTP 500",
	"HTTP error 404: gone",
	"404 Not Found",
	"503 Service Unavailable",
	`{"error": "no such column"}`,
	`{"error":{"code":3}}`,
	`{ "errors" : [ {"message":"x"} ] }`,
	`{"result": null, "error": "no such column"}`,
	`{"id": "a \" b", "n": 3, "error": true}`,
	`{"isError": true, "content": []}`,
	`{"is_error":true}`,
	`{"success": false, "message": "no"}`,
	`{"ok":false}`,
	`{"status":"error"}`,
	"Invalid argument: a",
	"Invalid parameters: id is missing",
	"no such column: total",
	"Permission denied",
	"Access denied: sign in first",
	"Failed: 500 Internal Server Error",
	"bash: foo: command not found",
	"/bin/sh: 1: foo: not found",
	"-bash: line 3: ./run.sh: Permission denied",
	"zsh: command not found: foo",
	"foo: command not found",
	"[Errno 2] No such file or directory: 'x'",
	"Exit code: 127\nfoo",
	"Exit code: 1\nbash: foo: command not found",
	"exit_code: 1\nOutput:\nTraceback (most recent call last):\n",
	"<returncode>127</returncode>\n<output>\nbash: foo: command not found\n</output>",
	"Failed to execute tool search: timed out",
	"Failed to connect to localhost",
	"Tool add not found",
	"Tool 'add' not found in registry",
	"Tool add not found. Available tools: sub",
	"Function add does not exist",
	"Unknown tool: add",
	"Unknown tool 'add'",
	"unknown tool",
	"No such tool: add",
	"MCP error -32602: Tool add not found",
	"Input validation error: 'x' is a required property",
	"<tool_use_error>File has not been read yet</tool_use_error>",
	`{"exit_code":1,"stderr":"Traceback (most recent call last):\n  File"}`,
	`{"stdout": "", "stderr": "\nTraceback (most recent call last):\n  File \"a.py\"", "returncode": 1}`,
	`{"exitCode":"1","stdout":"","stderr":"bash: foo: command not found"}`,
	`{"output": "sh: 1: foo: not found", "exit_code": 127}`,
	`{"output": "Traceback (most recent call last):", "metadata": {"exit_code": 1}}`,
	`{"stdout":"","exit_code":127}`,
	`{"detail":[{"type":"missing","loc":["body","x"],"msg":"Field required"}]}`,
	`{"detail": [{"loc": ["query", "q"], "msg": "field required"}]}`,
	`{"detail":"Not Found"}`,
	`{"message":"Unauthorized","statusCode":401}`,
	`{"status_code": 503, "body": ""}`,
}

// toolsAnswered are outputs that mention errors, or look like one.
var toolsAnswered = []string{
	"",
	"42",
	"There was no error: all is well",
	"1. How to read an error: a guide",
	"Errors in measurement: a survey",
	"Error analysis: a primer",
	"Error bars, explained",
	"Error correction codes",
	"error rate 0.3",
	"Mean squared error: 0.25",
	"Standard error: 0.25",
	"Terror: a history",
	"Mirror: a film",
	"Exceptional results: 42",
	"The exception proves the rule",
	"404 results",
	"500 companies by revenue",
	"HTTP explained",
	"status: 200",
	"Request for comments",
	"The command failed in 1812: Napoleon's retreat",
	`{"error": null, "result": 4}`,
	`{"error": "", "result": 4}`,
	`{"error": false}`,
	`{"error": 0}`,
	`{"errors": [], "n": 4}`,
	`{"error": {}}`,
	`{"error": ""}`,
	`{"error": []}`,
	`{"results": [{"error": "in a row"}]}`,
	`{"text": "an \"error\": \"x\" in a text"}`,
	`{"success": true}`,
	`{"status": "failed", "order": 7}`,
	`{"isError": false}`,
	`[{"error": "in a row"}]`,
	"0 errors found",
	"Invalid arguments in logic: a survey of fallacies",
	"Failed: 3, passed: 10",
	"No such luck: a novel",
	"Exit code: 0\nTraceback (most recent call last):",
	"Exit code: 1\nFAILED tests/test_a.py::test_add - assert 1 == 2",
	"exit_code: 1\nls: cannot access 'x': No such file or directory",
	"app.log:3: bash: foo: command not found",
	"a.py:12:    raise ValueError('x')",
	"grep: x: No such file or directory",
	"Failed to launch: a history of rockets",
	"Tool use in animals is not found everywhere",
	"Tool use not found among reptiles: a survey",
	"Unknown tool marks on stone: a survey",
	"bash: npm: command not found - questions and answers",
	"Function words: not found in pidgins",
	"Bash: a manual. foo: command not found means that the shell lacks foo",
	`{"exit_code": 0, "stderr": "Traceback (most recent call last):"}`,
	`{"exit_code": 1, "stdout": "FAIL: test_add\nTraceback (most recent call last):", "stderr": ""}`,
	`{"exit_code": 1, "stdout": "", "stderr": ""}`,
	`{"returncode": 12, "stdout": "1 failed, 126 passed"}`,
	`{"runs": [{"exit_code": 1, "stderr": "Traceback (most recent call last):"}]}`,
	`{"content": "{\"exit_code\": 1, \"stderr\": \"Traceback (most recent call last):\"}"}`,
	`{"detail": [{"name": "x", "price": 4}]}`,
	`{"detail": "two rooms"}`,
	`{"statusCode": 200}`,
	`{"status_code": 4010}`,
}

func TestWhatToolsSayWhenTheyFail(t *testing.T) {
	isError := DefaultSettings().ToolError()
	for _, text := range toolsFailed {
		if !isError(text) {
			t.Errorf("%q is an error", text)
		}
	}
	for _, text := range toolsAnswered {
		if isError(text) {
			t.Errorf("%q is no error", text)
		}
	}
}

// The outputs above are changed at random places: the default pattern and others that a user may
// set have the answers of package regexp.
func TestPatternsMatchAsRegexpDoes(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 1))
	outputs := slices.Concat(toolsFailed, toolsAnswered)
	for _, pattern := range []string{ToolErrors, `(?i)\bfailed\b`, `^\s*(?i:task k\d+|missing)|denied$`, `Traceback`, `(?m)^(?:E|FAIL) `} {
		re := regexp.MustCompile(pattern)
		s := DefaultSettings()
		s.ToolErrors = pattern
		isError := s.ToolError()
		for range 4000 {
			text := changed(src, outputs[src.IntN(len(outputs))])
			if isError(text) != re.MatchString(text) {
				t.Fatalf("%.40s… in %q: want %v", pattern, text, re.MatchString(text))
			}
		}
	}
}

// changed cuts a text, puts something into it, or writes k and s as their other cases outside ASCII.
func changed(src *rand.Rand, text string) string {
	at := src.IntN(len(text) + 1)
	switch src.IntN(5) {
	case 0:
		return text[at:]
	case 1:
		return text[:at]
	case 2:
		return text[:at] + []string{"\n", " ", "\xff", "{", `"`, "Error: ", "\u2028", ":", "5"}[src.IntN(9)] + text[at:]
	case 3:
		return strings.NewReplacer("k", "\u212a", "s", "ſ").Replace(text)
	}
	return strings.ToUpper(text[:at]) + text[at:]
}

func FuzzToolError(f *testing.F) {
	for _, text := range slices.Concat(toolsFailed, toolsAnswered) {
		f.Add(text)
	}
	re, isError := regexp.MustCompile(ToolErrors), DefaultSettings().ToolError()
	f.Fuzz(func(t *testing.T, text string) {
		if isError(text) != re.MatchString(text) {
			t.Fatalf("%q: want %v", text, re.MatchString(text))
		}
	})
}
