package judge_test

import (
	"strings"
	"testing"

	"gonogo/analysis"
)

// A file that held nothing but its schema was a GO with exit code 0.
func TestDecodeRefusesAResultWithoutAVerdict(t *testing.T) {
	for why, text := range map[string]string{
		"no verdict":                `{"schema":"gonogo/result/2"}`,
		"an unknown verdict":        `{"schema":"gonogo/result/2","verdict":{"answer":"MAYBE"}}`,
		"another verdict's code":    `{"schema":"gonogo/result/2","verdict":{"answer":"NO-GO"},"exit_code":0}`,
		"a code that is none":       `{"schema":"gonogo/result/2","verdict":{"answer":"GO"},"exit_code":99}`,
		"the schema before":         `{"schema":"gonogo/result/1","verdict":"GO","note":"no verdict on training"}`,
		"another schema":            `{"schema":"gonogo/result/99","verdict":"GO"}`,
		"a file that was cut short": `{"schema":"gonogo/result/2","verdict":{"answer":"GO"}`,
		"a split that is none":      `{"schema":"gonogo/result/2","verdict":{"answer":"GO"},"exit_code":0,"splits":{"train":null}}`,
		"a command as a string":     `{"schema":"gonogo/result/2","verdict":{"answer":"GO","not_judged":[{"gate":"leakage","command":"gonogo run"}]},"exit_code":0}`,
		"the verdict as it was":     `{"schema":"gonogo/result/2","verdict":"GO"}`,
	} {
		if _, err := analysis.Decode(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "run gonogo analyze again") {
			t.Errorf("%s: error is %v, want one that says how to mend it", why, err)
		}
	}
	whole := `{"schema":"gonogo/result/2","verdict":{"answer":"NO-GO"},"exit_code":3}`
	if _, err := analysis.Decode(strings.NewReader(whole)); err != nil {
		t.Errorf("a whole result is refused: %v", err)
	}
}
