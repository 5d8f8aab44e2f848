package job

import (
	"encoding/json"

	"gonogo/sampler/jsontext"
)

// Source is the origin of a job or a grader in a configuration: a path, or the body itself.
type Source struct {
	Path string
	Body json.RawMessage
}

// MarshalJSON encodes the path, or the body as it was read.
func (s Source) MarshalJSON() ([]byte, error) {
	if s.Path != "" || s.Body == nil {
		return json.Marshal(s.Path)
	}
	return s.Body, nil
}

// UnmarshalJSON decodes a string as a path, and anything else as the body.
func (s *Source) UnmarshalJSON(text []byte) error {
	*s = Source{}
	if text[0] == '"' {
		return jsontext.Unmarshal(text, &s.Path)
	}
	s.Body = append(s.Body, text...)
	return nil
}

// Named reports whether there is a source at all.
func (s Source) Named() bool { return s.Path != "" || s.Body != nil }
