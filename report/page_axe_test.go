//go:build !race

package report

import (
	"os"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	protocol "github.com/chromedp/cdproto/page"

	"gonogo/analysis"
	"gonogo/report/reporttest"
)

// violation is what axe-core has against a page.
type violation struct {
	ID, Impact, Help string
	Nodes            []struct{ HTML string }
}

// TestLongNobodyIsShutOut has axe-core, the rules of the field, look at the page:
// nothing serious and nothing critical, with all of it open. Contrast is held
// in the dark too.
func TestLongNobodyIsShutOut(t *testing.T) {
	if testing.Short() {
		t.Skip("a long test: make long")
	}
	b, axe := newAxe(t)
	r := reporttest.Load(t, "audited")
	for _, split := range r.Splits { // more of the same would only take time
		split.Classes.Items = split.Classes.Items[:4]
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f analysis.Finding) bool { return f.Status == analysis.Skipped })
	for i := range r.Grader.Probes {
		r.Grader.Probes[i].Rewards = r.Grader.Probes[i].Rewards[:2]
	}
	b.open(traced(r, 3))
	js[bool](b, `document.querySelector("button.item").click() ?? true`)
	axe()
	tryContrast(b, nil)
	b.quiet()
}

// newAxe opens a tab and returns what has axe-core look at the page that is in
// it. Without axe-core the test is skipped.
func newAxe(t *testing.T) (b *tab, look func()) {
	path := os.Getenv("GONOGO_AXE")
	if path == "" {
		path = "../.ci/node_modules/axe-core/axe.min.js"
	}
	axe, err := os.ReadFile(path)
	if err != nil {
		t.Skip("axe-core is not there: npm ci --prefix .ci brings it, or GONOGO_AXE names its axe.min.js")
	}
	b = newTab(t)
	call(b, protocol.SetBypassCSP, protocol.SetBypassCSPParams{Enabled: true})
	return b, func() { b.violations(string(axe)) }
}

// violations fails the test for what shuts people out of the page, all of it
// open.
func (b *tab) violations(axe string) {
	b.Helper()
	js[cdp.Empty](b, "%s", raw(axe+"; ({})"))
	js[bool](b, `document.querySelectorAll("details").forEach((d) => { d.open = true; }) ?? true`)
	// What is drawn within a picture is not an element of its own to a reader.
	found := js[[]violation](b, `axe.run({exclude: [["svg > *"]]}, {resultTypes: ["violations"]}).then((r) => r.violations.map((v) => ({id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.map((n) => ({html: n.html.slice(0, 160)}))})))`)
	for _, v := range found {
		if v.Impact == "serious" || v.Impact == "critical" {
			b.Errorf("%s (%s): %s: %d times, such as %s", v.ID, v.Impact, v.Help, len(v.Nodes), v.Nodes[0].HTML)
		} else {
			b.Logf("%s (%s): %s: %s", v.ID, v.Impact, v.Help, v.Nodes[0].HTML)
		}
	}
}
