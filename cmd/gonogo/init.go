package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/sampler/dataset"
	"gonogo/sampler/rollout"
)

func initCommand() *cli.Command {
	return &cli.Command{
		Name:  "init",
		Usage: "write a commented gonogo.yaml, filled in from your job and data files",
		Description: `Reads the job and the data files, and writes a configuration that names them,
with every key there is: those at their defaults are commented out. Nothing is
called and nothing is sent.

With --template it writes a whole example instead, to start from: configuration,
job and data of a task that agents were fine-tuned for, with endpoints that are
built in and a policy that is scripted, not a model. Templates:
` + templateList() + `

Example:
   gonogo init --train train.jsonl --eval val.jsonl --job rft_job.json
   gonogo init --template finance-qa -o try/gonogo.yaml`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "template", Usage: "write the example `NAME`, all its files beside the configuration"},
			&cli.StringFlag{Name: "job", Usage: "the body for fine_tuning.jobs.create, JSON or YAML: `FILE`"},
			&cli.StringFlag{Name: "train", Usage: "training rows, JSONL: `FILE`"},
			&cli.StringFlag{Name: "eval", Usage: "validation rows, JSONL: `FILE`"},
			&cli.StringFlag{Name: "production", Usage: "rows as they come in production, JSONL: `FILE`"},
			&cli.StringFlag{Name: "model", Usage: "the base model's `NAME`, when the job names none or another is meant"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "gonogo.yaml", Usage: "`FILE` to write, - for standard output"},
			&cli.BoolFlag{Name: "force", Usage: "overwrite the file"},
		},
		Action: func(c *cli.Context) error {
			if c.IsSet("template") {
				return asUsage(initTemplate(c))
			}
			return asUsage(initAction(c))
		},
	}
}

func initAction(c *cli.Context) error {
	if c.NArg() > 0 {
		return usagef("init takes no arguments, only flags, got %q", c.Args().First())
	}
	out := c.String("output")
	if _, err := os.Stat(out); err == nil && out != "-" && !c.Bool("force") {
		return usagef("%s is there already: choose another name with -o, or overwrite it with --force", out)
	}
	d, err := newDraft(c, os.LookupEnv)
	if err != nil {
		return err
	}
	text := d.yaml()
	if out == "-" {
		_, err := c.App.Writer.Write(text)
		return err
	}
	if err := writeNew(out, text, c.Bool("force")); err != nil {
		return err
	}
	_, err = fmt.Fprint(c.App.ErrWriter, d.nextSteps(out))
	return err
}

// writeNew writes a file that must not be there yet, unless it is forced.
func writeNew(path string, text []byte, force bool) error {
	if force {
		return rollout.WriteFile(path, text)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return usagef("%s is there already: overwrite it with --force", path)
	}
	if err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	_, err = f.Write(text)
	if err = cmp.Or(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("write the configuration: %w", err), os.Remove(path)) // half of one would stand in the way
	}
	return nil
}

// draft is a configuration about to be written.
type draft struct {
	set    []setting // the keys that are written out
	notes  map[string][]string
	config *config // what the keys set so far resolve to
	files  []*dataset.File
	env    lookup
}

// setting is a key with the YAML it is given.
type setting struct{ path, yaml string }

// newDraft reads the files that the flags name.
func newDraft(c *cli.Context, env lookup) (*draft, error) {
	if c.String("job") == "" {
		return nil, usagef("init needs --job, the file with the body for fine_tuning.jobs.create")
	}
	d := &draft{notes: map[string][]string{}, env: env}
	dir := "."
	if out := c.String("output"); out != "-" {
		dir = filepath.Dir(out)
	}
	name := func(key, path string) error {
		if path == "" {
			return nil
		}
		relative, err := relativeTo(dir, path)
		if err == nil {
			d.set = append(d.set, setting{key, quoteYAML(relative)})
		}
		return err
	}
	errs := []error{name("job", c.String("job"))}
	for _, split := range rollout.Splits() {
		path := c.String(string(split))
		if path == "" {
			continue
		}
		errs = append(errs, name("data."+string(split), path))
		f, err := dataset.Load(path, split, dataset.Options{})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		d.files = append(d.files, f)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(d.files) == 0 {
		return nil, usagef("init needs --train, --eval or both")
	}
	if m := c.String("model"); m != "" {
		d.set = append(d.set, setting{"model.name", quoteYAML(m)})
	}
	return d, d.inspect(dir)
}

// relativeTo returns the path as it is written in a file that stands in dir.
func relativeTo(dir, path string) (string, error) {
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(from, to)
	if err != nil {
		return "", fmt.Errorf("name %s from %s: %w", path, dir, err)
	}
	return filepath.ToSlash(relative), nil
}

// nextSteps words what was found and what to do now.
func (d *draft) nextSteps(out string) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "wrote %s\n", out)
	for _, f := range d.files {
		fmt.Fprintf(&b, "  %-10s %s: %s\n", f.Split, f.Path, counted(f.Rows, "row"))
	}
	if u := d.config.Body.Unknown; len(u) > 0 {
		fmt.Fprintf(&b, "  the job has keys that mean nothing here and change nothing: %s\n", strings.Join(u, ", "))
	}
	target, _ := dataset.TargetNamed(d.config.Target)
	if problems := dataset.Check(d.files, target); len(problems) > 0 {
		fmt.Fprintf(&b, "  %d remarks on the data: gonogo check shows them\n", len(problems))
	}
	b.WriteString("next:\n")
	key := d.config.Model.APIKeyEnv
	if _, there := d.env(key); !there && key != noKey && !loopback(d.config.Model.BaseURL) {
		fmt.Fprintf(&b, "  export %s=…\n", key)
	}
	quoted := shellQuoted(out)
	fmt.Fprintf(&b, "  gonogo check -c %s      # no model is called\n", quoted)
	fmt.Fprintf(&b, "  gonogo run -c %s -o my-run\n", quoted)
	return b.String()
}

// shellQuoted is a path as a shell reads it.
func shellQuoted(path string) string {
	if strings.ContainsAny(path, " '\"$&;()[]{}*?<>|#`\\") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
