package viewer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"gonogo/sampler/rollout"
)

// Index knows where the rollouts of a run are in the file, and how they ended. It is built in the
// background, can be queried meanwhile, and follows a run that grows.
//
// Which of several lines for one rollout counts is decided as in package rollout: the highest
// attempt, and of two lines of the same attempt the later. A line that cannot be read is reported
// and skipped; a torn last line is retried later. Memory grows with the number of rollouts, about
// 200 bytes each, not with their text.
type Index struct {
	run    *rollout.Run
	every  time.Duration // how often it looks for new lines
	cancel context.CancelFunc
	wait   sync.WaitGroup

	mu       sync.RWMutex // guards all fields below
	source   *os.File     // nil while there is no rollouts file
	names    *catalog
	entries  []entry
	best     map[spot]int32  // the entry that counts
	unnamed  map[int32]int32 // by item, the number of lines that do not name their sample
	rollouts [][]int32       // by item, the entries that count, in file order
	zeros    map[rollout.Key]bool
	blocks   []stored
	open     block
	work     *os.File // holds the blocks that this process stores
	version  int      // increases with every change
	state    State
	next     int64 // offset after the last line that was read
	seen     sight
}

// spot identifies a rollout by the number of its item, and its sample.
type spot struct{ item, sample int32 }

// stored is a full block on disk, or in memory if it cannot be written to disk.
type stored struct {
	At    int64
	Width int // bits of the hash that number the rows
	CRC   uint32
	file  io.ReaderAt
}

// State is the progress of an index.
type State struct {
	Ready      bool      `json:"ready"` // it contains the whole file, as of the last look
	Bytes      int64     `json:"bytes"` // bytes read so far
	Total      int64     `json:"total"` // size of the file
	Lines      int       `json:"lines"`
	Rollouts   int       `json:"rollouts"`   // entries that count
	Superseded int       `json:"superseded"` // lines that a later attempt or line replaced
	Bad        []BadLine `json:"bad"`
	Torn       bool      `json:"torn"` // the last line is incomplete
	Kept       bool      `json:"kept"` // it is saved next to the run and can be loaded the next time
	Note       string    `json:"note,omitempty"`
	line       int32
}

// BadLine is a line that cannot be read.
type BadLine struct {
	Line int    `json:"line"`
	Why  string `json:"why"`
}

// mostBad limits the bad lines that are listed.
const mostBad = 1000

// NewIndex starts to index a run. Close stops it.
func NewIndex(run *rollout.Run) *Index { return newIndex(run, time.Second) }

func newIndex(run *rollout.Run, every time.Duration) *Index {
	ctx, cancel := context.WithCancel(context.Background())
	x := &Index{run: run, every: every, cancel: cancel}
	x.reset()
	x.wait.Go(func() { x.follow(ctx) })
	return x
}

// Close stops the background work, saves the index if it has changed, and closes its files.
func (x *Index) Close() error {
	x.cancel()
	x.wait.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.reset()
	if x.source == nil {
		return nil
	}
	err := x.source.Close()
	x.source = nil
	return err
}

// reset drops all lines. The caller holds mu or has the only reference.
func (x *Index) reset() {
	if len(x.blocks) > 0 { // loaded blocks come first, and share one file
		if f, ok := x.blocks[0].file.(*os.File); ok {
			f.Close()
		}
	}
	if x.work != nil {
		x.work.Close()
		os.Remove(x.work.Name()) // on systems where removeOpenFile does nothing
	}
	x.names, x.entries, x.best, x.unnamed, x.rollouts = newCatalog(), nil, make(map[spot]int32), make(map[int32]int32),
		nil
	x.blocks, x.open, x.work, x.next, x.seen = nil, nil, nil, 0, sight{}
	x.state = State{Bad: []BadLine{}}
	x.version++
}

// State returns the progress of the index, and a number that increases with every change.
func (x *Index) State() (State, int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := x.state
	s.Lines, s.Rollouts = len(x.entries), len(x.best)
	s.Superseded = s.Lines - s.Rollouts
	return s, x.version
}

// follow builds the index and keeps it up to date with the file until ctx ends.
func (x *Index) follow(ctx context.Context) {
	x.note(x.readZeros(ctx))
	if err := x.load(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.note(fmt.Errorf("the index next to the run will be rebuilt: %w", err))
	}
	tick := time.NewTicker(x.every)
	defer tick.Stop()
	for first := true; ; first = false {
		if err := x.catchUp(ctx); err != nil {
			if ctx.Err() != nil {
				break
			}
			if !errors.Is(err, errMoved) { // the next look fixes it
				x.note(err)
			}
		}
		if first {
			x.settle(ctx)
		}
		select {
		case <-tick.C:
			continue
		case <-ctx.Done():
		}
		break
	}
	x.keep()
}

// settle checks the blocks after the first pass. It saves the index if they are intact, else
// rebuilds it.
func (x *Index) settle(ctx context.Context) {
	if x.intact(ctx) {
		x.keep()
		return
	}
	x.mu.Lock()
	x.reset()
	x.mu.Unlock()
	x.note(errors.New("the index next to the run is damaged and will be rebuilt"))
	if err := x.catchUp(ctx); err != nil {
		x.note(err)
		return
	}
	x.keep()
}

// note reports an error that does not stop the index.
func (x *Index) note(err error) {
	if err == nil || errors.Is(err, context.Canceled) {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state.Note = err.Error()
	x.version++
}

// readZeros reads which rollouts a detector set to the bottom of the range.
func (x *Index) readZeros(ctx context.Context) error {
	zeros := make(map[rollout.Key]bool)
	_, err := x.run.Probes(ctx, func(rec *rollout.Record) error {
		if p := rec.Probe; p.Zero && p.Base != nil && rec.Reward != nil && !rec.Outcome.Missing() &&
			*rec.Reward >= 0.5 {
			zeros[rollout.Key{Split: rec.Split, Item: rec.Item, Sample: p.Base.Sample, Step: rec.Step}] = true
		}
		return nil
	})
	x.mu.Lock()
	defer x.mu.Unlock()
	x.zeros = zeros
	return err
}

// book adds the entry of one line. The caller holds mu; entries are added in file order.
func (x *Index) book(e entry) {
	if e.Flags.has(unnumbered) {
		e.Sample = x.unnamed[e.Item]
		x.unnamed[e.Item]++
	}
	if e.Flags &^= zeroed; x.zeros[x.key(&e)] {
		e.Flags |= zeroed
	}
	for int(e.Item) >= len(x.rollouts) {
		x.rollouts = append(x.rollouts, nil)
	}
	i := int32(len(x.entries))
	x.entries = append(x.entries, e)
	key := spot{e.Item, e.Sample}
	was, exists := x.best[key]
	switch {
	case !exists:
		x.rollouts[e.Item] = append(x.rollouts[e.Item], i)
	case e.Attempt < x.entries[was].Attempt:
		return
	default:
		list := x.rollouts[e.Item]
		for j := range list {
			if list[j] == was {
				list = append(list[:j:j], list[j+1:]...)
				break
			}
		}
		x.rollouts[e.Item] = append(list, i)
	}
	x.best[key] = i
}

// counts reports whether entry i is the one that counts for its rollout.
func (x *Index) counts(i int32) bool {
	e := &x.entries[i]
	return x.best[spot{e.Item, e.Sample}] == i
}

// key returns the key of the rollout of an entry.
func (x *Index) key(e *entry) rollout.Key {
	n := x.names.Items[e.Item]
	return rollout.Key{Split: n.Split, Item: n.ID, Sample: int(e.Sample), Step: n.Step}
}

// named finds an item by what the page calls it. If it has no rollouts, or has several steps and
// shown names none of them, the returned step is -1, which no rollout has.
func (x *Index) named(split rollout.Split, shown string) name {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if item, ok := x.names.named(split, shown); ok {
		return x.names.Items[item]
	}
	return name{Split: split, ID: shown, Step: -1}
}

// about returns the labels of a rollout. A label without a step also applies if the item has a
// single step. The caller holds mu.
func (x *Index) about(all map[rollout.Key][]rollout.Label, k rollout.Key) []rollout.Label {
	if len(all) == 0 {
		return nil
	}
	steps := []int{k.Step}
	if x.names.only[name{Split: k.Split, ID: k.Item}] != severalSteps && k.Step != 0 {
		steps = append(steps, 0)
	}
	var labels []rollout.Label
	for _, step := range steps {
		for _, split := range []rollout.Split{k.Split, ""} {
			labels = append(labels, all[rollout.Key{Split: split, Item: k.Item, Sample: k.Sample, Step: step}]...)
		}
	}
	return labels
}

// find returns the entry that counts for a rollout, and the catalog that it refers to.
func (x *Index) find(k rollout.Key) (entry, *catalog, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	item, ok := x.names.items[name{k.Split, k.Item, k.Step}]
	if !ok || k.Sample != int(int32(k.Sample)) {
		return entry{}, nil, false
	}
	i, ok := x.best[spot{item, int32(k.Sample)}]
	if !ok {
		return entry{}, nil, false
	}
	return x.entries[i], x.names, true
}

// errMoved means that a line is not where the index expects it.
var errMoved = errors.New("the file of rollouts has changed and will be read again")

// line reads the text of an entry, into memory if that is large enough.
func (x *Index) line(e *entry, memory []byte) ([]byte, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.source == nil {
		return nil, errMoved
	}
	text := slices.Grow(memory[:0], int(e.Size))[:e.Size]
	if _, err := x.source.ReadAt(text, e.Offset); err != nil {
		return nil, fmt.Errorf("read line %d: %w", e.Line, err)
	}
	return text, nil
}

// record reads the rollout of an entry. If the line is not that of the rollout, the index is
// rebuilt.
func (x *Index) record(e *entry, k rollout.Key) (*rollout.Record, error) {
	text, err := x.line(e, nil)
	if err != nil {
		return nil, err
	}
	return x.decode(text, e, k)
}

func (x *Index) decode(text []byte, e *entry, k rollout.Key) (*rollout.Record, error) {
	rec, numbered, err := rollout.ReadLine(text, x.from(), "")
	if err != nil || rec.Item != k.Item || rec.Split != k.Split || rec.Step != k.Step ||
		int32(rec.Attempt) != e.Attempt || numbered && int32(rec.Sample) != e.Sample {
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.next > 0 {
			x.reset() // the next look rebuilds it
		}
		return nil, errMoved
	}
	rec.Sample, rec.Line = k.Sample, int(e.Line)
	return rec, nil
}

// from returns the source of lines that do not name theirs.
func (x *Index) from() rollout.Source {
	if x.run.Manifest == nil {
		return ""
	}
	return x.run.Manifest.Source
}
