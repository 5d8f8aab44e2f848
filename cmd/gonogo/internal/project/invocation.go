package project

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/config"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/credential"
)

// Invocation is one call of a command: where it reads and writes, and what its flags select. Only
// commands use the flag library.
type Invocation struct {
	In       io.Reader
	Out, Err io.Writer
	Above    io.Writer // writes to Err above the progress bar that is on it; nil if there is none

	Command   string      // the command's name
	Line      string      // the whole command line, for a shell
	Config    string      // the configuration given on the command line; "" for none
	Set       []string    // --set, as typed
	Grader    string      // the file of another grader
	Overrides []string    // KEY=VALUE pairs that override the configuration, from --set and from flags that set a key
	Typed     []TypedFlag // the flags that set a key

	JSON, Yes, TrustRun bool
	OnConflict          string // which of two lines for the same rollout counts: first or last
	Sampling            SamplingFlags
	Report              ReportFlags
}

// SamplingFlags choose which rollouts a call makes.
type SamplingFlags struct {
	Rehearse        bool     // one rollout, which is not recorded
	DespiteProblems bool     // in spite of problems of the data or the grader
	NoAudit         bool     // no audit after the rollouts
	ItemsUndecided  bool     // only items whose class is undecided
	Until           string   // "" or decided
	MaxSamples      string   // per item, as typed
	Samples         string   // per item, as typed
	Variant         []string // only these variants; empty means all, and the run itself
}

// ReportFlags choose which reports a call writes, and how they look.
type ReportFlags struct {
	Format, Output string
	FontSet        bool // --font was given
	All, FullPDF   bool // more than the brief
	Judging        bool // analysis settings were given, so a stored result does not apply
}

// TypedFlag is one of the keyFlags with the typed value.
type TypedFlag struct{ Name, Key, Value string }

// Talk returns where lines for people go while a progress bar may be shown.
func (c *Invocation) Talk() io.Writer {
	if c.Above != nil {
		return c.Above
	}
	return c.Err
}

// ConfigFile returns the file that another command must name with -c to use the same configuration;
// "" for none.
func (c *Invocation) ConfigFile() string {
	if c.Config == usualFile {
		return ""
	}
	return c.Config
}

// ByFlag makes an error name the typed flag instead of its key.
func (c *Invocation) ByFlag(err error) error {
	text := err.Error()
	for _, flag := range c.Typed {
		value := flag.Value
		if flag.Name == "queue" {
			value = credential.MaskURLs(value)
		}
		text = strings.ReplaceAll(text, "--set "+flag.Key+":", "--"+flag.Name+" "+value+":")
	}
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}

// ConfigFlags returns this command's flags that select its configuration, for use
// in another command line.
func ConfigFlags(p *Project, c *Invocation) string {
	with := ""
	if file := c.Config; file != "" {
		with += " -c " + message.Shell(file)
	}
	if file := c.Grader; file != "" {
		with += " --grader " + message.Shell(file)
	}
	for _, set := range c.Set {
		with += " --set " + message.Shell(set)
	}
	return p.Redact.String(with)
}

// SettingsFor resolves the settings of an analysis.
func SettingsFor(c *Invocation, m *rollout.Manifest) (analysis.Settings, error) {
	cfg, err := ConfigFor(c, m)
	if err != nil {
		return analysis.Settings{}, err
	}
	if c.Config == "" && m != nil {
		_, replaced := config.WithoutFormer(m.Config)
		for _, err := range replaced {
			fmt.Fprintf(c.Err, "note: left out of the run's configuration: %v\n", err)
		}
	}
	s := cfg.JudgeSettings(m)
	return s, exit.AsUsage(gate.All().Validate(s))
}

// ConfigFor returns the configuration given on the command line, else the one in the run's
// manifest, with the flags applied. It is only for analysis.
func ConfigFor(c *Invocation, m *rollout.Manifest) (*config.Config, error) {
	var cfg *config.Config
	var err error
	if path := c.Config; path == "" && m != nil && len(m.Config) > 0 {
		cfg, err = config.FromManifest(rollout.ManifestFile, m.Config, c.Overrides...)
	} else {
		cfg, err = config.Peek(path, os.LookupEnv, c.Overrides...)
	}
	if err != nil {
		return nil, exit.AsUsage(c.ByFlag(err))
	}
	return cfg, nil
}
