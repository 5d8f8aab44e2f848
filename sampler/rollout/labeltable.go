package rollout

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// labelColumns are the known columns of a table of labels.
var labelColumns = []string{
	"split", "item", "sample", "step", "output", "rater", "score", "human_score", "mark",
	"note",
}

// readLabelTable reads CSV with a header.
func readLabelTable(text []byte, take func(Label) error) (line int, err error) {
	if bytes.IndexByte(text, 0) >= 0 {
		return 1, errors.New("the text contains NUL bytes: if the file is UTF-16, save it as UTF-8")
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma = separator(text)
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return 0, nil
	}
	if err != nil {
		return tableError(err)
	}
	columnOf, err := columns(header)
	if err != nil {
		return 1, err
	}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return 0, nil
		}
		if err != nil {
			return tableError(err)
		}
		line, _ = r.FieldPos(0)
		l, err := columnOf.label(row)
		if err == nil {
			err = take(l)
		}
		if err != nil {
			return line, err
		}
	}
}

// tableError splits a CSV reader's error into line and cause.
func tableError(err error) (line int, cause error) {
	p, ok := errors.AsType[*csv.ParseError](err)
	if !ok {
		return 0, err
	}
	if errors.Is(err, csv.ErrFieldCount) {
		return p.StartLine, errors.New("the row has more or fewer fields than the header: put quotes around texts " +
			"with separators in them")
	}
	return p.StartLine, fmt.Errorf("column %d: %w", p.Column, p.Err)
}

// separator returns the most frequent of comma, semicolon and tab in the header.
func separator(text []byte) rune {
	header, _, _ := bytes.Cut(text, []byte("\n"))
	best, most := ',', bytes.Count(header, []byte(","))
	for _, c := range []rune{';', '\t'} {
		if n := bytes.Count(header, []byte(string(c))); n > most {
			best, most = c, n
		}
	}
	return best
}

// table maps the name of a column to its index.
type table map[string]int

func columns(header []string) (table, error) {
	t := make(table)
	for i, name := range header {
		name = strings.ToLower(strings.TrimSpace(name))
		if !slices.Contains(labelColumns, name) {
			continue
		}
		if _, twice := t[name]; twice {
			return nil, fmt.Errorf("the header names %s twice: leave one of the columns out", name)
		}
		t[name] = i
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { _, ok := t[n]; return ok })
	}
	if !has("item") || !has("sample", "output") || !has("score", "human_score", "mark") {
		return nil, fmt.Errorf("the header is %s: it must name item, sample or output, and score or mark",
			excerpt([]byte(strings.Join(header, ","))))
	}
	return t, nil
}

// label makes a label from a row.
func (t table) label(row []string) (Label, error) {
	text := func(name string) string {
		if i, ok := t[name]; ok {
			return row[i]
		}
		return ""
	}
	word := func(name string) string { return strings.TrimSpace(text(name)) }
	l := Label{
		Split: Split(strings.ToLower(word("split"))), Item: word("item"), Output: text("output"),
		Rater: word("rater"), Mark: word("mark"), Note: text("note"),
	}
	for _, v := range []string{l.Item, l.Output, l.Rater, l.Note} {
		if !utf8.ValidString(v) {
			return l, errors.New("the row holds characters that are not valid UTF-8: save the file as UTF-8")
		}
	}
	for _, name := range []string{"sample", "step"} {
		v := word(name)
		if v == "" {
			continue
		}
		n, err := strconv.Atoi(v)
		if err != nil {
			return l, fmt.Errorf("%s must be a whole number, not %s", name, excerpt([]byte(v)))
		}
		if name == "step" {
			l.Step = n
		} else {
			l.Sample = &n
		}
	}
	for _, name := range []string{"score", "human_score"} {
		v := word(name)
		if v == "" {
			continue
		}
		f, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return l, fmt.Errorf("%s must be a number, not %s", name, excerpt([]byte(v)))
		}
		if l.Score != nil && *l.Score != f {
			return l, fmt.Errorf("score is %g and human_score is %g: leave one of the columns out", *l.Score, f)
		}
		l.Score = &f
	}
	return l, nil
}

// settle checks a label and converts its mark to lower case.
func (l *Label) settle() error {
	l.Mark = strings.ToLower(strings.TrimSpace(l.Mark))
	_, badSplit := known("split", l.Split, "", Splits())
	_, badMark := known("mark", l.Mark, "", Marks())
	switch {
	case l.Item == "":
		return errors.New("item is missing: every label must name its item")
	case badSplit != nil:
		return badSplit
	case badMark != nil:
		return badMark
	case l.Sample != nil && *l.Sample < 0:
		return fmt.Errorf("sample is %d: samples count from 0", *l.Sample)
	case l.Step < 0:
		return fmt.Errorf("step is %d: steps count from 0", l.Step)
	case l.Sample == nil && l.Output == "":
		return fmt.Errorf("item %s: give sample or output", l.Item)
	case l.Score == nil && l.Mark == "":
		return fmt.Errorf("item %s: there is neither a score nor a mark", l.Item)
	case l.Score != nil && (math.IsNaN(*l.Score) || math.IsInf(*l.Score, 0)):
		return fmt.Errorf("item %s: the score is %g, not a finite number", l.Item, *l.Score)
	}
	return nil
}
