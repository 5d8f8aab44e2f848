package analysis

// ByFact lists every fact as a finding of its own, whose gate is the fact's id.
func ByFact(list []Finding) []Finding {
	var out []Finding
	for _, f := range list {
		for _, fact := range f.Facts() {
			if fact.ID == f.Gate && len(f.Others) > 0 {
				continue // says that all parts pass
			}
			one := f
			one.Gate, one.Fact, one.Others = fact.ID, fact, nil
			out = append(out, one)
		}
	}
	return out
}
