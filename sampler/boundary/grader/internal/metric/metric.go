package metric

// Metric is one way to compare an answer with its reference.
type Metric struct {
	Name   string // the value of "evaluation_metric"
	Doc    string // one sentence for a user
	Choice string // what gonogo decided where the wire contract is open, and what may surprise
	Score  func(input, reference string) float64

	// Steps estimates the cost of Score, in steps of about a nanosecond; nil if the cost is roughly
	// linear in the lengths of the texts.
	Steps func(input, reference string) int
}

// Affordable is the maximum number of steps, which take a few seconds. Texts that would take more
// are not compared.
const Affordable = 3_000_000_000

// Metrics lists the metrics in the order in which they are shown. The wire contract also names
// cosine, which compares embeddings of a hosted model.
func Metrics() []Metric {
	return []Metric{
		{
			Name:  "fuzzy_match",
			Doc:   "rapidfuzz's WRatio: the best of several ratios of matching characters, by words and by parts.",
			Score: FuzzyMatch,
			Steps: fuzzySteps,
			Choice: "rapidfuzz's fuzz.WRatio with default_process, divided by 100, as in the hosted guide's own " +
				"example; texts without a letter or digit score 0",
		},
		{
			Name:  "bleu",
			Doc:   "nltk's sentence BLEU: matching runs of one to four words, with a penalty for brevity.",
			Score: BLEU,
			Choice: "nltk's sentence_bleu to four words with smoothing method4, " + wordChoice +
				"; an exact answer of two or three words scores far below 1",
		},
		{
			Name: "gleu",
			Doc: "nltk's sentence GLEU (Google BLEU): the smaller of precision and recall over runs of one to " +
				"four words.",
			Score:  GLEU,
			Choice: "nltk's sentence_gleu to four words, " + wordChoice,
		},
		{
			Name: "meteor",
			Doc: "nltk's METEOR: words match exactly or by their stem, recall first, with a penalty for " +
				"scattered matches.",
			Score: METEOR,
			Choice: "an approximation of nltk's meteor_score: words match exactly or by their Porter stem, synonyms " +
				"(WordNet) do not, " +
				wordChoice + "; an exact answer of one word scores 0.5",
		},
		rougeMetric(1), rougeMetric(2), rougeMetric(3), rougeMetric(4), rougeMetric(5),
		{
			Name:   "rouge_l",
			Doc:    "ROUGE-L: F-measure of the longest run of words in common, gaps allowed.",
			Score:  RougeL,
			Choice: "rouge-score's F-measure of rougeL, " + rougeChoice,
		},
	}
}

// MeteorChoice is the Choice of METEOR if nltk computes it from MeteorWords.
const MeteorChoice = "nltk's meteor_score with the synonyms of WordNet, " + wordChoice +
	"; an exact answer of one word scores 0.5"

const (
	wordChoice  = "words split by the international rules of mteval-v14, letter case kept where the library keeps it"
	rougeChoice = "without stemming; only a-z and 0-9 make words, so that texts in other scripts score 0"
)
