package importer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"gonogo/sampler/rollout"
)

// Format is one kind of log.
type Format struct {
	Name string
	Doc  string // one sentence: whose log, and which file
	// Read reads the whole source. It returns ErrUnrecognized, before it hands
	// anything to the sink, when the file is of another format; any other error
	// means that the file is of this format but broken.
	Read func(ctx context.Context, src Source, sink Sink) error
}

// Formats lists the formats in the order in which a file is tried against
// them.
func Formats() []Format {
	return []Format{
		gonogo,
		tauBench,
	}
}

// ErrUnrecognized means that a file is not of a format.
var ErrUnrecognized = errors.New("not of this format")

// Source is a file to import.
type Source struct {
	Name    string                        // as errors show it
	Open    func() (io.ReadCloser, error) // from the beginning; may be called several times
	Options Options
}

// Options says what the file itself does not.
type Options struct {
	Split      rollout.Split    // of rollouts that do not name theirs; "" = train
	OnConflict rollout.Conflict // for gonogo's own lines; other formats always refuse a conflict
}

// split returns the split of rollouts that do not name theirs.
func (o Options) split() rollout.Split { return cmp.Or(o.Split, rollout.Train) }

// File returns the source that reads the file at path.
func File(path string, opt Options) Source {
	return Source{Name: path, Options: opt, Open: func() (io.ReadCloser, error) { return os.Open(path) }}
}

// mentions reports whether word stands among the first bytes of the source.
func (s Source) mentions(word string) bool {
	rd, err := s.Open()
	if err != nil {
		return false
	}
	defer rd.Close()
	head, err := io.ReadAll(io.LimitReader(rd, 4<<10))
	return err == nil && bytes.Contains(head, []byte(word))
}

// Sink takes what was read, on the caller's goroutine. A nil func leaves out
// its part. An error ends the import and is returned as it is.
type Sink struct {
	Item   func(rollout.Item) error
	Record func(*rollout.Record) error
	Note   func(string) // how identity and sample number were derived, what was left out
}

func (s Sink) item(it rollout.Item) error {
	if s.Item == nil {
		return nil
	}
	return s.Item(it)
}

func (s Sink) record(r *rollout.Record) error {
	if s.Record == nil {
		return nil
	}
	return s.Record(r)
}

func (s Sink) note(format string, args ...any) {
	if s.Note != nil {
		s.Note(fmt.Sprintf(format, args...))
	}
}

// Import reads src as the format called name, or, when name is "", as the
// first of formats that recognizes it, and returns that format.
//
// Broken input can be found late: an import that must not leave half a run
// behind reads the source twice, the first time into an empty Sink.
func Import(ctx context.Context, formats []Format, name string, src Source, sink Sink) (Format, error) {
	if name != "" {
		return importAs(ctx, formats, name, src, sink)
	}
	var reasons []string
	for _, f := range formats {
		err := f.Read(ctx, src, sink)
		if !errors.Is(err, ErrUnrecognized) {
			return f, err
		}
		reasons = append(reasons, fmt.Sprintf("%s (%s): %v", f.Name, f.Doc, err))
	}
	return Format{}, fmt.Errorf("import %s: no known format recognizes it: %w\n  %s", src.Name, ErrUnrecognized, strings.Join(reasons, "\n  "))
}

// plain is a name as people type it: tau_bench and TauBench are tau-bench.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

func importAs(ctx context.Context, formats []Format, name string, src Source, sink Sink) (Format, error) {
	names := make([]string, len(formats))
	for i, f := range formats {
		if plain(f.Name) != plain(name) {
			names[i] = f.Name
			continue
		}
		if err := f.Read(ctx, src, sink); err != nil {
			if errors.Is(err, ErrUnrecognized) {
				err = fmt.Errorf("import %s as %s (%s): %w", src.Name, f.Name, f.Doc, err)
			}
			return f, err
		}
		return f, nil
	}
	return Format{}, fmt.Errorf("import %s: unknown format %q: use one of %s", src.Name, name, strings.Join(names, ", "))
}
