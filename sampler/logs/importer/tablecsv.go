package importer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// openCSV reads the header. The field separator is whichever of comma, semicolon and tab is most
// frequent in the first line.
func openCSV(f File, _ map[string]string) (*table, error) {
	rd, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	in, err := csvReader(f, &bounded{Reader: rd})
	if err != nil {
		return nil, err
	}
	head, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("%w: it does not begin with a header of comma-separated values", ErrUnrecognized)
	}
	t := &table{columns: slices.Clone(head), native: ours(head), marked: ours(head)}
	for i, c := range t.columns {
		if slices.Contains(t.columns[:i], c) {
			return nil, lineError(f, 1, "there are two columns called %q", c)
		}
	}
	t.rows = func(ctx context.Context, sink Sink, wanted []string, yield func(int, []cell) error) error {
		torn, err := eachCSV(ctx, f, t.columns, wanted, yield)
		if err == nil && torn {
			sink.note("the last line was incomplete and left out")
		}
		return err
	}
	return t, nil
}

// bounded stops a read when one row grows too long: an unclosed quote would otherwise read the rest
// of the file into memory.
type bounded struct {
	io.Reader
	since int  // bytes since the last row
	last  byte // the last byte that was read
}

var errLongRow = errors.New("a row is longer than 64 MB: is a quote never closed?")

// Read returns errLongRow after more than 64 MB since the last row.
func (b *bounded) Read(p []byte) (int, error) {
	const longest = 64 << 20
	n, err := b.Reader.Read(p)
	if n > 0 {
		b.last = p[n-1]
	}
	if b.since += n; b.since > longest {
		return n, errLongRow
	}
	return n, err
}

func csvReader(f File, rd io.Reader) (*csv.Reader, error) {
	text := bufio.NewReaderSize(rd, 64<<10)
	if _, err := skipSpace(text); err != nil {
		return nil, sniffError(f, err)
	}
	head, _ := text.Peek(64 << 10) // what is buffered
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if len(line) == 0 || bytes.ContainsAny(line[:1], "{[") || bytes.IndexByte(line, 0) >= 0 ||
		bytes.HasPrefix(line, []byte("PAR1")) {
		return nil, fmt.Errorf("%w: its first line is not a header of comma-separated values", ErrUnrecognized)
	}
	in := csv.NewReader(text)
	in.ReuseRecord = true
	for _, comma := range ";\t" {
		if strings.Count(string(line), string(comma)) > strings.Count(string(line), string(in.Comma)) {
			in.Comma = comma
		}
	}
	return in, nil
}

// eachCSV yields the rows of a file. torn reports that the last line is a broken row without an end, as of
// a file that is being written; it is left out.
func eachCSV(ctx context.Context, f File, columns, wanted []string,
	yield func(int, []cell) error,
) (torn bool, err error) {
	rd, err := f.Open()
	if err != nil {
		return false, err
	}
	defer rd.Close()
	rows := &bounded{Reader: rd}
	in, err := csvReader(f, rows)
	if err != nil {
		return false, err
	}
	columnOf := make([]int, len(wanted))
	for i, c := range wanted {
		columnOf[i] = slices.Index(columns, c)
	}
	cells, line := make([]cell, len(wanted)), 1
	for first := true; ; first = false {
		if err := ctx.Err(); err != nil {
			return false, fmt.Errorf("read %s: %w", f.Name, err)
		}
		fields, err := in.Read()
		rows.since = 0
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if errors.Is(err, errLongRow) {
			return false, lineError(f, line+1, "%w", errLongRow)
		}
		if broken, ok := errors.AsType[*csv.ParseError](err); ok {
			// a quote that is never closed takes in many lines, which must not be lost
			oneLine := broken.StartLine == broken.Line &&
				!slices.ContainsFunc(fields, func(field string) bool { return strings.Contains(field, "\n") })
			if _, after := in.Read(); oneLine && errors.Is(after, io.EOF) && rows.last != '\n' && rows.last != '\r' {
				return true, nil
			}
			return false, lineError(f, broken.Line, "%w", broken.Err)
		}
		if err != nil {
			return false, fmt.Errorf("read %s: %w", f.Name, err)
		}
		if first {
			continue
		}
		for i, k := range columnOf {
			// cloned, so that a kept field does not keep its whole row in memory
			cells[i] = cell{text: strings.Clone(fields[k]), none: fields[k] == ""}
		}
		line, _ = in.FieldPos(0)
		if err := yield(line, cells); err != nil {
			return false, err
		}
	}
}

// openJSONL opens a file of JSON lines, or a JSON list of rows. Without a mapping the meaning of its
// keys is unknown, unless they are those of a table that is known; lines that name an item are in
// gonogo's own format.
func openJSONL(f File, mapped map[string]string) (*table, error) {
	f, err := f.asLines(func(keys []string) bool {
		return slices.ContainsFunc(keys, func(key string) bool {
			return key == mapped["item"] || strings.HasPrefix(mapped["item"], key+".")
		})
	})
	if err != nil {
		return nil, err
	}
	head, err := readHead(f)
	if err != nil && f.list != nil && len(mapped) == 0 {
		return nil, fmt.Errorf("%w: the first entry of %s is broken", ErrUnrecognized, f.list.name())
	}
	if err != nil {
		return nil, err
	}
	t := &table{keys: newKeySet(), first: slices.Sorted(maps.Keys(head.keys)), list: f.list}
	t.rows = func(ctx context.Context, sink Sink, wanted []string, yield func(int, []cell) error) error {
		return readJSONLines(ctx, f, sink, func(text []byte) ([]cell, error) { return jsonCells(text, wanted, t.keys) },
			func(l rollout.Line[[]cell]) error {
				return yield(l.Number, l.Value)
			})
	}
	switch {
	case len(mapped) > 0:
		return t, nil
	case head.keys["item_index"] == nil:
		return nil, fmt.Errorf("%w: JSON lines of any keys take --map, as in --map item=question_id,reward=score",
			ErrUnrecognized)
	}
	err = t.rows(context.Background(), Sink{}, nil, func(int, []cell) error { return nil })
	t.columns = t.keys.sorted()
	return t, err
}

// keySet is the set of the keys of rows, of which it keeps the first thousand. It is safe for
// concurrent use.
type keySet struct {
	mu   sync.RWMutex
	keys map[string]bool
}

func newKeySet() *keySet { return &keySet{keys: make(map[string]bool)} }

func (s *keySet) add(key string) {
	const most, longest = 1000, 1000
	s.mu.RLock()
	known := s.keys[key] || len(s.keys) >= most || len(key) > longest
	s.mu.RUnlock()
	if known {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys[strings.Clone(key)] = true
}

func (s *keySet) sorted() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Sorted(maps.Keys(s.keys))
}

// jsonCells finds the wanted keys of a line: an exact key or a dotted path of keys. It adds all keys
// to seen.
func jsonCells(text []byte, wanted []string, seen *keySet) ([]cell, error) {
	cells := make([]cell, len(wanted))
	for i := range cells {
		cells[i].none = true
	}
	err := rollout.Members(text, func(key string, value []byte) error {
		seen.add(key)
		taken := false
		for i, w := range wanted {
			if w == key {
				cells[i] = jsonCell(value)
				taken = true
			} else if rest, deeper := strings.CutPrefix(w, key+"."); deeper && cells[i].none {
				cells[i] = jsonInside(value, rest)
			}
		}
		if !taken && (marking(key) || telling(key)) {
			v := jsonCell(value)
			v.key = key
			cells = append(cells, v)
		}
		return nil
	})
	return cells, err
}

func jsonInside(value []byte, path string) cell {
	for path != "" {
		key, rest, _ := strings.Cut(path, ".")
		var object map[string]json.RawMessage
		if jsontext.Unmarshal(value, &object) != nil {
			return cell{none: true}
		}
		if inner, ok := object[path]; ok {
			return jsonCell(inner)
		}
		if value, path = object[key], rest; value == nil {
			return cell{none: true}
		}
	}
	return jsonCell(value)
}

func jsonCell(value []byte) cell {
	if isNone(value) || string(value) == `""` {
		return cell{none: true, has: true}
	}
	return cell{text: jsontext.TextOrJSON(value), has: true}
}
