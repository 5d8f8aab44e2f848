package rollout

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"
)

// childEnv names what a child process of these tests is to do.
const childEnv = "GONOGO_ROLLOUT_TEST_CHILD"

func TestMain(m *testing.M) {
	if job := os.Getenv(childEnv); job != "" {
		os.Exit(child(job))
	}
	goleak.VerifyTestMain(m)
}

// readAll reads text and returns the records as they were yielded.
func readAll(text string, opt ReadOptions) ([]*Record, Input, error) {
	var got []*Record
	in, err := Read(context.Background(), "r.jsonl", strings.NewReader(text), opt, func(r *Record) error {
		got = append(got, r)
		return nil
	})
	return got, in, err
}

// winners folds records by key as the contract of yield asks for.
func winners(records []*Record) map[Key]*Record {
	byKey := make(map[Key]*Record)
	for _, r := range records {
		byKey[r.Key()] = r
	}
	return byKey
}

// sameJSON compares raw JSON by what it means, and leaves out line numbers.
var sameJSON = cmp.Options{
	cmp.Transformer("json", func(raw json.RawMessage) any {
		if len(raw) == 0 {
			return nil
		}
		dec := json.NewDecoder(strings.NewReader(string(raw)))
		dec.UseNumber()
		var v any
		if err := dec.Decode(&v); err != nil {
			return "broken: " + string(raw)
		}
		return v
	}),
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Line" || p.Last().String() == ".Replaces" }, cmp.Ignore()),
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().Type() != reflect.TypeFor[json.RawMessage]() }, cmpopts.EquateEmpty()),
}

func number(x float64) *float64 { return &x }

func lineOf(err error) int {
	if e, ok := errors.AsType[*LineError](err); ok {
		return e.Line
	}
	return 0
}
