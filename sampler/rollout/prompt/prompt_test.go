package prompt_test

import (
	"strings"
	"testing"

	"gonogo/sampler/rollout/prompt"
)

func TestPromptsAreTheSame(t *testing.T) {
	ask := func(text string) uint64 { return prompt.Of(text, text).Sum }
	for _, c := range []struct {
		about, a, b string
		same        bool
	}{
		{"white space", "Add 1\nand 2.", " Add 1 and  2. ", true},
		{"a date", "Today is 2025-11-27. Add 1.", "Today is 2025-12-01. Add 1.", true},
		{"a date in words", "Today is Thursday, 27 November 2025. Add 1.", "Today is Monday, 1 Dec 2025. Add 1.", true},
		{"a date as in America", "On November 27, 2025, add 1.", "On December 1st, 2025, add 1.", true},
		{"a date with slashes", "Date: 11/27/2025. Add 1.", "Date: 12/1/2025. Add 1.", true},
		{"a time", "It is 14:05:33. Add 1.", "It is 2:06 pm. Add 1.", true},
		{"date and time of a log", "2025-11-27T14:05:33.123Z add 1", "2025-12-01T01:02:03+01:00 add 1", true},
		{"a UUID", "Session 123e4567-e89b-12d3-a456-426614174000: add 1.", "Session 00000000-0000-4000-8000-00000000000a: add 1.", true},
		{"a date of ctime", "It is Thu Jan  1 19:44:00 2026. Add 1.", "It is Fri Jan 2 00:03:00 UTC 2026. Add 1.", true},
		{"date and time without signs", "At 20260101T000000Z add 1.", "At 20260102T003700Z add 1.", true},
		{"date and time of a file", "Log 20260101_000000: add 1.", "Log 20260102_003700: add 1.", true},
		{"a UUID without hyphens", "Session a7260d651a3c4f31a3677f12348aa9f1: add 1.", "Session 6ff279a7bd05453380b8bf189cbb8f70: add 1.", true},
		{"a digest", "What has the MD5 5d41402abc4b2a76b9719d911017c592?", "What has the MD5 7d793037a0760186574b0282f2f435e7?", false},
		{"long numbers", "Factor 20261301_000000.", "Factor 20261302_000000.", false},
		{"other numbers", "What is 51 + 12?", "What is 15 + 20?", false},
		{"other words", "Sort list 0.", "Sort list 1.", false},
		{"a decimal", "Half of 3.14", "Half of 2.71", false},
		{"a ratio", "Mix 1:2", "Mix 1:3", false},
		{"a weekday alone", "What follows Monday?", "What follows Tuesday?", false},
	} {
		if got := ask(c.a) == ask(c.b); got != c.same {
			t.Errorf("%s: %q and %q: same is %t", c.about, c.a, c.b, got)
		}
	}
}

func TestHowPromptsDiffer(t *testing.T) {
	long := strings.Repeat("same ", 30)
	for _, c := range []struct {
		about, a, b string
		want        [2]string
	}{
		{"the last messages", "Sort 1.", "Sort 2.", [2]string{"Sort 1.", "Sort 2."}},
		{"the middle of long ones", long + "one" + long, long + "two" + long, [2]string{"… same same same same same same one", "… same same same same same same two"}},
	} {
		got := prompt.Of(c.a, c.a).Differ(prompt.Of(c.b, c.b))
		if !strings.HasPrefix(got[0], c.want[0]) || !strings.HasPrefix(got[1], c.want[1]) {
			t.Errorf("%s: %q", c.about, got)
		}
	}
}

// A prompt of megabytes is identified by all of it, and little of it is kept.
func TestLongPromptsAreNotKept(t *testing.T) {
	long := strings.Repeat("x", 5<<20)
	a, b := prompt.Of(long+"a", "a"+strings.Repeat(" ", 5<<20)), prompt.Of(long+"b", "b")
	if a.Sum == b.Sum || len(a.Beginning) > 16<<10 || a.Differ(b) != [2]string{"a", "b"} {
		t.Errorf("%d bytes are kept; they differ by %q", len(a.Beginning), a.Differ(b))
	}
}
