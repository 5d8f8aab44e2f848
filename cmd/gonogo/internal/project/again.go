package project

import "gonogo/cmd/gonogo/internal/ui"

// FlagsAgain are the flags of this command that name its configuration, as another
// command takes them.
func FlagsAgain(p *Project, c *Call) string {
	with := ""
	if file := c.Config; file != "" {
		with += " -c " + ui.ShellQuoted(file)
	}
	if file := c.Grader; file != "" {
		with += " --grader " + ui.ShellQuoted(file)
	}
	for _, set := range c.Set {
		with += " --set " + ui.ShellQuoted(set)
	}
	return p.Redact.String(with)
}
