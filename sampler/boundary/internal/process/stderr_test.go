package process

import (
	"strings"
	"testing"
)

func TestWhatAMessageTells(t *testing.T) {
	frames := "Traceback (most recent call last):\n  File \"a.py\", line 8, in <module>\n    go()\n  File \"a.py\", line 3, in go\n    raise KeyError('x')\n    ^^^^^^^^^^^^^^^^^^^\n"
	far := "Traceback (most recent call last):\n" + strings.Repeat("  File \"lib.py\", line 9, in call\n    result = func(*args)\n", 20)
	for _, c := range []struct{ why, printed, begins, holds string }{
		{"a line", "out of luck", "out of luck", "out of luck"},
		{"what a traceback ends with comes first", "loading\n" + frames + "KeyError: 'x'", "KeyError: 'x'; before that: loading\nTraceback", "raise KeyError('x')"},
		{"an error of several lines", frames + "ValidationError: 2 errors\n  name\n    missing", "ValidationError: 2 errors\n  name\n    missing; before that:", "in go"},
		{"one after the other: the last", frames + "KeyError: 'x'\n\nDuring handling of the above exception, another exception occurred:\n\n" + frames + "OSError: y", "OSError: y; before that:", "During handling"},
		{"whose beginning is cut off", far + "HTTPError: 401", "HTTPError: 401; before that: … ", "result = func(*args)"},
		{"an endless error", frames + strings.Repeat("é", 400), strings.Repeat("é", 100) + "…; before that:", "in go"},
		{"frames that end without an error", strings.TrimSpace(frames), "Traceback", "^^^"},
		{"words about files", "no such\n  File \"b\"", "no such", "b"},
	} {
		t.Run(c.why, func(t *testing.T) {
			if got := summarize(c.printed); !strings.HasPrefix(got, c.begins) || !strings.Contains(got, c.holds) || len(got) > summarySize+40 {
				t.Errorf("%d bytes: %s", len(got), got)
			}
		})
	}
}
