package rollout

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Sampling says which parameters the model's replies were drawn with.
type Sampling struct {
	Sent   map[string]json.RawMessage `json:"sent,omitempty"`   // parameters of each request
	Server map[string]json.RawMessage `json:"server,omitempty"` // the server's defaults, as far as it reports them
	// size of the server's context in tokens, prompt and answer together; 0 is unknown
	Context int `json:"context,omitempty"`
}

// InForce returns the parameters that replies were drawn with: those that were sent, and the
// server's defaults for the others.
func (s *Sampling) InForce() map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	if s != nil {
		maps.Copy(all, s.Server)
		maps.Copy(all, s.Sent)
	}
	return all
}

// Added returns the server's defaults that no sent parameter replaced.
func (s *Sampling) Added() map[string]json.RawMessage {
	added := maps.Clone(s.Server)
	maps.DeleteFunc(added, func(name string, _ json.RawMessage) bool { return s.Sent[name] != nil })
	return added
}

// Known reports whether the temperature is known, on which everything else depends.
func (s *Sampling) Known() bool { return s.InForce()["temperature"] != nil }

// Untold names the usual parameters for which the server may have used unreported defaults, if the
// temperature was sent and top_p was not. A server that reports some of its defaults omits those
// that change nothing.
func (s *Sampling) Untold() []string {
	if s == nil || s.Sent["temperature"] == nil || s.Sent["top_p"] != nil || len(s.Server) > 0 {
		return nil
	}
	return slices.DeleteFunc([]string{"top_p", "top_k", "min_p"}, func(name string) bool { return s.Sent[name] != nil })
}

// ParameterText writes parameters as "temperature 0.7, top_p 0.8", by name.
func ParameterText(parameters map[string]json.RawMessage) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		parts = append(parts, name+" "+string(parameters[name]))
	}
	return strings.Join(parts, ", ")
}
