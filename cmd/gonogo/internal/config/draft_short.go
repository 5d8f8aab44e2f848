package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/ui"
)

// decisions are the keys that a user settles before a first run, each with what to
// know of it.
var decisions = []struct{ path, about string }{
	{"job", "the job whose tools and grader are measured"},
	{"items", "rows of each split to sample; 0 is all"},
	{"reward_range", "bottom and top of the rewards that the grader can give"},
	{"data.train", "the training rows"},
	{"data.eval", "the validation rows"},
	{"model.name", "the base model, as its server calls it"},
	{"model.base_url", "where it answers: any OpenAI-compatible server"},
	{"sampling.samples", "rollouts per item; may be raised later"},
	{"sampling.max_usd", "stop a call after this many US dollars; 0 is no cap"},
	{"training.group_size", "rollouts of an item that the trainer compares"},
}

// Short writes the draft with the keys that a user has to decide on, and with what
// was found in the files: at most 40 lines.
func (d *draft) Short() []byte {
	var b bytes.Buffer
	b.WriteString(`# gonogo.yaml: what "gonogo run" measures. Written by "gonogo init".
# Every other key has a default: "gonogo help config" explains them all, and
# "gonogo init --full" writes them. Lines that are commented out show the default or
# an example. Paths start from this file's folder. Secrets: ${NAME} in headers.

`)
	group := ""
	for _, k := range Keys() {
		i := slices.IndexFunc(decisions, func(x struct{ path, about string }) bool { return x.path == k.Path })
		set := slices.IndexFunc(d.set, func(s setting) bool { return s.path == k.Path })
		if i < 0 && set < 0 {
			continue
		}
		prefix, leaf, grouped := strings.Cut(k.Path, ".")
		indent := "  "
		if !grouped {
			prefix, leaf, indent = "", prefix, ""
		}
		if prefix != group {
			fmt.Fprintf(&b, "\n%s:\n", prefix)
			group = prefix
		}
		about := strings.Join(d.notes[k.Path], "; ")
		if i >= 0 {
			for _, note := range d.notes[k.Path] {
				b.WriteString(ui.Wrap(note, indent+"# ", 90))
			}
			about = decisions[i].about
		}
		line := fmt.Sprintf("%s# %s: %s", indent, leaf, d.shown(k))
		if set >= 0 {
			line = fmt.Sprintf("%s%s: %s", indent, leaf, d.set[set].yaml)
		}
		if about != "" {
			line += "  # " + about
		}
		b.WriteString(line + "\n")
	}
	return b.Bytes()
}
