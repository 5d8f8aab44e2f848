package report

import (
	"fmt"
	"io"
	"strings"

	"gonogo/report/chart"
)

// How much of the audit a terminal shows.
const (
	probesInTerminal  = 8
	payloadInTerminal = 200
	rowsInTerminal    = 8
)

// WriteAudit writes the page of an audit by itself, for a terminal: its
// findings and what it says of the grader.
func WriteAudit(w io.Writer, p *Page) error {
	t := &terminal{width: columns(p.Width), ascii: p.ASCII, color: p.Color}
	t.findings(p)
	t.audit(p)
	if _, err := w.Write(t.buf.Bytes()); err != nil {
		return fmt.Errorf("write grader audit: %w", err)
	}
	return nil
}

// audit tells of the grader: what was found, the holes with one payload each,
// and how many probes held. Every probe and payload is in the other formats.
func (t *terminal) audit(p *Page) {
	w := p.Words.Audit
	t.heading(w.Title)
	t.para(para{text: p.Audit.Lead})
	t.stack(p.Audit.Rates, len(p.Audit.Rates.Rows), p.Words)
	t.blank()
	of := map[ProbeState][]string{}
	for _, pr := range p.Audit.Probes {
		of[pr.State] = append(of[pr.State], pr.Name)
		if n := len(of[Holed]); pr.State == Holed && n <= probesInTerminal {
			t.hole(pr, p.Words)
		}
	}
	if n := len(of[Holed]) - probesInTerminal; n > 0 {
		t.state(w.States[Holed], red, fmt.Sprintf(w.MoreHoled, w.Probes.of(n), few(of[Holed][probesInTerminal:], 12, p.Words)))
	}
	for _, s := range []struct {
		state ProbeState
		style string
	}{{Held, green}, {Untold, yellow}, {Noted, faint}} {
		if names := of[s.state]; len(names) > 0 {
			t.state(w.States[s.state], s.style, w.Probes.of(len(names))+": "+few(names, 40, p.Words))
		}
	}
	t.blank()
	for _, g := range p.Audit.Tables {
		t.heading(g.Title)
		t.stack(g, rowsInTerminal, p.Words)
		for _, note := range g.Notes {
			t.para(para{indent: 2, lead: "- ", text: note, style: faint})
		}
		t.blank()
	}
}

// stateWidth is the column at which what a state is about begins.
const stateWidth = 10

func (t *terminal) state(label, style, text string) {
	t.para(para{indent: stateWidth, lead: pad(label, stateWidth), leadStyle: style, text: text})
}

// hole is a probe that found holes, with the worst of them.
func (t *terminal) hole(pr Probe, words *words) {
	w := words.Audit
	text := pr.Name + ": " + fmt.Sprintf(w.On, pr.Wrong, pr.Items)
	t.para(para{indent: stateWidth, lead: pad(pr.Label, stateWidth), leadStyle: red, text: text, style: strong})
	if len(pr.Holes) == 0 {
		return
	}
	h := pr.Holes[0]
	payload := clip(h.Payload, payloadInTerminal)
	t.para(para{at: stateWidth, indent: stateWidth, text: fmt.Sprintf(w.Earned, h.Reward, h.Limit) + ": " + payload})
	for _, note := range h.Notes {
		t.para(para{at: stateWidth, indent: stateWidth, text: note, style: faint})
	}
	t.para(para{at: stateWidth, indent: stateWidth, text: h.Command, style: faint})
}

// stack writes a table as a paragraph a row: the first cell leads, the others
// follow with the names of their columns. What a rate is, is left out.
func (t *terminal) stack(g Grid, most int, words *words) {
	lead := 0
	for _, row := range g.Rows {
		lead = max(lead, width(t.plain(row[0])))
	}
	lead = min(lead, t.width/3)
	for i, row := range g.Rows {
		if i == most {
			t.para(para{text: fmt.Sprintf(words.MoreLines, chart.Count(len(g.Rows)-most))})
			return
		}
		var cells []string
		for j, cell := range row {
			switch {
			case j == 0 || cell == "" || g.Rates && j == 3:
				continue
			case !g.Rates && j > 1:
				cell = g.Head[j] + " " + cell
			}
			cells = append(cells, cell)
		}
		t.para(para{indent: lead + 2, lead: pad(cut(t.plain(row[0]), lead), lead+2), leadStyle: strong, text: strings.Join(cells, " | ")})
	}
}
