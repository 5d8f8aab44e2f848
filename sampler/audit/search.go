package audit

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"sort"
	"strings"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/credential"
)

// searchPayload is what a search has found, sent to the grader on the items of the audit.
var searchPayload = Probe{
	Name: rollout.ProbeSearch, Expect: rollout.Bottom, Limit: none,
	Doc: "The text that a search found: pieces that state no answer (forms, outlines, claims, the question, the words " +
		"that the grader's own source holds, lines that rewarded answers share) joined, repeated and cut, with the reward " +
		"as the score, down to the shortest that earns as much. It is a hole if it earns more than the items' own " +
		"rollouts or, without any, half of what a right answer earns. Texts that give one and the same answer are left " +
		"out: what that earns is the lazy reward.",
}

// searchTry is a text that a search tried.
var searchTry = Probe{Name: rollout.ProbeSearchTry, Expect: rollout.Note}

// Search looks for a text that the grader pays for on most items although it answers none. The same
// plan, seed and grades give the same search. What it tried is kept in probes.jsonl, counts against the
// budget again and is not graded again: a search that is repeated asks only for what is missing.
type Search struct {
	plan   *Plan
	budget int
	rand   *rand.Rand
	cases  []*searched
	pieces []string
	needed map[tried]bool // every text on every item that the search has needed, graded before or now
	failed map[tried]bool // those that the grader failed on
	grade  func([]sampler.Task) error
	err    error
}

// SearchBudget returns the gradings that a search may make: most, or what the probes leave of the
// plan's limit.
func (p *Plan) SearchBudget(most int) int {
	if p.cfg.skips(rollout.ProbeSearch) || len(p.drawn) < fewestItems {
		return 0
	}
	if p.cfg.MaxGradings > 0 {
		most = min(most, p.cfg.MaxGradings-len(p.tasks)-len(p.attacked()))
	}
	return max(0, most)
}

// searched is an item of a search.
type searched struct {
	item *surveyed
	c    *Case
	own  float64 // the mean reward of its rollouts, else the bottom of the range
}

// tried is one text on one item, after the work of a recorded rollout.
type tried struct {
	item rollout.Key
	text string
	base int // sample of that rollout; -1: there is none
}

func (c *searched) tried(text string) tried {
	key := tried{c.item.key(), text, -1}
	if base := c.c.idle(); base != nil {
		key.base = base.Sample
	}
	return key
}

// recipe makes a text for any item.
type recipe struct {
	pieces []string
	times  int
	form   bool // in the answer's form
}

// The pieces of a recipe that differ from item to item.
const (
	pieceQuestion   = "{{question}}"
	pieceCandidates = "{{candidates}}"
)

// The sizes of a search.
const (
	fewestItems  = 2  // of a search: what is paid on one item may be its answer
	firstItems   = 2  // on which each piece is tried
	raceItems    = 6  // on which the better ones are
	verifyItems  = 24 // on which the best is
	elite        = 6
	offspring    = 8
	mostPieces   = 6
	mostRepeats  = 20
	commonShare  = 0.25 // of rewarded answers, that have a line in common
	mostWords    = 60   // taken from the grader's source
	longestPiece = 300
	mostIdle     = 20 // generations without a new text
)

// NewSearch returns a search that makes at most budget gradings; nil if there is nothing to search
// with. words are texts that the grader's source holds.
func (p *Plan) NewSearch(budget int, words []string) *Search {
	s := &Search{
		plan: p, budget: budget, rand: rand.New(rand.NewPCG(p.in.Seed, luck(p.in.Seed, "search"))),
		needed: map[tried]bool{}, failed: map[tried]bool{},
	}
	for _, item := range p.drawn[:min(len(p.drawn), verifyItems)] {
		if p.in.GroupSize > 0 && len(p.groups.items[item.item.key()]) == 0 {
			continue
		}
		own, ok := item.item.mean()
		if !ok {
			own = p.in.Range[0]
		}
		s.cases = append(s.cases, &searched{item: item.item, c: item.c, own: own})
	}
	if len(s.cases) < fewestItems {
		return nil
	}
	most := (budget - s.reserve() - 2*elite*raceItems) / firstItems
	if most < elite {
		return nil
	}
	s.pieces = s.vocabulary(words)
	s.pieces = s.pieces[:min(len(s.pieces), most)]
	return s
}

// reserve returns the gradings that are left for shortening the best text and trying it on all items.
func (s *Search) reserve() int { return len(s.cases) + 4*raceItems }

// drawnItem is a sampled item with its case.
type drawnItem struct {
	item *surveyed
	c    *Case
}

// vocabulary lists the pieces of which recipes are made.
func (s *Search) vocabulary(words []string) []string {
	list := []string{
		pieceQuestion, pieceCandidates, "\n", outline, assured, emptyTalk, "yes", "no", "0", "1", "NaN", "None", "[]", "{}",
		"true", "A B C D E", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20",
		"Step 1: Understand the problem.\nStep 2: Solve it.\nStep 3: Verify the result.", judgeMarkups[3], judgeMarkups[1],
		"import sys\nsys.exit(0)", "```python\npass\n```",
	}
	list = slices.Concat(list, shells, shortClaims)
	if len(words) > mostWords {
		words = words[:mostWords]
	}
	list = append(append(list, words...), s.commonLines()...)
	var kept []string
	for _, piece := range list {
		if piece != "" && !slices.Contains(kept, piece) {
			kept = append(kept, piece)
		}
	}
	return kept
}

// commonLines returns the lines that a quarter of the items' best rewarded answers share.
func (s *Search) commonLines() []string {
	counts, best := map[string]int{}, 0
	for _, c := range s.cases {
		r := c.c.best()
		if r == nil || *r.Reward <= c.c.Least {
			continue
		}
		best++
		seen := map[string]bool{}
		for _, line := range strings.Split(r.Answer, "\n") {
			if line = strings.TrimSpace(line); line != "" && len(line) <= longestPiece && !seen[line] {
				seen[line] = true
				counts[line]++
			}
		}
	}
	var lines []string
	for line, n := range counts {
		if n > 2 && float64(n) >= commonShare*float64(best) {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines[:min(len(lines), elite)]
}

// Run searches. grade has tasks graded and their records written; it calls Keep for what it wrote. Run
// returns the text that it found as tasks that are graded already, and how the text is made; nil if it
// found none.
func (s *Search) Run(grade func([]sampler.Task) error) (found []sampler.Task, made string, err error) {
	s.grade = grade
	best, ok := s.climb()
	if s.err != nil || !ok {
		return nil, "", s.err
	}
	best = s.shorten(best)
	mean := s.scores([]recipe{best}, s.cases)[0]
	if s.err != nil || !s.gains(mean) || s.single(best) || s.constant(best) {
		return nil, "", s.err
	}
	for _, c := range s.cases {
		if reward, ok := s.plan.tried[c.tried(best.text(c.c))]; ok {
			t := s.task(searchPayload, c, best.text(c.c), 0)
			t.Record.Outcome, t.Record.Reward, t.Record.Grades = rollout.Graded, &reward, []float64{reward}
			found = append(found, t)
		}
	}
	return found, best.String(), s.err
}

// constant reports whether a text earns something only where one and the same reference is right: then
// it gives that answer, as a label in a sentence does.
func (s *Search) constant(r recipe) bool {
	least, right := math.Inf(1), map[string][2]int{} // items by reference: paid, and not
	rewards := map[*searched]float64{}
	for _, c := range s.cases {
		if reward, ok := s.plan.tried[c.tried(r.text(c.c))]; ok && c.c.HasReference {
			rewards[c] = reward
			least = min(least, reward)
		}
	}
	paid := 0
	for c, reward := range rewards {
		counts := right[normal(c.c.Reference)]
		if s.gains(reward - least) {
			counts[0]++
			paid++
		} else {
			counts[1]++
		}
		right[normal(c.c.Reference)] = counts
	}
	for _, counts := range right {
		if counts[0] == paid && counts[0] > 1 && counts[1] == 0 && len(right) > 1 {
			return true
		}
	}
	return false
}

// String returns how a text is made.
func (r recipe) String() string {
	text := strings.Join(r.pieces, "\n")
	if r.form {
		text += " (in the form of an answer)"
	}
	if r.times > 1 {
		text += fmt.Sprintf(" (%d times)", r.times)
	}
	return text
}

// candidate is a recipe with its score: how much more than the items' own rollouts it earns.
type candidate struct {
	recipe
	score float64
}

// climb tries each piece, then crosses and changes what earned most, until little of the budget is
// left for shortening the best and for trying it on all items.
func (s *Search) climb() (recipe, bool) {
	first, race := s.cases[:min(firstItems, len(s.cases))], s.cases[:min(raceItems, len(s.cases))]
	var all []recipe
	for _, piece := range s.pieces {
		all = append(all, recipe{pieces: []string{piece}, times: 1})
	}
	if s.cases[0].c.Answer != nil {
		for _, piece := range []string{"\n", pieceQuestion, pieceCandidates, "NaN", "None", "done"} {
			all = append(all, recipe{pieces: []string{piece}, times: 1, form: true})
		}
		all = append(all, recipe{pieces: []string{pieceCandidates}, times: mostRepeats, form: true})
	}
	population := s.best(all, first, 2*elite)
	population = s.best(recipes(population), race, elite)
	for idle := 0; s.err == nil && s.budget-len(s.needed) > s.reserve()+offspring*len(first) && len(population) > 0 &&
		idle < mostIdle && !s.perfect(population[0]); idle++ {
		before := len(s.needed)
		var children []recipe
		for range offspring {
			children = append(children, s.child(population))
		}
		better := s.best(children, first, elite/2)
		population = s.best(append(recipes(population), recipes(better)...), race, elite)
		if len(s.needed) > before {
			idle = 0
		}
	}
	if len(population) == 0 {
		return recipe{}, false
	}
	return population[0].recipe, population[0].score > 0
}

func recipes(list []candidate) (out []recipe) {
	for _, c := range list {
		out = append(out, c.recipe)
	}
	return out
}

// best returns the n recipes that earn most on the items, the shortest of equals first. Recipes that
// give a single answer are left out: an answer that is right for some items is no hole.
func (s *Search) best(list []recipe, items []*searched, n int) []candidate {
	list = slices.DeleteFunc(list, s.single)
	var out []candidate
	for i, score := range s.scores(list, items) {
		out = append(out, candidate{list[i], score})
	}
	sort.SliceStable(out, func(i, j int) bool {
		a, b := &out[i], &out[j]
		return cmp.Or(-cmp.Compare(a.score, b.score), cmp.Compare(len(a.pieces)*a.times, len(b.pieces)*b.times)) < 0
	})
	return out[:min(n, len(out))]
}

// scores returns for each recipe how much more than the items' own rollouts it earns on average.
func (s *Search) scores(list []recipe, items []*searched) []float64 {
	var tasks []sampler.Task
	var asked []tried
	for _, r := range list {
		for _, c := range items {
			key := c.tried(r.text(c.c))
			if s.needed[key] || len(s.needed) >= s.budget {
				continue
			}
			s.needed[key] = true
			if _, known := s.plan.tried[key]; known {
				continue
			}
			asked = append(asked, key)
			tasks = append(tasks, s.task(searchTry, c, key.text, s.plan.nextTry(key.item)))
		}
	}
	if len(tasks) > 0 && s.err == nil {
		s.err = s.grade(tasks)
	}
	for _, key := range asked {
		if _, graded := s.plan.tried[key]; !graded {
			s.failed[key] = true
		}
	}
	means := make([]float64, len(list))
	for i, r := range list {
		sum, n := 0.0, 0
		for _, c := range items {
			key := c.tried(r.text(c.c))
			switch reward, ok := s.plan.tried[key]; {
			case ok && s.needed[key]:
				sum += reward - c.own
				n++
			case s.failed[key]:
				sum += s.plan.in.Range[0] - c.own
				n++
			}
		}
		if means[i] = math.Inf(-1); n > 0 {
			means[i] = sum / float64(n)
		}
	}
	return means
}

// gains reports whether a mean gain is large enough to report.
func (s *Search) gains(mean float64) bool {
	return mean > nearNothing*(s.plan.in.Range[1]-s.plan.in.Range[0])
}

// perfect reports whether nothing can earn more.
func (s *Search) perfect(c candidate) bool {
	for _, item := range s.cases[:min(raceItems, len(s.cases))] {
		if reward, ok := s.plan.tried[item.tried(c.text(item.c))]; !ok || reward < s.plan.in.Range[1] {
			return false
		}
	}
	return true
}

// single reports whether a recipe gives one answer that may be right somewhere: a number, a choice or
// another item's reference, and nothing else.
func (s *Search) single(r recipe) bool {
	var pieces []string
	for _, piece := range r.pieces {
		piece = strings.Trim(labelOrTag.ReplaceAllString(piece, ""), " \n\t.")
		if piece != "" && !slices.Contains(pieces, piece) {
			pieces = append(pieces, piece)
		}
	}
	if len(pieces) != 1 {
		return false
	}
	text := pieces[0]
	if _, ok := parseNumber(text); ok || affirms(text) != 0 {
		return true
	}
	return slices.ContainsFunc(s.cases, func(c *searched) bool { return c.c.right(text) }) ||
		slices.ContainsFunc(s.cases[0].c.Others, func(other string) bool { return equal(other, text) })
}

// labelOrTag matches the text around an answer.
var labelOrTag = regexp.MustCompile(`(?i)</?\w+>|^\s*[\w ]{1,20}:`)

// child changes one of the population, or crosses two.
func (s *Search) child(population []candidate) recipe {
	r := population[s.rand.IntN(len(population))].recipe
	r.pieces = slices.Clone(r.pieces)
	switch s.rand.IntN(6) {
	case 0, 1: // add
		r.pieces = slices.Insert(r.pieces, s.rand.IntN(len(r.pieces)+1), s.pieces[s.rand.IntN(len(s.pieces))])
	case 2: // cross
		r.pieces = append(r.pieces, population[s.rand.IntN(len(population))].pieces...)
	case 3: // replace
		r.pieces[s.rand.IntN(len(r.pieces))] = s.pieces[s.rand.IntN(len(s.pieces))]
	case 4:
		r.times = min(mostRepeats, max(2, 3*r.times))
	case 5:
		r.form = !r.form && s.cases[0].c.Answer != nil
	}
	r.pieces = r.pieces[:min(len(r.pieces), mostPieces)]
	return r
}

// shorten leaves out what a recipe earns as much without.
func (s *Search) shorten(r recipe) recipe {
	items := s.cases[:min(raceItems, len(s.cases))]
	earned := s.scores([]recipe{r}, items)[0]
	slack := 0.01 * (s.plan.in.Range[1] - s.plan.in.Range[0])
	try := func(shorter recipe) bool {
		if s.err != nil || s.budget-len(s.needed) < len(s.cases) || s.single(shorter) ||
			s.scores([]recipe{shorter}, items)[0] < earned-slack {
			return false
		}
		r = shorter
		return true
	}
	for i := 0; i < len(r.pieces) && len(r.pieces) > 1; {
		shorter := recipe{slices.Delete(slices.Clone(r.pieces), i, i+1), r.times, r.form}
		if !try(shorter) {
			i++
		}
	}
	if r.times > 1 && !try(recipe{r.pieces, 1, r.form}) && r.times > 2 {
		try(recipe{r.pieces, 2, r.form})
	}
	if r.form {
		try(recipe{r.pieces, r.times, false})
	}
	for i := range r.pieces { // a half of a long piece
		for len(r.pieces[i]) > 2 && !strings.HasPrefix(r.pieces[i], "{{") {
			runes := []rune(r.pieces[i])
			shorter := recipe{slices.Clone(r.pieces), r.times, r.form}
			shorter.pieces[i] = strings.TrimSpace(string(runes[:len(runes)/2]))
			if shorter.pieces[i] == "" || !try(shorter) {
				break
			}
		}
	}
	return r
}

// text returns the recipe's text for an item.
func (r recipe) text(c *Case) string {
	parts := make([]string, len(r.pieces))
	for i, piece := range r.pieces {
		switch piece {
		case pieceQuestion:
			piece = c.prompt()
			if _, numeric := parseNumber(c.Reference); (numeric || c.chosen()) && c.mentions(piece) {
				piece = "" // as for the probe prompt_echo
			}
		case pieceCandidates:
			piece = join(c.candidatesToList())
		}
		parts[i] = piece
	}
	text := strings.Join(parts, "\n")
	if r.form {
		if len(r.pieces) == 1 && r.pieces[0] == pieceCandidates && r.times > 1 {
			var each []string
			for _, one := range c.candidatesToList() {
				each = append(each, c.answer(one))
			}
			return strings.Join(each, "\n")
		}
		text = c.answer(text)
	}
	if r.times > 1 {
		text = strings.TrimSuffix(strings.Repeat(text+"\n", r.times), "\n")
	}
	return text
}

// candidatesToList returns the candidates that are available without solving the task: the row's
// choices, the run's references if they are few, else the numbers to twenty.
func (c *Case) candidatesToList() []string {
	if list := c.choices(); len(list) > 1 && !several(c.Reference) {
		return list
	}
	if n := len(c.Others); n > 1 && n <= mostRepeats && !slices.ContainsFunc(c.Others, several) {
		return c.Others
	}
	return strings.Fields("0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20")
}

// task returns a text as a task for the grader.
func (s *Search) task(probe Probe, c *searched, text string, sample int) sampler.Task {
	t := s.plan.newTask(probe, c.item, sample, Payload{Answer: text, Base: c.c.idle()})
	s.plan.groups.join(&t)
	return t
}

// Recorded reports whether an earlier search found the same text on the same item.
func (p *Plan) Recorded(r *rollout.Record) bool {
	text, ok := p.found[idOf(r)]
	return ok && text == r.Answer
}

// keepTry remembers the reward of a text that a search tried.
func (p *Plan) keepTry(r *rollout.Record) bool {
	if r.Probe.Name != rollout.ProbeSearchTry || !sameHash(r, p.in.Grader) || r.Reward == nil {
		return false
	}
	key := tried{r.Key(), r.Answer, -1}
	if key.item.Sample = 0; r.Probe.Base != nil {
		key.base = r.Probe.Base.Sample
	}
	p.tried[key] = *r.Reward
	p.tries[key.item] = max(p.tries[key.item], r.Sample+1)
	return true
}

// nextTry numbers the texts tried on an item.
func (p *Plan) nextTry(item rollout.Key) int {
	n := p.tries[item]
	p.tries[item]++
	return n
}

// literal matches the quoted texts of a program's source.
var literal = regexp.MustCompile(`"([^"\\\n]{2,40})"|'([^'\\\n]{2,40})'`)

// WordsOf returns the quoted texts in a grader's source, each once: what it looks for is among them.
// Texts that look like keys are left out: they would be sent and recorded.
func WordsOf(source string) []string {
	var words []string
	for _, m := range literal.FindAllStringSubmatch(source, -1) {
		word := m[1] + m[2]
		if !slices.Contains(words, word) && strings.TrimSpace(word) != "" && !credential.LikeKey(word) {
			words = append(words, word)
		}
	}
	return words
}
