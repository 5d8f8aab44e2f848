package failure

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the lists of docs/failures.md again; then read them")

func code(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

// docs/failures.md has the lists of this package.
func TestDocsListTheMarks(t *testing.T) {
	words := func(want takes) (out []string) {
		for _, c := range cores {
			if c.takes == want {
				out = append(out, c.word)
			}
		}
		return out
	}
	keys := func(list []single, want takes) (out []string) {
		for _, s := range list {
			if s.takes == want {
				out = append(out, s.key)
			}
		}
		return out
	}
	var before []string
	for _, s := range subjects[1:] {
		before = append(before, s.word)
	}
	table := "| mark | key | value that means a failure |\n|---|---|---|\n" +
		"| a cause | " + code(words(cause)) + ", alone or before " + code(details[1:]) + "; " + code(keys(singles, cause)) + " | anything that does not say that nothing failed; a number only of a `code`, or a whole one from 400 to 599 that is not of `errors`; before " + code(labels) + " the name of an exception or an HTTP status, before `reason` and `cause` also a sentence: one code word explains a wrong answer |\n" +
		"| a flag | " + code(words(raised)) + "; " + code(keys(singles, raised)) + " | true, yes; 1 of a key that can only be a flag, such as `mask_sample` and `is_error`: `failed: 1` is a count |\n" +
		"| a verdict on the grade | " + code(keys(singles, verdict)) + "; in a reply also " + code(keys(ofReplies, verdict)) + " | false, no; 0, but for `graded`, `scored` and `judged`, which may count |\n" +
		"| a status | " + code(words(status)) + "; " + code(keys(singles, status)) + " | a text with one of the words " + code(failureWords) + "; a number from 400 to 599; in a log, " + code(gradeWords) + " in `status`, and after " + code(verdicts) + ", is a verdict on the answer: a plain `status` of that kind is named in a note |\n" +
		"| the end of a rollout | " + code(endKeys) + ", and a format's own keys | an unknown word with one of " + code(endWords) + "; other unknown words are named in a note |\n\n" +
		"The words of a cause, flag or status may follow one of " + code(before) + ": `judge_error`, `is_error`. After one that judges may be " + code(parsing) + ": `judge_parse_error`. Members of the objects " + code(holders) + " are looked at too, but for " + code(ofData) + " and verdicts on the grade, which are data there; an object that a format names as the data row is not looked at.\n\n" +
		"An error field with one of these means that nothing failed: an empty text, 0, null, false, an empty list or object, " + code(nothing[1:]) + "; so do sentences such as `No error occurred` and `finished without errors`.\n"
	path := filepath.Join("..", "..", "..", "docs", "failures.md")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- marks -->\n", "<!-- end -->"
	head, rest, ok := strings.Cut(string(b), begin)
	_, tail, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatalf("%s: no place for the marks", path)
	}
	want := head + begin + "\n" + table + "\n" + end + tail
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(b) {
		t.Errorf("%s has other lists than the package: run with -update", path)
	}
}
