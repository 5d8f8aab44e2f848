package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/compare"
	"gonogo/analysis/message"
)

// writeComparedJUnit writes junit.xml. Its first test case is the answer: a
// failure when the new run regressed, an error when it cannot be told, so that
// no CI takes an open question for a pass. Then, for each split, there is a
// case for the mean reward, a failure when it regressed and skipped when it
// cannot be told, and one for everything that is compared beside it, which
// decides nothing: it passes, with its numbers in its output.
func writeComparedJUnit(w io.Writer, p *ComparisonPage) error {
	s := junitSuite{
		Name: cmp.Or(id(p.Comparison.New.Name), "gonogo compare"), Timestamp: began(p.page), Hostname: "localhost", Time: "0",
		Properties: comparedProperties(p), Cases: []junitCase{answerCase(p)}, Out: junitText{p.Sentence},
	}
	for _, split := range p.Splits {
		sc := p.Comparison.Splits[split.Name]
		s.Cases = append(s.Cases, rewardCase(split, sc, p.words))
		for _, d := range sc.Others {
			text := fmt.Sprintf("\n%s\n%s\n", differenceLine(d, p.words), p.words.Descriptive)
			s.Cases = append(s.Cases, junitCase{Class: junitClass(string(split.Name)), Name: visible(d.Name), Time: "0", Out: &junitText{text}})
		}
	}
	return s.write(w)
}

func answerCase(p *ComparisonPage) junitCase {
	c := junitCase{Class: junitClass(""), Name: "answer", Time: "0"}
	text := p.words.Signs.named(p.Answer, p.Sentence)
	m := &junitMessage{Type: string(p.Comparison.Answer), Message: text, Text: "\n" + text + "\n"}
	for _, s := range p.ReadFirst() {
		m.Text += s + "\n"
	}
	switch p.Comparison.Answer {
	case compare.Improved, compare.Equivalent:
		c.Out = &junitText{m.Text}
	case compare.Regressed, compare.NotBetter:
		c.Failure = m
	default:
		c.Error = m
	}
	return c
}

func rewardCase(s ComparedSplit, sc *compare.Split, w *compareWords) junitCase {
	c := junitCase{Class: junitClass(string(s.Name)), Name: "reward", Time: "0"}
	text := "\n" + s.Why + "\n" + strings.Join(s.Facts, "\n") + "\n"
	for _, m := range s.Moved {
		text += w.Signs.named(m.Item, m.Change) + "\n"
	}
	message := &junitMessage{Type: string(sc.Answer), Message: w.Signs.named(s.Answer, s.Lead), Text: text}
	switch sc.Answer {
	case compare.Improved, compare.Equivalent:
		c.Out = &junitText{text}
	case compare.Regressed, compare.NotBetter:
		c.Failure = message
	default:
		c.Skipped = message
	}
	return c
}

// differenceLine is a difference in one line.
func differenceLine(d analysis.Difference, w *compareWords) string {
	return fmt.Sprintf(w.DifferenceLine, capital(quantity(d, w)), message.DigitsOf(d.Base), message.DigitsOf(d.New), change(d.Estimate))
}

func comparedProperties(p *ComparisonPage) []junitProperty {
	c := p.Comparison
	list := []junitProperty{{"gonogo.answer", string(c.Answer)}, {"gonogo.exit_code", strconv.Itoa(c.ExitCode)}}
	for _, one := range [][2]string{
		{"gonogo.base", c.Base.File},
		{"gonogo.base_run_id", c.Base.ID},
		{"gonogo.base_model", c.Base.Model},
		{"gonogo.new", c.New.File},
		{"gonogo.new_run_id", c.New.ID},
		{"gonogo.new_model", c.New.Model},
		{"gonogo.version", p.Version},
	} {
		if one[1] != "" {
			list = append(list, junitProperty{one[0], visible(one[1])})
		}
	}
	return list
}
