package cli_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gonogo/cmd/gonogo/internal/cli"
)

// call runs one command line, and says what the command took of it.
func call(t *testing.T, args ...string) (took, out string, err error) {
	t.Helper()
	var w strings.Builder
	flags := []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "run", Usage: "the directory `RUN`"},
		&cli.BoolFlag{Name: "json", Usage: "write JSON"},
		&cli.BoolFlag{Name: "strict", Value: true},
		&cli.IntFlag{Name: "port", Value: 80, Usage: "listen there"},
		&cli.Float64Flag{Name: "sure", Usage: "from `P` on", DefaultText: "0.9"},
		&cli.StringSliceFlag{Name: "set", Usage: "`KEY=VALUE` sets a key"},
		&cli.StringFlag{Name: "pdf", Check: func(v string) error {
			if v != "full" {
				return errors.New("no such " + v)
			}
			return nil
		}},
	}
	say := func(c *cli.Context) error {
		took = fmt.Sprintf("%s: %s %v %v %d %g %q %q; set:", c.Command.Name, c.String("output"), c.Bool("json"), c.Bool("strict"), c.Int("port"), c.Float64("sure"), c.StringSlice("set"), c.Args().Slice())
		for _, f := range flags {
			if c.IsSet(f.Names()[0]) {
				took += " " + f.Names()[0]
			}
		}
		return nil
	}
	app := &cli.App{
		Name: "tool", Usage: "does things", Writer: &w, Action: say,
		Commands: []*cli.Command{{
			Name: "do", Usage: "do it", ArgsUsage: "WHAT", Description: "First.\n\nThen.", Flags: flags, Action: say,
			Before: func(c *cli.Context) error {
				if c.Args().First() == "never" {
					return errors.New("not that")
				}
				return nil
			},
		}},
		OnUsageError: func(c *cli.Context, err error) error { return fmt.Errorf("%s: %w", c.HelpName(), err) },
	}
	err = app.Run(t.Context(), append([]string{"tool"}, args...))
	return took, w.String(), err
}

func TestFlagsAndArgumentsComeInAnyOrder(t *testing.T) {
	for _, c := range []struct{ line, took, err string }{
		{"do", `do: run false true 80 0 [] []; set:`, ""},
		{"do a --json b -o x", `do: x true true 80 0 [] ["a" "b"]; set: output json`, ""},
		{"do -json=false --strict=false -port 0x10 --sure .5", `do: run false false 16 0.5 [] []; set: json strict port sure`, ""},
		{"do --set a=1,2 x --set b", `do: run false true 80 0 ["a=1,2" "b"] ["x"]; set: set`, ""},
		{"do a -- --json -o", `do: run false true 80 0 [] ["a" "--json" "-o"]; set:`, ""},
		{"do - --json", `do: run true true 80 0 [] ["-"]; set: json`, ""},
		{"do --pdf full", `do: run false true 80 0 [] []; set: pdf`, ""},
		{"do --pdf half", "", "no such half"},
		{"do never", "", "not that"},
		{"do a --nosuch", "", "tool do: there is no flag -nosuch"},
		{"do a --output", "", "tool do: flag needs an argument: -output"},
		{"do --port x", "", `tool do: invalid value "x" for flag -port: parse error`},
		{"--nosuch do", "", "tool: there is no flag -nosuch"},
		{"dont x", `: `, ""},
	} {
		t.Run(c.line, func(t *testing.T) {
			took, _, err := call(t, strings.Fields(c.line)...)
			if c.err != "" {
				if err == nil || err.Error() != c.err {
					t.Errorf("the error is %v, not %s", err, c.err)
				}
			} else if err != nil || !strings.HasPrefix(took, c.took) {
				t.Errorf("it took %s (%v), not %s", took, err, c.took)
			}
		})
	}
	if _, _, err := call(t, "do", "--nosuch=1"); err == nil {
		t.Error("an unknown flag with a value is taken")
	} else if unknown, ok := errors.AsType[*cli.UnknownFlag](err); !ok || unknown.Flag != "-nosuch" {
		t.Errorf("the unknown flag is %v", err)
	}
}

func TestHelp(t *testing.T) {
	const want = `NAME:
   tool do - do it

USAGE:
   tool do [command options] WHAT

DESCRIPTION:
   First.

   Then.

OPTIONS:
   --output RUN, -o RUN                 the directory RUN (default: "run")
   --json                               write JSON (default: false)
   --strict                             (default: true)
   --port value                         listen there (default: 80)
   --sure P                             from P on (default: 0.9)
   --set KEY=VALUE [ --set KEY=VALUE ]  KEY=VALUE sets a key
   --pdf value                          
   --help, -h                           show help
`
	for _, args := range [][]string{{"do", "--help"}, {"do", "x", "-h"}} {
		if took, got, err := call(t, args...); err != nil || took != "" || got != want {
			t.Errorf("help (%v, %s):\n%s", err, took, got)
		}
	}
	if _, got, err := call(t, "-h"); err != nil || !strings.Contains(got, "COMMANDS:\n   do  do it\n") {
		t.Errorf("help (%v):\n%s", err, got)
	}
}
