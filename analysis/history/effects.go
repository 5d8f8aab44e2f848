package history

import (
	"math"
	"slices"

	"gonogo/analysis/stat"
)

// rewards returns mean rewards that can be compared across nights. If the nights hold different
// items, they are the nights' effects in a table of items by nights, fitted by least squares, so
// that a night without the hard items does not look better. A night without a standard error
// gets one from the residuals of that table.
func rewards(nights []*Night) (y []float64, se []*float64) {
	tables := make([]map[itemID]float64, len(nights))
	seen := make(map[itemID]int)
	var ids []itemID
	for i, n := range nights {
		tables[i] = n.items()
		for _, it := range n.Items {
			id := itemID{it.ID, it.Digest}
			if seen[id]++; seen[id] == 1 {
				ids = append(ids, id)
			}
		}
		v := n.Values[Reward]
		y, se = append(y, v.Value), append(se, v.SE)
	}
	if slices.ContainsFunc(tables, func(t map[itemID]float64) bool { return len(t) == 0 }) {
		return y, se
	}
	uneven := slices.ContainsFunc(ids, func(id itemID) bool { return seen[id] != len(nights) })
	effect, item := fitTable(tables, ids)
	for i, t := range tables {
		if uneven {
			y[i] = effect[i]
		}
		if se[i] != nil || len(nights) < 2 || len(t) < 2 {
			continue
		}
		residual := 0.0
		for _, id := range ids {
			if m, ok := t[id]; ok {
				d := m - effect[i] - item[id]
				residual += d * d
			}
		}
		n, all := float64(len(t)), float64(len(nights))
		se[i] = stat.FiniteOrNil(math.Sqrt(residual / (n * (n - 1)) * all / (all - 1)))
	}
	return y, se
}

// fitTable fits night + item effects to the means, alternating between them until they converge.
// The item effects add up to 0.
func fitTable(tables []map[itemID]float64, ids []itemID) (effect []float64, item map[itemID]float64) {
	effect, item = make([]float64, len(tables)), make(map[itemID]float64, len(ids))
	for range 200 {
		moved := 0.0
		for i, t := range tables {
			sum := 0.0
			for _, id := range ids {
				if m, ok := t[id]; ok {
					sum += m - item[id]
				}
			}
			now := sum / float64(len(t))
			moved, effect[i] = max(moved, math.Abs(now-effect[i])), now
		}
		total := 0.0
		for _, id := range ids {
			sum, n := 0.0, 0
			for i, t := range tables {
				if m, ok := t[id]; ok {
					sum, n = sum+m-effect[i], n+1
				}
			}
			item[id] = sum / float64(n)
			total += item[id]
		}
		for _, id := range ids {
			item[id] -= total / float64(len(ids))
		}
		if moved < 1e-10 {
			break
		}
	}
	return effect, item
}
