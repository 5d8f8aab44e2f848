package report

import (
	"fmt"

	"gonogo/analysis/message"
)

// The form has a limit where it is pasted: how many payloads it holds, and how
// much of each.
const (
	payloadsInMarkdown = 24
	payloadInMarkdown  = 240
)

// audit tells of the grader: rates, every probe, the payloads that found
// holes, and what else speaks of it.
func (m *markdown) audit(p *Page) {
	w := m.words.Audit
	m.f("## %s\n\n%s\n\n", md(w.Title), md(p.Audit.Lead))
	if len(p.Audit.Rates.Rows) > 0 {
		m.grid(p.Audit.Rates)
	}
	if len(p.Audit.Probes) > 0 {
		m.probes(p.Audit.Probes)
	}
	shown := m.holes(p.Audit.Probes, Holed, w.HolesTitle, payloadsInMarkdown)
	m.holes(p.Audit.Probes, Shifted, w.MovesTitle, max(1, payloadsInMarkdown-shown))
	for _, g := range p.Audit.Tables {
		m.f("### %s\n\n", md(g.Title))
		m.grid(g)
	}
}

func (m *markdown) probes(list []Probe) {
	for i, name := range m.words.Audit.ProbeHead {
		if i == 0 {
			m.f("|")
		}
		m.f(" %s |", md(name))
	}
	m.f("\n|:--|:--|:--|--:|:--|--:|--:|--:|\n")
	for _, p := range list {
		m.f("| %s | %s | %s | %s | %s | %s | %s | %s |\n", code(p.Name), md(p.Label), md(p.Must), p.Items, p.Above, p.Accept, p.Gap, p.Failed)
	}
	m.f("\n")
}

// holes writes the payloads of the probes of a state, at most so many, and
// returns how many.
func (m *markdown) holes(list []Probe, state ProbeState, title string, most int) int {
	w, shown, left := m.words.Audit, 0, 0
	for _, p := range list {
		if p.State != state {
			continue
		}
		for i, h := range p.Holes {
			if shown == most {
				left += len(p.Holes) - i
				break
			}
			if shown == 0 {
				m.f("### %s\n\n", md(title))
			}
			shown++
			m.f("- %s\\\n  %s\\\n", m.words.named(code(h.ID), md(h.Earned)), span(shorten(h.Payload, payloadInMarkdown)))
			for _, note := range h.Notes {
				m.f("  %s\\\n", m.words.aside(md(note)))
			}
			m.f("  %s\n", span(h.Command))
		}
	}
	if left > 0 {
		m.f("\n%s\n", md(fmt.Sprintf(w.MoreMD, message.Whole(left))))
	}
	if shown > 0 {
		m.f("\n")
	}
	return shown
}
