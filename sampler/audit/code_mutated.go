package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

var codeMutated = Probe{
	Name: "code_mutated", Expect: rollout.Bottom, Limit: partly,
	Doc: "Where the answer is Python and the row has tests of its own: right code with one operator, comparison, " +
		"constant or branch changed, or for half of the items a program that only returns the result of the first test. " +
		"The audit runs the row's tests: the right code passes them, and the wrong code fails most. A grader with weaker " +
		"tests, or one that compares texts, pays for it.",
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

// mostMutating bounds the time that the tests of all rows take.
const mostMutating = 30 * time.Second

// mutated plans wrong code for the sampled items whose rows have tests. tested is false if none has.
func (b *builder) mutated(ctx context.Context, p Probe) (tested bool, err error) {
	in := b.survey.in
	if in.Mutant == nil {
		return false, nil
	}
	limited, cancel := context.WithTimeout(ctx, mostMutating)
	defer cancel()
	type result struct {
		item     *surveyed
		payloads []Payload
		err      error
	}
	var results []*result
	var running sync.WaitGroup
	for _, item := range b.sampled {
		c := b.caseOf(item)
		if len(results) == mostMutated || !c.tested() {
			continue
		}
		r := &result{item: item}
		results = append(results, r)
		programs := c.programs(in.Range)
		if len(programs) == 0 {
			continue
		}
		running.Go(func() {
			var codes []string
			for _, one := range programs {
				codes = append(codes, one.code)
			}
			seed := luck(b.shared.seed, p.Name, item.key().ItemName())
			code, place, err := in.Mutant(limited, item.item.Row, codes, seed)
			if r.err = err; code != "" && err == nil {
				one := p
				one.Make = func(*Case) []Payload { return programs[place].answers(code) }
				r.payloads = one.payloads(c, b.shared.seed)
			}
		})
	}
	running.Wait()
	unproven, late := 0, 0
	var failed *result
	for _, r := range results {
		switch {
		case r.err == nil && len(r.payloads) == 0:
			unproven++
		case r.err != nil:
			b.plan.untested[r.item.key()] = true
			if limited.Err() != nil {
				late++
			} else {
				failed = cmp.Or(failed, r)
			}
		}
		for i, payload := range r.payloads {
			b.plan.task(p, r.item, i, payload, len(b.plan.Counts)-1)
		}
		if b.count().Payloads += len(r.payloads); len(r.payloads) > 0 {
			b.count().Items++
		}
	}
	note := func(format string, values ...any) {
		b.plan.Notes = append(b.plan.Notes, p.Name+": "+fmt.Sprintf(format, values...))
	}
	if failed != nil {
		note("the tests of item %s were not run: %v", failed.item.key().ItemName(), failed.err)
	}
	items := func(n int) string {
		if n == 1 {
			return "1 item"
		}
		return fmt.Sprintf("%d items", n)
	}
	if late > 0 {
		note("the tests of %s were left out after %s", items(late), mostMutating)
	}
	if unproven > 0 && b.count().Payloads == 0 {
		note("no wrong code was proven for %s whose rows have tests", items(unproven))
	}
	return len(results) > 0, ctx.Err()
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

// tested reports whether the row has tests.
func (c *Case) tested() bool {
	row := rowOf(c.Item)
	holds := func(field string) bool { return testPattern.MatchString(rollout.FieldText(row[field])) }
	return slices.ContainsFunc(testFields, holds) || testPattern.MatchString(c.truth())
}

// programs lists code that may be right, in the order in which it is tried: of recorded answers that
// earned the top, since the grader accepts their form, then of the row.
func (c *Case) programs(rewards [2]float64) []program {
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
	row := rowOf(c.Item)
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
