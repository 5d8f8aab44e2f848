// Package cli reads the command line of a program with commands: flags and
// arguments in any order. It writes their help.
//
// The libraries for this write help with text/template, which looks methods up
// by name. With that the linker keeps each exported method of each type: a fifth
// of the binary.
package cli

import (
	"context"
	"errors"
	"flag"
	"io"
	"slices"
	"strconv"
	"strings"
)

// App is a program of several commands.
type App struct {
	Name, Usage, Description string
	Commands                 []*Command
	Reader                   io.Reader
	Writer, ErrWriter        io.Writer

	// Action is done where no command is named; the arguments may begin with an
	// unknown one.
	Action func(*Context) error
	// OnUsageError words an error about a flag, such as an *UnknownFlag.
	OnUsageError func(*Context, error) error
}

// Command is one of them.
type Command struct {
	Name, Usage, Description string
	ArgsUsage                string // its arguments, as help shows them; "" for none
	Flags                    []Flag
	Before                   func(*Context) error // comes before Action; its error ends the command
	Action                   func(*Context) error
}

// UnknownFlag is the error about a flag that the command lacks.
type UnknownFlag struct{ Flag string } // with one dash

// Error names the flag.
func (e *UnknownFlag) Error() string { return "there is no flag " + e.Flag }

// Command returns the command of that name; nil is none.
func (a *App) Command(name string) *Command {
	if i := slices.IndexFunc(a.Commands, func(c *Command) bool { return c.Name == name }); i >= 0 {
		return a.Commands[i]
	}
	return nil
}

// Run does what args ask for, the first of which is the program's name.
func (a *App) Run(ctx context.Context, args []string) error {
	args = args[min(1, len(args)):]
	root := &Command{Action: a.Action}
	cmd := root
	if len(args) > 0 {
		if named := a.Command(args[0]); named != nil {
			cmd, args = named, args[1:]
		}
	}
	c := &Context{Context: ctx, App: a, Command: cmd, set: map[string]bool{}}
	help, err := c.parse(args)
	switch {
	case err != nil:
		return a.OnUsageError(c, err)
	case help && cmd == root:
		return ShowAppHelp(c)
	case help:
		return ShowCommandHelp(c, cmd.Name)
	}
	for _, f := range cmd.Flags {
		if f, ok := f.(*StringFlag); ok && f.Check != nil && c.IsSet(f.Name) {
			if err := f.Check(c.String(f.Name)); err != nil {
				return err
			}
		}
	}
	if cmd.Before != nil {
		if err := cmd.Before(c); err != nil {
			return err
		}
	}
	return cmd.Action(c)
}

// Context is one call of a command.
type Context struct {
	context.Context
	App     *App
	Command *Command

	flags *flag.FlagSet
	set   map[string]bool // the flags that the command line names, by Names()[0]
	args  Args
}

// HelpName is how the command is called.
func (c *Context) HelpName() string { return strings.TrimSpace(c.App.Name + " " + c.Command.Name) }

// parse reads flags and arguments. It reports whether help is asked for.
func (c *Context) parse(args []string) (help bool, err error) {
	c.flags = flag.NewFlagSet(c.Command.Name, flag.ContinueOnError)
	c.flags.SetOutput(io.Discard)
	main := map[string]string{}
	for _, f := range c.Command.Flags {
		value := f.value()
		for _, name := range f.Names() {
			c.flags.Var(value, name, "")
			main[name] = f.Names()[0]
		}
	}
	for {
		switch err := c.flags.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			return true, nil
		case err != nil:
			if name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: "); unknown {
				err = &UnknownFlag{name}
			}
			return false, err
		}
		c.flags.Visit(func(f *flag.Flag) { c.set[main[f.Name]] = true })
		rest := c.flags.Args()
		read := len(args) - len(rest)
		if len(rest) == 0 || read > 0 && args[read-1] == "--" {
			c.args = append(c.args, rest...)
			return false, nil
		}
		c.args, args = append(c.args, rest[0]), rest[1:]
	}
}

// String returns the value of a flag as text; "" is one that the command lacks.
func (c *Context) String(name string) string {
	if f := c.flags.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// Bool returns the value of a BoolFlag; false is one that the command lacks.
func (c *Context) Bool(name string) bool { on, _ := strconv.ParseBool(c.String(name)); return on }

// Int returns the value of an IntFlag; 0 is one that the command lacks.
func (c *Context) Int(name string) int { n, _ := strconv.Atoi(c.String(name)); return n }

// Float64 returns the value of a Float64Flag; 0 is one that the command lacks.
func (c *Context) Float64(name string) float64 {
	x, _ := strconv.ParseFloat(c.String(name), 64)
	return x
}

// StringSlice returns the values of a StringSliceFlag in their order.
func (c *Context) StringSlice(name string) []string {
	if f := c.flags.Lookup(name); f != nil {
		if list, ok := f.Value.(*values); ok {
			return *list
		}
	}
	return nil
}

// IsSet reports whether the command line names the flag, by its first name.
func (c *Context) IsSet(name string) bool { return c.set[name] }

// NArg is how many arguments there are.
func (c *Context) NArg() int { return len(c.args) }

// Args returns the arguments that are no flags.
func (c *Context) Args() Args { return c.args }

// Args are the arguments of a command.
type Args []string

// Get returns the n-th, from 0; "" where there are fewer.
func (a Args) Get(n int) string {
	if n < len(a) {
		return a[n]
	}
	return ""
}

// First returns the first; "" where there is none.
func (a Args) First() string { return a.Get(0) }

// Present reports whether there are any.
func (a Args) Present() bool { return len(a) > 0 }

// Slice returns them all.
func (a Args) Slice() []string { return a }
