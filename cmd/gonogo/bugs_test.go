package main

import (
	"bytes"
	"strings"
	"testing"

	"gonogo/cmd/gonogo/internal/exit"
)

// A flag without its value took the run for it, or the other way round.
func TestAFlagWithoutItsValueIsRefused(t *testing.T) {
	for _, args := range [][]string{
		{"analyze", "run", "--group-size"},
		{"analyze", "run", "other", "--config"},
		{"import", "file", "-o"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), append([]string{"gonogo"}, args...), strings.NewReader(""), &stdout, &stderr)
		if code != exit.Usage || !strings.Contains(stderr.String(), "needs an argument") {
			t.Errorf("%v: exit code %d: %s", args, code, stderr.String())
		}
	}
}

// An argument was passed over: `gonogo run other.yaml` ran gonogo.yaml.
func TestArgumentsOfCommandsThatTakeNoneAreRefused(t *testing.T) {
	for _, command := range []string{"run", "sample", "check", "init", "demo", "version"} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), []string{"gonogo", command, "other.yaml"}, strings.NewReader(""), &stdout, &stderr)
		if code != exit.Usage || !strings.Contains(stderr.String(), `the argument "other.yaml"`) {
			t.Errorf("%s: exit code %d: %s", command, code, stderr.String())
		}
	}
}

// `gonogo view RUN --help` looked for help on the topic RUN.
func TestHelpGoesBeforeArguments(t *testing.T) {
	for _, args := range [][]string{{"view", "run", "--help"}, {"analyze", "-h", "run"}, {"report", "run", "-o", "x", "--help"}} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), append([]string{"gonogo"}, args...), strings.NewReader(""), &stdout, &stderr)
		if code != exit.OK || !strings.Contains(stdout.String(), "gonogo "+args[0]) {
			t.Errorf("%v: exit code %d: %s", args, code, stderr.String())
		}
	}
}
