package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/sampler/wording"
)

// flagsFirst moves the flags of a command before its other arguments, so that `gonogo analyze RUN
// --json` works as expected: the flag library stops looking for flags at the first other argument.
func flagsFirst(app *cli.App, args []string) []string {
	index := slices.IndexFunc(args, func(a string) bool { return app.Command(a) != nil })
	if index < 1 {
		return args
	}
	cmd := app.Command(args[index])
	var flags, rest []string
	tail := args[index+1:]
	for i := 0; i < len(tail); i++ {
		arg := tail[i]
		switch {
		case arg == "--":
			rest = append(rest, tail[i:]...)
			i = len(tail)
		case len(arg) < 2 || arg[0] != '-':
			rest = append(rest, arg)
		case arg == "-h" || strings.TrimLeft(arg, "-") == "help":
			return slices.Concat(args[:index+1], []string{"--help"}) // else help would take an argument for its topic
		default:
			flags = append(flags, arg)
			if !takesValue(cmd, arg) {
				continue
			}
			if i++; i == len(tail) {
				return slices.Concat(args[:index+1], flags) // so that the flag does not take an argument for its value
			}
			flags = append(flags, tail[i])
		}
	}
	return slices.Concat(args[:index+1], flags, rest)
}

// arguments holds the allowed number of arguments of a command, by its ArgsUsage.
var arguments = map[string]struct {
	least, most int
	words       string
}{
	"":           {},
	"RUN":        {1, 1, "one run"},
	"DIR":        {1, 1, "one history directory"},
	"RUN [RUN2]": {1, 2, "one run, or two"},
	"BASE NEW":   {2, 2, "two runs, BASE and NEW"},
}

// checkArguments runs before each command. Without it, `gonogo run other.yaml` would run, and pay
// for, the gonogo.yaml in the current directory.
func checkArguments(c *cli.Context) error {
	takes, known := arguments[c.Command.ArgsUsage]
	n := c.NArg()
	switch {
	case !known || n >= takes.least && n <= takes.most:
		return nil
	case takes.most == 0:
		hint := ""
		if slices.ContainsFunc(c.Command.Flags, func(f cli.Flag) bool { return f.Names()[0] == "config" }) {
			hint = "; name a configuration with --config " + c.Args().First()
		}
		return exit.Usagef("%s takes only flags, but was given the argument %q%s", c.Command.Name, c.Args().First(),
			hint)
	}
	return exit.Usagef("%s takes %s, and there %s %s; see gonogo %s --help", c.Command.Name, takes.words,
		wording.Plural(n, "[is|are]"), console.Count(n, "argument"), c.Command.Name)
}

// takesValue reports whether the flag's value is the next argument.
func takesValue(cmd *cli.Command, arg string) bool {
	return slices.ContainsFunc(cmd.Flags, func(f cli.Flag) bool {
		_, isBool := f.(*cli.BoolFlag)
		return !isBool && slices.Contains(f.Names(), strings.TrimLeft(arg, "-")) // --name=value has no separate value
	})
}

// commandNames lists the names of all commands.
func commandNames() []string {
	return ui.Names(commands(), func(c *cli.Command) string { return c.Name })
}
