package analysis

import (
	"encoding/json"
	"fmt"
	"io"
)

// Encode writes the result as result.json: indented, with a final
// newline, the same bytes for the same result.
func (r *Result) Encode(w io.Writer) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode result: %w", err)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// Decode reads a result.json. A file of another schema is refused: keys may
// have been renamed since. So is one that is not whole, or whose exit code is
// not that of its verdict: nobody would notice a GO that was never given.
func Decode(rd io.Reader) (*Result, error) {
	var r Result
	err := json.NewDecoder(rd).Decode(&r)
	if r.Schema != Schema && (err == nil || r.Schema != "") { // its keys may hold something else, which is an error then
		return nil, fmt.Errorf("the result has schema %q and this version reads %q: run gonogo analyze again", r.Schema, Schema)
	}
	if err != nil {
		return nil, fmt.Errorf("decode result: %w: run gonogo analyze again", err)
	}
	switch r.Verdict {
	case Go, NoGo, Undecided:
	default:
		return nil, fmt.Errorf("the result has the verdict %q, not %s, %s or %s: run gonogo analyze again", r.Verdict, Go, NoGo, Undecided)
	}
	if r.ExitCode != r.Verdict.ExitCode() {
		return nil, fmt.Errorf("the result has the verdict %s and the exit code %d, which contradict each other: run gonogo analyze again", r.Verdict, r.ExitCode)
	}
	for split, s := range r.Splits {
		if s == nil {
			return nil, fmt.Errorf("the result says nothing of split %q: run gonogo analyze again", split)
		}
	}
	return &r, nil
}
