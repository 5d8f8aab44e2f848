package importer

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// cancelled reports whether the error is a cancellation: Inspect cancels the samples in flight when
// another sample fails.
func (e *inspectError) cancelled() bool {
	if e == nil {
		return false
	}
	lines := strings.Split(strings.TrimSpace(e.Traceback), "\n")
	return strings.HasPrefix(e.Message, "CancelledError(") || strings.Contains(lines[len(lines)-1], "CancelledError")
}

// evaluationsOf groups logs by evaluation, each group in the order in which its logs were created.
// A log that names no evaluation is a group of its own.
func evaluationsOf(logs []*inspectLog) (groups [][]*inspectLog) {
	byID := make(map[string]int)
	for _, log := range logs {
		id := log.header.Eval.TaskID
		i, ok := byID[id]
		if !ok || id == "" {
			i = len(groups)
			byID[id], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], log)
	}
	for _, group := range groups {
		slices.SortStableFunc(group,
			func(a, b *inspectLog) int { return cmp.Compare(a.header.Eval.Created, b.header.Eval.Created) })
	}
	return groups
}

// settle finds the last attempt at each sample in the logs of one evaluation. A cancelled attempt
// counts only if there is no other. A sample that a retry copied is the same attempt.
func (r *inspectReader) settle(ctx context.Context, logs []*inspectLog) error {
	if len(logs) < 2 {
		return nil
	}
	type try struct {
		log       *inspectLog
		uuid      string
		cancelled bool
	}
	type attempt struct {
		name  string
		UUID  string        `json:"uuid"`
		Error *inspectError `json:"error"`
		err   error
	}
	best := make(map[string]try)
	for _, log := range logs {
		log.last = make(map[string]bool)
		err := eachSample(ctx, log, func(text []byte) (s attempt) {
			err := decodeInto(text, &s)
			if s.name, s.err = inspectName(text); s.err == nil {
				s.err = err
			}
			return s
		}, func(_ string, _ []byte, s attempt) error {
			if s.err != nil {
				return s.err
			}
			name := s.name
			now := try{log, s.UUID, s.Error.cancelled()}
			was, seen := best[name]
			switch {
			case seen && now.cancelled:
				return nil
			case seen && was.uuid != "" && was.uuid == now.uuid:
				r.copies++
			case seen && !was.cancelled:
				r.replaced++
			}
			best[name] = now
			return nil
		})
		if err != nil {
			return err
		}
	}
	for name, t := range best {
		t.log.last[name] = true
	}
	return nil
}

// planned returns how many samples the evaluation planned; 0 if its log does not say.
func (h *inspectHeader) planned() int {
	samples, epochs := len(h.Eval.Dataset.IDs), 1
	if n := h.Eval.Dataset.Samples; samples == 0 && n != nil && isNone(h.Eval.Config.Limit) {
		samples = *n
	}
	if n := h.Eval.Config.Epochs; n != nil {
		epochs = *n
	}
	return samples * epochs
}
