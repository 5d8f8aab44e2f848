package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/project"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/fixtures"
	"gonogo/sampler/input/setup"
	"gonogo/sampler/input/spelling"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/disk"
)

func initCommand() *cli.Command {
	return &cli.Command{
		Name:  "init",
		Usage: "write a short gonogo.yaml, filled in from your job and data files",
		Description: `Reads the data files and the job, or without one the reward functions of your own
trainer, and writes a configuration that names them, with the keys that need a
decision. --full writes every key, with the defaults commented out. Nothing is
called and nothing is sent. On a terminal, without any of them, it asks what you have.

With --template it writes a complete example to start from: configuration, job and
data of a task that agents have been fine-tuned for, with built-in endpoints and a
scripted policy, not a model. Templates:
` + console.Templates() + `

Example:
   gonogo init --train train.jsonl --eval val.jsonl --job rft_job.json
   gonogo init --train train.parquet --reward rewards.py --model my-model
   gonogo init --from train.py
   gonogo init --environment my-env --model my-model
   gonogo init --from promptfooconfig.yaml
   gonogo init --template finance-qa -o try/gonogo.yaml`,
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name:  "template",
				Usage: "write the example `NAME`, all its files next to the configuration",
			},
			&cli.StringFlag{Name: "job", Usage: "the body for fine_tuning.jobs.create, JSON or YAML: `FILE`"},
			&cli.StringFlag{
				Name: "reward",
				Usage: "instead of a job, reward functions of TRL or verifiers, or grade(sample, item): " +
					"`FILE[:NAME,NAME]`",
			},
			&cli.StringFlag{
				Name: "from",
				Usage: "take model, rows, reward, group size and sampling over from `FILE`: a training script of TRL, a YAML " +
					"of verl, a TOML of prime-rl, or a promptfooconfig.yaml",
			},
			&cli.StringFlag{
				Name: "environment",
				Usage: "instead of rows and rewards, an environment: a taskset of verifiers, or the URL or application of " +
					"OpenEnv: `NAME`",
			},
			&cli.StringFlag{Name: "train", Usage: "training rows, JSONL or Parquet: `FILE`"},
			&cli.StringFlag{Name: "eval", Usage: "validation rows, JSONL or Parquet: `FILE`"},
			&cli.StringFlag{Name: "production", Usage: "rows as they come in production, JSONL or Parquet: `FILE`"},
			&cli.StringFlag{
				Name:  "model",
				Usage: "the base model's `NAME`, when the job names none or another is meant",
			},
			&cli.StringFlag{
				Name: "output", Aliases: []string{"o"}, Value: "gonogo.yaml",
				Usage: "`FILE` to write, - for standard output",
			},
			&cli.BoolFlag{Name: "full", Usage: "write every key, with what it does"},
			&cli.BoolFlag{Name: "force", Usage: "overwrite the file"},
		},
		Action: func(c *cli.Context) error {
			if c.IsSet("template") {
				return exit.AsUsage(initTemplate(c))
			}
			return exit.AsUsage(initAction(c))
		},
	}
}

func initAction(c *cli.Context) error {
	agent := ""
	if !slices.ContainsFunc([]string{"job", "reward", "from", "environment", "train", "eval", "production"}, c.IsSet) && console.IsTerminal(c.App.ErrWriter) &&
		console.IsTerminal(c.App.Reader) {
		given := c.String("model")
		going, err := askWhat(c.App.Reader, c.App.ErrWriter, given, func(flag, value string) error {
			if flag == "agent" {
				agent = agentCommand(value)
				return nil
			}
			return c.Set(flag, value)
		})
		if err != nil || !going {
			return err
		}
	}
	out := c.String("output")
	if out != "-" && !c.Bool("force") {
		if err := refuseExisting("choose another name with -o, or overwrite it with --force", out); err != nil {
			return err
		}
	}
	in := config.DraftFiles{
		Job: c.String("job"), Reward: c.String("reward"), Model: c.String("model"), Output: out,
		Environment: c.String("environment"), Data: make(map[rollout.Split]string),
	}
	for _, split := range rollout.Splits() {
		if path := c.String(string(split)); path != "" {
			in.Data[split] = path
		}
	}
	if agent != "" {
		in.Set = map[string]string{"agent.command": agent}
	}
	var taken, written []string
	if c.IsSet("from") {
		var err error
		if taken, written, err = takeOver(c, &in); err != nil {
			return err
		}
	}
	d, err := config.NewDraft(in, os.LookupEnv)
	if err != nil {
		for _, path := range written {
			err = errors.Join(err, os.Remove(path))
		}
		return err
	}
	text := d.Short()
	if c.Bool("full") {
		text = d.Full()
	}
	if out == "-" {
		_, err := c.App.Writer.Write(text)
		return err
	}
	if err := disk.WriteFile(out, text); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	for _, note := range taken {
		fmt.Fprintf(c.App.ErrWriter, "%s\n", console.Visible(note))
	}
	_, err = fmt.Fprint(c.App.ErrWriter, d.NextSteps(out))
	return err
}

// takeOver takes what the flags leave open from another tool's configuration, writes what that takes next to the
// configuration to be written, and returns what a user must know and the files that were not there before.
func takeOver(c *cli.Context, in *config.DraftFiles) (said, written []string, err error) {
	from := c.String("from")
	switch {
	case in.Job != "":
		return nil, nil, exit.Usagef("--from names the reward: leave --job out")
	case in.Output == "-":
		return nil, nil, exit.Usagef("--from may write several files: name the configuration's place with -o DIR/gonogo.yaml")
	}
	s, err := setup.Read(c.Context, from, "python3")
	if err != nil {
		return nil, nil, exit.Usagef("--from: %w", err)
	}
	dir := filepath.Dir(in.Output)
	place := func(name string) string {
		if _, written := s.Files[strings.SplitN(name, ":", 2)[0]]; written {
			return filepath.Join(dir, name)
		}
		return name
	}
	for split, name := range s.Data {
		in.Data[rollout.Split(split)] = cmp.Or(in.Data[rollout.Split(split)], place(name))
	}
	if in.Model, in.Set = cmp.Or(in.Model, s.Model), s.Set; in.Reward == "" {
		in.Grader, s.Notes = s.Grader, append(s.Notes, s.NoReward...)
		if s.Reward != "" {
			in.Reward = place(s.Reward)
		}
	}
	left := func(what, flag string) error {
		return exit.Usagef("--from: %s%s names no %s: name it with --%s", strings.Join(append(s.Notes, ""), "; "), from, what, flag)
	}
	switch {
	case in.Model == "":
		return nil, nil, left("model that can be called", "model")
	case in.Reward == "" && in.Grader == "":
		return nil, nil, left("reward function that can be taken over", "reward")
	case in.Data[rollout.Train] == "" && in.Data[rollout.Eval] == "":
		return nil, nil, left("file of rows", "train")
	}
	names := slices.Sorted(maps.Keys(s.Files))
	paths := ui.Names(names, func(name string) string { return filepath.Join(dir, name) })
	if !c.Bool("force") {
		if err := refuseExisting("choose another folder with -o DIR/gonogo.yaml, or overwrite it with --force",
			paths...); err != nil {
			return nil, nil, err
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, nil, &disk.Error{Doing: "make the directory", Path: dir, Err: err}
	}
	for i, path := range paths {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			written = append(written, path)
		}
		if err := disk.WriteFile(path, s.Files[names[i]]); err != nil {
			return nil, nil, fmt.Errorf("write what %s says: %w", from, err)
		}
		said = append(said, "wrote "+path)
	}
	return append(said, s.Notes...), written, nil
}

// refuseExisting returns an error if one of the files exists, so that it is not overwritten.
func refuseExisting(hint string, paths ...string) error {
	for _, path := range paths {
		if _, err := os.Lstat(path); err == nil {
			return exit.Usagef("%s already exists: %s", path, hint)
		} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return exit.AsUsage(err)
		}
	}
	return nil
}

// initTemplate writes a world's files as a starting point.
func initTemplate(c *cli.Context) error {
	for _, flag := range []string{"job", "reward", "train", "eval", "production", "model", "from"} {
		if c.IsSet(flag) {
			return exit.Usagef("--template brings its own files: leave --%s out", flag)
		}
	}
	world, err := templateNamed(c.String("template"))
	if err != nil {
		return err
	}
	out := c.String("output")
	if out == "-" {
		return exit.Usagef("a template is several files: name the configuration's place with -o DIR/gonogo.yaml")
	}
	dir := filepath.Dir(out)
	files, err := world.TemplateFiles(filepath.Base(out))
	if err != nil {
		return exit.Usagef("%w", err)
	}
	names := slices.Sorted(maps.Keys(files))
	paths := ui.Names(names, func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) })
	if !c.Bool("force") {
		if err := refuseExisting("choose another folder with -o DIR/gonogo.yaml, or overwrite it with --force",
			paths...); err != nil {
			return err
		}
	}
	for i, path := range paths {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return &disk.Error{Doing: "make the directory", Path: filepath.Dir(path), Err: err}
		}
		if err := disk.WriteFile(path, files[names[i]]); err != nil {
			return fmt.Errorf("write the template: %w", err)
		}
	}
	_, err = fmt.Fprint(c.App.ErrWriter, console.TemplateSteps(world, out, names))
	return err
}

// templateNamed finds a template by name.
func templateNamed(name string) (fixtures.World, error) {
	names := ui.Names(fixtures.Templates(), func(w fixtures.World) string { return w.Name })
	if i := slices.Index(names, name); i >= 0 {
		return fixtures.Templates()[i], nil
	}
	if _, err := project.World(name); err == nil {
		return fixtures.World{}, exit.Usagef("the world %q is no template: gonogo demo --world %s runs it; "+
			"templates are %s", name, name, strings.Join(names, ", "))
	}
	return fixtures.World{}, exit.Usagef("there is no template %q%s", name, spelling.Choices(name, names))
}
