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
	Doc    string   // one sentence: which tool wrote the log, and which file it is
	Files  []string // patterns for path.Match that find its files in a directory
	From   Origin   // which parts of a log a record is built from, for the table of docs/import.md
	Mapped bool     // it reads according to Options.Map, and only such formats are tried if there is a Map
	Scored bool     // its rollouts may have several scores, of which Options.Score selects one
	// Read reads the files of an import, each of which was recognized. An error means that they are
	// in this format but broken.
	Read func(ctx context.Context, in *intake) error

	// A file is in the format if the first JSON object in it has the keys (see sniffKeys), or if
	// sniff does not return ErrUnrecognized; a table, if open finds its columns.
	keys  []string
	sniff func(File) error
	open  opener
}

// recognize returns ErrUnrecognized for a file in another format.
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

// Origin says which parts of a log become which parts of a record.
type Origin struct{ Item, Sample, Reward, Failures string }

// Formats lists the formats in the order in which they are tried on a file.
func Formats() []Format {
	return []Format{
		gonogo,
		inspect,
		verifiers,
		verifiersV1,
		evalProtocol,
		nemoGym,
		harbor,
		atifLog,
		sweAgent,
		terminalBench,
		verlDump,
		trlCompletions,
		skyRL,
		tinker,
		promptfoo,
		tauBench,
		tau2Bench,
		buildHours,
		itemIndex,
		outputItems,
		evalRuns,
		everyEval,
		lmEval,
		otlp,
		evalsRecorder,
		csvTable,
		parquetTable,
		jsonlTable,
	}
}

// ErrUnrecognized means that a file is not in a format, as opposed to being in it but broken.
var ErrUnrecognized = errors.New("not of this format")

// unrecognized is an ErrUnrecognized with its own text.
type unrecognized string

func (u unrecognized) Error() string        { return string(u) }
func (u unrecognized) Is(target error) bool { return target == ErrUnrecognized }

// errEmpty is the error for a file that holds nothing but white space.
const errEmpty = unrecognized("it is empty")

// Sink receives what was read, on the caller's goroutine. A nil func skips its part. An error ends
// the import and is returned unchanged.
type Sink struct {
	Item   func(rollout.Item) error
	Record func(*rollout.Record) error
	Model  func(string) // the model that made the rollouts, if the log names one
	Note   func(string) // how identity and sample number were derived, what was left out

	// Planned receives how many rollouts the run that wrote the log was meant to make, if the log
	// says so. Rollouts that the log reports as cancelled do not count.
	Planned func(split rollout.Split, rollouts int)

	// Steps receives how many training steps the rollouts are from, in place of a note that their means
	// cover all of them.
	Steps func(steps int)

	// known is identity.known: it reports whether the next rollout's item was already passed on.
	known func(split rollout.Split, id string, messages []rollout.Message) (bool, error)
	// rowKey returns the value of a row under the key that names items; nil if no key does.
	rowKey func(row []byte) string
	// facets collects what the next rollout's row names as policy, environment and reference.
	facets *facets
	// row receives the result of rowKey for the row of the next rollouts.
	row func(key string)
}

// beginRow sets the row that the next rollouts come from.
func (s Sink) beginRow(row []byte) {
	if s.rowKey != nil {
		s.row(s.rowKey(row))
	}
}

// tell records the value of the next rollout's row under a key, if the key is a facet.
func (s Sink) tell(key, value string) {
	if !isFacet(key) {
		return
	}
	if f, ok := facetOf(key, value); ok {
		s.facets.add(f)
	}
}

// tellVersion records the version of the policy in a format whose rows name no training step: numbers
// count, too.
func (s Sink) tellVersion(key string, value json.RawMessage) {
	if slices.Contains(versionKeys, plain(key)) {
		s.tellExactly(key, value)
	}
}

// tellExactly records a value of any kind that belongs to the format itself, such as the arguments
// of a task; values match only if they are equal.
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
	if r.Finish == rollout.FinishLength { // a call that was cut off is not the model's mistake
		last := r.Turns - 1
		r.Calls = slices.DeleteFunc(r.Calls, func(c rollout.Call) bool {
			return c.Turn == last && c.Status == rollout.CallMalformed && c.Output == "" &&
				!json.Valid([]byte(c.Arguments))
		})
	}
	return s.Record(r)
}

// promptStop matches the name that verifiers gives to the end of a rollout before its first turn.
var promptStop = regexp.MustCompile(`(?i)prompt_too_long|overlong_?prompt`)

// settleContext changes a failure for lack of context into prompt_too_long if the model has said
// nothing. If the log reports it as a limit, the conversation must be in the log, or the reason must
// match promptStop: otherwise the model itself may have made the conversation too long.
func settleContext(r *rollout.Record) {
	spoke := r.Turns > 0 || len(r.Calls) > 0 || r.Answer != "" ||
		slices.ContainsFunc(r.Messages, func(m rollout.Message) bool { return m.Role == "assistant" })
	shown := r.Outcome.OwnFailure() && (len(r.Messages) > 0 || promptStop.MatchString(r.Error))
	if !spoke && (shown || r.Outcome == rollout.ModelAPI) && rollout.OutOfContext(r.Error) {
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

// forFile returns a sink that puts the name of f before its notes if there are several files.
func (s Sink) forFile(f File, files []File) Sink {
	note := s.Note
	if note != nil && len(files) > 1 {
		s.Note = func(text string) { note(f.Name + ": " + text) }
	}
	return s
}

// noteFiles notes that several files are one import, and which files were left out.
func (s Sink) noteFiles(files []File, leftOut []string) {
	if len(files) > 1 {
		s.note("%d files are one import; if an item is in several of them, the samples of later files continue "+
			"those before", len(files))
	}
	if len(leftOut) > 0 {
		s.note("files next to them of another format, left out: %d (%s)", len(leftOut), counted(leftOut, few))
	}
}

// Import reads src as the format with the given name or, if name is "", as the first of formats
// that recognizes it, and returns that format. All files of the source must have one format; they
// make one import.
//
// Input can turn out to be broken late: if Import fails, a caller that must not leave half a run
// behind removes what was written.
func Import(ctx context.Context, formats []Format, name string, src Source, sink Sink) (Format, error) {
	if name != "" {
		return importAs(ctx, formats, name, src, sink)
	}
	var near []string
	tried := 0
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
		tried++
		switch reason := fmt.Sprintf("\n  %s: %v", f.Name, err); {
		case len(src.Files) > 1 && !strings.HasPrefix(err.Error(), src.Files[0].Name): // the first file matches
			near = slices.Insert(near, 0, reason)
		case f.Mapped && path.Ext(f.Files[0]) == path.Ext(src.Files[0].base()): // any table can be read with a mapping
			near = slices.Insert(near, 0, reason)
		case matches(f.Files, src.Files[0].base()):
			near = append(near, reason)
		}
	}
	if _, err := src.filesOf([]string{"*"}); errors.Is(err, ErrUnrecognized) {
		return Format{}, fmt.Errorf("import %s: %w", src.name(), unrecognized("the folder holds no files"))
	}
	if head, err := readHead(src.Files[0]); err == nil && head.metrics() {
		return Format{}, fmt.Errorf("import %s: %w", src.name(), unrecognized("it holds a trainer's metrics and no "+
			"rollouts: have the trainer log rollouts, or see the curves with gonogo pilot RUN --log FILE"))
	}
	return Format{},
		fmt.Errorf("import %s: %w", src.name(),
			unrecognized(fmt.Sprintf("no known format recognizes it; gonogo help formats describes the %d, and "+
				"--format NAME reads it as one of them", tried)+strings.Join(near[:min(mostNear, len(near))], "")+
				src.Files[0].shapeHint()))
}

// mostNear is the largest number of formats for which an error says what the files lack.
const mostNear = 4

// read reads the files of the source, including those in directories. A source without rollouts is
// an error that contains the format's notes.
func (f Format) read(ctx context.Context, src Source, sink Sink) error {
	all, err := src.filesOf(f.Files)
	if err == nil && f.Mapped {
		all.Options.Map, err = src.Options.tableMap()
	}
	if err != nil {
		return err
	}
	files, leftOut, err := all.sniffed(ctx, func(file File) error { return f.recognize(file, all.Options) })
	if err != nil {
		return err
	}
	var in *intake
	split := 0 // rollouts of Options.Split
	records, notes, caller, ends := 0, []string(nil), sink,
		endings{
			finish: make(map[rollout.Finish]int), words: make(map[string]int), verdicts: make(map[string]int),
			settled: f.Name == gonogo.Name,
		}
	sink.Record = func(r *rollout.Record) error {
		if r.Attempt == 0 {
			records++
		}
		if r.Split == src.Options.Split {
			split++
		}
		ends.add(r)
		in.means.add(r)
		return caller.record(r)
	}
	planned := 0
	sink.Planned = func(split rollout.Split, n int) {
		planned = n
		caller.planned(split, n)
	}
	sink.Note = func(text string) {
		notes = append(notes, text)
		caller.note("%s", text)
	}
	if src.Options.Score != "" && !f.Scored {
		return fmt.Errorf("read %s: --score %s: rollouts of the format %s have one reward, so there is nothing to select",
			src.name(), src.Options.Score, f.Name)
	}
	by := src.Options.Item
	if by == itemKept || f.Mapped && by != ItemPrompt {
		by = "" // the ids are right, or a column holds them
	}
	items := newIdentity(sink, by)
	items.settled = src.Options.Item != ""
	in = newIntake(files, all.Options, items.through())
	in.open = f.open
	if err := f.Read(ctx, in); err != nil {
		return err
	}
	if err := in.unscored(); err != nil {
		return fmt.Errorf("read %s: %w", src.name(), err)
	}
	in.tally.note(in.sink)
	in.means.note(in.sink)
	in.sink.noteFiles(in.files, leftOut)
	if err := items.finish(); err != nil {
		return fmt.Errorf("read %s: %w", src.name(), err)
	}
	if records > 0 {
		if src.Options.Split != "" && split == 0 {
			sink.note("--split %s was ignored: each row names its split", src.Options.Split)
		}
		ends.note(sink, records)
		sink.notePlan(records, planned)
		if src.Options.OnConflict != "" && !f.settles() {
			sink.note("--on-conflict was ignored: two entries for one rollout are an error in this format, unless " +
				"the log itself says which one counts")
		}
		return nil
	}
	return fmt.Errorf("read %s: %w: %s", src.name(), rollout.ErrNoRecords, strings.Join(notes, "; "))
}

// settles reports whether Options.OnConflict applies to the format.
func (f Format) settles() bool { return f.Mapped || f.Name == gonogo.Name }

// noteCount notes n and what, unless n is 0. In what, [a|b] is the singular and the plural.
func (s Sink) noteCount(n int, what string) {
	if n > 0 {
		s.note("%d %s", n, wording.Plural(n, what))
	}
}

// notePlan notes if a log holds fewer or more rollouts than its run planned.
func (s Sink) notePlan(found, planned int) {
	switch {
	case planned == 0 || found == planned:
	case found < planned:
		s.note("%d of %d rollouts that the run planned are in the log: the others count as lost (infra.failures)",
			found, planned)
	default:
		s.note("%d rollouts, and the run planned %d: are two runs in one log?", found, planned)
	}
}

// endings counts how rollouts ended.
type endings struct {
	finish  map[rollout.Finish]int
	words   map[string]int // unknown words for an end
	settled bool           // the lines themselves say what is a failure
	lost    int            // graded rollouts that ended with a word for a failure

	verdicts map[string]int // graded rollouts by the key whose "failed" was read as a verdict
}

// noteVerdicts notes that an ambiguous word was read as a grade.
func noteVerdicts(s Sink, n int, key string) {
	s.note("%d graded %s by %q that %s failed: read as a verdict on the answer; where it means that the rollout "+
		"failed, write it as an error", n, wording.Plural(n, "rollout[ says|s say]"), key,
		wording.Plural(n, "[it|they]"))
}

// add counts the end of a rollout. A rollout that ended with a word for a failure loses its grade.
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

// note notes how many rollouts ended with an incomplete reply or with an unknown word.
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
		s.note("%d of %d %s with %q, which is not a known ending", e.words[word], all,
			wording.Plural(all, "rollout[|s] [ends|end]"), word)
	}
}

// name names the source in an error.
func (s Source) name() string {
	names := make([]string, len(s.Files))
	for i, f := range s.Files {
		names[i] = f.Name
	}
	return counted(names, few)
}

// plain normalizes a name: tau_bench, TauBench and tau-bench are the same.
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
