package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// longestObject is the size of the longest file that is read as one object, in bytes.
const longestObject = 256 << 20

// readValue reads a file that holds one JSON value; NaN and Infinity are read as null.
func readValue(f File) ([]byte, error) {
	rd, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	var size int64
	if info, err := rd.Stat(); err == nil {
		size = info.Size()
	}
	read := bytes.NewBuffer(make([]byte, 0, min(size, longestObject)+bytes.MinRead))
	_, err = read.ReadFrom(io.LimitReader(rd, longestObject+1))
	text := read.Bytes()
	if err == nil && (bytes.Contains(text, []byte("NaN")) || bytes.Contains(text, []byte("Infinity"))) {
		text, err = io.ReadAll(io.LimitReader(newConstants(bytes.NewReader(text)), longestObject+1))
	}
	switch {
	case err != nil:
		return nil, f.errorOf("read", err)
	case len(text) > longestObject:
		return nil, lineError(f, 1, "it is longer than %d MB", longestObject>>20)
	}
	return text, nil
}

// readObject reads a file that is one JSON object; see decodeInto. It returns ErrUnrecognized if
// the file is not an object or lacks one of the wanted keys.
func readObject(f File, into any, want ...string) error {
	text, err := readValue(f)
	if err != nil {
		return err
	}
	return decodeObject(f, text, into, want...)
}

// decodeObject is readObject for the text of a file.
func decodeObject(f File, text []byte, into any, want ...string) error {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\uFEFF")))
	if len(want) == 0 && decodeInto(text, into) == nil {
		return nil
	}
	has := make(map[string]bool)
	err := rollout.Members(text, func(key string, _ []byte) error {
		has[key] = true
		return nil
	})
	for _, key := range want {
		if !has[key] && (err == nil || len(has) == 0) {
			return fmt.Errorf("%w: it is not an object with %q", ErrUnrecognized, key)
		}
	}
	if err == nil {
		err = decodeInto(text, into)
	}
	if err == nil {
		return nil
	}
	line := 1
	if syntax, ok := errors.AsType[*json.SyntaxError](jsontext.Unmarshal(text, new(json.RawMessage))); ok {
		line += bytes.Count(text[:min(int64(len(text)), max(0, syntax.Offset))], []byte("\n"))
	}
	return lineError(f, line, "%w", err)
}
