package grader

import (
	"context"
	"encoding/json"
	"fmt"

	"gonogo/sampler"
	"gonogo/sampler/boundary/grader/internal/metric"
	"gonogo/sampler/boundary/python"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/jsontext"
)

// nltkMeteor computes METEOR by nltk, with the synonyms of WordNet, if the interpreter has both.
type nltkMeteor struct {
	pool     *python.Pool
	function *python.Function
	lacking  string // why nltk cannot compute it; "" before start, and if it can
}

// meteorSource takes the words of both texts, split as for the other metrics. A query at load time
// finds out whether WordNet is installed. A worker may have no access to its user's home, so data
// there does not count.
const meteorSource = `import sys

from nltk.corpus import wordnet
from nltk.translate.meteor_score import meteor_score

try:
    wordnet.synsets("company")
except LookupError:
    where = sys.prefix + "/nltk_data or /usr/share/nltk_data"
    raise RuntimeError("nltk does not find its corpora wordnet and omw-1.4: put them into " + where) from None


def meteor(input, reference):
    return float(meteor_score([reference], input))
`

// start loads the function. A failure to load it is not an error: the approximation takes over.
func (m *nltkMeteor) start(ctx context.Context) error {
	f, err := m.pool.Load(ctx, "nltk's METEOR", meteorSource, "meteor", 2)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		m.lacking = endpoint.Brief(err.Error())
	}
	m.function = f
	return nil
}

// score compares two texts.
func (m *nltkMeteor) score(ctx context.Context, by *endpoint.Caller, input, reference string) (float64, error) {
	var args [2]json.RawMessage
	for i, text := range []string{input, reference} {
		words := metric.MeteorWords(text)
		if len(words) == 0 {
			return 0, nil
		}
		b, err := json.Marshal(words)
		if err != nil {
			return 0, fmt.Errorf("write the words of a text: %w", err)
		}
		args[i] = b
	}
	raw, err := m.function.Call(ctx, by, args[:]...)
	if err != nil {
		return 0, err
	}
	var score float64
	if err := jsontext.Unmarshal(raw, &score); err != nil {
		return 0,
			&sampler.GradeError{
				Kind: sampler.KindNotANumber,
				Err:  fmt.Errorf("nltk's METEOR returned %s, not a number", endpoint.Brief(string(raw))),
			}
	}
	return min(max(score, 0), 1), nil
}
