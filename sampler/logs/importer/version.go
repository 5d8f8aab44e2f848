package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// versions finds out whether the rows of one item name several versions of the policy, as whole
// numbers under one of versionKeys. If so, each version is a step. Rows that name a step do not
// need versions.
type versions struct {
	key     string
	first   map[string]int
	several bool
}

// errNoVersions ends the search.
var errNoVersions = errors.New("rows have steps of their own, or versions that are not whole numbers")

// versionKey returns the key of a row that may name the version of the policy.
func versionKey(keys []string) string {
	for _, name := range versionKeys {
		if i := slices.IndexFunc(keys, func(key string) bool { return plain(key) == name }); i >= 0 {
			return keys[i]
		}
	}
	return ""
}

// add records a row's item, step and version.
func (v *versions) add(item string, step, version cell) error {
	n, ok, err := whole(version)
	if named, _, stepErr := whole(step); stepErr == nil && named > 0 || err != nil || n < 0 || n > math.MaxInt32 {
		return errNoVersions
	}
	if was, known := v.first[item]; known && ok {
		v.several = v.several || was != int(n)
	} else if ok {
		v.first[item] = int(n)
	}
	return nil
}

// found returns the key if its values are steps.
func (v *versions) found() string {
	if !v.several {
		return ""
	}
	return v.key
}

// lineVersions looks through plain lines for the key of versions.
func lineVersions(ctx context.Context, files []File, opt rollout.ReadOptions) string {
	head, err := readHead(files[0])
	if err != nil {
		return "" // reading the file reports it
	}
	v := versions{key: versionKey(slices.Sorted(maps.Keys(head.keys))), first: make(map[string]int)}
	if v.key == "" {
		return ""
	}
	opt.Lean, opt.OnConflict = true, rollout.First
	for _, f := range files {
		rd, err := f.Open()
		if err != nil {
			return ""
		}
		_, err = rollout.Read(ctx, f.Name, rd, opt, func(r *rollout.Record) error {
			return v.add(string(r.Split)+"\x00"+r.Item, cell{none: r.Step == 0, text: "1"}, rawCell(r.Extra[v.key]))
		})
		rd.Close()
		if err != nil {
			return "" // the file is broken, which reading it reports, or there are no versions
		}
	}
	return v.found()
}

// versionOf returns the step of a plain line under a key.
func versionOf(r *rollout.Record, key string) int {
	n, _, _ := whole(rawCell(r.Extra[key]))
	return int(n)
}

// rawCell returns a value of a plain line as a cell of a table.
func rawCell(v json.RawMessage) cell {
	if len(v) == 0 || isNone(v) {
		return cell{none: true}
	}
	return cell{text: jsontext.TextOrJSON(v)}
}

// tableVersions looks through tables for the column of versions.
func tableVersions(ctx context.Context, files []File, open opener, mapped map[string]string) string {
	item := cmp.Or(mapped["item"], "item")
	v := versions{first: make(map[string]int)}
	for _, f := range files {
		t, err := open(f, mapped)
		if err != nil || t.native || mapped["step"] != "" {
			return ""
		}
		columns := t.columns
		if columns == nil {
			columns = t.first
		}
		if columns == nil {
			head, err := readHead(f)
			if err != nil {
				return ""
			}
			columns = slices.Sorted(maps.Keys(head.keys))
		}
		if v.key == "" {
			v.key = versionKey(columns)
		}
		if v.key == "" || v.key == item || slices.Contains(columns, "step") || t.lists[v.key] ||
			!slices.Contains(columns, v.key) {
			return ""
		}
		err = t.rows(ctx, Sink{}, []string{item, v.key}, func(_ int, cells []cell) error {
			return v.add(cells[0].text, cell{none: true}, cells[1])
		})
		if err != nil {
			return ""
		}
	}
	return v.found()
}
