package grader

import (
	"encoding/json"
	"testing"
)

func TestTheRangeThatADefinitionImplies(t *testing.T) {
	const exact, judged = `{"type":"string_check"}`, `{"type":"score_model","range":[0,10]}`
	multi := func(formula string) string {
		return `{"type":"multi","graders":{"a":` + exact + `,"b":` + judged + `},"calculate_output":"` + formula + `"}`
	}
	for _, c := range []struct {
		why, raw     string
		lo, hi       float64
		declared, ok bool
	}{
		{"a judge's own range", judged, 0, 10, true, true},
		{"a judge without one", `{"type":"score_model"}`, 0, 0, false, false},
		{"a judge's range the wrong way round", `{"type":"score_model","range":[1,0]}`, 0, 0, false, false},
		{"a check says nothing", exact, 0, 0, false, false},
		{"the weights of functions", `{"type":"trl","functions":["right","form"],"weights":[1,0.2]}`, 0, 1.2, false, true},
		{"a penalty", `{"type":"verifiers","functions":["right","long"],"weights":[1,-0.5]}`, -0.5, 1, false, true},
		{"the weights of ms-swift's", `{"type":"ms_swift","functions":["right","long"],"weights":[1,-0.5]}`, -0.5, 1, false, true},
		{"functions without weights may give anything", `{"type":"trl","functions":["right","form"]}`, 0, 0, false, false},
		{"a sum", multi("a + b"), 0, 11, false, true},
		{"a mean of both scales", multi("(a + b/10) / 2"), 0, 1, false, true},
		{"a difference", multi("a - 0.1*b"), -1, 1, false, true},
		{"one that has no value at an end", multi("a / b"), 0, 0, false, false},
		{"a constant", multi("3"), 0, 0, false, false},
		{"a formula with a mistake", multi("a +"), 0, 0, false, false},
		{"not a definition", `[`, 0, 0, false, false},
	} {
		lo, hi, declared, ok := RangeOf(json.RawMessage(c.raw))
		if ok != c.ok || ok && (lo != c.lo || hi != c.hi || declared != c.declared) {
			t.Errorf("%s: %g to %g, %v, %v", c.why, lo, hi, declared, ok)
		}
	}
}
