#!/usr/bin/env python3
"""Writes golden.json: what the reference implementations give.

Needs nltk, rapidfuzz and rouge-score:

    python3 -m pip install nltk==3.9.1 rapidfuzz==3.10.1 rouge-score==0.1.2
    python3 testdata/golden.py > testdata/golden.json

No data of nltk is needed: METEOR runs with a WordNet without synonyms, which
is the approximation of package metric. The pairs come from a fixed seed. What
the versions say goes into the file; they say so where a copy of a library's
pure Python source stood in for it.
"""

import json
import random
import re
import sys
import unicodedata

import nltk
import rapidfuzz
import rouge_score
from nltk.stem.porter import PorterStemmer
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from nltk.translate.gleu_score import sentence_gleu
from nltk.translate.meteor_score import meteor_score
from rapidfuzz import fuzz, utils
from rouge_score import rouge_scorer

ROUGE = ["rouge1", "rouge2", "rouge3", "rouge4", "rouge5", "rougeL"]


def category(first):
    """The characters of a category, as a class of regular expressions."""
    chars = (chr(c) for c in range(sys.maxunicode + 1))
    return "".join(re.escape(c) for c in chars if unicodedata.category(c)[0] == first)


N, P, S = category("N"), category("P"), category("S")

# mteval-v14's international tokenization, as sacreBLEU's "intl" has it.
INTL = [
    (re.compile(f"([^{N}])([{P}])"), r"\1 \2 "),
    (re.compile(f"([{P}])([^{N}])"), r" \1 \2"),
    (re.compile(f"([{S}])"), r" \1 "),
]


def words(text):
    text = f" {text} "
    for pattern, by in INTL:
        text = pattern.sub(by, text)
    return text.split()


class NoSynonyms:
    def synsets(self, _word):
        return []


def scores(inp, ref):
    a, b = words(inp), words(ref)
    rouge = rouge_scorer.RougeScorer(ROUGE).score(ref, inp)
    out = {
        "fuzzy_match": fuzz.WRatio(inp, ref, processor=utils.default_process) / 100,
        "bleu": sentence_bleu([b], a, smoothing_function=SmoothingFunction().method4),
        "gleu": sentence_gleu([b], a),
        "meteor": meteor_score([b], a, wordnet=NoSynonyms()),
    }
    for name in ROUGE:
        out["rouge_" + name[5:].lower()] = rouge[name].fmeasure
    return {k: float(v) for k, v in out.items()}


WRITTEN = [
    ("an empty input", "", "Paris"),
    ("an empty reference", "Paris", ""),
    ("both empty", "", ""),
    ("blanks only", " \t\n", "  "),
    ("punctuation only", "!?…", "!?…"),
    ("one equal word", "Paris", "Paris"),
    ("two equal words", "New York", "New York"),
    ("three equal words", "the red car", "the red car"),
    ("four equal words", "the red car stops", "the red car stops"),
    ("letter case", "PARIS", "paris"),
    ("a closing point", "Paris.", "Paris"),
    ("a word in a sentence", "The capital of France is Paris.", "Paris"),
    ("rapidfuzz docstring", "this is a test", "this is a test!"),
    ("rapidfuzz docstring, words in another order", "fuzzy wuzzy was a bear", "wuzzy fuzzy was a bear"),
    ("rapidfuzz docstring, a word twice", "fuzzy was a bear", "fuzzy fuzzy was a bear"),
    ("rapidfuzz docstring, one a part", "fuzzy was a bear but not a dog", "fuzzy was a bear"),
    ("rapidfuzz docstring, another word", "fuzzy was a bear but not a dog", "fuzzy was a bear but not a cat"),
    ("lengths apart by exactly 1.5", "abcdef", "abcd"),
    ("lengths apart by exactly 8", "hello" + "abcde" * 7, "hello"),
    ("lengths apart by less than 8", "hello" + "abcde" * 6, "hello"),
    ("lengths apart by more than 8", "hello" + "abcde" * 9, "hello"),
    ("a part at the end", "x" * 40 + "Copia", "electronica"),
    ("no word in common, parts alike", "electronica", "Copia"),
    ("a word again and again, none in common", "ba ba ba", "bac"),
    ("words again and again, none in common", "cab ba ba d d ba ba", "dc abc"),
    ("one letter", "a", "b"),
    ("underscores stay", "snake_case_name", "snake case name"),
    ("thousands separators", "1,234,567", "1234567"),
    ("a percentage", "7 %", "0.07"),
    ("a number at the end", "The answer is 42.", "The answer is 42"),
    ("currency", "$1.50 and €3", "1.50 dollars and 3 euros"),
    ("a negative number", "-5", "5"),
    ("decimal points", "It rose 3.5, then fell.", "It rose 3.5 then fell"),
    ("dots in a row", "well...yes..no", "well yes no"),
    ("quotes", '"Well," she said, \'no\'.', "Well, she said, no."),
    ("contractions", "I don't know; it's John's.", "I do not know; it is John's."),
    ("hyphens", "a well-known state-of-the-art", "a well known state of the art"),
    ("JSON", '{"answer": 42, "unit": "km"}', '{"unit":"km","answer":42}'),
    ("code", "def f(x):\n    return x+1", "def f(y):\n    return y + 1"),
    ("markdown", "**Paris** is the _capital_", "Paris is the capital"),
    ("accents", "café crème à la carte", "cafe creme a la carte"),
    ("combining accents", "cafe\u0301", "café"),
    ("German", "Die Straße führt über die Brücke", "Die Strasse fuehrt ueber die Bruecke"),
    ("Cyrillic", "Столица Франции — Париж.", "Париж — столица Франции"),
    ("Greek", "η πόλη είναι μεγάλη", "Η Πόλη είναι μικρή"),
    ("Chinese", "法国的首都是巴黎。", "巴黎是法国的首都。"),
    ("Japanese", "フランスの首都はパリです", "首都はパリ"),
    ("Arabic", "عاصمة فرنسا هي باريس", "باريس عاصمة فرنسا"),
    ("Hindi, with marks that are no letters", "फ्रांस की राजधानी पेरिस है", "राजधानी पेरिस"),
    ("emoji", "great 👍🏽 job 🎉", "great job 🎉"),
    ("full-width digits", "１２３", "123"),
    ("other numbers", "½ of Ⅷ and ²", "½ of VIII and 2"),
    ("a Kelvin sign", "300 \u212a", "300 k"),
    ("a no-break space", "1\u00a0000 km", "1 000 km"),
    ("a zero-width space", "a\u200bb", "ab"),
    ("a character past the first plane", "𝒜 𝕓 𐐀", "𝒜 𝕔 𐐨"),
    ("stems", "connecting connections happily", "connect connected happy"),
    ("stems after words", "runs run running", "running ran run"),
    ("words repeated", "the the the the the the the", "the cat is on the mat"),
    ("nltk docstring, hypothesis 1",
     "It is a guide to action which ensures that the military always obeys the commands of the party",
     "It is a guide to action that ensures that the military will forever heed Party commands"),
    ("nltk docstring, hypothesis 2",
     "It is to insure the troops forever hearing the activity guidebook that party direct",
     "It is a guide to action that ensures that the military will forever heed Party commands"),
    ("rouge-score test", "testing", "testing one two"),
    ("rouge-score test, two words", "testing two", "testing one two"),
]

ENGLISH = """the a of in and to revenue profit loss company annual report quarter rose fell by percent million
operating margin was is not shares dividend paid cash flow increased decreased increasing compared comparison year
board directors approved approval chief executive said expects expected growth in markets risks risky litigation
settlement settled Tokyo Paris Berlin 2024 2025 1,250 3.7 42 12% $5 don't well-known (restated) "adjusted" net/gross
generalization generalizations relational conditional happiness hopefully possibly operators communism adoption""".split()
OTHER = """выручка выросла на процентов компания отчёт 収益 増加 会社 利益 净利润 公司 增长 é école über größer naïve ñandú
ελλάδα αθήνα مبيعات الشركة राजस्व 👍 € £9 ½ ３４ — … « »""".split()


def sentence(rng, vocabulary, n):
    out = []
    for i in range(n):
        word = rng.choice(vocabulary)
        out.append(word.capitalize() if word.isascii() and rng.random() < 0.1 else word)
        if rng.random() < 0.12:
            out[-1] += rng.choice([",", ".", ";", "!", "?", ":"])
    return " ".join(out)


def changed(rng, text, vocabulary, rate):
    out = []
    for word in text.split(" "):
        dice = rng.random()
        if dice < rate / 4:
            continue
        if dice < rate / 2:
            word = rng.choice(vocabulary)
        elif dice < rate * 3 / 4 and len(word) > 2:
            i = rng.randrange(len(word) - 1)
            word = word[:i] + word[i + 1] + word[i] + word[i + 2:]
        elif dice < rate:
            out.append(rng.choice(vocabulary))
        out.append(word)
    if rng.random() < rate / 3:
        rng.shuffle(out)
    return " ".join(out)


def pairs():
    yield from WRITTEN
    rng = random.Random(7)
    for i in range(190):
        vocabulary = ENGLISH if i % 3 else ENGLISH[:20] + OTHER
        ref = sentence(rng, vocabulary, rng.choice([1, 2, 3, 4, 5, 8, 13, 21, 34]))
        kind = rng.choice(["changed", "changed", "changed", "other", "within", "part", "letters"])
        if kind == "changed":
            inp = changed(rng, ref, vocabulary, rng.choice([0.1, 0.3, 0.6, 1]))
        elif kind == "other":
            inp = sentence(rng, vocabulary, rng.choice([1, 3, 8, 20]))
        elif kind == "within":
            wall = rng.choice([3, 10, 60])
            inp = " ".join([sentence(rng, vocabulary, wall), changed(rng, ref, vocabulary, 0.1), sentence(rng, vocabulary, wall)])
        elif kind == "part":
            cut = rng.randrange(len(ref) + 1)
            inp = ref[cut:] if rng.random() < 0.5 else ref[:cut]
        else:
            alphabet = rng.choice(["ab", "abc ", "xyz é"])
            ref = "".join(rng.choice(alphabet) for _ in range(rng.randrange(1, 200)))
            inp = "".join(rng.choice(alphabet) for _ in range(rng.randrange(1, 60)))
        yield f"{kind} {i}", inp, ref
    for i, n in enumerate([270, 400]):
        ref = sentence(rng, ENGLISH, n)
        yield f"long {i}", changed(rng, ref, ENGLISH, 0.3), ref
        yield f"long other {i}", sentence(rng, ENGLISH, n), ref
    ref = sentence(rng, ENGLISH + OTHER, 40)
    yield "long within", sentence(rng, ENGLISH + OTHER, 300) + changed(rng, ref, OTHER, 0.4), ref


ROOTS = """connect relat happ flow tr hop hopp fall fil siz hiss fizz activ electr form commun operat decis vietnam rat
ceas contr y sk enjo pl geo theo archaeo feed agre bl sens use goodn critic yy ay éé caf naïv""".split()
ENDS = """s es ies sses ss ed ied eed ing y ly li ation ational tional tion ence enci ance anci izer ize ization abli bli
alli al ally entli eli ousli ous ator ism alism ive iveness ful fulness fulli ness ousness aliti iviti biliti logi logy
icate ative alize iciti ical er ic able ible ant ement ment ent ion sion ou ate iti e le ll lle ying""".split()


def main():
    stemmer = PorterStemmer()
    vocabulary = sorted({r + e for r in ROOTS for e in [""] + ENDS} | set(stemmer.pool) | {"ties", "dies", "died", "cat", "roll", "controlling"})
    golden = {
        "versions": {"python": sys.version.split()[0], "unicode": unicodedata.unidata_version, "nltk": nltk.__version__,
                     "rapidfuzz": rapidfuzz.__version__, "rouge-score": getattr(rouge_score, "__version__", "0.1.2")},
        "pairs": [{"why": w, "input": i, "reference": r, "scores": scores(i, r)} for w, i, r in pairs()],
        "stems": {w: stemmer.stem(w) for w in vocabulary},
    }
    json.dump(golden, sys.stdout, ensure_ascii=True, indent=0, sort_keys=True)
    print()


main()
