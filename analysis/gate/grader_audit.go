package gate

import (
	"slices"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
)

// noiseShift returns how often noise alone moves a grade away from what the output deserves, and
// the upper end of the interval. Without regrades both are 0.
func noiseShift(r *analysis.Result) (value, high float64) {
	if r.Grader == nil || r.Grader.Moved == nil {
		return 0, 0
	}
	m := r.Grader.Moved
	return *m.Value, stat.ValueOr(m.High, 0.5)
}

// noiseBelowTop returns how often noise alone moves an answer that deserves the top below the limit
// of the references.
func noiseBelowTop(r *analysis.Result) float64 {
	if r.Grader != nil && r.Grader.Slipped != nil {
		return *r.Grader.Slipped.Value
	}
	noise, _ := noiseShift(r)
	return noise
}

// probeNamed returns the result of a probe by name; nil if there is none.
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

// replay returns the command that grades a probe's worst payload again.
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

// unaskable and its remedy are the words if the grader failed on everything that was sent to it.
const (
	unaskable       = "not known: the grader graded nothing that was sent to it"
	unaskableRemedy = "Fix what made it fail: the report's section on the grader counts the failures by kind. " +
		"{audit} then repeats what failed; if you changed the grader itself, {grade} and {audit_next} judge it again."
)

var fullStop = message.New("phrase.full_stop", ".")
