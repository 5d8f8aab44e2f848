package rollout

import "fmt"

// readCalls reads the tool calls of a record. OutputBytes is filled in from
// the output where the line does not give it; a lean read keeps the number
// and leaves the output.
func readCalls(v []byte, lean bool) ([]Call, error) {
	if isNull(v) {
		return nil, nil
	}
	var calls []Call
	s := scanner{b: v}
	err := s.elements(func(element []byte) error {
		c, err := readCall(element, lean)
		if err != nil {
			return fmt.Errorf("call %d: %w", len(calls)+1, err)
		}
		calls = append(calls, c)
		return nil
	})
	if err == errSyntax {
		return nil, fmt.Errorf("%q must be a list of calls, not %s", "calls", excerpt(v))
	}
	return calls, err
}

func readCall(v []byte, lean bool) (Call, error) {
	var c Call
	var output []byte
	s := scanner{b: v}
	err := s.members(func(key, value []byte) (err error) {
		switch name := unquote(key); name {
		case "turn":
			c.Turn, err = readInt(name, value)
		case "id":
			c.ID, err = readText(name, value)
		case "name":
			c.Name, err = readText(name, value)
		case "arguments":
			c.Arguments = TextOrJSON(value)
		case "output":
			output = value
		case "output_bytes":
			c.OutputBytes, err = readInt(name, value)
		case "status":
			c.Status, err = readCallStatus(value)
		case "error":
			c.Error, err = readText(name, value)
		case "http_status":
			c.HTTPStatus, err = readInt(name, value)
		case "retries":
			c.Retries, err = readInt(name, value)
		case "offset_s":
			c.Offset = 0
			err = readJSON(name, "a number of seconds", value, &c.Offset)
		case "elapsed_s":
			c.Elapsed = 0
			err = readJSON(name, "a number of seconds", value, &c.Elapsed)
		}
		return err
	})
	if err == errSyntax {
		return c, fmt.Errorf("a call must be an object, not %s", excerpt(v))
	}
	if err != nil {
		return c, err
	}
	switch {
	case c.Status == "" && c.Error == "":
		c.Status = CallOK
	case c.Status == "":
		c.Status = CallError
	}
	return c, c.takeOutput(output, lean)
}

func (c *Call) takeOutput(v []byte, lean bool) error {
	if v == nil || isNull(v) {
		return nil
	}
	if v[0] != '"' {
		return fmt.Errorf("%q must be a string, not %s: write it in quotes", "output", excerpt(v))
	}
	if c.OutputBytes == 0 {
		c.OutputBytes = textLen(v)
	}
	if !lean {
		c.Output = unquote(v)
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
