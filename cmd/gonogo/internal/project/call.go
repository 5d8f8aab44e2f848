package project

import (
	"errors"
	"io"
	"strings"

	"gonogo/cmd/gonogo/internal/config"
)

// Call is one call of a command: where it reads and writes, and what its flags
// chose. Below the commands nothing sees the flag library.
type Call struct {
	In       io.Reader
	Out, Err io.Writer

	Command   string      // its name
	Config    string      // the configuration that the command line names; "" is none
	Set       []string    // --set, as typed
	Grader    string      // the file of another grader
	Overrides []string    // KEY=VALUE over the configuration, of --set and of flags that stand for a key
	Typed     []TypedFlag // those flags

	JSON, Yes, TrustRun bool
	OnConflict          string // which of two lines of one rollout counts
	Sampling            SamplingFlags
	Report              ReportFlags
}

// SamplingFlags choose which rollouts a call makes.
type SamplingFlags struct {
	Rehearse        bool     // one rollout, which is not recorded
	DespiteProblems bool     // of the data or the grader
	NoAudit         bool     // none follows the rollouts
	ItemsUndecided  bool     // items whose class is open alone
	Until           string   // "" or decided
	MaxSamples      string   // of an item, as typed
	Samples         string   // of an item, as typed
	Variant         []string // those alone; none stands for all and the run itself
}

// ReportFlags choose which reports a call writes, and how they look.
type ReportFlags struct {
	Format, Output string
	FontSet        bool // --font was given
	All, FullPDF   bool // more than the brief
	Judging        bool // settings of an analysis were given: what is kept of an earlier one does not hold
}

// TypedFlag is one of the keyFlags with the value that was typed.
type TypedFlag struct{ Name, Key, Value string }

// ByFlag words an error by the flag that was typed, not by the key it stands
// for.
func (c *Call) ByFlag(err error) error {
	text := err.Error()
	for _, flag := range c.Typed {
		value := flag.Value
		if flag.Name == "queue" {
			value = config.MaskQueueURL(value)
		}
		text = strings.ReplaceAll(text, "--set "+flag.Key+":", "--"+flag.Name+" "+value+":")
	}
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}
