package archive

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonogo/analysis/history"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

// What a history directory holds.
const (
	NightsFile  = "nights.jsonl"
	NightRuns   = "runs" // a run directory for each night
	HistoryLock = "history.lock"

	nightLayout = "2006-01-02T1504Z"
)

// History is a history directory: the nights that were recorded, and the runs of those
// whose rollouts are still there. It is not safe for concurrent use; whoever adds to it
// holds HistoryLock.
type History struct {
	Dir    string
	Nights []history.Night
	Torn   bool             // the last line was broken off and is left out
	opened map[string]error // what reading the rollouts of a night gave, by its name
}

// ReadHistory reads a history directory. One that is missing or empty is a
// history without nights; anything else without nights.jsonl is refused.
func ReadHistory(dir string) (*History, error) {
	h, err := readNights(filepath.Join(dir, NightsFile))
	if errors.Is(err, fs.ErrNotExist) {
		h = &History{Dir: dir}
		return h, h.ours()
	}
	return h, err
}

// OpenHistory reads an existing history: a directory, or its file of nights.
func OpenHistory(path string) (*History, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("open the history: %w: name the directory of gonogo nightly --history", err)
	case info.IsDir():
		return ReadHistory(path)
	}
	return readNights(path)
}

func readNights(path string) (*History, error) {
	b, err := disk.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	h := &History{Dir: filepath.Dir(path)}
	h.Nights, h.Torn, err = history.Read(path, bytes.NewReader(b))
	return h, err
}

// ours refuses a directory of something else.
func (h *History) ours() error {
	entries, err := os.ReadDir(h.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the history: %w", err)
	}
	for _, e := range entries {
		if e.Name() != NightRuns && e.Name() != HistoryLock {
			return fmt.Errorf("%s: %w: it is not empty (%s) and has no %s: name an empty or a new directory", h.Dir,
				history.ErrNotAHistory, e.Name(), NightsFile)
		}
	}
	return nil
}

// Newest is the run directory of the newest night whose rollouts are still there; the
// history directory where there is none.
func (h *History) Newest() string {
	for _, n := range slices.Backward(h.Nights) {
		if _, err := os.Stat(filepath.Join(h.Run(n.Name), rollout.ManifestFile)); err == nil {
			return h.Run(n.Name)
		}
	}
	return h.Dir
}

// ItemsSeed is the seed that the items of the newest good night were drawn with; nil if there
// is none.
func (h *History) ItemsSeed() *uint64 {
	for _, n := range slices.Backward(h.Nights) {
		if n.Good {
			return cmp.Or(n.ItemsSeed, &n.Seed) // 0 is a seed, too
		}
	}
	return nil
}

// LacksNight reports whether the page of a history is missing or older than the night. The
// names of nights cannot be found in pictures.
func LacksNight(page, night string) bool {
	text, err := disk.ReadFile(page)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return !slices.Contains([]string{".png", ".pdf"}, filepath.Ext(page)) && !bytes.Contains(text, []byte(night))
}

// Run is the directory of a night's rollouts.
func (h *History) Run(name string) string { return filepath.Join(h.Dir, NightRuns, name) }

// Unfinished lists the nights that were begun and never ended, the newest first.
func (h *History) Unfinished() []string {
	entries, _ := os.ReadDir(filepath.Join(h.Dir, NightRuns)) // none there is none begun
	var out []string
	for _, e := range entries {
		kept := slices.ContainsFunc(h.Nights, func(n history.Night) bool { return n.Name == e.Name() })
		if _, err := os.Stat(filepath.Join(h.Run(e.Name()), rollout.ManifestFile)); err == nil && !kept &&
			ofNight(e.Name()) {
			out = append(out, e.Name())
		}
	}
	slices.Reverse(out)
	return out
}

// NewName names a night that begins now, as no other night and nothing in the directory is
// called.
func (h *History) NewName(now time.Time) string {
	name := now.UTC().Format(nightLayout)
	for i := 2; h.taken(name); i++ {
		name = now.UTC().Format(nightLayout) + "-" + strconv.Itoa(i)
	}
	return name
}

// taken reports whether a night has that name, or its path is taken.
func (h *History) taken(name string) bool {
	_, err := os.Lstat(h.Run(name))
	return !errors.Is(err, fs.ErrNotExist) ||
		slices.ContainsFunc(h.Nights, func(n history.Night) bool { return n.Name == name })
}

// ofNight reports whether a run goes by the name of a night: any other below runs
// is somebody's own, not gone on with and not removed.
func ofNight(name string) bool {
	if len(name) < len(nightLayout) {
		return false
	}
	_, err := time.Parse(nightLayout, name[:len(nightLayout)])
	number, numbered := strings.CutPrefix(name[len(nightLayout):], "-")
	if numbered {
		_, odd := strconv.ParseUint(number, 10, 32)
		err = errors.Join(err, odd)
	}
	return err == nil && (numbered || number == "")
}

// Add keeps a night.
func (h *History) Add(n history.Night) error {
	line, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("keep night %s: %w", n.Name, err)
	}
	if err := disk.AppendLine(filepath.Join(h.Dir, NightsFile), line); err != nil {
		return err
	}
	h.Nights = append(h.Nights, n)
	return nil
}

// Prune removes the rollouts of all nights but the newest, the last good ones
// and those that later nights may be compared with. It returns how many it removed; runs
// that are no nights stay.
func (h *History) Prune(ctx context.Context, keep int) (int, error) {
	held := map[string]bool{h.Nights[len(h.Nights)-1].Name: true}
	if base := history.LastGood(h.Nights, &h.Nights[len(h.Nights)-1], h.There(ctx)); base >= 0 {
		held[h.Nights[base].Name] = true
	}
	good := 0
	for _, n := range slices.Backward(h.Nights) {
		held[n.Base] = held[n.Base] || n.Name == h.Nights[len(h.Nights)-1].Name
		if n.Good && good < keep {
			good++
			held[n.Name] = true
		}
	}
	entries, err := os.ReadDir(filepath.Join(h.Dir, NightRuns))
	if err != nil {
		return 0, fmt.Errorf("remove old nights: %w", err)
	}
	removed := 0
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(h.Run(e.Name()), rollout.ManifestFile)); err != nil || held[e.Name()] ||
			!ofNight(e.Name()) {
			continue // not a night of ours, or one to keep
		}
		if err := os.RemoveAll(h.Run(e.Name())); err != nil {
			return removed, fmt.Errorf("remove old nights: %w", err)
		}
		removed++
	}
	return removed, nil
}

// Damaged lists the good nights that are there but cannot be read, with the cause: those
// newer than the newest one that can be compared with.
func (h *History) Damaged(ctx context.Context) (names []string, causes []error) {
	for _, n := range slices.Backward(h.Nights) {
		if !n.Good {
			continue
		}
		err := h.read(ctx, n.Name)
		if err == nil || ctx.Err() != nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, rollout.ErrNoRecords) {
			names, causes = append(names, n.Name), append(causes, err)
		}
	}
	return names, causes
}

// There returns a function that reports whether the rollouts of a night are still there,
// and complete.
func (h *History) There(ctx context.Context) func(*history.Night) bool {
	return func(n *history.Night) bool { return h.read(ctx, n.Name) == nil }
}

// read reads the rollouts of a night once, for comparisons. A name that leads out of the directory is not one of ours.
func (h *History) read(ctx context.Context, name string) error {
	if name != filepath.Base(name) {
		return fs.ErrNotExist
	}
	if err, known := h.opened[name]; known {
		return err
	}
	r, err := rollout.Open(h.Run(name))
	if err == nil {
		_, err = r.Records(ctx, rollout.ReadOptions{}, func(*rollout.Record) error { return nil })
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if h.opened == nil {
		h.opened = make(map[string]error)
	}
	h.opened[name] = err
	return err
}
