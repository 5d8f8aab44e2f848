package table

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gonogo/analysis/collect"
	"gonogo/report/plain"
	"gonogo/sampler/rollout"
)

// Rollouts reads the rollouts of a run, as collect.Rollouts does, as
// often as it is called.
type Rollouts func(yield func(collect.Counted) error) (rollout.Input, error)

// ErrNoRollouts means that a format needs the rollouts themselves, and the page
// was made without Options.Rollouts.
var ErrNoRollouts = errors.New("the rollouts are not available: this needs the run directory with its " +
	rollout.RolloutsFile)

// mostParts is how many sub-scores have a column of their own.
const mostParts = 64

// Survey is what has to be known of all rollouts before the first is written.
type Survey struct {
	read  Rollouts
	rows  int
	Parts []string     // sub-scores with a column of their own, by name
	rest  bool         // there are more, which share one column
	dead  map[int]bool // lines that a later one replaces
}

// NewSurvey reads all rollouts once, and shows each to see. It returns
// ErrNoRollouts where read is nil.
func NewSurvey(read Rollouts, see func(collect.Counted)) (*Survey, error) {
	if read == nil {
		return nil, ErrNoRollouts
	}
	s := &Survey{read: read, dead: make(map[int]bool)}
	count := make(map[string]int)
	seen := 0
	_, err := s.read(func(r collect.Counted) error {
		seen++
		if r.Replaces > 0 {
			s.dead[r.Replaces] = true
		}
		for name := range r.Parts {
			count[name]++
		}
		see(r)
		return nil
	})
	if err != nil && !errors.Is(err, rollout.ErrNoRecords) {
		return nil, err
	}
	s.rows = seen - len(s.dead)
	for name := range count {
		s.Parts = append(s.Parts, name)
	}
	slices.SortFunc(s.Parts,
		func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b)) })
	if s.rest = len(s.Parts) > mostParts; s.rest {
		s.Parts = s.Parts[:mostParts]
	}
	slices.Sort(s.Parts)
	return s, nil
}

// ErrGrown means that a run was written to between two readings of it.
var ErrGrown = errors.New("the run was written to while it was read: write the report again")

// each yields every rollout once: the attempt that counts.
func (s *Survey) each(yield func(collect.Counted) error) error {
	rows := 0
	_, err := s.read(func(r collect.Counted) error {
		if s.dead[r.At] {
			return nil
		}
		if rows++; rows > s.rows {
			return ErrGrown
		}
		return yield(r)
	})
	switch {
	case err != nil && !errors.Is(err, rollout.ErrNoRecords):
		return err
	case rows != s.rows:
		return ErrGrown
	}
	return nil
}

// RolloutColumns are the columns of rollouts.csv and rollouts.parquet: the fixed ones,
// with a column for each sub-score in the middle, and one for the rest of them.
func RolloutColumns(parts []string, rest bool) []Column[collect.Counted] {
	all := rolloutColumns()
	at := slices.IndexFunc(all, func(c Column[collect.Counted]) bool { return c.Name == partsBefore })
	return slices.Concat(all[:at], partColumns(parts, rest), all[at:])
}

// partsBefore is the column that follows the sub-scores.
const partsBefore = "turns"

// partColumns are a column for each sub-score, and one for those past the limit. Names
// that look the same when written out are numbered.
func partColumns(parts []string, rest bool) []Column[collect.Counted] {
	var list []Column[collect.Counted]
	taken := make(map[string]bool)
	own := make(map[string]bool)
	for _, part := range parts {
		own[part] = true
		// a comma ends a name in the schema of a Parquet file
		name := "parts." + strings.ReplaceAll(plain.ID(part), ",", ";")
		for i, plain := 2, name; taken[name]; i++ {
			name = fmt.Sprintf("%s (%d)", plain, i)
		}
		taken[name] = true
		list = append(list, Column[collect.Counted]{
			name, numberCells, "the sub-score " + plain.ID(part),
			func(r collect.Counted) any {
				if x, ok := r.Parts[part]; ok {
					return known(&x)
				}
				return nil
			},
		})
	}
	if rest {
		list = append(list, Column[collect.Counted]{
			"more_parts", textCells, "the other sub-scores, as JSON",
			func(r collect.Counted) any { return moreParts(r, own) },
		})
	}
	return list
}

// moreParts are the sub-scores without a column of their own.
func moreParts(r collect.Counted, own map[string]bool) any {
	rest := make(map[string]any)
	for name, x := range r.Parts {
		if !own[name] {
			rest[name] = known(&x)
		}
	}
	if len(rest) == 0 {
		return nil
	}
	b, err := json.Marshal(rest)
	if err != nil {
		return nil // no map of texts and finite numbers fails
	}
	return string(b)
}

// WriteCSV writes rollouts.csv.
func (s *Survey) WriteCSV(w io.Writer) error {
	if err := writeCSV(w, RolloutColumns(s.Parts, s.rest), s.each); err != nil {
		return fmt.Errorf("write rollouts.csv: %w", err)
	}
	return nil
}

// observed reports whether the record has turns and calls.
func observed(r collect.Counted) bool { return r.Turns > 0 || len(r.Calls) > 0 }

// calls counts the tool calls of some status; nil if the record has none.
func calls(status ...rollout.CallStatus) func(collect.Counted) any {
	return func(r collect.Counted) any {
		if !observed(r) {
			return nil
		}
		n := int64(0)
		for i := range r.Calls {
			if len(status) == 0 || slices.Contains(status, r.Calls[i].Status) {
				n++
			}
		}
		return n
	}
}

// seconds is a span, or nil if it is not known.
func seconds(s rollout.Seconds) any {
	if s <= 0 {
		return nil
	}
	return time.Duration(s).Seconds()
}

// moment is a time to the microsecond, as both formats have it; nil for none.
func moment(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.Truncate(time.Microsecond)
}

// length is the number of characters of an answer; nil if there is none.
func length(answer string) any {
	if answer == "" {
		return nil
	}
	return int64(utf8.RuneCountInString(answer))
}

// longestCause is how many characters of a cause a cell holds.
const longestCause = 300
