package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler/rollout"
)

func initCommand() *cli.Command {
	return &cli.Command{
		Name:  "init",
		Usage: "write a short gonogo.yaml, filled in from your job and data files",
		Description: `Reads the job and the data files, and writes a configuration that names them,
with the keys that need a decision; --full writes every key there is, those at their
defaults commented out. Nothing is called and nothing is sent.

With --template it writes a whole example instead, to start from: configuration,
job and data of a task that agents were fine-tuned for, with endpoints that are
built in and a policy that is scripted, not a model. Templates:
` + templateList() + `

Example:
   gonogo init --train train.jsonl --eval val.jsonl --job rft_job.json
   gonogo init --template finance-qa -o try/gonogo.yaml`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "template", Usage: "write the example `NAME`, all its files next to the configuration"},
			&cli.StringFlag{Name: "job", Usage: "the body for fine_tuning.jobs.create, JSON or YAML: `FILE`"},
			&cli.StringFlag{Name: "train", Usage: "training rows, JSONL: `FILE`"},
			&cli.StringFlag{Name: "eval", Usage: "validation rows, JSONL: `FILE`"},
			&cli.StringFlag{Name: "production", Usage: "rows as they come in production, JSONL: `FILE`"},
			&cli.StringFlag{Name: "model", Usage: "the base model's `NAME`, when the job names none or another is meant"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "gonogo.yaml", Usage: "`FILE` to write, - for standard output"},
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
	out := c.String("output")
	if _, err := os.Stat(out); err == nil && out != "-" && !c.Bool("force") {
		return exit.Usagef("%s is there already: choose another name with -o, or overwrite it with --force", out)
	}
	in := config.DraftFiles{Job: c.String("job"), Model: c.String("model"), Output: out, Data: make(map[rollout.Split]string)}
	for _, split := range rollout.Splits() {
		in.Data[split] = c.String(string(split))
	}
	d, err := config.NewDraft(in, os.LookupEnv)
	if err != nil {
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
	if err := writeNew(out, text, c.Bool("force")); err != nil {
		return err
	}
	_, err = fmt.Fprint(c.App.ErrWriter, d.NextSteps(out))
	return err
}

// writeNew writes a file that must not be there yet, unless it is forced.
func writeNew(path string, text []byte, force bool) error {
	if force {
		return rollout.WriteFile(path, text)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return exit.Usagef("%s is there already: overwrite it with --force", path)
	}
	if err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	_, err = f.Write(text)
	if err = cmp.Or(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("write the configuration: %w", err), os.Remove(path)) // half of one would be in the way
	}
	return nil
}
