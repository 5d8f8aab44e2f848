package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gonogo/sampler/rollout"
)

// largeFile is how many rows make a subset worth proposing; firstItems is the
// subset proposed.
const (
	largeFile  = 500
	firstItems = 200
)

// inspect resolves what is set and looks for what else the files tell.
func (d *draft) inspect(dir string) error {
	essential := map[string]string{}
	for _, s := range d.set {
		essential[s.path] = s.yaml
	}
	body := nest(keys(), func(k key) (json.RawMessage, bool) {
		yaml, ok := essential[k.Path]
		if !ok {
			return nil, false
		}
		return k.yaml(yaml), true
	})
	c, err := decodeConfig("gonogo.yaml", dir, body, d.env)
	if err != nil {
		return err
	}
	if err := c.resolve(); err != nil {
		return err
	}
	d.config = c
	if c.Model.Name == "" {
		return usagef("the job names no model: say which base model is measured with --model NAME")
	}
	d.labels()
	d.fileIDs()
	for _, f := range d.files {
		if f.Rows > largeFile {
			d.note("items", "%s has %d rows: %d of them give a first answer at a fraction of the price", filepath.Base(f.Path), f.Rows, firstItems)
		}
	}
	return nil
}

func (d *draft) note(path, format string, args ...any) {
	d.notes[path] = append(d.notes[path], fmt.Sprintf(format, args...))
}

// fileIDs says which path stands for which of the job's file ids.
func (d *draft) fileIDs() {
	for _, f := range []struct{ key, id string }{
		{"data.train", d.config.Body.TrainingFile}, {"data.eval", d.config.Body.ValidationFile},
	} {
		if f.id == "" {
			continue
		}
		text := fmt.Sprintf("the job calls this file %s; whether that upload holds the same rows cannot be seen from here", f.id)
		if i := slices.IndexFunc(d.set, func(s setting) bool { return s.path == f.key }); i < 0 {
			text = fmt.Sprintf("the job names %s: give its path here, or it is not looked at", f.id)
		}
		d.note(f.key, "%s", text)
	}
}

// label is a row field that may name an item, its category or its family.
type label struct {
	path  string   // the key
	names []string // fields that often hold it, the default first
	fits  func(rows, distinct int) bool
}

var labels = []label{
	{
		"data.id",
		[]string{"id", "item_id", "task_id", "question_id", "example_id", "sample_id", "uid", "uuid", "key"},
		func(rows, distinct int) bool { return distinct == rows },
	},
	{
		"data.category",
		[]string{"category", "type", "topic", "domain", "kind", "difficulty", "subject", "skill"},
		func(rows, distinct int) bool { return distinct > 1 && distinct <= max(20, rows/10) },
	},
	{
		"data.family",
		[]string{"family", "document", "document_id", "doc_id", "source", "repository", "repo", "company", "patient", "project", "url"},
		func(rows, distinct int) bool { return distinct > 1 && distinct < rows },
	},
}

// labels finds fields for data.id, data.category and data.family where the
// default names are absent.
func (d *draft) labels() {
	for _, l := range labels {
		found := ""
		for _, name := range l.names {
			if d.holds(name, l.fits) {
				found = name
				break
			}
		}
		switch {
		case found == "":
			d.note(l.path, "no row field was found for it")
		case found == l.names[0]:
			d.note(l.path, "the rows have it")
		default:
			d.note(l.path, "found in the rows")
			d.set = append(d.set, setting{l.path, quoteYAML(found)})
		}
	}
}

// holds reports whether every row of every file has the field as text or a
// number, and its values fit.
func (d *draft) holds(name string, fits func(rows, distinct int) bool) bool {
	for _, f := range d.files {
		distinct := map[string]bool{}
		for _, it := range f.Items {
			value, ok := scalarField(it, name)
			if !ok {
				return false
			}
			distinct[value] = true
		}
		if !fits(len(f.Items), len(distinct)) {
			return false
		}
	}
	return true
}

func scalarField(it rollout.Item, name string) (string, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(it.Row, &fields) != nil {
		return "", false
	}
	raw := strings.TrimSpace(string(fields[name]))
	if raw == "" || raw == "null" || raw[0] == '{' || raw[0] == '[' {
		return "", false
	}
	return rollout.TextOrJSON(fields[name]), true
}
