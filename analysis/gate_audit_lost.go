package analysis

import (
	"strings"

	"gonogo/analysis/message"
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
func (x lost) where(l message.Language) string {
	var parts []string
	if len(x.whole) > 0 {
		parts = append(parts, l.Say("Failed wholly: %s.", strings.Join(x.whole, l.Text(", "))))
	}
	if len(x.partly) > 0 {
		parts = append(parts, l.Say("Failed in part: %s.", strings.Join(x.partly, l.Text(", "))))
	}
	return strings.Join(parts, l.Text(" "))
}

// onItems is some of so many items in words.
func onItems(l message.Language, some, all int) string {
	if all == 1 {
		return l.Text("the one item tried")
	}
	return l.Say("%s of %s items", message.Whole(some), message.Whole(all))
}

// noneOf tells how many references of so many.
func noneOf(l message.Language, some, all int) string {
	switch {
	case some == 0 && all > 1:
		return l.Say("none of %s", l.Count(all, "reference"))
	case some == all && all > 1:
		return l.Say("all %s", l.Count(all, "reference"))
	}
	if all == 1 {
		return l.Say("%s of 1 reference (%s)", message.Whole(some), message.Percent(share(some, all)))
	}
	return l.Say("%s of %s references (%s)", message.Whole(some), message.Whole(all), message.Percent(share(some, all)))
}

// rejectedOf counts what was rejected, in a sentence.
func rejectedOf(l message.Language, n int) string {
	if n == 1 {
		return l.Text("1 reference was rejected.")
	}
	return l.Say("%s were rejected.", l.Count(n, "reference"))
}
