package importer

import (
	"maps"
	"math"
	"slices"

	"gonogo/sampler/rollout"
)

// statedMeans compares the means that logs state with those of their rollouts.
type statedMeans struct {
	parts []statedPart // of the import, each begun by intake.file
}

// statedPart is a part of an import.
type statedPart struct {
	stated []statedMean
	sum    float64
	n      int
	items  map[string]*itemMean
}

// statedMean is a mean that a log states.
type statedMean struct {
	file, metric string
	mean         float64
}

type itemMean struct {
	sum float64
	n   int
}

func (s *statedMeans) begin() {
	s.parts = append(s.parts, statedPart{items: make(map[string]*itemMean)})
}

// state records the mean of the rewards that the log of the current part states; nil is none.
func (s *statedMeans) state(f File, metric string, mean *float64) {
	if mean != nil && len(s.parts) > 0 {
		p := &s.parts[len(s.parts)-1]
		p.stated = append(p.stated, statedMean{f.Name, metric, *mean})
	}
}

func (s *statedMeans) add(r *rollout.Record) {
	if r.Reward == nil || len(s.parts) == 0 {
		return
	}
	p := &s.parts[len(s.parts)-1]
	p.sum += *r.Reward
	p.n++
	item := p.items[r.Item]
	if item == nil {
		item = new(itemMean)
		p.items[r.Item] = item
	}
	item.sum += *r.Reward
	item.n++
}

// note notes each log that states another mean than its rollouts have. A log may weigh rollouts or
// items alike, and may round to two digits.
func (s *statedMeans) note(sink Sink) {
	for i := range s.parts {
		p := &s.parts[i]
		if len(p.stated) != 1 || p.n == 0 { // several logs of one evaluation: each is about its own part
			continue
		}
		said, pooled := p.stated[0], p.sum/float64(p.n)
		if !alike(said.mean, pooled) && !alike(said.mean, p.ofItems()) {
			sink.note("%s states %s %.4g, and the mean of its %d graded rollouts is %.4g: the log may count failures as "+
				"zeros, or another score", said.file, said.metric, said.mean, p.n, pooled)
		}
	}
}

// ofItems returns the mean of the items' means.
func (p *statedPart) ofItems() float64 {
	sum := 0.0
	for _, name := range slices.Sorted(maps.Keys(p.items)) { // in a fixed order
		sum += p.items[name].sum / float64(p.items[name].n)
	}
	return sum / float64(len(p.items))
}

// alike reports whether two means are the same but for rounding.
func alike(a, b float64) bool {
	const rounding = 0.005
	return math.Abs(a-b) <= rounding*max(1, math.Abs(a))
}
