package rollout

import (
	"cmp"
	"fmt"

	"gonogo/sampler/jsontext"
)

// readCalls reads the tool calls of a record. If a line does not give OutputBytes, it is the length
// of the output; a lean read keeps the number and drops the output.
func readCalls(v []byte, as decoding) ([]Call, error) {
	if jsontext.IsNull(v) {
		return nil, nil
	}
	if v[0] != '[' {
		return nil, fmt.Errorf("%q must be a list of calls, not %s", "calls", excerpt(v))
	}
	s := jsontext.Scanner{Source: v}
	calls, fault, err := scanCalls(&s, 1, as)
	return calls, cmp.Or(err, fault)
}

// scanCalls reads the list that begins at s.At while it scans it: its outputs make up most of a
// file. fault says what is wrong with a call; err, that the list is not JSON, takes precedence.
func scanCalls(s *jsontext.Scanner, depth int, as decoding) (calls []Call, fault, err error) {
	s.At++
	s.Space()
	if s.At < len(s.Source) && s.Source[s.At] == ']' {
		s.At++
		return nil, nil, nil
	}
	calls = make([]Call, 0, 4) // a usual number
	for more := true; more; {
		s.Space()
		c, wrong, err := scanCall(s, depth, as)
		if err == nil {
			more, err = s.Comma(']')
		}
		if err != nil {
			return nil, nil, err
		}
		if wrong != nil && fault == nil {
			fault = fmt.Errorf("call %d: %w", len(calls)+1, wrong)
		}
		calls = append(calls, c)
	}
	return calls, fault, nil
}

func scanCall(s *jsontext.Scanner, depth int, as decoding) (c Call, fault, err error) {
	if from := s.At; from >= len(s.Source) || s.Source[from] != '{' {
		err := s.Value(depth)
		return c, fmt.Errorf("a call must be an object, not %s", excerpt(s.Source[from:s.At])), err
	}
	var output []byte
	size := 0
	err = s.Object(depth+1, func(key, value []byte) error {
		if fault != nil {
			return nil
		}
		if string(jsontext.Key(key)) == "output" {
			if output = value; value[0] == '"' {
				size = s.LiteralLen(value)
			}
			return nil
		}
		fault = c.take(key, value)
		return nil
	})
	if err != nil || fault != nil {
		return c, fault, err
	}
	switch {
	case c.Status == "" && c.Error == "":
		c.Status = CallOK
	case c.Status == "":
		c.Status = CallError
	}
	return c, c.takeOutput(output, size, as), nil
}

// take reads one key of a call except its output.
func (c *Call) take(key, value []byte) (err error) {
	switch string(jsontext.Key(key)) {
	case "turn":
		c.Turn, err = readInt("turn", value)
	case "id":
		c.ID, err = readText("id", value)
	case "name":
		c.Name, err = readText("name", value)
	case "arguments":
		c.Arguments = readCause(value)
	case "output_bytes":
		c.OutputBytes, err = readInt("output_bytes", value)
	case "status":
		c.Status, err = readCallStatus(value)
	case "error":
		c.Error, err = readText("error", value)
	case "http_status":
		c.HTTPStatus, err = readInt("http_status", value)
	case "retries":
		c.Retries, err = readInt("retries", value)
	case "offset_s":
		c.Offset = 0
		err = wanted(c.Offset.UnmarshalJSON(value), "offset_s", "a number of seconds", value)
	case "elapsed_s":
		c.Elapsed = 0
		err = wanted(c.Elapsed.UnmarshalJSON(value), "elapsed_s", "a number of seconds", value)
	}
	return err
}

// takeOutput reads the output, a literal whose text has size bytes.
func (c *Call) takeOutput(v []byte, size int, as decoding) error {
	if v == nil || jsontext.IsNull(v) {
		return nil
	}
	if v[0] != '"' {
		return fmt.Errorf("%q must be a string, not %s: write it in quotes", "output", excerpt(v))
	}
	if c.OutputBytes == 0 {
		c.OutputBytes = size
	}
	if !as.lean {
		c.Output = jsontext.Text(v)
	}
	if as.toolError != nil && c.Status == CallOK && as.toolError(beginning(v)) {
		c.Status = CallError
	}
	return nil
}

// outputHead is how many bytes of an output's literal are passed to toolError.
const outputHead = 1024

// beginning returns the text at the start of a literal.
func beginning(v []byte) string {
	if len(v) <= outputHead {
		return jsontext.Text(v)
	}
	n := 1
	for n < outputHead { // do not cut an escape in two
		switch {
		case v[n] != '\\':
			n++
		case v[n+1] == 'u':
			n += len(`\u0000`)
		default:
			n += len(`\n`)
		}
	}
	return jsontext.Text(v[:n+1]) // whose last byte counts as the closing quote
}

func readCallStatus(v []byte) (CallStatus, error) {
	text, err := readText("status", v)
	if err != nil {
		return "", err
	}
	switch s := CallStatus(text); s {
	case "", CallOK, CallError, CallMalformed, CallFailed:
		return s, nil
	}
	return "", fmt.Errorf("unknown status %q of a call: use %s, %s, %s or %s", text, CallOK, CallError, CallMalformed,
		CallFailed)
}
