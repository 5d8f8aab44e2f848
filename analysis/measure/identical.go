package measure

import "gonogo/analysis/stat"

// identical is the share of items whose outputs (answer and calls) are all the
// same text, among items with at least two outputs long enough to tell. One
// seed for all samples, or a response cache, looks like that.
func (m *Split) identical() stat.Estimate {
	var equal []float64
	n := 0
	for _, it := range m.Items {
		var hashes []uint64
		for _, r := range it.Rows {
			if r.Valid && r.OutputHash != 0 {
				hashes = append(hashes, r.OutputHash)
			}
		}
		if len(hashes) < 2 {
			continue
		}
		n += len(hashes)
		same := 1.0
		for _, h := range hashes[1:] {
			if h != hashes[0] {
				same = 0
			}
		}
		equal = append(equal, same)
	}
	unit := stat.Range{Lo: 0, Hi: 1}
	return stat.ItemMeans(equal, nil, n, &unit, m.s.Confidence, "share of items")
}
