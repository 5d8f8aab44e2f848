package night

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonogo/analysis/history"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/stage"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/rollout"
)

// What a history directory holds.
const (
	File        = "nights.jsonl"
	nightRuns   = "runs"
	LockFile    = "history.lock"
	goOnWithin  = 12 * time.Hour // a night that was broken off longer ago is another night
	nightLayout = "2006-01-02T1504Z"
)

// Dir is a history directory.
type Dir struct {
	dir    string
	List   []history.Night
	Torn   bool
	Accept bool             // the next night is good whatever a comparison says
	Detect float64          // the drop that a night must be able to detect, as a share of the reward range
	Keep   int              // good nights whose rollouts stay; 0: all
	opened map[string]error // what reading the rollouts of a night gave, by its name
}

// Read reads a history directory. One that is missing or empty is a
// history without nights; anything else without nights.jsonl is refused.
func Read(dir string) (*Dir, error) {
	h, err := readNights(filepath.Join(dir, File))
	if errors.Is(err, fs.ErrNotExist) {
		h = &Dir{dir: dir}
		return h, h.ours()
	}
	return h, err
}

// Open reads an existing history: a directory, or its file of nights.
func Open(path string) (*Dir, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("open the history: %w", err)
	case info.IsDir():
		return Read(path)
	}
	return readNights(path)
}

func readNights(path string) (*Dir, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	h := &Dir{dir: filepath.Dir(path)}
	h.List, h.Torn, err = history.Read(path, bytes.NewReader(b))
	return h, err
}

// ours refuses a directory of something else.
func (h *Dir) ours() error {
	entries, err := os.ReadDir(h.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the history: %w", err)
	}
	for _, e := range entries {
		if e.Name() != nightRuns && e.Name() != LockFile {
			return fmt.Errorf("%s: %w: it is not empty (%s) and has no %s: name an empty or a new directory", h.dir, history.ErrNotAHistory, e.Name(), File)
		}
	}
	return nil
}

// Newest is the run directory of the newest night whose rollouts are still there; the
// history directory where there is none.
func (h *Dir) Newest() string {
	for _, n := range slices.Backward(h.List) {
		if _, err := os.Stat(filepath.Join(h.run(n.Name), rollout.ManifestFile)); err == nil {
			return h.run(n.Name)
		}
	}
	return h.dir
}

// run is the directory of a night's rollouts.
func (h *Dir) run(name string) string { return filepath.Join(h.dir, nightRuns, name) }

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

// begun lists the nights that were begun and never ended, the newest first.
func (h *Dir) begun() []string {
	entries, _ := os.ReadDir(filepath.Join(h.dir, nightRuns)) // none there is none begun
	var out []string
	for _, e := range entries {
		kept := slices.ContainsFunc(h.List, func(n history.Night) bool { return n.Name == e.Name() })
		if _, err := os.Stat(filepath.Join(h.run(e.Name()), rollout.ManifestFile)); err == nil && !kept && ofNight(e.Name()) {
			out = append(out, e.Name())
		}
	}
	slices.Reverse(out)
	return out
}

// tonight names the night to make: one that was broken off and fits, else a new one. said
// is the message about it.
func (h *Dir) tonight(p *project.Project, now time.Time) (name, said string) {
	for _, name := range h.begun() {
		why := h.unfit(p, name, now)
		if why == "" {
			return name, fmt.Sprintf("night %s was broken off: going on with it", name)
		}
		if said == "" {
			said = fmt.Sprintf("night %s was broken off and %s: a new one begins; what was made of it stays in %s until --keep takes it", name, why, h.run(name))
		}
	}
	h.seed(p)
	name = now.UTC().Format(nightLayout)
	for i := 2; h.taken(name); i++ {
		name = now.UTC().Format(nightLayout) + "-" + strconv.Itoa(i)
	}
	return name, said
}

// taken reports whether a night has that name, or its path is taken.
func (h *Dir) taken(name string) bool {
	_, err := os.Lstat(h.run(name))
	return !errors.Is(err, fs.ErrNotExist) || slices.ContainsFunc(h.List, func(n history.Night) bool { return n.Name == name })
}

// unfit says why a night that was broken off cannot be gone on with; "" when it
// can.
func (h *Dir) unfit(p *project.Project, name string, now time.Time) string {
	opened, err := rollout.Open(h.run(name))
	if err != nil || opened.Manifest == nil {
		return "cannot be read"
	}
	if ago := now.Sub(opened.Manifest.Started); ago > goOnWithin || ago < -goOnWithin {
		return fmt.Sprintf("began on %s, more than %d hours away", opened.Manifest.Started.Format(time.DateTime), int(goOnWithin.Hours()))
	}
	m := p.Manifest(h.run(name))
	if !maps.Equal(m.Binding, opened.Manifest.Binding) || stage.CheckNotShrunk(h.run(name), m) != nil {
		return "was made with other settings"
	}
	return ""
}

// seed draws the seed of a night's rollouts, for a replay of those of another night is no
// test. A subset of the items is drawn as on the newest good night, so that it is the same
// every night.
func (h *Dir) seed(p *project.Project) {
	p.Draw()
	by := p.Inputs.Seed
	for _, n := range slices.Backward(h.List) {
		if n.Good {
			by = *cmp.Or(n.ItemsSeed, &n.Seed) // 0 is a seed, too
			break
		}
	}
	p.Inputs.DrawnBy = &by
	p.Inputs.Subset(p.Config.Items)
}

// add keeps a night.
func (h *Dir) add(n history.Night) error {
	line, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("keep night %s: %w", n.Name, err)
	}
	if err := rollout.AppendLine(filepath.Join(h.dir, File), line); err != nil {
		return err
	}
	h.List = append(h.List, n)
	return nil
}

// prune removes the rollouts of all nights but the newest, the last good ones
// and those that later nights may be compared with. It returns how many.
func (h *Dir) prune(ctx context.Context, keep int) (int, error) {
	held := map[string]bool{h.List[len(h.List)-1].Name: true}
	if base := history.LastGood(h.List, &h.List[len(h.List)-1], h.thereBy(ctx)); base >= 0 {
		held[h.List[base].Name] = true
	}
	good := 0
	for _, n := range slices.Backward(h.List) {
		held[n.Base] = held[n.Base] || n.Name == h.List[len(h.List)-1].Name
		if n.Good && good < keep {
			good++
			held[n.Name] = true
		}
	}
	entries, err := os.ReadDir(filepath.Join(h.dir, nightRuns))
	if err != nil {
		return 0, fmt.Errorf("remove old nights: %w", err)
	}
	removed := 0
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(h.run(e.Name()), rollout.ManifestFile)); err != nil || held[e.Name()] || !ofNight(e.Name()) {
			continue // not a night of ours, or one to keep
		}
		if err := os.RemoveAll(h.run(e.Name())); err != nil {
			return removed, fmt.Errorf("remove old nights: %w", err)
		}
		removed++
	}
	return removed, nil
}

// tellDamaged says, before anything is paid for, which good nights are there but cannot
// be compared with: those newer than the newest one that can.
func (h *Dir) tellDamaged(ctx context.Context, c *project.Call) {
	for _, n := range slices.Backward(h.List) {
		if !n.Good {
			continue
		}
		err := h.open(ctx, n.Name)
		if err == nil || ctx.Err() != nil {
			return
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, rollout.ErrNoRecords) {
			fmt.Fprintf(c.Err, "note: night %s cannot be read, and counts as gone: %s\n", ui.Visible(n.Name), ui.Visible(err.Error()))
		}
	}
}

// thereBy returns a function that reports whether the rollouts of a night are still there, and complete.
func (h *Dir) thereBy(ctx context.Context) func(*history.Night) bool {
	return func(n *history.Night) bool { return h.open(ctx, n.Name) == nil }
}

// open reads the rollouts of a night once, for comparisons. A name that leads out of the directory is not one of ours.
func (h *Dir) open(ctx context.Context, name string) error {
	if name != filepath.Base(name) {
		return fs.ErrNotExist
	}
	if err, known := h.opened[name]; known {
		return err
	}
	r, err := rollout.Open(h.run(name))
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
