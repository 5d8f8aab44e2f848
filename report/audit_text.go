package report

import (
	"fmt"
	"io"
	"strings"

	"gonogo/analysis/message"
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
		if style, n := holeStyles[pr.State], len(of[pr.State]); style != "" && n <= probesInTerminal {
			t.hole(pr, style, p.Words)
		}
	}
	for _, s := range []ProbeState{Holed, Shifted} {
		if n := len(of[s]) - probesInTerminal; n > 0 {
			t.state(w.States[s], holeStyles[s], fmt.Sprintf(w.MoreHoled, w.Probes.of(n), few(of[s][probesInTerminal:], 12, p.Words)))
		}
	}
	for _, s := range []struct {
		state ProbeState
		style string
	}{{Held, green}, {Untold, yellow}, {Noted, faint}} {
		if names := of[s.state]; len(names) > 0 {
			t.state(w.States[s.state], s.style, p.Words.named(w.Probes.of(len(names)), few(names, 40, p.Words)))
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

// holeStyles are the states whose payloads a terminal shows.
var holeStyles = map[ProbeState]string{Holed: red, Shifted: yellow}

// hole is a probe that found holes, or moved the reward, with the worst payload.
func (t *terminal) hole(pr Probe, style string, w *words) {
	t.para(para{indent: stateWidth, lead: pad(pr.Label, stateWidth), leadStyle: style, text: w.named(pr.Name, pr.On), style: strong})
	if len(pr.Holes) == 0 {
		return
	}
	h := pr.Holes[0]
	t.para(para{at: stateWidth, indent: stateWidth, text: w.named(h.Earned, shorten(h.Payload, payloadInTerminal))})
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
			t.para(para{text: fmt.Sprintf(words.MoreLines, message.Whole(len(g.Rows)-most))})
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
