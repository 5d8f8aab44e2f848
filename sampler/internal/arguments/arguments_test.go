package arguments

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// made returns arguments for a schema as text.
func made(t testing.TB, schema string, words []string, rng *rand.Rand) string {
	t.Helper()
	var parsed map[string]any
	if err := json.Unmarshal([]byte(schema), &parsed); err != nil {
		t.Fatal(err)
	}
	return Make(parsed, words, rng)
}

// What is made for a schema is valid by it, by a validator that knows nothing
// of how it was made.
func TestMadeArgumentsAreValid(t *testing.T) {
	for _, schema := range []string{
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":["null","integer"],"minimum":-3,"maximum":-1}},"required":["a","b"]}`,
		`{"type":"object","properties":{"a":{"enum":["x",3,null]},"b":{"const":{"c":[1]}},"c":{"type":"boolean"}},"required":["a","b","c"],"additionalProperties":false}`,
		`{"type":"object","properties":{"list":{"type":"array","minItems":2,"maxItems":4,"items":{"type":"object","properties":{"n":{"type":"number","exclusiveMinimum":0,"maximum":0.5}},"required":["n"]}}},"required":["list"]}`,
		`{"type":"object","properties":{"n":{"type":"integer","multipleOf":5,"minimum":7,"maximum":40},"m":{"type":"integer","exclusiveMinimum":3,"exclusiveMaximum":5}},"required":["n","m"]}`,
		`{"type":"object","properties":{"s":{"type":"string","minLength":30,"maxLength":31},"e":{"type":"string","maxLength":0},"d":{"type":"string","format":"date"}},"required":["s","e","d"]}`,
		`{"properties":{"u":{"anyOf":[{"type":"string"},{"type":"null"}]},"v":{"examples":["AR-0001"],"type":"string"},"w":{"properties":{"x":{"items":{"type":"integer"}}}}}}`,
		`{"type":"object"}`,
		`{}`,
	} {
		parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("s.json", parsed); err != nil {
			t.Fatal(err)
		}
		compiled, err := c.Compile("s.json")
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(50) {
			args := made(t, schema, []string{"one", "two", "three"}, rand.New(rand.NewPCG(seed, 0)))
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(args))
			if err == nil {
				err = compiled.Validate(value)
			}
			if err != nil {
				t.Fatalf("%s\nis given %s: %v", schema, args, err)
			}
		}
	}
}

// Sizes that no int holds made a negative number of list elements to draw from: a
// panic.
func TestSizesBeyondAllMeasureMakeArguments(t *testing.T) {
	for _, schema := range []string{
		`{"type":"object","properties":{"l":{"type":"array","minItems":1e300,"items":{"type":"null"}}},"required":["l"]}`,
		`{"type":"object","properties":{"l":{"type":"array","maxItems":1e300,"items":{"type":"null"}}},"required":["l"]}`,
		`{"type":"object","properties":{"l":{"type":"string","minLength":1e300}},"required":["l"]}`,
		`{"type":"object","properties":{"l":{"type":"string","minLength":1,"maxLength":1e300}},"required":["l"]}`,
	} {
		var value struct{ L any }
		args := made(t, schema, []string{"one"}, rand.New(rand.NewPCG(1, 0)))
		if err := json.Unmarshal([]byte(args), &value); err != nil || value.L == nil || value.L == "" {
			t.Errorf("%s is given %.80s: %v", schema, args, err)
		}
	}
}
