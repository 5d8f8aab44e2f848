package rollout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A line whose grade was still to come gives way to the one with the grade,
// wherever it is; two that have ended do not.
func TestAHeldLineGivesWay(t *testing.T) {
	const (
		held   = `{"item":"a","sample":0,"outcome":"grader","error_kind":"ungraded","answer":"42"}`
		graded = `{"item":"a","sample":0,"reward":1,"answer":"42"}`
		failed = `{"item":"a","sample":0,"outcome":"grader","error":"broken","answer":"42"}`
		cutOff = `{"item":"a","sample":0,"outcome":"grader","error":"grading was interrupted","error_kind":"ungraded","answer":"42"}`
		other  = `{"item":"a","sample":0,"outcome":"grader","error_kind":"ungraded","answer":"43"}`
		later  = `{"item":"a","sample":0,"attempt":1,"reward":0.5,"answer":"42"}`
	)
	for _, c := range []struct {
		why        string
		lines      []string
		outcome    Outcome
		superseded int // of a conflict: the line that it is with
		conflict   bool
	}{
		{"alone", []string{held}, GraderFailed, 0, false},
		{"before its grade", []string{held, graded}, Graded, 1, false},
		{"behind it", []string{graded, held}, Graded, 1, false},
		{"before a failure", []string{held, failed}, GraderFailed, 1, false},
		{"twice", []string{held, held, graded}, Graded, 1, false},
		{"broken off, of a version that wrote two lines", []string{held, cutOff}, GraderFailed, 0, false},
		{"the same, and graded later", []string{held, cutOff, later}, Graded, 1, false},
		{"the same, before its grade", []string{held, cutOff, graded}, Graded, 1, false},
		{"before a later attempt", []string{held, later}, Graded, 1, false},
		{"behind a later attempt, with its grade", []string{held, later, graded}, Graded, 2, false},
		{"two ends", []string{held, graded, failed}, "", 2, true},
		{"two answers", []string{held, other}, "", 1, true},
	} {
		t.Run(c.why, func(t *testing.T) {
			var last *Record
			in, err := Read(context.Background(), "x", strings.NewReader(strings.Join(c.lines, "\n")+"\n"), ReadOptions{}, func(r *Record) error {
				last = r
				return nil
			})
			if c.conflict {
				if want := fmt.Sprintf("differs from line %d", c.superseded); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q", err, want)
				}
				return
			}
			if err != nil || last.Outcome != c.outcome || in.Records != 1 || in.Superseded != c.superseded || in.Conflicts != 0 {
				t.Errorf("outcome %v, input %+v, error %v; want %s and %d superseded", last, in, err, c.outcome, c.superseded)
			}
		})
	}
}

func TestHoldTakesNothingElse(t *testing.T) {
	w, err := Create(filepath.Join(t.TempDir(), "run"), Manifest{}, nil, WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Hold(&Record{Item: "a", Split: Train, Source: Live, Outcome: GraderFailed, Kind: "grader_timeout"}); err == nil {
		t.Error("a failed grading was held")
	}
	if err := w.Hold(&Record{Item: "a", Split: Train, Source: Live, Outcome: GraderFailed, Kind: KindUngraded, Error: "x"}); err != nil {
		t.Error(err)
	}
}

// An answer that waited for its grade is not written again when the grade never comes.
func TestAHeldAnswerIsOneLineUntilItIsGraded(t *testing.T) {
	reward := 1.0
	held := Record{Item: "a", Split: Train, Source: Live, Outcome: GraderFailed, Kind: KindUngraded, Error: "grading had not ended", Answer: "42"}
	cutOff, graded, next := held, held, held
	cutOff.Error = "grading was interrupted"
	graded.Outcome, graded.Kind, graded.Error, graded.Reward = Graded, "", "", &reward
	next.Attempt = 1
	for _, c := range []struct {
		why   string
		then  Record
		lines int
	}{
		{"grading was interrupted", cutOff, 1},
		{"the grade came", graded, 2},
		{"another attempt was interrupted", next, 2},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		w, err := Create(dir, Manifest{}, nil, WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Hold(&held), w.Append(&c.then), w.Close()); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, RolloutsFile))
		if lines := strings.Count(string(text), "\n"); err != nil || lines != c.lines {
			t.Errorf("%s: %d lines, want %d; error %v", c.why, lines, c.lines, err)
		}
	}
}

func TestUngraded(t *testing.T) {
	for _, c := range []struct {
		cutOff bool
		want   []Key
	}{{false, []Key{{Train, "a", 0, 0}, {Train, "b", 0, 0}}}, {true, []Key{{Train, "a", 0, 0}}}} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, RolloutsFile), `{"item":"a","sample":0,"outcome":"grader","error_kind":"ungraded","answer":"1","trace_id":"t"}
{"item":"a","sample":1,"reward":1,"answer":"2"}
{"item":"b","sample":0,"attempt":2,"outcome":"grader","error_kind":"grader_timeout","answer":"3"}
{"item":"b","sample":1,"outcome":"model_api","answer":"4"}
{"item":"c","sample":0,"outcome":"grader","error_kind":"ungraded","answer":"5"}
{"item":"c","sample":0,"reward":0,"answer":"5"}
{"item":"d","sample":0,"outcome":"grader","error":"no output"}
`)
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		u, err := r.Ungraded(context.Background(), c.cutOff, 0)
		if err != nil || u.Len() != len(c.want) {
			t.Fatalf("%d ungraded, error %v, want %v", u.Len(), err, c.want)
		}
		var got []Key
		for rec, err := range u.Records(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			if len(got) == 0 { // what is appended meanwhile is not graded again
				f, err := os.OpenFile(r.File(), os.O_APPEND|os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				_, err = f.WriteString(`{"item":"a","sample":0,"attempt":1,"outcome":"grader","error_kind":"ungraded","answer":"1"}` + "\n")
				if err := errors.Join(err, f.Close()); err != nil {
					t.Fatal(err)
				}
			}
			if want := map[string]int{"a": 1, "b": 3}[rec.Item]; rec.Attempt != want || rec.Item == "a" && rec.TraceID != "t" {
				t.Errorf("%v comes as attempt %d of %q, want %d", rec.Key(), rec.Attempt, rec.TraceID, want)
			}
			got = append(got, rec.Key())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("records (-want +got):\n%s", diff)
		}
	}
}

// A group that lacks a grade, or has grown since, is graded again whole, without the rollouts that have nothing to grade.
func TestUngradedGroups(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, RolloutsFile), `{"item":"a","sample":0,"reward":1,"answer":"1","group_size":2}
{"item":"a","sample":1,"reward":0,"answer":"2","attempt":3,"group_size":2}
{"item":"a","sample":2,"reward":1,"answer":"3"}
{"item":"b","sample":2,"outcome":"grader","error_kind":"ungraded","answer":"4"}
{"item":"b","sample":0,"reward":1,"answer":"5","group_size":1}
{"item":"b","sample":3,"outcome":"model_api"}
{"item":"a","sample":3,"outcome":"grader","error_kind":"ungraded","answer":"6"}
{"item":"a","sample":2,"reward":0,"answer":"7","attempt":1}
{"item":"c","sample":0,"reward":0,"answer":"8","group_size":1}
{"item":"c","sample":1,"reward":0,"answer":"9","group_size":2}
{"item":"d","sample":0,"reward":0,"answer":"10","group_size":1}
`)
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	u, err := r.Ungraded(context.Background(), true, 2)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for rec, err := range u.Records(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Reward != nil {
			t.Errorf("%v comes with the reward of another group", rec.Key())
		}
		got = append(got, fmt.Sprintf("%s%d/%d", rec.Item, rec.Sample, rec.Attempt))
	}
	// of c, a kill came before sample 0 was graded again together with sample 1, which was made later
	if want := "b2/1 a3/1 a2/2 c0/1 c1/1"; strings.Join(got, " ") != want || u.Len() != 5 {
		t.Errorf("%v, want %s", got, want)
	}
}
