package importer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strconv"

	"gonogo/sampler/jsontext"
)

// allEpisodes returns the files without those of prime-rl's folders effective whose neighbor all is among
// them, which holds the same episodes and those that were filtered out.
func (in *intake) allEpisodes() []File {
	folders := make(map[string]bool)
	for _, f := range in.files {
		folders[filepath.Dir(f.Name)] = true
	}
	return slices.DeleteFunc(slices.Clone(in.files), func(f File) bool {
		folder := filepath.Dir(f.Name)
		again := filepath.Base(folder) == "effective" && folders[filepath.Join(filepath.Dir(folder), "all")]
		if again {
			in.count("file[|s] in effective [was|were] left out: [its|their] episodes are also in all")
		}
		return again
	})
}

// trained reports whether a file is the output of `prime train rollouts RUN`: an object with a page of the
// rows that prime-runs uploads (prime_runs/projection.py, episodes_to_parquet_bytes).
func trained(f File) bool {
	head, err := readHead(f)
	return err == nil && (head.keys["samples"] != nil || head.broken && f.mentions(`"samples"`)) &&
		f.mentions(`"problem_id"`)
}

// samples reads such a page. Each row holds its episode: problem_id tells no items apart, and no column
// tells failures.
func (r *episodeReader) samples(ctx context.Context, f File) error {
	page, pages := 0, 0
	err := eachOf(ctx, f, []string{"samples"}, func(key string, value json.RawMessage) error {
		switch key {
		case "page":
			page, _ = strconv.Atoi(string(value))
		case "total_pages":
			pages, _ = strconv.Atoi(string(value))
		}
		return nil
	}, func(a *array, raw []byte) error {
		row, err := decodeRow[struct {
			Step *int            `json:"step"`
			Info json.RawMessage `json:"info"`
		}](raw)
		if err != nil {
			return err
		}
		native := member(json.RawMessage(jsontext.TextOrJSON(row.Info)), "native_wrapper")
		if native == nil {
			return errors.New("info.native_wrapper, the episode, is missing: an old trainer wrote the row, or it was too " +
				"large; --map item=problem_id,step=step,reward=reward,messages=completion reads the columns, failures as " +
				"their rewards")
		}
		e, err := decodeRow[episode](native)
		if err != nil {
			return err
		}
		e.Run.Work.Step = cmp.Or(row.Step, e.Run.Work.Step)
		return r.episode(f, a.index+1, e)
	})
	if err == nil && page < pages {
		r.sink.note("%s is page %d of %d: get the others with --page, and import the pages together", f.Name, page, pages)
	}
	return err
}
