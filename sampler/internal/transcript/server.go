package transcript

import (
	"encoding/json"
	"strings"

	"gonogo/sampler/jsontext"
)

// Server is the server that replied, according to a reply in either wire format. It is meant to be
// embedded: a value that is not a string never invalidates the reply.
type Server struct {
	Model       json.RawMessage `json:"model"`
	Fingerprint json.RawMessage `json:"system_fingerprint"`
}

// mostServer is the largest size of a name, in bytes: it is recorded with every rollout.
const mostServer = 200

// String returns the model's name followed by the fingerprint, "" if the reply has neither.
func (s Server) String() string {
	name := strings.TrimSpace(jsontext.TextOrJSON(s.Model) + " " + jsontext.TextOrJSON(s.Fingerprint))
	return strings.ToValidUTF8(name[:min(len(name), mostServer)], "")
}
