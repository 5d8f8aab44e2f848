package metric

import "fmt"

// rougeMetric is ROUGE over runs of n words.
//
// The wire contract says that "the rouge python library" is used, and neither
// which of the several, nor whether recall, precision or F-measure, nor whether
// words are stemmed. Taken is rouge-score, which the hosted python image holds
// (0.1.2), with the F-measure and its default of no stemming.
func rougeMetric(n int) Metric {
	m := Metric{
		Name:   fmt.Sprintf("rouge_%d", n),
		Doc:    fmt.Sprintf("ROUGE-%d: F-measure of the runs of %d words in common.", n, n),
		Score:  func(input, reference string) float64 { return Rouge(input, reference, n) },
		Choice: fmt.Sprintf("rouge-score's F-measure of rouge%d, %s", n, rougeChoice),
	}
	switch n {
	case 1:
		m.Doc = "ROUGE-1: F-measure of the words in common."
	default:
		m.Choice += fmt.Sprintf("; an exact answer of fewer than %d words scores 0", n)
	}
	return m
}

// Rouge is the F-measure of ROUGE-N for runs of 1 <= n <= 5 words, as rouge-score
// has it (Lin 2004, "ROUGE: a package for automatic evaluation of summaries",
// W04-1013). Symmetric, and linear in the lengths of both texts.
func Rouge(input, reference string, n int) float64 {
	a, b, _ := numbered(rougeWords(input), rougeWords(reference))
	both, inA, inB := overlap(a, b, n)
	return fMeasure(both, inA, inB)
}

// RougeL is the F-measure of ROUGE-L, as rouge-score's rougeL has it: the longest
// common subsequence of the words, line breaks not minded. Symmetric. Costs the
// product of the two counts of words, divided by 64.
func RougeL(input, reference string) float64 {
	a, b, distinct := numbered(rougeWords(input), rougeWords(reference))
	return fMeasure(lcs(a, b, distinct), len(a), len(b))
}

// fMeasure is the harmonic mean of both/inA and both/inB.
func fMeasure(both, inA, inB int) float64 {
	if both == 0 {
		return 0
	}
	return 2 * float64(both) / float64(inA+inB)
}
