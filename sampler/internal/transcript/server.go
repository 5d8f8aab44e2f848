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

// String returns the model's name followed by the fingerprint, "" if the reply has neither. The
// fingerprint is one word that begins with fp_, as OpenAI, Azure and Groq write it: llama.cpp, TGI and
// mlx-lm write their version.
func (s Server) String() string {
	mark := strings.Join(strings.Fields(jsontext.TextOrJSON(s.Fingerprint)), "_")
	if mark != "" && !strings.HasPrefix(mark, "fp_") {
		mark = "fp_" + mark
	}
	name := strings.TrimSpace(jsontext.TextOrJSON(s.Model) + " " + mark)
	return strings.ToValidUTF8(name[:min(len(name), mostServer)], "")
}
