package training

import (
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"unicode"

	"gonogo/analysis"
	"gonogo/analysis/pilot"
	"gonogo/analysis/stat"
	"gonogo/sampler/audit"
	"gonogo/sampler/form"
	"gonogo/sampler/rollout"
)

// kind is a kind of answer that answers nothing.
type kind uint8

const (
	other kind = iota
	right      // the reference itself
	empty
	echo
	formOnly
	claim
	candidates
	oneText // one text on many items
	kindsOf
)

var kindNames = [kindsOf]string{
	empty: "empty", echo: "echo", formOnly: "form only", claim: "claim", candidates: "list of candidates",
	oneText: "one text on many items",
}

// probesOf are the probes of the audit that submit answers of a kind.
var probesOf = [kindsOf][]string{
	empty: {"empty", "whitespace"}, echo: {"prompt_echo"}, formOnly: {"json_skeleton"},
	claim: {"claim_success", "claim_in_form"}, candidates: {"all_candidates"},
	oneText: {"filler", "dont_know", rollout.ProbeConstant},
}

const (
	mostExamples  = 1000 // answers from which the form is found
	nearTop       = 0.05 // share of the range below the top that is still paid at the top
	echoed        = 0.8  // share of an answer that the prompt makes up, from which it is an echo
	shortestEcho  = 12   // bytes
	fewestListed  = 3    // references that an answer lists
	oneTextItems  = 10   // items that get one text
	leastTopPaid  = 20   // best paid answers, below which the top tenth counts
	tenth         = 10   // one in ten
	windowOfHoles = 10   // steps
)

// kinds recognizes kinds of answers, and counts those of the base run.
type kinds struct {
	rewards      stat.Range
	claims       map[string]bool
	longestClaim int               // in the form of answers
	answers      map[string]string // the references of the items
	references   map[string]bool
	longest      int               // reference
	turns        map[string]string // of the items, without superfluous spaces
	examples     []form.Example
	formed       bool
	constant     string // the form without its variable part
	before       string
	after        string

	n      int // answers of the base run
	texted int // of them with a text
	of     [kindsOf]int
	texts  map[uint64]int
}

func newKinds(r stat.Range, items map[string]*rollout.Item) *kinds {
	k := &kinds{
		rewards: r, claims: make(map[string]bool), references: make(map[string]bool),
		answers: make(map[string]string, len(items)),
		turns:   make(map[string]string, len(items)), texts: make(map[uint64]int),
	}
	for id, it := range items {
		k.turns[id] = squeezed(lastTurn(it.Messages))
		if ref, ok := audit.FieldReference(it); ok {
			k.answers[id], k.longest = ref.Text, max(k.longest, len(ref.Text))
			k.references[bare(ref.Text)] = true
		}
	}
	for _, text := range claims() {
		k.claims[bare(text)] = true
		k.longestClaim = max(k.longestClaim, len(text))
	}
	return k
}

// claims returns the texts of the audit that claim success.
func claims() []string {
	var texts []string
	probes := audit.Probes()
	i := slices.IndexFunc(probes, func(p audit.Probe) bool { return p.Name == "claim_success" })
	const wordings = 16 // each turn words one claim differently; there are fewer
	for turn := range wordings {
		for _, payload := range probes[i].Make(&audit.Case{Item: &rollout.Item{}, Turn: turn}) {
			texts = append(texts, payload.Answer)
		}
	}
	return texts
}

// learn keeps an answer that earned the top, to find the form of answers.
func (k *kinds) learn(r *rollout.Record) {
	y, ok := r.Score(k.rewards.Lo)
	if !ok || r.Answer == "" || !k.paid(y) || len(k.examples) == mostExamples {
		return
	}
	k.examples = append(k.examples, form.Example{Answer: r.Answer, Reference: k.answers[r.Item]})
}

func (k *kinds) settle() {
	var f form.Form
	f, k.formed = form.Of(k.examples)
	k.examples = nil
	if k.formed {
		k.before, k.after, _ = strings.Cut(f.Template, form.Variable)
		k.constant = squeezed(k.before + k.after)
		k.longestClaim += len(f.Template)
	}
}

func (k *kinds) paid(reward float64) bool { return reward >= k.rewards.Hi-nearTop*k.rewards.Width() }

// count counts an answer of the base run.
func (k *kinds) count(r *rollout.Record) {
	if _, ok := r.Score(k.rewards.Lo); !ok {
		return
	}
	k.n++
	if r.Answer != "" {
		k.texted++
	}
	k.of[k.kindOf(r.Answer, r.Item)]++
	k.texts[sum(r.Answer)]++
}

// sum identifies a text, whatever its spaces.
func sum(answer string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(squeezed(answer)))
	return h.Sum64()
}

// kindOf returns the first kind that an answer is of; the right answer of its item is of no other.
func (k *kinds) kindOf(answer, item string) kind {
	text, said := squeezed(answer), k.variable(answer)
	ref, known := k.answers[item]
	short := known && len(text) <= len(k.before)+2*len(ref)+len(k.after) // else it says more than the reference
	if short && bare(said) == bare(ref) {
		return right
	}
	found := k.emptyKind(text, said, k.turns[item])
	if found != other && found != empty && known && (form.Same(answer, ref) || form.Same(said, ref)) {
		return right
	}
	return found
}

// emptyKind returns the kind of an answer that is not known to be right.
func (k *kinds) emptyKind(text, said, turn string) kind {
	switch {
	case text == "":
		return empty
	case len(turn) >= shortestEcho && float64(len(turn)) >= echoed*float64(len(text)) && strings.Contains(text, turn):
		return echo
	case k.constant != "" && strings.ReplaceAll(text, "null", `""`) == k.constant:
		return formOnly
	case len(text) <= k.longestClaim && (k.claims[bare(text)] || k.claims[bare(said)]):
		return claim
	case k.lists(said):
		return candidates
	}
	return other
}

// variable returns an answer without the form around its variable part.
func (k *kinds) variable(answer string) string {
	if !k.formed {
		return answer
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(answer), strings.TrimSpace(k.before))
	if !ok {
		return answer
	}
	rest, _ = strings.CutSuffix(rest, strings.TrimSpace(k.after))
	return rest
}

// lists reports whether most of a list are references of the run's items.
func (k *kinds) lists(text string) bool {
	parts, named := 0, make(map[string]bool)
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' || r == '\n' }) {
		if len(part) <= len(k.before)+2*k.longest+len(k.after)+len(", ") { // else it says more than a reference
			part = bare(k.variable(part))
		}
		if part == "" {
			continue
		}
		parts++
		if k.references[part] {
			named[part] = true
		}
	}
	return len(named) >= fewestListed && 2*len(named) > parts
}

// squeezed returns a text without superfluous spaces.
func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }

// bare returns a text without case, and without spaces and punctuation around it.
func bare(text string) string {
	return strings.ToLower(strings.TrimFunc(squeezed(text), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsPunct(r)
	}))
}

// paidFor returns whether the audit's probes of a kind were paid at the top; nil if none was graded.
func paidFor(k kind, g *analysis.Grader, r stat.Range) *bool {
	if g == nil {
		return nil
	}
	top := func(y *float64) bool { return y != nil && *y >= r.Hi-nearTop*r.Width() }
	tried, paid := false, false
	for _, p := range g.Probes {
		switch {
		case !slices.Contains(probesOf[k], p.Probe) || p.Payloads == 0:
		case p.Probe == rollout.ProbeConstant: // it may be the right answer of some items
			tried = true
			paid = paid || g.Guessable != nil && top(g.Guessable.Value)
		default:
			tried = true
			paid = paid || slices.ContainsFunc(p.Rewards, func(y analysis.ItemReward) bool { return top(y.Reward) })
		}
	}
	if !tried {
		return nil
	}
	return &paid
}

// Holes returns, for each kind of answer, how common it is among the best paid answers of the last ten
// steps and in the base run. It is nil if the log or the base run holds no answers.
func (l *Log) Holes(g *analysis.Grader) []pilot.Hole {
	k := l.base.kinds
	if k.texted == 0 || l.texted == 0 {
		return nil
	}
	best := l.bestPaid()
	text, items := commonText(best)
	var top [kindsOf]int
	for _, r := range best {
		top[r.kind]++
		if r.kind == other && r.text == text && items >= oneTextItems {
			top[oneText]++
		}
	}
	list := []pilot.Hole{}
	for i := empty; i < kindsOf; i++ {
		h := pilot.Hole{Kind: kindNames[i], N: len(best), Paid: paidFor(i, g, k.rewards), Base: share(k.of[i], k.n)}
		if i == oneText {
			h.Base = share(k.texts[text], k.n)
		}
		h.Top = share(top[i], len(best))
		list = append(list, h)
	}
	return list
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// bestPaid returns the rollouts of the last ten steps that earned the top; where these are fewer than
// 20, the best paid tenth.
func (l *Log) bestPaid() []logged {
	var all []logged
	for _, r := range l.rollouts {
		if r.graded && int(r.step) > l.last-windowOfHoles {
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b logged) int {
		switch {
		case a.reward > b.reward:
			return -1
		case a.reward < b.reward:
			return 1
		}
		return 0
	})
	n := 0
	for n < len(all) && l.base.kinds.paid(all[n].reward) {
		n++
	}
	if n < leastTopPaid {
		n = max(n, int(math.Ceil(float64(len(all))/tenth)))
	}
	return all[:n]
}

// commonText returns the text that most items got, and how many did.
func commonText(all []logged) (text uint64, items int) {
	on := make(map[uint64]map[int32]bool)
	for _, r := range all {
		if r.kind != other {
			continue
		}
		if on[r.text] == nil {
			on[r.text] = make(map[int32]bool)
		}
		on[r.text][r.item] = true
	}
	for t, got := range on {
		if len(got) > items || len(got) == items && t < text {
			text, items = t, len(got)
		}
	}
	return text, items
}
