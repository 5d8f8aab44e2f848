package analysis

import (
	"encoding/json"
	"fmt"
	"io"
)

// Encode writes the result as result.json: indented, with a final newline,
// the same bytes for the same result.
func (r *Result) Encode(w io.Writer) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode result: %w", err)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// Decode reads a result.json. A file of another schema is refused: keys may
// have been renamed since.
func Decode(rd io.Reader) (*Result, error) {
	var r Result
	if err := json.NewDecoder(rd).Decode(&r); err != nil {
		return nil, fmt.Errorf("decode result: %w", err)
	}
	if r.Schema != Schema {
		return nil, fmt.Errorf("the result has schema %q and this version reads %q: run gonogo analyze again", r.Schema, Schema)
	}
	return &r, nil
}
