package burst

import (
	"encoding/json"
	"math/rand/v2"
)

// Arguments is arguments for a schema as text.
func Arguments(schema json.RawMessage, words []string, rng *rand.Rand) string {
	var parsed map[string]any
	if err := json.Unmarshal(schema, &parsed); err != nil {
		panic(err)
	}
	return arguments(parsed, words, rng)
}
