package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

var codeMutated = Probe{
	Name: "code_mutated", Expect: rollout.Bottom, Limit: partly,
	Doc: "Where the answer is Python and the row has tests of its own: right code with one operator, comparison, " +
		"constant or branch changed. The audit runs the row's tests: the code passes them, and the changed code fails " +
		"most. A grader with weaker tests, or one that compares texts, pays for it.",
	mutates: true,
}

// mostMutated bounds the items whose tests are run, and mostPrograms the programs tried for one.
const (
	mostMutated  = 40
	mostPrograms = 4
)

// program is code that may be right, and the answers that state it.
type program struct {
	code    string
	answers func(code string) []Payload
}

// mutated plans wrong code for the sampled items whose rows have tests.
func (b *builder) mutated(ctx context.Context, p Probe) error {
	in := b.survey.in
	if in.Mutant == nil {
		return nil
	}
	type result struct {
		item     *surveyed
		payloads []Payload
		err      error
	}
	var results []*result
	var running sync.WaitGroup
	for _, item := range b.sampled {
		c := b.caseOf(item)
		programs := c.programs(in.Range)
		if len(programs) == 0 || len(results) == mostMutated {
			continue
		}
		r := &result{item: item}
		results = append(results, r)
		running.Go(func() {
			var codes []string
			for _, one := range programs {
				codes = append(codes, one.code)
			}
			seed := luck(b.shared.seed, p.Name, item.key().ItemName())
			code, place, err := in.Mutant(ctx, item.item.Row, codes, seed)
			if r.err = err; code != "" && err == nil {
				one := p
				one.Make = func(*Case) []Payload { return programs[place].answers(code) }
				r.payloads = one.payloads(c, b.shared.seed)
			}
		})
	}
	running.Wait()
	for _, r := range results {
		for i, payload := range r.payloads {
			b.plan.task(p, r.item, i, payload, len(b.plan.Counts)-1)
		}
		if b.count().Payloads += len(r.payloads); len(r.payloads) > 0 {
			b.count().Items++
		}
	}
	if i := slices.IndexFunc(results, func(r *result) bool { return r.err != nil }); i >= 0 && ctx.Err() == nil {
		b.plan.Notes = append(b.plan.Notes, fmt.Sprintf("%s: the tests of item %s were not run: %v", p.Name,
			results[i].item.key().ItemName(), results[i].err))
	}
	return ctx.Err()
}

// testPattern finds what tests in every known layout have.
var testPattern = regexp.MustCompile(`assert|"inputs?\\*"`)

// testFields are the fields of a row that hold its tests.
var testFields = []string{
	"test_list", "test", "input_output", "public_test_cases", "public_tests", "tests", "test_cases",
	"verification_info",
}

// programFields are the fields of a row that hold right code.
var programFields = []string{
	"code", "canonical_solution", "reference_solution", "gold_standard_solution", "solution", "solutions",
}

// programs lists code that may be right, in the order in which it is tried: of recorded answers that
// earned the top, since the grader accepts their form, then of the row. None if the row has no tests.
func (c *Case) programs(rewards [2]float64) []program {
	row := rowOf(c.Item)
	holds := func(field string) bool { return testPattern.MatchString(rollout.FieldText(row[field])) }
	if !slices.ContainsFunc(testFields, holds) && !testPattern.MatchString(c.truth()) {
		return nil
	}
	var list []program
	for _, r := range c.Rollouts {
		code := fenceless(r.Answer)
		if r.Reward == nil || *r.Reward < rewards[0]+full*(rewards[1]-rewards[0]) || len(r.Calls) > 0 ||
			!isCode(r.Answer) || strings.Count(r.Answer, "```") > 2 {
			continue // with calls, the grader may read what they did instead
		}
		list = append(list, program{code, func(mutant string) []Payload {
			return []Payload{{Answer: strings.Replace(r.Answer, code, mutant, 1)}}
		}})
	}
	list = list[:min(len(list), mostPrograms/2)]
	codes := []string{}
	if c.HasReference && isCode(c.Reference) {
		codes = append(codes, c.Reference)
	}
	for _, field := range programFields {
		var several []string
		if text := jsontext.TextOrJSON(row[field]); jsontext.Unmarshal([]byte(text), &several) == nil {
			codes = append(codes, several...)
		} else if text != "" {
			codes = append(codes, text)
		}
	}
	for _, code := range codes {
		if len(list) < mostPrograms {
			list = append(list, program{fenceless(code), c.stating})
		}
	}
	return list
}

// stating returns answers that state code: in the answer's form, or in a fence and bare if none is known.
func (c *Case) stating(code string) []Payload {
	if c.Answer != nil {
		return c.wrapped(code)
	}
	return []Payload{{Answer: "```python\n" + strings.TrimSuffix(code, "\n") + "\n```"}, {Answer: code}}
}

// truth returns the row's ground truth, which holds tests in some data sets for code.
func (c *Case) truth() string {
	row := rowOf(c.Item)
	var model struct {
		Truth json.RawMessage `json:"ground_truth"`
	}
	_ = jsontext.Unmarshal(row["reward_model"], &model) // if it is nothing of the kind, there is no truth
	return rollout.FieldText(row["ground_truth"]) + rollout.FieldText(model.Truth)
}
