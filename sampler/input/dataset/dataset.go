package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// Options name the row fields that hold an item's labels; "" is the default name. The tags are
// those of the keys of gonogo.yaml.
type Options struct {
	PromptField   string `json:"prompt,omitzero" or:"messages, else prompt" mark:"binding" example:"question" doc:"the row field that holds the conversation, or the user's text alone"`
	IDField       string `json:"id,omitzero" default:"id" mark:"binding" doc:"the row field that names an item; a row without it is named after its line, such as line-17"`
	CategoryField string `json:"category,omitzero" default:"category" mark:"binding" doc:"the row field that groups items into categories: subsets keep their proportions"`
	FamilyField   string `json:"family,omitzero" default:"family" mark:"binding" doc:"the row field that items from the same source share, such as a document or a repository: intervals take it into account"`
}

// withDefaults fills in the default names.
func (o Options) withDefaults() Options {
	return Options{
		o.PromptField, cmp.Or(o.IDField, "id"), cmp.Or(o.CategoryField, "category"),
		cmp.Or(o.FamilyField, "family"),
	}
}

// File is a data file that has been read.
type File struct {
	Path     string
	Split    rollout.Split
	SHA256   string // of the file's bytes, hexadecimal
	Bytes    int64
	Rows     int // rows in the file; more than len(Items) if rows with the same id repeat
	Items    []rollout.Item
	Repeats  []Repeat          // rows that are not items, because they repeat an earlier row and its id
	Problems []rollout.Problem // by the rules of all platforms; Check adds those of the target

	options  Options
	prompted lines // rows whose conversation is not a list in messages
}

// Repeat is a row that repeats the row in line First, including its id.
type Repeat struct{ Line, First int }

// maxLine is the length in bytes of the longest row that is read, far more than any model takes.
// The search for copies needs about 30 bytes of memory per byte of its text.
const maxLine = 16 << 20

// maxErrors is how many bad rows are reported before reading stops.
const maxErrors = 20

// Load reads the file as one split. The file holds JSON lines, a JSON array of rows, one object with
// one list of rows, or is Parquet; see [content]. A byte order mark, CRLF and blank lines are
// accepted.
//
// The error joins up to 20 bad rows, each as path:line: broken JSON, a row that is not an object,
// missing or empty messages, an id that is neither a string nor a whole number, one id on two
// different rows, or one id written once as a string and once as a number. A file without rows is
// also an error.
//
// A row without an id is named after its line, such as line-17. A row wrapped as {"item":{…}} is
// unwrapped, and a row that repeats an earlier one together with its id is left out; a Problem
// reports either.
func Load(path string, split rollout.Split, opt Options) (*File, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the %s file: %w", split, err)
	}
	defer f.Close()
	in := newSummed(f)
	rows, err := content(f, in, opt)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	out, err := read(rows, path, split, opt)
	if err != nil {
		return nil, err
	}
	out.SHA256, out.Bytes, err = in.finish()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

// read is Load for any reader; path is the name used in errors.
func read(r io.Reader, path string, split rollout.Split, opt Options) (*File, error) {
	opt = opt.withDefaults()
	rd := &reader{
		file: &File{Path: path, Split: split, options: opt},
		ids:  map[string]firstUse{},
		rows: map[[sha256.Size]byte]int{},

		written: map[string]canonicalField{}, likely: map[string]int{},
	}
	in := bufio.NewReaderSize(r, 1<<16)
	for line := 1; ; line++ {
		text, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		if line == 1 {
			if why := foreign(text); why != "" {
				return nil, fmt.Errorf("%s:1: %s", path, why)
			}
			text = bytes.TrimPrefix(text, []byte(byteOrderMark))
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			rd.row(text, line)
		}
		if err != nil || len(rd.errs) >= maxErrors {
			break
		}
	}
	if err := rd.err(); err != nil {
		return nil, err
	}
	if rd.file.Rows == 0 {
		return nil, fmt.Errorf("%s has no rows", path)
	}
	rd.finish()
	return rd.file, nil
}

// readLine returns the next line with its line end. A line longer than maxLine is an error.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, fmt.Errorf("the row is longer than %d MB: shorten it, or take it out", maxLine>>20)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// foreign recognizes files that are not JSONL by their beginning, and says what they are; "" for
// others.
func foreign(first []byte) string {
	switch trimmed := bytes.TrimSpace(bytes.TrimPrefix(first, []byte(byteOrderMark))); {
	case bytes.HasPrefix(first, []byte("PK\x03\x04")):
		return "the file is a zip archive: unpack it first, and save a spreadsheet as JSON lines"
	case bytes.HasPrefix(first, []byte("ARROW1")), bytes.HasPrefix(first, []byte{0xff, 0xff, 0xff, 0xff}):
		return "the file is in Arrow's own format: save it as Parquet or JSON lines"
	case bytes.HasPrefix(first, []byte{0xff, 0xfe}), bytes.HasPrefix(first, []byte{0xfe, 0xff}):
		return "the file is UTF-16: save it as UTF-8"
	case bytes.HasPrefix(trimmed, []byte("[")):
		return "the file is a JSON array: write one object per line (jq -c '.[]' does it)"
	case bytes.Equal(trimmed, []byte("{")):
		return "the object spans several lines: write one object per line (jq -c . does it)"
	}
	return ""
}

// base returns the file name that Items and Problems carry.
func (f *File) base() string { return filepath.Base(f.Path) }

// TooLong returns the items whose prompt cannot fit in context tokens. It counts at least one token
// per word and one per 8 bytes; most prompts have more.
func TooLong(items []rollout.Item, context int) (list []*rollout.Item) {
	for i := range items {
		words := 0
		for _, m := range items[i].Messages {
			words += len(strings.Fields(m.Content))
		}
		if max(words, PromptBytes(&items[i])/8) > context {
			list = append(list, &items[i])
		}
	}
	return list
}

// PromptBytes returns the length in bytes of the text that a model is shown first: messages and
// tools.
func PromptBytes(it *rollout.Item) int {
	n := len(it.Tools)
	for _, m := range it.Messages {
		n += len(m.Content)
	}
	return n
}
