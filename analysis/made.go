package analysis

import (
	"cmp"
	"maps"

	"gonogo/sampler/rollout"
)

// Made is what a run was made with, by key: what a night of a history keeps of
// its manifest. A run that came from elsewhere was made with nothing that is
// known. The seed is not part of it.
func Made(m *rollout.Manifest) map[string]string {
	made := make(map[string]string)
	if m == nil {
		return made
	}
	for _, key := range bindingKeys(m, m) {
		made[key] = m.Binding[key]
	}
	for _, split := range rollout.Splits() {
		if data := dataOf(m, split); !data.None() {
			made["data."+string(split)] = data.String()
		}
	}
	if m.Grader != nil {
		made["grader"] = m.Grader.String()
	}
	made["model.name"] = cmp.Or(m.Model, m.Binding["model.name"])
	made["tool_version"] = m.ToolVersion
	maps.DeleteFunc(made, func(_, value string) bool { return value == "" })
	return made
}

// MadeKind says what a key of Made belongs to: data, grader, job, model,
// tool_version or setting.
func MadeKind(key string) string {
	if key == "tool_version" {
		return key
	}
	return kindOfKey(key)
}
