package recipe

import (
	"encoding/json"
	"strings"
	"testing"

	"gonogo/sampler/rollout"
)

// sampled is a run whose requests had parameters, as JSON.
func sampled(parameters string) *rollout.Sampling {
	s := new(rollout.Sampling)
	if err := json.Unmarshal([]byte(parameters), &s.Sent); err != nil {
		panic(err)
	}
	return s
}

// Whatever was in force is in the plan, by the trainer's own names, or the plan says that it
// has no place there.
func TestThePlanHasAllParametersOfSampling(t *testing.T) {
	g := given
	g.Sampling = sampled(`{"temperature":0.7,"top_p":0.8,"top_k":0,"presence_penalty":0.5}`)
	g.Sampling.Server = map[string]json.RawMessage{"temperature": []byte("1"), "min_p": []byte("0.05"), "repeat_penalty": []byte("1.1")}
	for trainer, wants := range map[string][]string{
		"trl": {
			"\ntemperature: 0.7\n", "\ntop_p: 0.8\n", "\ntop_k: 0\n", "\nmin_p: 0.05\n", "\nrepetition_penalty: 1.1\n", "\ngeneration_kwargs:\n", "\n  presence_penalty: 0.5\n",
			"\n# the default that the server reports: what was measured holds for this value\nmin_p",
		},
		"verl": {
			"\n    temperature: 0.7\n", "\n    top_p: 0.8\n", "\n    top_k: -1\n", "\n      top_p: 0.8\n",
			"verl has no key for min_p 0.05, presence_penalty 0.5, repetition_penalty 1.1, which was in force",
		},
		"prime-rl": {
			"\n[orchestrator.train.sampling]\n", "\ntemperature = 0.7\n", "\n[orchestrator.train.sampling.extra_body]\n", "sends top_p 1 next to the top_p 0.8", "\ntop_p = 0.8\n", "\ntop_k = -1\n", "\nmin_p = 0.05\n", "\nrepetition_penalty = 1.1\n", "\npresence_penalty = 0.5\n",
		},
	} {
		text := written(t, trainer, measured(), g)
		for _, want := range wants {
			if !strings.Contains(text, want) && !strings.Contains(strings.ReplaceAll(text, "\n# ", " "), want) {
				t.Errorf("%s has no %q:\n%s", trainer, want, text)
			}
		}
	}
	delete(g.Sampling.Sent, "temperature")
	if text := written(t, "trl", measured(), g); !strings.Contains(text, "\ntemperature: 1\n") || !strings.Contains(text, "Only the server's default temperature was measured") {
		t.Errorf("nothing sent:\n%s", text)
	}
	g.Sampling = sampled(`{"temperature":0.7,"top_k":20}`)
	const untold = "Not sent: top_p, min_p. The server's defaults applied"
	if text := written(t, "trl", measured(), g); !strings.Contains(text, untold) {
		t.Errorf("the temperature alone was sent:\n%s", text)
	}
	g.Sampling.Sent["top_p"] = []byte("1")
	if text := written(t, "trl", measured(), g); strings.Contains(text, "Not sent") {
		t.Errorf("top_p was sent, too:\n%s", text)
	}
	for _, trainer := range []string{"trl", "verl", "prime-rl"} {
		if text := written(t, trainer, measured(), given); !strings.Contains(text, "No temperature was measured") || strings.Contains(text, "temperature:") {
			t.Errorf("%s, nothing known:\n%s", trainer, text)
		}
	}
}
