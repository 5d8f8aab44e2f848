package main

import (
	"strings"

	"gonogo/analysis/curate"
	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/rollout"
)

// curated is a training file to be curated, with the other data that was read.
type curated struct {
	data  *dataset.File
	file  curate.TrainFile
	read  []string // every data file
	notes []message.Text
}

// curationSource finds the data files of a run and checks that they are the recorded ones.
func curationSource(c *curateOptions, run *rollout.Run, cfg *config.Config) (*curated, error) {
	train, edited, err := trainFile(c, run, cfg)
	if err != nil {
		return nil, err
	}
	out := &curated{}
	if out.data, err = dataset.Load(train, rollout.Train, cfg.Data.Options); err != nil {
		return nil, exit.AsUsage(err)
	}
	out.read = []string{train}
	out.file = curate.TrainFile{Items: out.data.Items, Edited: edited}
	for _, r := range out.data.Repeats {
		out.file.Repeats = append(out.file.Repeats, curate.RepeatedRow(r))
	}
	switch recorded := dataset.Recorded(run.Manifest, rollout.Train); {
	case recorded == nil:
		out.notes = append(out.notes, noFileRecorded.Text())
	case edited:
		out.notes = append(out.notes, otherFile.With(message.Args{
			"file": message.Name(train), "then": message.Name(shortHash(recorded.SHA256)),
			"now": message.Name(shortHash(out.data.SHA256)),
		}))
	}
	for _, split := range []rollout.Split{rollout.Eval, rollout.Production} {
		if err := out.other(c, run, cfg, split); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// trainFile finds the training file. edited says that it may not be the file that the run recorded.
func trainFile(c *curateOptions, run *rollout.Run, cfg *config.Config) (path string, edited bool, err error) {
	recorded := dataset.Recorded(run.Manifest, rollout.Train)
	if recorded == nil && run.Manifest != nil && len(run.Manifest.Data) > 0 {
		return "", false, exit.Usagef("%s has no train split, and so no training file: sample one with "+
			"data.train", run.Dir)
	}
	if c.Train == "" && run.Manifest != nil && run.Manifest.Binding["environment.package"] != "" {
		return "", false, exit.Usagef("the rows of %s are those of its environment, not of a file: choose among them in the "+
			"environment, or name a file of rows with --train", run.Dir)
	}
	places := []string{c.Train}
	if places[0] == "" {
		places = project.DataPlaces(c.Invocation, run, cfg, rollout.Train)
	}
	found, match, err := dataset.FindRecorded(places, recorded)
	switch {
	case err != nil:
		return "", false, exit.AsUsage(err)
	case match != "":
		return match, recorded == nil, nil
	case found == "" && len(places) == 0:
		return "", false, exit.Usagef("nothing says which training file %s was sampled from: name it with --train",
			run.Dir)
	case found == "":
		return "", false, exit.Usagef("the training file was not found (looked for %s): name it with --train, or the "+
			"configuration with --config", strings.Join(places, ", "))
	case !c.DespiteChange:
		sum, err := dataset.HashFile(found)
		if err != nil {
			return "", false, exit.AsUsage(err)
		}
		return "", false, exit.Usagef("%s is not the file that %s was sampled from: it has changed since (SHA-256 "+
			"%s then, %s now). Put the old one back or name it with --train, sample the new one, or curate it "+
			"--despite-change: rows that changed then count as not measured",
			found, run.Dir, shortHash(recorded.SHA256), shortHash(sum))
	}
	return found, true, nil
}

// shortHash returns enough of a hash to distinguish two.
func shortHash(hash string) string { return hash[:min(12, len(hash))] }

// other adds the rows of eval or production: those of the whole file if it is found, else those
// that the run sampled.
func (out *curated) other(c *curateOptions, run *rollout.Run, cfg *config.Config, split rollout.Split) error {
	recorded := dataset.Recorded(run.Manifest, split)
	found, match, err := dataset.FindRecorded(project.DataPlaces(c.Invocation, run, cfg, split), recorded)
	if err != nil {
		return exit.AsUsage(err)
	}
	if match != "" {
		f, err := dataset.Load(match, split, cfg.Data.Options)
		if err != nil {
			return exit.AsUsage(err)
		}
		out.read = append(out.read, match)
		out.file.Others = append(out.file.Others, f.Items...)
		return nil
	}
	n := 0
	for i := range run.Items {
		if it := &run.Items[i]; it.Split == split && len(it.Row) > 0 {
			out.file.Others = append(out.file.Others, *it)
			n++
		}
	}
	if recorded != nil && n < recorded.Rows {
		note := fileGone
		if found != "" {
			note = fileChanged
		}
		out.notes = append(out.notes, note.With(message.Args{
			"split": message.Name(string(split)), "file": message.Name(recorded.File), "sampled": message.Int(n),
			"rows": message.Int(recorded.Rows),
		}))
	}
	return nil
}

// Notes on the files from which rows were chosen.
var (
	noFileRecorded = message.New("curate.no_file_recorded",
		"the run does not record which file it was sampled from: rows are known by their ids alone")
	otherFile = message.New("curate.other_file",
		"{file} is not the file that the run recorded (SHA-256 {then} then, {now} now)")
	fileGone = message.New("curate.file_gone", "the {split} file {file} was not found: copies of its rows were "+
		"looked for among the {sampled} of {rows} that the run sampled")
	fileChanged = message.New("curate.file_changed", "the {split} file {file} has changed since the run: copies "+
		"of its rows were looked for among the {sampled} of {rows} that the run sampled")
)
