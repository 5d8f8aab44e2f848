package metric

import (
	"math"
	"strings"
	"testing"
)

// TestPublishedExamples holds numbers that the libraries print themselves.
func TestPublishedExamples(t *testing.T) {
	chars := func(f func(a, b []rune) float64) func(a, b string) float64 {
		return func(a, b string) float64 { return f([]rune(a), []rune(b)) }
	}
	setRatio := func(a, b []rune) float64 { return tokenSetRatio(sortedWords(a), sortedWords(b)) }
	sortRatio := func(a, b []rune) float64 { return ratio(joined(sortedWords(a)), joined(sortedWords(b))) }
	const (
		hypothesis1 = "It is a guide to action which ensures that the military always obeys the commands of the party"
		reference1a = "It is a guide to action that ensures that the military will forever heed Party commands"
		hypothesis2 = "he read the book because he was interested in world history"
		reference2a = "he was interested in world history because he read the book"
	)
	for _, c := range []struct {
		source           string
		score            func(a, b string) float64
		input, reference string
		want             float64
		digits           float64 // that are right: the error is below 10^-digits
	}{
		{"rapidfuzz, docstring of fuzz.ratio", chars(ratio), "this is a test", "this is a test!", 0.9655171966552734, 6},
		{"rapidfuzz, docstring of fuzz.partial_ratio", chars(partialRatio), "this is a test", "this is a test!", 1, 15},
		{"rapidfuzz, docstring of fuzz.ratio", chars(ratio), "fuzzy wuzzy was a bear", "wuzzy fuzzy was a bear", 0.9090908813476562, 6},
		{"rapidfuzz, docstring of fuzz.token_sort_ratio", chars(sortRatio), "fuzzy wuzzy was a bear", "wuzzy fuzzy was a bear", 1, 15},
		{"fuzzywuzzy, README, fuzz.token_sort_ratio, in whole per cent", chars(sortRatio), "fuzzy was a bear", "fuzzy fuzzy was a bear", 0.84, 2.3},
		{"rapidfuzz, docstring of fuzz.token_set_ratio", chars(setRatio), "fuzzy was a bear", "fuzzy fuzzy was a bear", 1, 15},
		{"rapidfuzz, docstring of fuzz.token_set_ratio", chars(setRatio), "fuzzy was a bear but not a dog", "fuzzy was a bear but not a cat", 0.923076923076923, 12},
		{"rapidfuzz, docs of partial_ratio_alignment", chars(partialRatio), "a certain string", "cetain", 0.8333333333333334, 12},
		{"rapidfuzz, docs of Indel.normalized_similarity", chars(ratio), "lewenstein", "levenshtein", 0.85714285714285, 12},
		{"rapidfuzz, issue 43", chars(partialRatio), "no", "bnonco", 1, 15},
		{"rapidfuzz, issue 30", chars(partialRatio), "abc defgh", "gelieve deze nota binnen 14 dagen te voldoen op iban tnv abcdefgh", 0.9411764705882352, 12},
		{"rapidfuzz, issue 102", chars(ratio), "prod", "random", 0.4, 12},
		{"rapidfuzz, issue 102", chars(partialRatio), "prod", "random", 0.5, 12},
		{"rapidfuzz, test_issue76", chars(partialRatio), "physics 2 vid", "study physics physics 2", 0.8181818, 7},
		{"rapidfuzz, test_issue76", chars(partialRatio), "physics 2 vid", "study physics physics 2 video", 1, 15},
		{"rapidfuzz, test_issue90", chars(partialRatio), "ax b", "a b a c b", 0.8571428, 7},
		{"rapidfuzz, test_issue138", chars(partialRatio), strings.Repeat("a", 65), "aĀ" + strings.Repeat("a", 63), 0.9922481, 7},
		{
			"rapidfuzz, testIssue257", chars(partialRatio), "aaaaaaaaaaaaaaaaaaaaaaaabacaaaaaaaabaaabaaaaaaaababbbbbbbbbbabbcb",
			"aaaaaaaaaaaaaaaaaaaaaaaababaaaaaaaabaaabaaaaaaaababbbbbbbbbbabbcb", 0.9846153846153847, 12,
		},
		{"rapidfuzz, testTokenSetRatio", chars(setRatio), "js", "vue js", 1, 15},
		{"rapidfuzz, testWRatioCaseInsensitive", FuzzyMatch, "new york mets", "new YORK mets", 1, 15},
		{"rapidfuzz, testWRatioPartialMatch", FuzzyMatch, "new york mets", "the wonderful new york mets", 0.9, 15},
		{"rapidfuzz, testWRatioMisorderedMatch", FuzzyMatch, "new york mets vs atlanta braves", "atlanta braves vs new york mets", 0.95, 15},
		{"rapidfuzz, test_issue196", FuzzyMatch, "South Korea", "North Korea", 0.8181818, 7},
		{"rapidfuzz, issue 452", FuzzyMatch, "hello", "hello" + strings.Repeat("abcde", 7), 0.6, 15},
		{"rapidfuzz, test_empty_string", FuzzyMatch, "", "", 0, 15},
		{"rapidfuzz, test_simple_unicode_tests", FuzzyMatch, "ÁÄ", "ABCD", 0, 15},
		{"nltk, docstring of meteor_score", METEOR, hypothesis1, reference1a, 0.6944, 4},
		{"nltk, docstring of meteor_score", METEOR, "non matching hypothesis", "this is a cat", 0, 15},
		{"nltk, docstring of sentence_gleu", GLEU, hypothesis1, reference1a, 0.4393, 4},
		{"nltk, docstring of corpus_gleu: the mean of two is 0.6144…", func(a, b string) float64 {
			return (GLEU(a, b) + GLEU(hypothesis2, reference2a)) / 2
		}, hypothesis1, reference1a, 0.6144, 3.5},
		{"nltk, docstring of sentence_bleu with smoothing", BLEU, hypothesis1, reference1a, 0.4118, 4},
		{"rouge-score, testRouge1", rougeN(1), "testing", "testing one two", 1.0 / 2, 12},
		{"rouge-score, testRouge2", rougeN(2), "testing one", "testing one two", 2.0 / 3, 12},
		{"rouge-score, testRougeLConsecutive", RougeL, "testing one", "testing one two", 4.0 / 5, 12},
		{"rouge-score, testRougeLNonConsecutive", RougeL, "testing two", "testing one two", 4.0 / 5, 12},
		{"rouge-score, testRougeEmpty", RougeL, "", "testing one two", 0, 15},
	} {
		if got := c.score(c.input, c.reference); math.Abs(got-c.want) > math.Pow(10, -c.digits) {
			t.Errorf("%s: %v, want %v", c.source, got, c.want)
		}
	}
}

func rougeN(n int) func(a, b string) float64 {
	return func(a, b string) float64 { return Rouge(a, b, n) }
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ why, text, want string }{
		{"a comma and a point at the end", "Well, yes.", "Well|,|yes|."},
		{"a point within a number stays", "It was 3.5 or 1,000.", "It|was|3.5|or|1,000|."},
		{"a point behind a number at the end goes", "is 42.", "is|42|."},
		{"symbols go even between numbers", "1+1=2", "1|+|1|=|2"},
		{"a currency", "$5 and 7€", "$|5|and|7|€"},
		{"a hyphen within a word goes", "well-known", "well|-|known"},
		{"other scripts", "巴黎。パリ、Париж!", "巴黎|。|パリ|、|Париж|!"},
		{"nothing", "", ""},
		{"a byte that is no UTF-8 is a symbol", "a\xffb", "a|\ufffd|b"},
	} {
		if got := strings.Join(words(c.text), "|"); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// TestProcess holds the cases of rapidfuzz's own tests/test_utils.py, and more.
func TestProcess(t *testing.T) {
	for text, want := range map[string]string{
		"C'est la vie":            "c est la vie",
		"Ça va?":                  "ça va",
		"¬Camarões assados":       "camarões assados",
		"a¬ሴ€耀":                   "a ሴ 耀",
		"Á":                       "á",
		" \t_x_-_y_ \n":           "_x_ _y_",
		"½ Ⅷ ²":                   "½ ⅷ ²",
		"!?…":                     "",
		"a point and a space.  b": "a point and a space   b",
	} {
		if got := string(process(text)); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestRougeWords(t *testing.T) {
	for _, c := range []struct{ why, text, want string }{
		{"small letters, no punctuation", "The Quick-Brown fox's 3.5", "the|quick|brown|fox|s|3|5"},
		{"letters outside a-z separate", "naïve Straße", "na|ve|stra|e"},
		{"other scripts are no words", "巴黎 Париж", ""},
		{"the Kelvin sign is a k in small", "300 \u212a", "300|k"},
		{"the Turkish capital I with a dot, as in Python", "İstanbul", "i|stanbul"},
	} {
		if got := strings.Join(rougeWords(c.text), "|"); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
