package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gonogo/cmd/gonogo/internal/ui"
)

// flagsFirst moves the flags of a command before its other arguments, so that
// `gonogo analyze RUN --json` means what it says: the flag library stops
// looking for flags at the first argument that is none.
func flagsFirst(app *cli.App, args []string) []string {
	at := slices.IndexFunc(args, func(a string) bool { return app.Command(a) != nil })
	if at < 1 {
		return args
	}
	cmd := app.Command(args[at])
	var flags, rest []string
	tail := args[at+1:]
	for i := 0; i < len(tail); i++ {
		arg := tail[i]
		switch {
		case arg == "--":
			rest = append(rest, tail[i:]...)
			i = len(tail)
		case len(arg) < 2 || arg[0] != '-':
			rest = append(rest, arg)
		case arg == "-h" || strings.TrimLeft(arg, "-") == "help":
			return slices.Concat(args[:at+1], []string{"--help"}) // which would take an argument for its topic
		default:
			flags = append(flags, arg)
			if !takesValue(cmd, arg) {
				continue
			}
			if i++; i == len(tail) {
				return slices.Concat(args[:at+1], flags) // the flag must not take an argument for its value
			}
			flags = append(flags, tail[i])
		}
	}
	return slices.Concat(args[:at+1], flags, rest)
}

// takesValue reports whether the flag's value is the next argument.
func takesValue(cmd *cli.Command, arg string) bool {
	name := strings.TrimLeft(arg, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, f := range cmd.Flags {
		if slices.Contains(f.Names(), name) {
			_, isBool := f.(*cli.BoolFlag)
			return !isBool
		}
	}
	return false
}

// commandNames lists the names of all commands.
func commandNames() []string {
	return ui.Names(commands(), func(c *cli.Command) string { return c.Name })
}
