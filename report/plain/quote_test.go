package plain

import (
	"testing"
)

func TestOneLine(t *testing.T) {
	if got, want := OneLine("def run(x):\r\n    return  1\n\n"), "def run(x): / return 1"; got != want {
		t.Errorf("the line is %q, want %q", got, want)
	}
}
