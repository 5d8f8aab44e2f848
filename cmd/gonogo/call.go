package main

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/config"
)

// call is one call of a command: where it reads and writes, and what its flags
// chose. Below the commands nothing sees the flag library.
type call struct {
	In       io.Reader
	Out, Err io.Writer

	Command   string      // its name
	Config    string      // the configuration that the command line names; "" is none
	Set       []string    // --set, as typed
	Grader    string      // the file of another grader
	overrides []string    // KEY=VALUE over the configuration, of --set and of flags that stand for a key
	typed     []typedFlag // those flags

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
	Judging                       bool   // settings of an analysis were given
}

// callOf reads the flags of a command, those that it does not have as unset.
func callOf(c *cli.Context) *call {
	return &call{
		In: c.App.Reader, Out: c.App.Writer, Err: c.App.ErrWriter,
		Command: c.Command.Name, Config: c.String("config"), Set: c.StringSlice("set"), Grader: c.String("grader"), overrides: overrides(c), typed: typedFlags(c),
		JSON: c.Bool("json"), Yes: c.Bool("yes"), Rehearse: c.Bool("rehearse"), TrustRun: c.Bool("trust-run"),
		DespiteProblems: c.Bool("despite-problems"), NoAudit: c.Bool("no-audit"), Offline: c.Bool("offline"), NoShift: c.Bool("no-shift"), Gaps: c.Bool("gaps"),
		ItemsUndecided: c.Bool("items-undecided"), Until: c.String("until"), MaxSamples: c.String("max-samples"), Samples: c.String("samples"), Variant: c.StringSlice("variant"),
		OnConflict: c.String("on-conflict"), Replay: c.String("replay"), Times: c.Int("times"), Accept: c.Bool("accept"), Keep: c.Int("keep"),
		Format: c.String("format"), Output: c.String("output"), FontSet: c.IsSet("font"),
		Judging: slices.ContainsFunc(analysisFlags(), func(f cli.Flag) bool { return c.IsSet(f.Names()[0]) }),
	}
}

// overrides are --set and the flags that stand for one key, as KEY=VALUE.
func overrides(c *cli.Context) []string {
	var out []string
	for _, pair := range c.StringSlice("set") {
		name, value, ok := strings.Cut(pair, "=")
		if ok {
			pair = config.SettingKey(strings.TrimSpace(name)) + "=" + value
		}
		out = append(out, pair)
	}
	for _, flag := range typedFlags(c) {
		value := flag.value
		if flag.name == "reward-range" {
			value = "[" + strings.Trim(value, "[] ") + "]"
		}
		out = append(out, flag.key+"="+value)
	}
	if c.String("until") != "" && c.IsSet("max-samples") {
		out = append(out, "sampling.samples="+c.String("max-samples"))
	}
	return out
}

// keyFlag is a flag that stands for one key of the configuration, in one command
// or, where that is empty, wherever it is.
type keyFlag struct{ name, key, command string }

var keyFlags = []keyFlag{
	{"samples", "sampling.samples", ""},
	{"concurrency", "sampling.concurrency", ""},
	{"items", "audit.items", "audit"},
	{"items", "items", "run"},
	{"items", "items", "sample"},
	{"items", "items", "nightly"},
	{"seed", "seed", ""},
	{"queue", "queue.url", ""},
	{"max-rollouts", "sampling.max_rollouts", ""},
	{"max-tokens", "sampling.max_tokens", ""},
	{"max-usd", "sampling.max_usd", ""},
	{"deadline", "sampling.deadline", ""},
	{"group-size", "training.group_size", ""},
	{"pass-threshold", "pass_threshold", ""},
	{"reward-range", "reward_range", ""},
	{"max-gradings", "audit.max_gradings", ""},
	{"labels", "audit.labels", ""},
	{"rollouts", "burst.rollouts", "burst"},
	{"lang", "report.lang", ""},
	{"paper", "report.paper", ""},
	{"font", "report.font", ""},
}

// typedFlag is one of the keyFlags with the value that was typed.
type typedFlag struct{ name, key, value string }

// typedFlags lists those of the keyFlags that the command line names.
func typedFlags(c *cli.Context) []typedFlag {
	var out []typedFlag
	for _, f := range keyFlags {
		if c.IsSet(f.name) && (f.command == "" || f.command == c.Command.Name) {
			out = append(out, typedFlag{f.name, f.key, c.String(f.name)})
		}
	}
	return out
}

// byFlag words an error by the flag that was typed, not by the key it stands
// for.
func (c *call) byFlag(err error) error {
	text := err.Error()
	for _, flag := range c.typed {
		value := flag.value
		if flag.name == "queue" {
			value = config.MaskQueueURL(value)
		}
		text = strings.ReplaceAll(text, "--set "+flag.key+":", "--"+flag.name+" "+value+":")
	}
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}
