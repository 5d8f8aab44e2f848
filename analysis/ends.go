package analysis

import (
	"slices"
	"strings"

	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// Ends says how the last replies of a split's rollouts ended. Rollouts that an
// endpoint failed are not among them.
type Ends struct {
	Rollouts int `json:"rollouts"`
	Known    int `json:"known"` // of which something says how they ended
	Stop     int `json:"stop"`
	Length   int `json:"length"` // cut off by a token limit
	Refusal  int `json:"refusal"`
	Filter   int `json:"filter"` // withheld or cut off by a content filter
	Empty    int `json:"empty"`

	Unfinished *float64 `json:"unfinished"` // share of rollouts that ended otherwise than by stop; null where nothing is known
	Items      []string `json:"items"`      // a few with such a rollout

	// FinishedTokens is the 99th percentile of the output tokens of a finished
	// rollout; null where nobody tells them.
	FinishedTokens *float64 `json:"finished_tokens_p99"`
	Without        *Without `json:"without,omitempty"` // the same items without unfinished rollouts, where there are any

	Answers     int                        `json:"answers"`      // rollouts with the text of an answer
	Markup      map[rollout.MarkupKind]int `json:"markup"`       // answers with text that the server should have parsed
	MarkupText  string                     `json:"markup_text"`  // the token that gives most of them away; "" without any
	MarkupItems []string                   `json:"markup_items"` // a few with such an answer
}

// Without is what the finished rollouts alone would teach.
type Without struct {
	Reward stat.Estimate `json:"reward"`
	Signal []Signal      `json:"signal"` // at the group size
	Lift   stat.Estimate `json:"lift"`
}

// finishOf is how a record's last reply ended. Records from before that was told
// say it in the cause of having no answer, as far as that is known.
func finishOf(rec *rollout.Record) rollout.Finish {
	if rec.Finish != "" || rec.Outcome != rollout.NoAnswer {
		return rec.Finish
	}
	cause := strings.ToLower(rec.Error)
	for _, c := range []struct {
		words  string
		finish rollout.Finish
	}{
		{"content_filter", rollout.FinishFilter},
		{"cut off", rollout.FinishLength},
		{"length", rollout.FinishLength},
		{"max_tokens", rollout.FinishLength},
		{"max_output_tokens", rollout.FinishLength},
		{"refus", rollout.FinishRefusal},
		{"empty", rollout.FinishEmpty},
		{"neither a message nor", rollout.FinishEmpty},
	} {
		if strings.Contains(cause, c.words) {
			return c.finish
		}
	}
	return ""
}

// unfinished reports whether a rollout counts without a finished answer.
func (r *row) unfinished() bool {
	return r.valid && r.finish != "" && r.finish != rollout.FinishStop
}

// addMarkup keeps what the server left in the answer.
func (c *collector) addMarkup(r *row, rec *rollout.Record) {
	if rec.Answer == "" {
		return
	}
	if _, some := rollout.MarkupIn(rec.Answer, nil); some {
		r.markup, _ = rollout.MarkupIn(rec.Answer, c.asked[rollout.Key{Split: rec.Split, Item: rec.Item}])
	}
}

func (m *measure) ends() Ends {
	e := Ends{Markup: make(map[rollout.MarkupKind]int), Items: []string{}, MarkupItems: []string{}}
	for _, kind := range rollout.MarkupKinds() {
		e.Markup[kind] = 0
	}
	texts := make(map[string]int)
	var tokens []float64
	m.records(func(r *row) {
		if !r.valid {
			return
		}
		e.Rollouts++
		countEnd(&e, r.finish)
		switch {
		case r.unfinished():
			e.Items = oneMore(e.Items, r.key.Item)
		case r.usage.Output != nil:
			tokens = append(tokens, float64(*r.usage.Output))
		}
		if r.answerHash != 0 {
			e.Answers++
		}
		if r.markup.Text != "" {
			e.Markup[r.markup.Kind]++
			e.MarkupItems = oneMore(e.MarkupItems, r.key.Item)
			if texts[r.markup.Text]++; texts[r.markup.Text] > texts[e.MarkupText] {
				e.MarkupText = r.markup.Text
			}
		}
	})
	if e.Known == 0 {
		return e
	}
	e.Unfinished = stat.Some(share(unfinishedOf(&e), e.Rollouts))
	if len(tokens) > 0 {
		e.FinishedTokens = stat.Some(stat.Quantile(tokens, 0.99))
	}
	if unfinishedOf(&e) > 0 {
		e.Without = m.without()
	}
	return e
}

func countEnd(e *Ends, f rollout.Finish) {
	switch f {
	case rollout.FinishStop:
		e.Stop++
	case rollout.FinishLength:
		e.Length++
	case rollout.FinishRefusal:
		e.Refusal++
	case rollout.FinishFilter:
		e.Filter++
	case rollout.FinishEmpty:
		e.Empty++
	default:
		return
	}
	e.Known++
}

func unfinishedOf(e *Ends) int { return e.Length + e.Refusal + e.Filter + e.Empty }

// markedAnswers counts the answers with unparsed text.
func markedAnswers(e *Ends) (n int) {
	for _, kind := range rollout.MarkupKinds() {
		n += e.Markup[kind]
	}
	return n
}

func oneMore(ids []string, id string) []string {
	if len(ids) < itemsListed && !slices.Contains(ids, id) {
		return append(ids, id)
	}
	return ids
}

// without measures the finished rollouts alone.
func (m *measure) without() *Without {
	rest := measure{s: m.s, once: m.once, c: m.c, inFile: m.inFile}
	for _, it := range m.items {
		finished := &item{id: it.id, labels: it.labels}
		for _, r := range it.rows {
			if !r.unfinished() {
				finished.rows = append(finished.rows, r)
			}
		}
		finished.settle()
		rest.items = append(rest.items, finished)
	}
	rest.prepare()
	w := &Without{Reward: stat.Mean(rest.rewards, &m.s.RewardRange, m.s.Confidence), Signal: []Signal{}}
	for _, s := range rest.signal(stat.Estimate{}) {
		if s.GroupSize == m.s.GroupSize {
			w.Signal = append(w.Signal, s)
		}
	}
	sr := SplitResult{}
	rest.lift(&sr)
	w.Lift = sr.Lift
	return w
}
