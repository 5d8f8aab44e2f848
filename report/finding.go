package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonogo/analysis"
	"gonogo/report/chart"
	"gonogo/sampler/rollout"
)

// State is how a finding is shown: its status, with failing advisory gates set
// apart as cautions.
type State int

// The states, in the order they are shown.
const (
	Failing State = iota
	Unsettled
	Caution
	Passing
	Skipped
)

// String names the state for styles and machines.
func (s State) String() string {
	return [...]string{"fail", "unknown", "caution", "pass", "skipped"}[s]
}

// Finding is a gate's answer, worded.
type Finding struct {
	Gate     string
	Split    string // "" when it concerns the whole run
	State    State
	Label    string // of the state
	Severity string
	Title    string
	Measured string // "0.42 [0.36, 0.49]"; "" when nothing was measured
	Want     string
	Why      string
	Remedy   string
	Items    []string
}

// Open reports whether the finding asks something of the reader.
func (f Finding) Open() bool { return f.State <= Caution }

// findings words the findings: failing first, then unknown, cautions, passed
// and skipped; blocking before advisory, then in list order.
func findings(r *analysis.Result, w *words) []Finding {
	list := folded(r.Findings, w)
	slices.SortStableFunc(list, func(a, b analysis.Finding) int {
		return cmp.Or(cmp.Compare(state(a), state(b)), cmp.Compare(rank(a.Severity), rank(b.Severity)))
	})
	out := make([]Finding, len(list))
	for i, f := range list {
		s := state(f)
		out[i] = Finding{
			Gate: visible(f.Gate), Split: visible(string(f.Split)), State: s, Label: w.States[s], Severity: w.Severity[f.Severity],
			Title: prose(f.Title), Measured: measured(f), Want: prose(strings.ReplaceAll(strings.ReplaceAll(f.Want, ">=", "≥"), "<=", "≤")),
			Why: prose(f.Why), Remedy: prose(f.Remedy), Items: ids(f.Items),
		}
		if out[i].Title == "" {
			out[i].Title = out[i].Gate
		}
		out[i].Title = capital(out[i].Title)
	}
	return out
}

// folded returns the findings with each advisory finding that says the same
// as the blocking one of its gate and split put into that one's threshold:
// "≥ 0.10 (caution: ≥ 0.30)".
func folded(all []analysis.Finding, w *words) []analysis.Finding {
	type place struct {
		gate  string
		split rollout.Split
	}
	blocking := map[place]int{}
	var out []analysis.Finding
	for _, f := range all {
		if f.Severity == analysis.Blocking {
			blocking[place{f.Gate, f.Split}] = len(out)
			out = append(out, f)
		}
	}
	for _, f := range all {
		if f.Severity == analysis.Blocking {
			continue
		}
		i, ok := blocking[place{f.Gate, f.Split}]
		if !ok || out[i].Status != f.Status {
			out = append(out, f)
			continue
		}
		if f.Want != "" && f.Want != out[i].Want {
			out[i].Want = fmt.Sprintf(w.Caution, out[i].Want, f.Want)
		}
	}
	return out
}

func state(f analysis.Finding) State {
	switch f.Status {
	case analysis.Pass:
		return Passing
	case analysis.Skipped:
		return Skipped
	case analysis.Fail:
		if f.Severity == analysis.Advisory {
			return Caution
		}
		return Failing
	}
	return Unsettled
}

func rank(s analysis.Severity) int {
	if s == analysis.Advisory {
		return 1
	}
	return 0
}

// measured is the finding's value with its interval and, for what is counted,
// its unit.
func measured(f analysis.Finding) string {
	s := chart.Interval(f.Value, f.Low, f.High)
	if s == "" || f.Unit == "" || f.Unit == "reward" || f.Unit == "share" {
		return s
	}
	return s + " " + prose(f.Unit)
}

// capital begins a title with a capital letter.
func capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// lower begins a title with a small letter, for the middle of a sentence; a
// word in capitals is left as it is.
func lower(s string) string {
	r := []rune(s)
	if len(r) > 1 && unicode.IsUpper(r[1]) || len(r) == 0 {
		return s
	}
	r[0] = unicode.ToLower(r[0])
	return string(r)
}
