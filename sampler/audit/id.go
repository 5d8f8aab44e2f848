package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gonogo/sampler/rollout"
)

// ID names one payload of a run: PROBE/SPLIT/ITEM/SAMPLE. The id of an item may contain slashes,
// the name of a probe only after "detector". For a payload about a step other than the base
// model's, Item is ITEM/step-N (see rollout.Key.ItemName).
type ID struct {
	Probe  string
	Split  rollout.Split
	Item   string
	Sample int
}

// idOf returns the ID of a record of probes.jsonl.
func idOf(r *rollout.Record) ID {
	id := ID{Split: r.Split, Item: r.Key().ItemName(), Sample: r.Sample}
	if r.Probe != nil {
		id.Probe = r.Probe.Name
	}
	return id
}

// String returns the text that ParseID reads.
func (id ID) String() string {
	return fmt.Sprintf("%s/%s/%s/%d", id.Probe, id.Split, id.Item, id.Sample)
}

// ParseID reads PROBE/SPLIT/ITEM/SAMPLE.
func ParseID(s string) (ID, error) {
	var id ID
	rest := s
	if after, ok := strings.CutPrefix(s, rollout.ProbeDetector); ok {
		name, tail, _ := strings.Cut(after, "/")
		id.Probe, rest = rollout.ProbeDetector+name, tail
	} else {
		id.Probe, rest, _ = strings.Cut(s, "/")
	}
	split, rest, _ := strings.Cut(rest, "/")
	last := strings.LastIndex(rest, "/")
	if id.Probe == "" || last < 1 {
		return ID{}, fmt.Errorf("%q is not a name of a payload: it is PROBE/SPLIT/ITEM/SAMPLE, such as "+
			"number_off/train/q17/0", s)
	}
	id.Split, id.Item = rollout.Split(split), rest[:last]
	if !slices.Contains(rollout.Splits(), id.Split) {
		return ID{},
			fmt.Errorf("%q is not a name of a payload: %q is not one of the splits train, eval and production", s,
				split)
	}
	sample, err := strconv.Atoi(rest[last+1:])
	if err != nil || sample < 0 {
		return ID{}, fmt.Errorf("%q is not a name of a payload: it must end with a number, which %q is not", s,
			rest[last+1:])
	}
	id.Sample = sample
	return id, nil
}
