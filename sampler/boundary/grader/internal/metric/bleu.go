package metric

import "math"

// BLEU returns nltk's sentence_bleu for one reference, with runs of one to four words, equal weights
// and smoothing method4: a run length without a match counts as 1 / (2^k · 5 / ln(words of the
// input)) matches, with k = 1 for the first such length, 2 for the next (Papineni et al. 2002,
// doi:10.3115/1073083.1073135; Chen and Cherry 2014, doi:10.3115/v1/W14-3346). An input of one word
// is scored by that word alone.
//
// The wire contract gives only the name. Without smoothing, an answer of three words would always
// score 0. Microsoft's azure-ai-evaluation uses method4 for its metric of this name, and nltk is in
// the hosted python image.
//
// The cost is linear in the lengths of both texts. BLEU is not symmetric.
func BLEU(input, reference string) float64 {
	a, b, _ := numbered(words(input), words(reference))
	if len(a) == 0 {
		return 0
	}
	logs, unmatched := 0.0, 0
	for n := 1; n <= 4; n++ {
		both, all, _ := overlap(a, b, n)
		matches := float64(both)
		switch {
		case both > 0:
		case n == 1:
			return 0
		case len(a) == 1:
			continue
		default:
			unmatched++
			matches = math.Log(float64(len(a))) / (math.Exp2(float64(unmatched)) * 5)
		}
		logs += math.Log(matches/float64(max(all, 1))) / 4
	}
	brevity := 1.0
	if len(a) < len(b) {
		brevity = math.Exp(1 - float64(len(b))/float64(len(a)))
	}
	return min(brevity*math.Exp(logs), 1)
}

// GLEU returns nltk's sentence_gleu for one reference: the number of runs of one to four words that
// are in both texts, divided by the number of runs in the text that has more (Wu et al. 2016,
// arXiv:1609.08144, section 4.3). Two texts without words score 0. It is symmetric, and its cost is
// linear in the lengths of both texts.
func GLEU(input, reference string) float64 {
	a, b, _ := numbered(words(input), words(reference))
	var both, inA, inB int
	for n := 1; n <= 4; n++ {
		o, oa, ob := overlap(a, b, n)
		both, inA, inB = both+o, inA+oa, inB+ob
	}
	if both == 0 {
		return 0
	}
	return float64(both) / float64(max(inA, inB))
}
