package audit

import (
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

func TestIDs(t *testing.T) {
	for text, want := range map[string]ID{
		"number_off/train/q17/0":         {"number_off", rollout.Train, "q17", 0},
		"empty/eval/a/b c/ü/12":          {"empty", rollout.Eval, "a/b c/ü", 12},
		"detector/skips/production/q1/3": {"detector/skips", rollout.Production, "q1", 3},
		"empty/train/q1/step-20/3":       {"empty", rollout.Train, "q1/step-20", 3},
		"empty/train/train/0":            {"empty", rollout.Train, "train", 0},
		"empty/train//0/0":               {"empty", rollout.Train, "/0", 0},
	} {
		got, err := ParseID(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%s reads as %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"": "PROBE/SPLIT/ITEM/SAMPLE", "q17": "PROBE/SPLIT/ITEM/SAMPLE", "empty/train/0": "PROBE/SPLIT/ITEM/SAMPLE", "empty/train//0": "PROBE/SPLIT/ITEM/SAMPLE",
		"empty/test/q1/0": `"test"`, "empty/train/q1/x": `"x"`, "empty/train/q1/-1": `"-1"`, "detector/train/q1/0": "PROBE/SPLIT/ITEM/SAMPLE",
	} {
		if _, err := ParseID(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzID reads any text, and writes what it read as it was.
func FuzzID(f *testing.F) {
	for _, s := range []string{"empty/train/q/0", "detector/a/eval/b/c/1", "//", "a/train/b/007", "detector//train/q/1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := ParseID(s)
		if err != nil {
			return
		}
		if again, err := ParseID(id.String()); err != nil || again != id {
			t.Fatalf("%q reads as %+v, written and read again %+v, %v", s, id, again, err)
		}
	})
}
