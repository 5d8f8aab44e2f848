package analysis

import (
	"fmt"
	"strings"
)

// lost is what the grader failed on among the payloads of several probes.
type lost struct {
	failed   int
	payloads int // with a grade and without
	kind     string
	whole    []string // probes that it failed on wholly
	partly   []string
}

// lostTo counts what the grader failed on. Such a payload has earned nothing and
// has not been turned down either: the hosted service of the job format gives no
// reward for it, other trainers repeat the rollout or drop it.
func lostTo(probes []*ProbeResult) lost {
	var l lost
	kinds := make(map[string]int)
	for _, p := range probes {
		l.failed += p.Failed
		l.payloads += p.Failed + p.Payloads
		switch {
		case p.Failed == 0:
			continue
		case p.Payloads == 0:
			l.whole = append(l.whole, p.Probe)
		default:
			l.partly = append(l.partly, p.Probe)
		}
		kinds[p.FailedAs] += p.Failed
	}
	l.kind = mostFrequent(kinds)
	return l
}

// payloadsOfItem is the most payloads, one an item, of any of the probes, with
// a grade or without.
func payloadsOfItem(probes []*ProbeResult) int {
	most := 1
	for _, p := range probes {
		most = max(most, p.Items+p.Failed)
	}
	return most
}

func (l lost) share() float64 { return share(l.failed, l.payloads) }

// where names the probes.
func (l lost) where() string {
	var parts []string
	if len(l.whole) > 0 {
		parts = append(parts, "Failed wholly: "+strings.Join(l.whole, ", ")+".")
	}
	if len(l.partly) > 0 {
		parts = append(parts, "Failed in part: "+strings.Join(l.partly, ", ")+".")
	}
	return strings.Join(parts, " ")
}

// onItems is some of so many items in words.
func onItems(some, all int) string {
	if all == 1 {
		return "the one item tried"
	}
	return fmt.Sprintf("%s of %s", count(some), plural(all, "item"))
}
