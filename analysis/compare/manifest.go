package compare

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// ManifestSettings returns the settings with which a run was made, by key, in the form that a history
// stores. Unset settings and the seed are not included.
func ManifestSettings(m *rollout.Manifest) map[string]string {
	settings := make(map[string]string)
	if m == nil {
		return settings
	}
	for _, key := range bindingKeys(m, m) {
		settings[key] = m.Binding[key]
	}
	for _, split := range rollout.Splits() {
		if data := dataOf(m, split); !data.IsEmpty() {
			settings["data."+string(split)] = data.String()
		}
	}
	if m.Grader != nil {
		settings["grader"] = m.Grader.String()
	}
	settings["model.name"] = cmp.Or(m.Model, m.Binding["model.name"])
	settings["tool_version"] = m.ToolVersion
	maps.Copy(settings, serverSettings(m))
	maps.DeleteFunc(settings, func(_, value string) bool { return value == "" })
	return settings
}

// SettingKind returns the category of a key of ManifestSettings: data, grader, job, model,
// tool_version or setting.
func SettingKind(key string) string {
	if key == "tool_version" {
		return key
	}
	return kindOfKey(key)
}

// RunDifference is one difference in how the two runs were made.
type RunDifference struct {
	// data, items, grader, job, model, setting, seed, samples, tool_version
	What      string       `json:"what"`
	Key       string       `json:"key"`           // such as data.eval or model.temperature
	Base      message.Text `json:"base,omitzero"` // absent: not set
	New       message.Text `json:"new,omitzero"`  // absent: not set
	Confounds bool         `json:"confounds"`     // it may explain a change of the reward instead of the model
	Note      message.Text `json:"note,omitzero"`
}

// Differences lists the differences in how two runs were made, according to their manifests; it is
// empty if either manifest is unknown.
func Differences(base, new *rollout.Manifest) []RunDifference {
	out := []RunDifference{}
	if base == nil || new == nil {
		return out
	}
	add := func(what, key string, b, n, note message.Text) {
		if b.String() != n.String() {
			confounds := what == "data" || what == "grader" || what == "job"
			out = append(out, RunDifference{What: what, Key: key, Base: b, New: n, Confounds: confounds, Note: note})
		}
	}
	for _, split := range rollout.Splits() {
		b, n := dataOf(base, split), dataOf(new, split)
		if !b.IsEmpty() && !n.IsEmpty() {
			add("data", "data."+string(split), b, n, sameConversation.Text())
		}
	}
	if base.Grader != nil && new.Grader != nil {
		add("grader", "grader", message.Verbatim(base.Grader.String()), message.Verbatim(new.Grader.String()),
			ofTheGrader.Text())
	}
	set := func(what, key, b, n string) { add(what, key, message.Verbatim(b), message.Verbatim(n), message.Text{}) }
	set("model", "model.name", base.Model, new.Model)
	for _, key := range bindingKeys(base, new) {
		set(kindOfKey(key), key, base.Binding[key], new.Binding[key])
	}
	if b, n := serverSettings(base), serverSettings(new); b != nil && n != nil {
		all := slices.Concat(slices.Collect(maps.Keys(b)), slices.Collect(maps.Keys(n)))
		slices.Sort(all)
		for _, key := range slices.Compact(all) {
			set("model", key, b[key], n[key])
		}
	}
	if base.Source == rollout.Live && new.Source == rollout.Live {
		set("seed", "seed", strconv.FormatUint(base.Seed, 10), strconv.FormatUint(new.Seed, 10))
	}
	set("tool_version", "tool_version", base.ToolVersion, new.ToolVersion)
	return out
}

// serverSettings returns the defaults of the model's server that were in force, by key; nil if it
// did not report them.
func serverSettings(m *rollout.Manifest) map[string]string {
	if m.Sampling == nil || m.Sampling.Server == nil {
		return nil
	}
	out := make(map[string]string)
	for name, value := range m.Sampling.Added() {
		out["model.server."+name] = string(value)
	}
	return out
}

// dataOf lists a split's data files with the hashes of their contents.
func dataOf(m *rollout.Manifest, split rollout.Split) message.Text {
	var files []message.Arg
	for _, d := range m.Data {
		if d.Split == split {
			files = append(files, message.Nested(dataFile.With(message.Args{
				"hash": message.Name(d.SHA256[:min(len(d.SHA256), 12)]), "file": message.Name(d.File),
				"rows": message.Count(d.Rows, "row"),
			})))
		}
	}
	if files == nil {
		return message.Text{}
	}
	return message.Of(message.List(files...))
}

// bindingKeys lists the keys of the runs' bindings that are nowhere else in the manifest. An imported
// run has no binding.
func bindingKeys(base, new *rollout.Manifest) []string {
	var keys []string
	if len(base.Binding) == 0 || len(new.Binding) == 0 {
		return nil
	}
	unjudged := withoutJudge(base) && withoutJudge(new)
	for _, m := range []*rollout.Manifest{base, new} {
		for key := range m.Binding {
			switch {
			case unjudged && strings.HasPrefix(key, "judge."): // defaults that follow the model's
			case key == "seed", key == "items_seed", key == "model.name" && base.Model != "" && new.Model != "":
			case strings.HasPrefix(key, "data.") && !dataOf(base, rollout.Split(key[5:])).IsEmpty() &&
				!dataOf(new, rollout.Split(key[5:])).IsEmpty():
			default:
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// withoutJudge reports whether the recorded configuration of a run has no model that grades or looks
// for hacks. It returns false if no configuration is recorded.
func withoutJudge(m *rollout.Manifest) bool {
	var config any
	return len(m.Config) > 0 && json.Unmarshal(m.Config, &config) == nil && !namesJudge(config)
}

// namesJudge reports whether a configuration holds a grader that asks a model, or the question of a
// detector to one.
func namesJudge(config any) bool {
	switch v := config.(type) {
	case map[string]any:
		question, _ := v["judge"].(string)
		return question != "" || v["type"] == "score_model" || v["type"] == "label_model" ||
			slices.ContainsFunc(slices.Collect(maps.Values(v)), namesJudge)
	case []any:
		return slices.ContainsFunc(v, namesJudge)
	}
	return false
}

func kindOfKey(key string) string {
	first, _, _ := strings.Cut(key, ".")
	switch first {
	case "data", "job", "model", "grader":
		return first
	case "reward_range", "pass_threshold":
		return "grader"
	}
	return "setting"
}

var (
	dataFile         = message.New("made.data_file", "{hash} ({file}, {rows})")
	sameConversation = message.New("made.same_conversation", "only items of the same id and conversation are compared")
	ofTheGrader      = message.New("made.of_the_grader", "the grader may be why the reward changed")
)
