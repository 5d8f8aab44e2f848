package importer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"gonogo/sampler/internal/failure"
	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
	"gonogo/sampler/wording"
)

// Format is one kind of log.
type Format struct {
	Name   string
	Doc    string   // one sentence: whose log, and which file
	Files  []string // names, as patterns of path.Match, by which its files are found in a directory
	From   Origin   // what the parts of a record are made of, for the table of docs/import.md
	Mapped bool     // it reads by Options.Map, and it alone when there is one
	// Read reads the files of an import, each of which was recognized. An error means that
	// they are of this format but broken.
	Read func(ctx context.Context, in *intake) error

	// A file is of the format if the JSON object that it begins with has the keys (see
	// sniffKeys), or if sniff does not return ErrUnrecognized; a table, if open finds its columns.
	keys  []string
	sniff func(File) error
	open  opener
}

// recognize returns ErrUnrecognized for a file of another format.
func (f Format) recognize(file File, opt Options) error {
	switch {
	case f.open != nil:
		t, err := f.open(file, opt.Map)
		if err == nil {
			_, err = t.take(file, opt.Map)
		}
		return err
	case f.sniff != nil:
		return f.sniff(file)
	}
	return sniffKeys(file, f.keys...)
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

	// Planned takes how many rollouts the run that wrote the log set out to make, where the log
	// says so; those that it says were cancelled are not among them.
	Planned func(split rollout.Split, rollouts int)

	// see identity
	known func(split rollout.Split, id string, messages []rollout.Message) (bool, error)
	// what a row holds under the key that names items; nil if none does
	rowKey func(row []byte) string
	// takes what the row of the rollout that comes next says of its policy, environment and reference; see facets
	facets *facets
	// takes that of the row whose rollouts come next
	row func(key string)
}

// at says which row the rollouts that come next are of.
func (s Sink) at(row []byte) {
	if s.rowKey != nil {
		s.row(s.rowKey(row))
	}
}

// tell takes what the row of the rollout that comes next holds under a key.
func (s Sink) tell(key, value string) {
	if !isFacet(key) {
		return
	}
	if f, tells := facetOf(key, value); tells {
		s.facets.add(f)
	}
}

// tellExactly is tell for a value of any kind that the format itself has, such as the
// arguments of a task.
func (s Sink) tellExactly(key string, value json.RawMessage) {
	if !isNone(value) {
		s.facets.add(exactly(key, jsontext.TextOrJSON(value)))
	}
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
	settleContext(r)
	if r.Finish == rollout.FinishLength { // a call that was cut off is none that the model got wrong
		last := r.Turns - 1
		r.Calls = slices.DeleteFunc(r.Calls, func(c rollout.Call) bool {
			return c.Turn == last && c.Status == rollout.CallMalformed && c.Output == "" &&
				!json.Valid([]byte(c.Arguments))
		})
	}
	return s.Record(r)
}

// promptStop is how verifiers names the end of a rollout before its first turn.
var promptStop = regexp.MustCompile(`(?i)prompt_too_long|overlong_?prompt`)

// settleContext makes a prompt_too_long of a failure for want of context in which the model
// has said nothing. One that its log books as a limit counts where the log shows the
// conversation: it could be one that the model made too long.
func settleContext(r *rollout.Record) {
	said := r.Turns > 0 || len(r.Calls) > 0 || r.Answer != "" ||
		slices.ContainsFunc(r.Messages, func(m rollout.Message) bool { return m.Role == "assistant" })
	shown := r.Outcome.OwnFailure() && (len(r.Messages) > 0 || promptStop.MatchString(r.Error))
	if !said && (shown || r.Outcome == rollout.ModelAPI) && rollout.OutOfContext(r.Error) {
		r.Outcome, r.Reward, r.Parts, r.Finish = rollout.PromptTooLong, nil, nil, ""
	}
}

func (s Sink) model(name string) {
	if s.Model != nil && name != "" {
		s.Model(name)
	}
}

func (s Sink) planned(split rollout.Split, rollouts int) {
	if s.Planned != nil && rollouts > 0 {
		s.Planned(split, rollouts)
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
		s.note("%d files are one import; if an item is in several of them, the samples of later files continue "+
			"those before", len(files))
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
		case matches(f.Files, path.Base(src.Files[0].Path)), f.Mapped &&
			path.Ext(f.Files[0]) == path.Ext(src.Files[0].Path):
			near = append(near, reason)
		}
	}
	return Format{},
		fmt.Errorf("import %s: %w", src.name(),
			unrecognized("no known format recognizes it: "+strings.Join(names, ", ")+
				" (gonogo help formats describes them)"+strings.Join(near[:min(mostNear, len(near))], "")))
}

// mostNear is for how many formats an error says what the files lack.
const mostNear = 4

// read reads the files of the source, those in directories included. A source
// of no rollouts is an error, with what the format noted of it.
func (f Format) read(ctx context.Context, src Source, sink Sink) error {
	all, err := src.filesOf(f.Files)
	if err == nil && f.Mapped {
		all.Options.Map, err = src.Options.tableMap()
	}
	if err != nil {
		return err
	}
	files, left, err := all.sniffed(ctx, func(file File) error { return f.recognize(file, all.Options) })
	if err != nil {
		return err
	}
	records, notes, given, ends := 0, []string(nil), sink,
		endings{
			finish: make(map[rollout.Finish]int), words: make(map[string]int), verdicts: make(map[string]int),
			settled: f.Name == gonogo.Name,
		}
	sink.Record = func(r *rollout.Record) error {
		if r.Attempt == 0 {
			records++
		}
		ends.add(r)
		return given.record(r)
	}
	planned := 0
	sink.Planned = func(split rollout.Split, n int) {
		planned = n
		given.planned(split, n)
	}
	sink.Note = func(text string) {
		notes = append(notes, text)
		given.note("%s", text)
	}
	by := src.Options.Item
	if by == itemKept || f.Mapped && by != ItemPrompt {
		by = "" // the ids are right, or it is a column
	}
	items := newIdentity(sink, by)
	items.settled = src.Options.Item != ""
	in := newIntake(files, all.Options, items.through())
	in.open = f.open
	if err := f.Read(ctx, in); err != nil {
		return err
	}
	in.tally.note(in.sink)
	in.sink.noteFiles(in.files, left)
	if err := items.finish(); err != nil {
		return fmt.Errorf("read %s: %w", src.name(), err)
	}
	if records > 0 {
		ends.note(sink, records)
		sink.notePlan(records, planned)
		if src.Options.OnConflict != "" && !f.settles() {
			sink.note("--on-conflict was ignored: two places for one rollout are refused in this format, unless it " +
				"says itself which one counts")
		}
		return nil
	}
	return fmt.Errorf("read %s: %w: %s", src.name(), rollout.ErrNoRecords, strings.Join(notes, "; "))
}

// settles reports whether Options.OnConflict applies to the format.
func (f Format) settles() bool { return f.Mapped || f.Name == gonogo.Name }

// noteCount says how many there are of what, if any, in which [a|b] is a where there is one
// and b where there are more.
func (s Sink) noteCount(n int, what string) {
	if n > 0 {
		s.note("%d %s", n, wording.Plural(n, what))
	}
}

// notePlan says where a log holds fewer rollouts, or more, than its run set out to make.
func (s Sink) notePlan(there, planned int) {
	switch {
	case planned == 0 || there == planned:
	case there < planned:
		s.note("%d of %d rollouts that the run planned are in the log: the others count as lost (infra.failures)",
			there, planned)
	default:
		s.note("%d rollouts, and the run planned %d: are two runs in one log?", there, planned)
	}
}

// endings counts how rollouts ended.
type endings struct {
	finish  map[rollout.Finish]int
	words   map[string]int // those that are not known
	settled bool           // the lines say themselves what is a failure
	lost    int            // rollouts with a grade that ended with a word of failure

	verdicts map[string]int // rollouts with a grade, by the key whose failed was taken for a verdict
}

// noteVerdicts says that a word that may mean two things was taken for a grade.
func noteVerdicts(s Sink, n int, key string) {
	s.note("%d graded %s by %q that %s failed: read as a verdict on the answer; where it means that the rollout "+
		"failed, write it as an error", n, wording.Plural(n, "rollout[ says|s say]"), key,
		wording.Plural(n, "[it|they]"))
}

// add counts the end of a rollout. One that ended with a word of failure has no grade.
func (e *endings) add(r *rollout.Record) {
	e.finish[r.Finish]++
	for key, value := range r.Extra {
		if r.Outcome == rollout.Graded && failure.Verdict(key, value) {
			e.verdicts[key]++
		}
	}
	word := r.UnknownEnd()
	if word == "" {
		return
	}
	e.words[transcript.FirstLine(word)]++
	if failure.Ended(word) && !r.Outcome.Missing() && !e.settled {
		e.lost++
		fail(r, rollout.Boundary(word), word)
		r.Parts = nil
	}
}

// note says how many of the rollouts ended with a reply that is not whole, or with a word
// that is not known.
func (e *endings) note(s Sink, all int) {
	for _, key := range slices.Sorted(maps.Keys(e.verdicts)) {
		noteVerdicts(s, e.verdicts[key], key)
	}
	for _, one := range []struct {
		end  rollout.Finish
		what string
	}{
		{rollout.FinishLength, "[ends|end] with a reply that a token limit cut off"},
		{rollout.FinishRefusal, "[ends|end] with a refusal"},
		{rollout.FinishFilter, "[ends|end] with a reply that a content filter stopped"},
		{rollout.FinishEmpty, "[ends|end] with an empty reply"},
	} {
		if n := e.finish[one.end]; n > 0 {
			s.note("%d of %d %s %s", n, all, wording.Plural(all, "rollout[|s]"), wording.Plural(n, one.what))
		}
	}
	s.noteCount(e.lost, "rollout[|s] ended with a word of failure: [it is a failure|they are failures], not [a "+
		"zero|zeros]")
	for _, word := range slices.Sorted(maps.Keys(e.words)) {
		s.note("%d of %d %s with %q, a word for the end that is not known", e.words[word], all,
			wording.Plural(all, "rollout[|s] [ends|end]"), word)
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
			return f, fmt.Errorf("import %s as %s: the format knows its own parts and takes no --map", src.name(),
				f.Name)
		}
		if err := f.read(ctx, src, sink); err != nil {
			if errors.Is(err, ErrUnrecognized) {
				err = fmt.Errorf("import %s as %s (%s): %w", src.name(), f.Name, f.Doc, err)
			}
			return f, err
		}
		return f, nil
	}
	return Format{}, fmt.Errorf("import %s: unknown format %q: use one of %s", src.name(), name,
		strings.Join(names, ", "))
}
