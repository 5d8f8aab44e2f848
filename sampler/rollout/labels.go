package rollout

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"gonogo/sampler/internal/compressed"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout/disk"
)

// Marks lists the marks that a person may give an output.
func Marks() []string { return []string{"right", "wrong", "hack", "unclear"} }

// maxLabels bounds the size of a file of labels, in bytes.
const maxLabels = 64 << 20

// labelKey identifies a label. Of two labels with the same key the later one replaces the earlier.
type labelKey struct {
	split         Split
	item          string
	sample, step  int
	outputOnly    bool // the label is of an output without a sample number
	output, rater string
}

func (l Label) key() labelKey {
	k := labelKey{
		split: l.Split, item: l.Item, step: l.Step, outputOnly: l.Sample == nil, output: l.Output, rater: l.Rater,
	}
	if l.Sample != nil {
		k.sample = *l.Sample
	}
	return k
}

// Labels reads labels.jsonl as ReadLabels does. A run without the file has no labels.
func (r *Run) Labels() ([]Label, error) {
	path, ok := r.neighbour(LabelsFile)
	if !ok {
		return nil, nil
	}
	return readIfThere("labels", path, ReadLabels)
}

// ReadLabels reads human scores of outputs: JSON Lines with the keys of Label, or CSV whose header
// names at least item, sample or output, and score or mark. human_score is another name of score;
// unknown columns and keys are ignored. CSV may be separated by commas, semicolons or tabs. A later
// label of the same split, item, sample, step, output and rater replaces the earlier one. A label
// without a split applies to the item of that id in any split; one without a step, or of step 0,
// also applies to the only step that the item has rollouts of. Errors in a line are *LineError,
// with name before the line number. The text may be compressed.
func ReadLabels(name string, rd io.Reader) ([]Label, error) {
	plain, err := compressed.NewReader(rd, maxLabels+1)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	text, err := io.ReadAll(io.LimitReader(plain, maxLabels+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(text) > maxLabels {
		return nil, fmt.Errorf("read %s: it is larger than %d MB: cut it into several", name, maxLabels>>20)
	}
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	read := readLabelTable
	if looksLikeJSON(text) {
		read = readLabelLines
	}
	var labels []Label
	index := make(map[labelKey]int)
	line, err := read(text, func(l Label) error {
		if err := l.settle(); err != nil {
			return err
		}
		if i, ok := index[l.key()]; ok {
			labels[i] = l
			return nil
		}
		index[l.key()] = len(labels)
		labels = append(labels, l)
		return nil
	})
	if err != nil {
		return nil, &LineError{File: name, Line: line, Err: err}
	}
	return labels, nil
}

func looksLikeJSON(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// readLabelLines reads one JSON object per line.
func readLabelLines(text []byte, take func(Label) error) (line int, err error) {
	b := batch{text: text, line: 1}
	b.lines(func(text []byte, number int, _ bool) bool {
		line = number
		var l Label
		if l, err = decodeLabel(text); err == nil {
			err = take(l)
		}
		return err == nil
	})
	return line, err
}

func decodeLabel(text []byte) (Label, error) {
	l := Label{}
	human, named := (*float64)(nil), false
	s := jsontext.Scanner{Source: text}
	err := s.Members(func(key, v []byte) (err error) {
		switch name := jsontext.Text(key); name {
		case "item":
			l.Item, _, err = readID(v)
		case "split":
			l.Split, err = readWord[Split](name, v)
		case "sample":
			if l.Sample = nil; !jsontext.IsNull(v) {
				l.Sample = new(int)
				*l.Sample, err = readInt(name, v)
			}
		case "step":
			if !jsontext.IsNull(v) {
				l.Step, err = readInt(name, v)
			}
		case "output":
			l.Output, err = readText(name, v)
		case "rater":
			l.Rater, err = readText(name, v)
		case "score":
			l.Score, err = readNumber(name, v)
			named = named || !jsontext.IsNull(v)
		case "human_score":
			human, err = readNumber(name, v)
		case "mark":
			l.Mark, err = readText(name, v)
		case "note":
			l.Note, err = readText(name, v)
		}
		return err
	})
	if err == jsontext.ErrSyntax {
		err = labelSyntax(text)
	}
	if err == nil && human != nil {
		if named && *human != *l.Score {
			return l, fmt.Errorf("score is %g and human_score is %g: leave one of them out", *l.Score, *human)
		}
		l.Score = human
	}
	return l, err
}

// labelSyntax says what is wrong with a line that is not a JSON object.
func labelSyntax(text []byte) error {
	err := syntaxError(text)
	if errors.As(err, new(brokenError)) {
		return err
	}
	return fmt.Errorf("a line must be one JSON object such as {\"item\":\"q1\",\"sample\":0,\"score\":1}, not %s",
		excerpt(text))
}

// appending is held while labels are added: two calls at once would find the run locked, by their own
// process.
var appending sync.Mutex

// AppendLabels adds the labels that the run in dir does not have yet. It adds all or none: the file
// is replaced as a whole. Meanwhile other writers are locked out of the run; calls in one process
// wait for each other. The caller must mask secrets, with Redactor.Labels.
func AppendLabels(dir string, labels []Label) (err error) {
	appending.Lock()
	defer appending.Unlock()
	run, release, err := openLocked(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	path := filepath.Join(run.Dir, LabelsFile)
	if err := disk.RemoveTemps(path); err != nil {
		return err
	}
	old, err := disk.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read labels: %w", err)
	}
	was, err := ReadLabels(path, bytes.NewReader(old))
	if err != nil {
		return err
	}
	text, err := joinLabels(old, was, labels)
	switch {
	case err != nil:
		return err
	case bytes.Equal(text, old):
		return nil
	case len(text) > maxLabels:
		return fmt.Errorf("append to %s: it would be larger than %d MB", path, maxLabels>>20)
	}
	return disk.WriteFile(path, text)
}

// joinLabels returns the text of a file of labels that holds was and more. JSON lines remain as
// they are; a table is converted to JSON lines.
func joinLabels(old []byte, was, more []Label) ([]byte, error) {
	var text []byte
	lines := bytes.TrimPrefix(old, []byte(byteOrderMark))
	asIs := looksLikeJSON(lines)
	if asIs {
		text = bytes.Clone(lines)
		if text[len(text)-1] != '\n' {
			text = append(text, '\n')
		}
	}
	last := make(map[labelKey]string)
	for i, l := range slices.Concat(was, more) {
		if err := l.settle(); err != nil {
			return nil, fmt.Errorf("label %d of %d: %w", i+1-len(was), len(more), err)
		}
		line, err := json.Marshal(l)
		if err != nil {
			return nil, fmt.Errorf("label %d of %d: %w", i+1-len(was), len(more), err)
		}
		if written := asIs && i < len(was); !written && last[l.key()] != string(line) {
			text = append(append(text, line...), '\n')
		}
		last[l.key()] = string(line)
	}
	return text, nil
}

// Labels returns the labels with every secret masked.
func (r *Redactor) Labels(labels []Label) []Label {
	masked := slices.Clone(labels)
	for i := range masked {
		l := &masked[i]
		l.Item, l.Output, l.Rater, l.Note = r.String(l.Item), r.String(l.Output), r.String(l.Rater), r.String(l.Note)
	}
	return masked
}
