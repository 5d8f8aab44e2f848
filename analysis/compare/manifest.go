package compare

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// ManifestSettings returns the settings a run was made with, by key: what a history
// keeps of its manifest. An imported run has none. The seed is not included.
func ManifestSettings(m *rollout.Manifest) map[string]string {
	made := make(map[string]string)
	if m == nil {
		return made
	}
	for _, key := range bindingKeys(m, m) {
		made[key] = m.Binding[key]
	}
	for _, split := range rollout.Splits() {
		if data := dataOf(m, split); !data.IsEmpty() {
			made["data."+string(split)] = data.String()
		}
	}
	if m.Grader != nil {
		made["grader"] = m.Grader.String()
	}
	made["model.name"] = cmp.Or(m.Model, m.Binding["model.name"])
	made["tool_version"] = m.ToolVersion
	maps.Copy(made, serverSettings(m))
	maps.DeleteFunc(made, func(_, value string) bool { return value == "" })
	return made
}

// SettingKind returns what a key of ManifestSettings belongs to: data, grader, job,
// model, tool_version or setting.
func SettingKind(key string) string {
	if key == "tool_version" {
		return key
	}
	return kindOfKey(key)
}

// RunDifference is one thing that the two runs were made with differently.
type RunDifference struct {
	// data, items, grader, job, model, setting, seed, samples, tool_version
	What      string       `json:"what"`
	Key       string       `json:"key"`           // such as data.eval or model.temperature
	Base      message.Text `json:"base,omitzero"` // absent: not set
	New       message.Text `json:"new,omitzero"`  // absent: not set
	Confounds bool         `json:"confounds"`     // a change of the reward may stem from it instead of from the model
	Note      message.Text `json:"note,omitzero"`
}

// Differences lists what two runs were made with differently, by their manifests;
// nothing where either is not known.
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

// serverSettings are the defaults of the model's server that were in force, by key; nil where
// it did not say them.
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

// dataOf names a split's data files by their contents.
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

// bindingKeys are the keys that a run is bound to and that are nowhere else in the
// manifest. A run that came from elsewhere is bound to nothing.
func bindingKeys(base, new *rollout.Manifest) []string {
	var keys []string
	if len(base.Binding) == 0 || len(new.Binding) == 0 {
		return nil
	}
	for _, m := range []*rollout.Manifest{base, new} {
		for key := range m.Binding {
			switch {
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
