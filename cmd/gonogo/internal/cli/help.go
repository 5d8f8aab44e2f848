package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// ShowAppHelp writes what the program does, and its commands.
func ShowAppHelp(c *Context) error {
	a := c.App
	return page(a.Writer, a.Name+" - "+a.Usage, a.Name+" [global options] command [command options]", a.Description, func(rows func(string, ...[2]string)) {
		var list [][2]string
		for _, cmd := range a.Commands {
			list = append(list, [2]string{cmd.Name, cmd.Usage})
		}
		rows("COMMANDS", list...)
		rows("GLOBAL OPTIONS", helpRow)
	})
}

// ShowCommandHelp writes what a command does, and its flags.
func ShowCommandHelp(c *Context, name string) error {
	cmd := c.App.Command(name)
	call := c.App.Name + " " + cmd.Name
	return page(c.App.Writer, call+" - "+cmd.Usage, strings.TrimSpace(call+" [command options] "+cmd.ArgsUsage), cmd.Description, func(rows func(string, ...[2]string)) {
		var list [][2]string
		for _, f := range cmd.Flags {
			names, text := f.help()
			list = append(list, [2]string{names, text})
		}
		rows("OPTIONS", append(list, helpRow)...)
	})
}

var helpRow = [2]string{"--help, -h", "show help"}

// page writes a page of help, whose last sections are tables.
func page(w io.Writer, name, usage, description string, tables func(rows func(title string, list ...[2]string))) error {
	t := tabwriter.NewWriter(w, 1, 8, 2, ' ', 0)
	fmt.Fprintf(t, "NAME:\n   %s\n\nUSAGE:\n   %s\n", name, usage)
	if description != "" {
		fmt.Fprintf(t, "\nDESCRIPTION:\n   %s\n", strings.ReplaceAll(strings.ReplaceAll(strings.TrimSpace(description), "\n", "\n   "), "\n   \n", "\n\n"))
	}
	tables(func(title string, list ...[2]string) {
		fmt.Fprintf(t, "\n%s:\n", title)
		for _, row := range list {
			fmt.Fprintf(t, "   %s\t%s\n", row[0], row[1])
		}
	})
	return t.Flush()
}
