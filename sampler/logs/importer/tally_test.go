package importer

import "testing"

func TestNotesCountOneAsOne(t *testing.T) {
	const text = "rollout[|s] [has|have] no grade: [it is a missing grade|they are missing grades]"
	for n, want := range map[int]string{1: "1 rollout has no grade: it is a missing grade", 2: "2 rollouts have no grade: they are missing grades"} {
		var got string
		Sink{Note: func(s string) { got = s }}.noteCount(n, text)
		if got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
