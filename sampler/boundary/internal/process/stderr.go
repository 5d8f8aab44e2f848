package process

import (
	"strings"

	"gonogo/sampler/wording"
)

// summarize shortens the output of a process for a message: its end, where the
// cause of death is. The last line of a Python traceback comes first, since readers
// and tables may truncate.
func summarize(s string) string {
	before, cause := traceback(s)
	if before == "" {
		return ending(s, summarySize)
	}
	cause = wording.ClipBytes(cause, summarySize/2)
	return cause + "; before that: " + ending(before, summarySize-len(cause))
}

// traceback cuts what was printed before the line that names the last exception;
// before is empty if there is no traceback.
func traceback(s string) (before, cause string) {
	frame := strings.LastIndex(s, "\n  File \"")
	if frame < 0 {
		return "", s
	}
	for at := frame + 1; ; {
		n := strings.IndexByte(s[at:], '\n')
		if n < 0 {
			return "", s
		}
		if at += n + 1; at < len(s) && s[at] != ' ' && s[at] != '\n' {
			return strings.TrimSpace(s[:at]), s[at:]
		}
	}
}

// ending is the end of a text, in whole lines where it has some.
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
