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

// Rollouts reads the rollouts of a run, as collect.Rollouts does. It can be called several times.
type Rollouts func(yield func(collect.Counted) error) (rollout.Input, error)

// ErrNoRollouts means that a format needs the rollouts, but the report was made without
// Options.Rollouts.
var ErrNoRollouts = errors.New("the rollouts are not available: this needs the run directory with its " +
	rollout.RolloutsFile)

// mostParts is the maximum number of sub-scores with their own column.
const mostParts = 64

// Survey holds what must be known about all rollouts before the first one is written.
type Survey struct {
	read  Rollouts
	rows  int
	Parts []string     // sub-scores with their own column, sorted by name
	rest  bool         // there are further sub-scores, which share one column
	dead  map[int]bool // lines replaced by a later one
	kept  *keeper      // nil: the rollouts are read again for each table
}

// NewSurvey reads all rollouts once and passes each to see. With keep it keeps their rows, some 50
// bytes each, so that tables do not read the rollouts again. It returns ErrNoRollouts if read is
// nil.
func NewSurvey(read Rollouts, keep bool, see func(collect.Counted)) (*Survey, error) {
	if read == nil {
		return nil, ErrNoRollouts
	}
	s := &Survey{read: read, dead: make(map[int]bool)}
	if keep {
		s.kept = newKeeper()
	}
	if err := s.survey(see); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Survey) survey(see func(collect.Counted)) error {
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
		if s.kept != nil {
			s.kept.add(r)
		}
		see(r)
		return nil
	})
	if err != nil && !errors.Is(err, rollout.ErrNoRecords) {
		return err
	}
	if s.kept != nil {
		if s.kept.end(); s.kept.lost {
			s.kept = nil
		}
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
	return nil
}

// ErrGrown means that the run was written to between two reads.
var ErrGrown = errors.New("the run was written to while it was read: write the report again")

// each yields every rollout once, in the attempt that counts.
func (s *Survey) each(yield func(row) error) error {
	if s.kept != nil {
		return s.kept.each(func(line int, r row) error {
			if s.dead[line] {
				return nil
			}
			return yield(r)
		})
	}
	rows, columns := 0, rolloutColumns()
	_, err := s.read(func(r collect.Counted) error {
		if s.dead[r.At] {
			return nil
		}
		if rows++; rows > s.rows {
			return ErrGrown
		}
		return yield(rowOf(columns, r))
	})
	switch {
	case err != nil && !errors.Is(err, rollout.ErrNoRecords):
		return err
	case rows != s.rows:
		return ErrGrown
	}
	return nil
}

// RolloutColumns returns the columns of rollouts.csv and rollouts.parquet: the fixed ones, with a
// column for each sub-score in the middle, and one for the rest if there are more.
func RolloutColumns(parts []string, rest bool) []Column[collect.Counted] {
	all := rolloutColumns()
	index := slices.IndexFunc(all, func(c Column[collect.Counted]) bool { return c.Name == partsBefore })
	of := func(r collect.Counted) map[string]float64 { return r.Parts }
	return slices.Concat(all[:index], partColumns(parts, rest, of), all[index:])
}

// partsBefore is the column after the sub-scores.
const partsBefore = "turns"

// partColumns returns a column for each sub-score, and one for those beyond the limit. Names that
// look the same when displayed are numbered.
func partColumns[R any](parts []string, rest bool, of func(R) map[string]float64) []Column[R] {
	var list []Column[R]
	taken := make(map[string]bool)
	separate := make(map[string]bool)
	for _, part := range parts {
		separate[part] = true
		// a comma ends a name in the schema of a Parquet file
		name := "parts." + strings.ReplaceAll(plain.ID(part), ",", ";")
		for i, plain := 2, name; taken[name]; i++ {
			name = fmt.Sprintf("%s (%d)", plain, i)
		}
		taken[name] = true
		list = append(list, Column[R]{
			name, numberCells, "the sub-score " + plain.ID(part),
			func(r R) any {
				if x, ok := of(r)[part]; ok {
					return known(&x)
				}
				return nil
			},
		})
	}
	if rest {
		list = append(list, Column[R]{
			"more_parts", textCells, "the other sub-scores, as JSON",
			func(r R) any { return moreParts(of(r), separate) },
		})
	}
	return list
}

// moreParts returns the sub-scores without their own column.
func moreParts(parts map[string]float64, separate map[string]bool) any {
	rest := make(map[string]any)
	for name, x := range parts {
		if !separate[name] {
			rest[name] = known(&x)
		}
	}
	if len(rest) == 0 {
		return nil
	}
	b, err := json.Marshal(rest)
	if err != nil {
		return nil // never: a map of texts and finite numbers always marshals
	}
	return string(b)
}

// WriteCSV writes rollouts.csv.
func (s *Survey) WriteCSV(w io.Writer) error {
	if err := writeCSV(w, rowColumns(s.Parts, s.rest), s.each); err != nil {
		return fmt.Errorf("write rollouts.csv: %w", err)
	}
	return nil
}

// observed reports whether the record has turns or calls.
func observed(r collect.Counted) bool { return r.Turns > 0 || len(r.Calls) > 0 }

// calls counts the tool calls with one of the statuses, or all without any; nil if the record has
// no trace.
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

// seconds returns a duration in seconds, or nil if it is unknown.
func seconds(s rollout.Seconds) any {
	if s <= 0 {
		return nil
	}
	return time.Duration(s).Seconds()
}

// moment returns a time to the microsecond, the precision of both formats; nil for the zero time.
func moment(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.Truncate(time.Microsecond)
}

// length returns the number of characters of an answer; nil if there is none.
func length(answer string) any {
	if answer == "" {
		return nil
	}
	return int64(utf8.RuneCountInString(answer))
}

// longestCause is the maximum length of a failure's cause in a cell, in characters.
const longestCause = 300
