package importer

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"gonogo/sampler/rollout"
)

// Format is one kind of log.
type Format struct {
	Name   string
	Doc    string   // one sentence: whose log, and which file
	Files  []string // names, as patterns of path.Match, by which its files are found in a directory
	From   Origin   // what the parts of a record are made of, for the table of docs/import.md
	Mapped bool     // it reads by Options.Map, and it alone when there is one
	// Read reads all files of the source, none of which is a directory, as one
	// import. It returns ErrUnrecognized, before it hands anything to the sink,
	// when they are of another format; any other error means that they are of
	// this format but broken.
	Read func(ctx context.Context, src Source, sink Sink) error
}

// Origin says what of a log becomes what of a record.
type Origin struct{ Item, Sample, Reward, Failures string }

// Formats lists the formats in the order in which a file is tried against
// them.
func Formats() []Format {
	return []Format{
		gonogo,
		inspect,
		verifiers,
		verifiersV1,
		evalProtocol,
		nemoGym,
		harbor,
		sweAgent,
		terminalBench,
		verlDump,
		trlCompletions,
		promptfoo,
		tauBench,
		tau2Bench,
		buildHours,
		itemIndex,
		outputItems,
		evalRuns,
		everyEval,
		lmEval,
		evalsRecorder,
		csvTable,
		parquetTable,
		jsonlTable,
	}
}

// ErrUnrecognized means that a file is not of a format, which is not the same
// as being of it and broken.
var ErrUnrecognized = errors.New("not of this format")

// unrecognized is an ErrUnrecognized in its own words.
type unrecognized string

func (u unrecognized) Error() string        { return string(u) }
func (u unrecognized) Is(target error) bool { return target == ErrUnrecognized }

// errEmpty is that of a file of nothing but white space.
const errEmpty = unrecognized("it is empty")

// Sink takes what was read, on the caller's goroutine. A nil func leaves out
// its part. An error ends the import and is returned as it is.
type Sink struct {
	Item   func(rollout.Item) error
	Record func(*rollout.Record) error
	Model  func(string) // the model that made the rollouts, where the log names one
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

func (s Sink) model(name string) {
	if s.Model != nil && name != "" {
		s.Model(name)
	}
}

func (s Sink) note(format string, args ...any) {
	if s.Note != nil {
		s.Note(fmt.Sprintf(format, args...))
	}
}

// of returns a sink that names f before its notes when there are several
// files.
func (s Sink) of(f File, files []File) Sink {
	note := s.Note
	if note != nil && len(files) > 1 {
		s.Note = func(text string) { note(f.Name + ": " + text) }
	}
	return s
}

// noteFiles says what several files were taken for.
func (s Sink) noteFiles(files []File, left []string) {
	if len(files) > 1 {
		s.note("%d files are one import; if an item is in several of them, the samples of later files continue those before", len(files))
	}
	if len(left) > 0 {
		s.note("files next to them of another format, left out: %d (%s)", len(left), counted(left))
	}
}

// Import reads src as the format called name, or, when name is "", as the
// first of formats that recognizes it, and returns that format. All files of
// the source are of one format, and make one import.
//
// Broken input can be found late: an import that must not leave half a run
// behind takes back what it wrote when Import fails.
func Import(ctx context.Context, formats []Format, name string, src Source, sink Sink) (Format, error) {
	if name != "" {
		return importAs(ctx, formats, name, src, sink)
	}
	var names, near []string
	for _, f := range formats {
		if len(src.Options.Map) > 0 && !f.Mapped {
			continue
		}
		err := f.read(ctx, src, sink)
		if !errors.Is(err, ErrUnrecognized) {
			return f, err
		}
		if errors.Is(err, errEmpty) {
			return Format{}, fmt.Errorf("import %s: %w", src.name(), errEmpty)
		}
		names = append(names, f.Name)
		switch reason := fmt.Sprintf("\n  %s: %v", f.Name, err); {
		case len(src.Files) > 1 && !strings.HasPrefix(err.Error(), src.Files[0].Name): // the first file is of it
			near = slices.Insert(near, 0, reason)
		case matches(f.Files, path.Base(src.Files[0].Path)), f.Mapped && path.Ext(f.Files[0]) == path.Ext(src.Files[0].Path):
			near = append(near, reason)
		}
	}
	return Format{}, fmt.Errorf("import %s: %w", src.name(), unrecognized("no known format recognizes it: "+strings.Join(names, ", ")+
		" (gonogo help formats describes them)"+strings.Join(near[:min(mostNear, len(near))], "")))
}

// mostNear is for how many formats an error says what the files lack.
const mostNear = 4

// read reads the files of the source, those in directories included. A source
// of no rollouts is an error, with what the format noted of it.
func (f Format) read(ctx context.Context, src Source, sink Sink) error {
	files, err := src.filesOf(f.Files)
	if err != nil {
		return err
	}
	records, notes, given, ends := 0, []string(nil), sink, make(map[rollout.Finish]int)
	sink.Record = func(r *rollout.Record) error {
		records++
		ends[r.Finish]++
		return given.record(r)
	}
	sink.Note = func(text string) {
		notes = append(notes, text)
		given.note("%s", text)
	}
	if err := f.Read(ctx, files, sink); err != nil {
		return err
	}
	if records > 0 {
		sink.noteEnds(ends, records)
		if src.Options.OnConflict != "" && !f.settles() {
			sink.note("--on-conflict was ignored: two places for one rollout are refused in this format, unless it says itself which one counts")
		}
		return nil
	}
	return fmt.Errorf("read %s: %w: %s", src.name(), rollout.ErrNoRecords, strings.Join(notes, "; "))
}

// settles reports whether Options.OnConflict applies to the format.
func (f Format) settles() bool { return f.Mapped || f.Name == gonogo.Name }

// noteCount says how many there are of what, in which [a|b] is a where there is one and b
// where there are more.
func (s Sink) noteCount(n int, what string) { s.note("%d %s", n, plural(n, what)) }

var forms = regexp.MustCompile(`\[([^|\]]*)\|([^\]]*)\]`)

func plural(n int, text string) string {
	if n == 1 {
		return forms.ReplaceAllString(text, "$1")
	}
	return forms.ReplaceAllString(text, "$2")
}

// noteEnds says how many of the rollouts ended with a reply that is not whole.
func (s Sink) noteEnds(ends map[rollout.Finish]int, all int) {
	for _, e := range []struct {
		end  rollout.Finish
		what string
	}{
		{rollout.FinishLength, "[ends|end] with a reply that a token limit cut off"},
		{rollout.FinishRefusal, "[ends|end] with a refusal"},
		{rollout.FinishFilter, "[ends|end] with a reply that a content filter stopped"},
		{rollout.FinishEmpty, "[ends|end] with an empty reply"},
	} {
		if n := ends[e.end]; n > 0 {
			s.note("%d of %d %s %s", n, all, plural(all, "rollout[|s]"), plural(n, e.what))
		}
	}
}

// name names the source in an error.
func (s Source) name() string {
	names := make([]string, len(s.Files))
	for i, f := range s.Files {
		names[i] = f.Name
	}
	return counted(names)
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
		if len(src.Options.Map) > 0 && !f.Mapped {
			return f, fmt.Errorf("import %s as %s: the format knows its own parts and takes no --map", src.name(), f.Name)
		}
		if err := f.read(ctx, src, sink); err != nil {
			if errors.Is(err, ErrUnrecognized) {
				err = fmt.Errorf("import %s as %s (%s): %w", src.name(), f.Name, f.Doc, err)
			}
			return f, err
		}
		return f, nil
	}
	return Format{}, fmt.Errorf("import %s: unknown format %q: use one of %s", src.name(), name, strings.Join(names, ", "))
}
