package curate

import (
	"cmp"
	"math"
	"slices"

	"gonogo/analysis/message"
)

// Variance says what the rows hold that Options.Variance chose.
type Variance struct {
	Items int     `json:"items"` // measured items that it chose among
	Kept  int     `json:"kept"`
	Share float64 `json:"share"` // share of the summed variance that the kept items hold
	SD    float64 `json:"sd"`    // smallest standard deviation among them
}

// leastVaried drops, of the rows that nothing else drops, those whose rewards vary least. The others
// are the fewest that hold the wanted share of the summed variance (top-p of RAGEN-2, arXiv
// 2604.06268), or the wanted number of items (top-k). Items that tie with the last of them are kept.
func (cu *curator) leastVaried() *Variance {
	var by []*Row
	sum := 0.0
	for i := range cu.rows {
		if r := &cu.rows[i]; r.Kept && !r.Repeats && r.Variance != nil {
			by = append(by, r)
		}
	}
	slices.SortStableFunc(by, func(a, b *Row) int { return cmp.Compare(*b.Variance, *a.Variance) })
	for _, r := range by {
		sum += *r.Variance
	}
	if sum == 0 {
		return nil
	}
	out, held := &Variance{Items: len(by)}, 0.0
	for _, r := range by {
		enough := out.Kept >= int(cu.opt.Variance)
		if cu.opt.Variance < 1 {
			enough = held >= cu.opt.Variance*sum
		}
		if sd := math.Sqrt(*r.Variance); !enough || sd >= out.SD*tie {
			out.Kept, out.SD, held = out.Kept+1, sd, held+*r.Variance
		}
	}
	out.Share = min(1, held/sum)
	for i := range cu.rows {
		r := &cu.rows[i]
		if !r.Kept || r.Variance == nil {
			continue
		}
		if sd := math.Sqrt(*r.Variance); sd < out.SD {
			r.ground(LowVariance, nil, lowVariance.With(message.Args{
				"sd": message.Number(sd), "least": message.Number(out.SD),
			}))
			cu.decide(r)
		}
	}
	return out
}

// tie is how much of another standard deviation one must have to count as equal: rounding makes those of 0, 0, 1
// and 0, 1, 1 differ.
const tie = 1 - 1e-9

var (
	lowVariance = message.New("curate.low_variance",
		"its rewards have a standard deviation of {sd}, those of the rows kept by variance at least {least}")
	noVariance = message.New("curate.no_variance",
		"the rewards of no measured row vary: none is chosen by variance")
)
