package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"gonogo/analysis/message"
)

// ErrNotAHistory means that a file is not a history written by gonogo.
var ErrNotAHistory = errors.New("not a history of nights")

// longestLine bounds a line of nights.jsonl: it fits mostItems items with long ids.
const longestLine = 64 << 20

// largest is the largest number that a night may hold, and 1/largest the smallest standard
// error above 0: the squares of both, and their products, are finite.
const largest = 1e50

// Read reads nights.jsonl. name is used in errors. An incomplete last line is left out, which
// torn reports; unknown keys are ignored. Any other invalid line is an error with its number.
func Read(name string, rd io.Reader) (nights []Night, torn bool, err error) {
	lines := bufio.NewScanner(rd)
	lines.Buffer(make([]byte, 0, 64<<10), longestLine)
	lines.Split(keepEnds)
	for line := 1; lines.Scan(); line++ {
		raw := lines.Bytes()
		text := bytes.TrimSpace(raw)
		if len(text) == 0 {
			continue
		}
		if !bytes.HasSuffix(raw, []byte("\n")) && !json.Valid(text) {
			return nights, true, nil
		}
		n, err := decodeNight(text)
		if err != nil {
			return nil, false, fmt.Errorf("read %s:%d: %w", name, line, err)
		}
		nights = append(nights, n)
	}
	if err := lines.Err(); err != nil {
		return nil, false, fmt.Errorf("read %s: %w", name, err)
	}
	return nights, false, nil
}

func decodeNight(text []byte) (Night, error) {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return Night{}, fmt.Errorf("%w: %w", ErrNotAHistory, err)
	}
	var n Night
	var err error
	switch head.Schema {
	case NightSchema:
		err = json.Unmarshal(text, &n)
	case nightSchema1:
		n, err = decodeNight1(text)
	default:
		err = fmt.Errorf("its schema is %q, this version of gonogo reads %q", head.Schema, NightSchema)
	}
	if err != nil {
		return Night{}, fmt.Errorf("%w: %w", ErrNotAHistory, err)
	}
	if n.Name == "" {
		return Night{}, fmt.Errorf("%w: \"name\" is missing", ErrNotAHistory)
	}
	for _, it := range n.Items {
		if math.Abs(it.Mean) > largest {
			return Night{}, fmt.Errorf("%w: the mean of item %q is not a usable number", ErrNotAHistory, it.ID)
		}
	}
	for name, v := range n.Values {
		if math.Abs(v.Value) > largest || v.SE != nil &&
			(*v.SE < 0 || *v.SE > largest || *v.SE > 0 && *v.SE < 1/largest) {
			return Night{}, fmt.Errorf("%w: the value of %q is not a usable number", ErrNotAHistory, name)
		}
	}
	return n, nil
}

// decodeNight1 decodes a line of the previous schema, whose sentence is English text.
func decodeNight1(text []byte) (Night, error) {
	type night Night // its sentence is shadowed by the one below
	var was struct {
		night
		Sentence string `json:"sentence"`
	}
	err := json.Unmarshal(text, &was)
	n := Night(was.night)
	n.Schema, n.Sentence = NightSchema, message.Verbatim(was.Sentence)
	return n, err
}

// keepEnds splits lines and keeps their newlines: a last line without one may be torn.
func keepEnds(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}
