package grader

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"gonogo/sampler"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/credential"
)

// Info describes a run's grader. raw is the definition that g was made from. The hash is the
// SHA-256 of the definition in canonical form: keys sorted, numbers in one spelling, no spaces.
// Credentials are left out, so a new API key does not make a new grader.
func Info(raw json.RawMessage, g sampler.Grader) rollout.GraderInfo {
	var info rollout.GraderInfo
	if d, ok := g.(Describer); ok {
		info = d.Info()
	}
	var head struct {
		Type string `json:"type"`
		Name string `json:"name"`
	}
	_ = jsontext.Unmarshal(raw, &head) // cannot fail: g was made from raw
	info.Kind, info.Name, info.Hash = head.Type, head.Name, hash(raw)
	info.GroupSize = GroupSize(g)
	return info
}

// hash returns the SHA-256 of a definition, in hexadecimal.
func hash(raw json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	canonical := []byte(raw)
	if dec.Decode(&v) == nil {
		if b, err := json.Marshal(plain("", v)); err == nil {
			canonical = b
		}
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}

// plain returns the value of key without credentials, with numbers in their shortest spelling.
func plain(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, value := range v {
			if _, text := value.(string); text && (key == "headers" || credential.InName(k)) {
				value = nil
			}
			out[k] = plain(k, value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plain(key, v[i])
		}
		return out
	case string:
		if key == "url" {
			return credential.BareURL(v)
		}
	case json.Number:
		if f, err := v.Float64(); err == nil && strings.ContainsAny(v.String(), ".eE") {
			return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
		}
	}
	return v
}
