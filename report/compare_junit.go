package report

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gonogo/analysis/message"
	"gonogo/report/internal/junit"
	"gonogo/sampler/rollout"
)

// writeComparedJUnit writes junit.xml. Its first test case is the answer: a failure if the new run
// regressed, an error if that is unknown, so that no CI takes an open question for a pass. Then
// each split has a case for the mean reward, a failure if it regressed and skipped if that is
// unknown, and a case for everything else that is compared. The latter decides nothing: it passes,
// with its numbers in its output.
func writeComparedJUnit(w io.Writer, x *ComparisonPage) error {
	s := junit.Suite{
		Name: cmp.Or(id(x.c.New.Name), "gonogo compare"), Timestamp: began(x.Now, ""), Hostname: "localhost", Time: "0",
		Properties: x.properties(), Cases: []junit.Case{x.answerCase()}, Out: junit.Text{Text: x.Sentence},
	}
	for _, split := range x.splits() {
		s.Cases = append(s.Cases, x.rewardCase(split))
		for _, d := range x.c.Splits[split].Others {
			text := fmt.Sprintf("\n%s\n%s\n", x.line(capital(quantity(d, x.w)), message.DigitsIn(d.Unit, d.Base),
				message.DigitsIn(d.Unit, d.New), change(d.Unit, d.Estimate)), x.w.Descriptive)
			s.Cases = append(s.Cases,
				junit.Case{
					Class: junitClass(string(split)),
					Name:  strings.TrimSpace(visible(d.Name) + " " + visible(d.Of)), Time: "0",
					Out: &junit.Text{Text: text},
				})
		}
	}
	return s.Write(w)
}

func (x *ComparisonPage) answerCase() junit.Case {
	c := junit.Case{Class: junitClass(""), Name: "answer", Time: "0"}
	text := x.Words.named(x.Answer, x.Sentence)
	m := &junit.Message{Type: string(x.c.Answer), Message: text, Text: "\n" + text + "\n"}
	for _, s := range x.readFirst() {
		m.Text += s + "\n"
	}
	settle(&c, verdictOf(x.c.Answer.ExitCode()), m)
	return c
}

func (x *ComparisonPage) rewardCase(split rollout.Split) junit.Case {
	c, sc := junit.Case{Class: junitClass(string(split)), Name: "reward", Time: "0"}, x.c.Splits[split]
	text := "\n" + x.why(sc) + "\n" + strings.Join(x.facts(sc), "\n") + "\n"
	for _, m := range sc.Moved {
		text += x.line(id(m.Item), message.Digits(m.Base), message.Digits(m.New), message.Signed(m.Change)) + "\n"
	}
	message := &junit.Message{
		Type:    string(sc.Answer),
		Message: x.Words.named(x.w.Answers[sc.Answer], x.Words.say(sc.Why)), Text: text,
	}
	settle(&c, verdictOf(sc.Answer.ExitCode()), message)
	c.Skipped, c.Error = c.Error, nil // the comparison's own answer is the error
	return c
}

// line describes a difference in one line.
func (x *ComparisonPage) line(what, base, new, change string) string {
	return fmt.Sprintf(x.w.DifferenceLine, what, base, new, change)
}

func (x *ComparisonPage) properties() []junit.Property {
	c := x.c
	list := []junit.Property{
		{Name: "gonogo.answer", Value: string(c.Answer)},
		{Name: "gonogo.exit_code", Value: strconv.Itoa(c.ExitCode)},
	}
	for _, one := range [][2]string{
		{"gonogo.base", c.Base.File},
		{"gonogo.base_run_id", c.Base.ID},
		{"gonogo.base_model", c.Base.Model},
		{"gonogo.new", c.New.File},
		{"gonogo.new_run_id", c.New.ID},
		{"gonogo.new_model", c.New.Model},
		{"gonogo.version", x.Version},
	} {
		if one[1] != "" {
			list = append(list, junit.Property{Name: one[0], Value: visible(one[1])})
		}
	}
	return list
}
