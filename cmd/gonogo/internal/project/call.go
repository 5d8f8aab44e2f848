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

	JSON, Yes, Rehearse, TrustRun bool
	DespiteProblems, NoAudit      bool
	Offline, NoShift              bool // of check
	Gaps                          bool // of burst
	ItemsUndecided                bool
	Until, MaxSamples, Samples    string
	Variant                       []string
	OnConflict                    string
	Replay                        string
	Times                         int
	Accept                        bool // of nightly
	Keep                          int
	Format, Output                string // of report
	FontSet                       bool   // --font was given
	All, FullPDF                  bool   // more than the brief
	Judging                       bool   // settings of an analysis were given
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
