package process

import (
	"strings"

	"gonogo/sampler/wording"
)

// summarize shortens the output of a process for a message. It keeps the end, which shows the cause of
// an exit. The last line of a Python traceback comes first, because readers and tables may truncate.
func summarize(s string) string {
	before, cause := traceback(s)
	if before == "" {
		return ending(s, summarySize)
	}
	cause = wording.ClipBytes(cause, summarySize/2)
	return cause + "; before that: " + ending(before, summarySize-len(cause))
}

// traceback splits the output at the line that names the last exception. before is empty if there is no
// traceback.
func traceback(s string) (before, cause string) {
	frame := strings.LastIndex(s, "\n  File \"")
	if frame < 0 {
		return "", s
	}
	for start := frame + 1; ; {
		n := strings.IndexByte(s[start:], '\n')
		if n < 0 {
			return "", s
		}
		if start += n + 1; start < len(s) && s[start] != ' ' && s[start] != '\n' {
			return strings.TrimSpace(s[:start]), s[start:]
		}
	}
}

// ending returns the last size bytes of a text, cut to whole lines if possible.
func ending(s string, size int) string {
	over := len(s) - size
	if over <= 0 {
		return s
	}
	s = s[over:]
	if _, rest, ok := strings.Cut(s, "\n"); ok {
		s = rest
	}
	return "… " + strings.ToValidUTF8(s, "")
}
