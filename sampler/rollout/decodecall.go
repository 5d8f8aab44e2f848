package rollout

import (
	"cmp"
	"fmt"

	"gonogo/sampler/rollout/literal"
)

// readCalls reads the tool calls of a record. OutputBytes is filled in from
// the output where the line does not give it; a lean read keeps the number
// and leaves the output.
func readCalls(v []byte, lean bool) ([]Call, error) {
	if isNull(v) {
		return nil, nil
	}
	if v[0] != '[' {
		return nil, fmt.Errorf("%q must be a list of calls, not %s", "calls", excerpt(v))
	}
	s := scanner{b: v}
	calls, fault, err := s.calls(1, lean)
	return calls, cmp.Or(err, fault)
}

// calls reads the list that begins here, while it walks over it: the outputs in it are
// most of a file. fault is what is wrong with a call; err, that it is not JSON, comes
// before that.
func (s *scanner) calls(depth int, lean bool) (calls []Call, fault, err error) {
	s.i++
	s.space()
	if s.i < len(s.b) && s.b[s.i] == ']' {
		s.i++
		return nil, nil, nil
	}
	calls = make([]Call, 0, 4) // a usual number
	for more := true; more; {
		s.space()
		c, wrong, err := s.call(depth, lean)
		if err == nil {
			more, err = s.comma(']')
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

func (s *scanner) call(depth int, lean bool) (c Call, fault, err error) {
	if from := s.i; from >= len(s.b) || s.b[from] != '{' {
		err := s.value(depth)
		return c, fmt.Errorf("a call must be an object, not %s", excerpt(s.b[from:s.i])), err
	}
	var output []byte
	size := 0
	err = s.object(depth+1, func(key, value []byte) error {
		if fault != nil {
			return nil
		}
		if string(literal.Key(key)) == "output" {
			if output = value; value[0] == '"' {
				size = s.textLen(value)
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
	return c, c.takeOutput(output, size, lean), nil
}

// take reads one key of a call except its output.
func (c *Call) take(key, value []byte) (err error) {
	switch string(literal.Key(key)) {
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

// takeOutput takes in the output, a literal of a text of size bytes.
func (c *Call) takeOutput(v []byte, size int, lean bool) error {
	if v == nil || isNull(v) {
		return nil
	}
	if v[0] != '"' {
		return fmt.Errorf("%q must be a string, not %s: write it in quotes", "output", excerpt(v))
	}
	if c.OutputBytes == 0 {
		c.OutputBytes = size
	}
	if !lean {
		c.Output = literal.Text(v)
	}
	return nil
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
	return "", fmt.Errorf("unknown status %q of a call: use %s, %s, %s or %s", text, CallOK, CallError, CallMalformed, CallFailed)
}
