package metric

import "fmt"

// rougeMetric returns the metric ROUGE over runs of n words.
//
// The wire contract says that "the rouge python library" is used. It does not say which one of
// several, whether recall, precision or F-measure, or whether words are stemmed. This is
// rouge-score, which the hosted python image contains (0.1.2), with the F-measure and its default
// of no stemming.
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

// Rouge returns the F-measure of ROUGE-N for runs of 1 <= n <= 5 words, as rouge-score computes it
// (Lin 2004, "ROUGE: a package for automatic evaluation of summaries", W04-1013). It is symmetric,
// and its cost is linear in the lengths of both texts.
func Rouge(input, reference string, n int) float64 {
	a, b, _ := numbered(rougeWords(input), rougeWords(reference))
	both, inA, inB := overlap(a, b, n)
	return fMeasure(both, inA, inB)
}

// RougeL returns the F-measure of ROUGE-L, as rouge-score's rougeL computes it: by the longest common
// subsequence of the words, ignoring line breaks. It is symmetric. The cost is the product of the
// two numbers of words, divided by 64.
func RougeL(input, reference string) float64 {
	a, b, distinct := numbered(rougeWords(input), rougeWords(reference))
	return fMeasure(lcs(a, b, distinct), len(a), len(b))
}

// fMeasure returns the harmonic mean of both/inA and both/inB; 0 if both is 0.
func fMeasure(both, inA, inB int) float64 {
	if both == 0 {
		return 0
	}
	return 2 * float64(both) / float64(inA+inB)
}
