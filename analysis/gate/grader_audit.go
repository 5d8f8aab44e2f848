package gate

import (
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// noiseShift is how often noise alone takes a grade away from what the output
// deserves, and the most that it may be.
func noiseShift(r *analysis.Result) (value, high float64) {
	if r.Grader == nil || r.Grader.Moved == nil {
		return 0, 0
	}
	m := r.Grader.Moved
	return *m.Value, stat.ValueOr(m.High, 0.5)
}

// noiseBelowTop is how often noise alone takes an answer that deserves the top
// below the limit of the references.
func noiseBelowTop(r *analysis.Result) float64 {
	if r.Grader != nil && r.Grader.Slipped != nil {
		return *r.Grader.Slipped.Value
	}
	noise, _ := noiseShift(r)
	return noise
}

// probeNamed finds a probe's row by name.
func probeNamed(g *analysis.Grader, name string) *analysis.ProbeResult {
	for i := range g.Probes {
		if g.Probes[i].Probe == name {
			return &g.Probes[i]
		}
	}
	return nil
}

func itemsOfHoles(p *analysis.ProbeResult) []string {
	ids := []string{}
	for _, h := range p.Holes {
		if !slices.Contains(ids, h.Item) {
			ids = append(ids, h.Item)
		}
	}
	return ids
}

// replay is the command that shows a probe's worst payload again.
func replay(p *analysis.ProbeResult) message.Arg {
	if p == nil || len(p.Holes) == 0 {
		return analysis.Commands["audit"]
	}
	return message.Command("gonogo", "audit", message.Run, "--replay", p.Holes[0].ID)
}

var (
	inBrackets = message.New("phrase.brackets", " ({what})")
	noneOfThem = message.New("phrase.none", "none")
)

// unaskable are the words where the grader failed on all that was put to it.
const (
	unaskable       = "not known: the grader graded nothing that was sent to it"
	unaskableRemedy = "Fix what made it fail (the failures by kind are in the grader's section). {audit} then " +
		"repeats what failed; if you changed the grader itself, {grade} and {audit_next} judge it again."
)

var fullStop = message.New("phrase.full_stop", ".")
