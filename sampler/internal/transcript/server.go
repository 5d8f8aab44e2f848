package transcript

import (
	"encoding/json"
	"strings"

	"gonogo/sampler/jsontext"
)

// Server is what an answer of either wire format says replied. It is to be embedded:
// a value of another type than a text never invalidates the answer.
type Server struct {
	Model       json.RawMessage `json:"model"`
	Fingerprint json.RawMessage `json:"system_fingerprint"`
}

// mostServer bounds a name, in bytes: it is recorded with every rollout.
const mostServer = 200

// String returns the model's name with the fingerprint after it, "" where the answer
// names neither.
func (s Server) String() string {
	name := strings.TrimSpace(jsontext.TextOrJSON(s.Model) + " " + jsontext.TextOrJSON(s.Fingerprint))
	return strings.ToValidUTF8(name[:min(len(name), mostServer)], "")
}
