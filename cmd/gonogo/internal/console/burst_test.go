package console

import (
	"testing"

	"gonogo/sampler/burst"
	"gonogo/sampler/limit"
)

func TestACapIsPassedOnlyByWhatIsKnown(t *testing.T) {
	known := burst.Use{Rollouts: 1, Turns: 2, Tokens: 1000, USD: 0.5, TokensKnown: true, Priced: true}
	for _, c := range []struct {
		b    limit.Bounds
		u    burst.Use
		want string
	}{
		{limit.Bounds{}, known, ""},
		{limit.Bounds{Rollouts: 9}, known, "10 rollouts of the agent, above sampling.max_rollouts of 9"},
		{limit.Bounds{Tokens: 9999}, known, "about 10 k tokens, above sampling.max_tokens of 9,999"},
		{limit.Bounds{Tokens: 9999}, burst.Use{Tokens: 1000}, ""},
		{limit.Bounds{USD: 4}, known, "about $5, above sampling.max_usd of $4"},
		{limit.Bounds{USD: 4}, burst.Use{USD: 0.5}, ""},
	} {
		if got := overCap(c.b, c.u, 10); got != c.want {
			t.Errorf("%+v: %q, want %q", c.b, got, c.want)
		}
	}
	if got, want := useText(known, 10), " with about 20 model turns and 10 k tokens"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
