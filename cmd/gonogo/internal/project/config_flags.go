package project

import "gonogo/analysis/message"

// ConfigFlags returns this command's flags that select its configuration, for use
// in another command line.
func ConfigFlags(p *Project, c *Call) string {
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
