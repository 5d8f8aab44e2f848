package gate

import (
	"fmt"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

var dataValid = &analysis.Gate{
	Name:  "data.valid",
	Label: "Valid data files",
	Doc: "Blocking: no row of the data files breaks a verified rule of the target platform. Advisory: none breaks " +
		"a rule of advice.",
	Words: analysis.Words{
		Why: "A training service refuses a file that breaks its rules, or trains on something other than " +
			"you meant.",
		Pass:       "the data files follow the platform's rules",
		Fail:       "the data files break the platform's rules in {places}",
		FailRemedy: "Fix the lines listed under data.valid, then measure into a new run directory: {run_next}.",
		Caution:    "the data files go against the platform's advice in {places}",
		CautionRemedy: "Look at the lines listed under data.valid; the job would be accepted, but it may not be " +
			"what you want.",
		Unknown:        "the data files could not be checked",
		CautionUnknown: "the data files could not be checked",
	},
	Check: func(r *analysis.Result, _ analysis.Thresholds) []analysis.Finding {
		if len(r.Run.Data) == 0 {
			return analysis.Skip("", analysis.Blocking, noFiles.Text())
		}
		var out []analysis.Finding
		for _, severity := range []analysis.Severity{analysis.Blocking, analysis.Advisory} {
			n := 0
			j := analysis.Judgement{Severity: severity, Unit: "problems", Want: analysis.WantNone.Text()}
			for _, p := range r.Problems {
				if p.Blocking != (severity == analysis.Blocking) {
					continue
				}
				if n++; n <= analysis.MaxItemsListed {
					j.Rows = append(j.Rows, place(p))
				}
			}
			j.Args = message.Args{"places": message.Count(n, "place")}
			out = append(out, j.Finding(analysis.Observed(float64(n)).AtMost(0), analysis.Observed(float64(n))))
		}
		return out
	},
}

// place describes a problem in one line: where it is, then what it is.
func place(p rollout.Problem) message.Text {
	where := p.File
	if p.Line > 0 {
		where = fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	if where == "" {
		return message.ForeignText(p.Message)
	}
	return placed.With(message.Args{"place": message.Name(where), "problem": message.Foreign(p.Message)})
}

var placed = message.New("data.problem", "{place}: {problem}")

var noFiles = analysis.Moot(message.New("skip.no_files", "the run has no data files"))
