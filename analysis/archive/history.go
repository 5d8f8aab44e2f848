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

// The content of a history directory.
const (
	NightsFile  = "nights.jsonl"
	NightRuns   = "runs" // a run directory for each night
	HistoryLock = "history.lock"

	nightLayout = "2006-01-02T1504Z"
)

// History is a history directory: the recorded nights, and the runs of those whose rollouts
// still exist. It is not safe for concurrent use; whoever adds to it must hold HistoryLock.
type History struct {
	Dir    string
	Nights []history.Night
	Torn   bool             // the last line was incomplete and is left out
	opened map[string]error // the result of reading a night's rollouts, by name
}

// ReadHistory reads a history directory. A missing or empty directory is a history without
// nights; any other directory without nights.jsonl is an error.
func ReadHistory(dir string) (*History, error) {
	h, err := readNights(filepath.Join(dir, NightsFile))
	if errors.Is(err, fs.ErrNotExist) {
		h = &History{Dir: dir}
		return h, h.ours()
	}
	return h, err
}

// OpenHistory reads an existing history, given its directory or its nights.jsonl.
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

// ours returns an error if the directory holds anything that is not of a history.
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

// Newest returns the run directory of the newest night whose run still exists, or the history
// directory if there is none.
func (h *History) Newest() string {
	for _, n := range slices.Backward(h.Nights) {
		if _, err := os.Stat(filepath.Join(h.Run(n.Name), rollout.ManifestFile)); err == nil {
			return h.Run(n.Name)
		}
	}
	return h.Dir
}

// ItemsSeed returns the seed with which the items of the newest good night were drawn; nil if
// there is no good night.
func (h *History) ItemsSeed() *uint64 {
	for _, n := range slices.Backward(h.Nights) {
		if n.Good {
			return cmp.Or(n.ItemsSeed, &n.Seed) // pointers, because 0 is a valid seed
		}
	}
	return nil
}

// LacksNight reports whether the page of a history is missing or does not show the night. A
// picture counts as showing it, because its text cannot be searched.
func LacksNight(page, night string) bool {
	text, err := disk.ReadFile(page)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return !slices.Contains([]string{".png", ".pdf"}, filepath.Ext(page)) && !bytes.Contains(text, []byte(night))
}

// Run returns the run directory of a night.
func (h *History) Run(name string) string { return filepath.Join(h.Dir, NightRuns, name) }

// Unfinished lists the nights that were started but never recorded, the newest first.
func (h *History) Unfinished() []string {
	entries, _ := os.ReadDir(filepath.Join(h.Dir, NightRuns)) // without the directory there are none
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

// NewName returns a name for a night that starts now. No other night has it, and no file in the
// directory.
func (h *History) NewName(now time.Time) string {
	name := now.UTC().Format(nightLayout)
	for i := 2; h.taken(name); i++ {
		name = now.UTC().Format(nightLayout) + "-" + strconv.Itoa(i)
	}
	return name
}

// taken reports whether a night has that name, or a file exists at its path.
func (h *History) taken(name string) bool {
	_, err := os.Lstat(h.Run(name))
	return !errors.Is(err, fs.ErrNotExist) ||
		slices.ContainsFunc(h.Nights, func(n history.Night) bool { return n.Name == name })
}

// ofNight reports whether a run has the name of a night. Any other run below runs belongs to the
// user and is neither resumed nor removed.
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

// Add appends a night to the history.
func (h *History) Add(n history.Night) error {
	line, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("record night %s: %w", n.Name, err)
	}
	if err := disk.AppendLine(filepath.Join(h.Dir, NightsFile), line); err != nil {
		return err
	}
	h.Nights = append(h.Nights, n)
	return nil
}

// Prune removes the runs of all nights except the newest, the night with which it was compared,
// the last keep good ones, and the one with which the next night may be compared. It returns how
// many it removed. Runs that are not nights stay.
func (h *History) Prune(ctx context.Context, keep int) (int, error) {
	kept := map[string]bool{h.Nights[len(h.Nights)-1].Name: true}
	if base := history.LastGood(h.Nights, &h.Nights[len(h.Nights)-1], h.There(ctx)); base >= 0 {
		kept[h.Nights[base].Name] = true
	}
	good := 0
	for _, n := range slices.Backward(h.Nights) {
		kept[n.Base] = kept[n.Base] || n.Name == h.Nights[len(h.Nights)-1].Name
		if n.Good && good < keep {
			good++
			kept[n.Name] = true
		}
	}
	entries, err := os.ReadDir(filepath.Join(h.Dir, NightRuns))
	if err != nil {
		return 0, fmt.Errorf("remove old nights: %w", err)
	}
	removed := 0
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(h.Run(e.Name()), rollout.ManifestFile)); err != nil || kept[e.Name()] ||
			!ofNight(e.Name()) {
			continue // not a night, or one to keep
		}
		if err := os.RemoveAll(h.Run(e.Name())); err != nil {
			return removed, fmt.Errorf("remove old nights: %w", err)
		}
		removed++
	}
	return removed, nil
}

// Damaged lists the good nights whose rollouts exist but cannot be read, with the causes: those
// newer than the newest good night that can be read.
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

// There returns a function that reports whether the rollouts of a night still exist and can be
// read.
func (h *History) There(ctx context.Context) func(*history.Night) bool {
	return func(n *history.Night) bool { return h.read(ctx, n.Name) == nil }
}

// read returns the error of reading a night's rollouts, which it reads only once. A name that leads
// out of the directory gives fs.ErrNotExist.
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
