package analysis

import (
	"fmt"

	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

var dataValid = NewGate(Gate{
	Name: "data.valid",
	Doc:  "Blocking: no row of the data files breaks a verified rule of the target platform. Advisory: none breaks a rule of advice.",
	Words: Words{
		Why:            "A training service refuses a file that breaks its rules, or trains on something other than you meant.",
		Pass:           "the data files keep the platform's rules",
		Fail:           "the data files break the platform's rules in {places}",
		FailRemedy:     "Fix the lines listed here, then measure into a new run directory: gonogo run -o RUN-2.",
		Caution:        "the data files go against the platform's advice in {places}",
		CautionRemedy:  "Look at the lines listed here; the job would be accepted, but it may not be what you want.",
		Unknown:        "the data files could not be judged",
		CautionUnknown: "the data files could not be judged",
	},
	Check: func(r *Result, _ Thresholds) []Finding {
		if len(r.Run.Data) == 0 {
			return []Finding{skip("data.valid", "", Blocking, noFiles.Text())}
		}
		count := func(blocking bool) (n int, where []message.Text) {
			for _, p := range r.Problems {
				if p.Blocking != blocking {
					continue
				}
				n++
				if len(where) < itemsListed {
					where = append(where, message.Verbatim(place(p)))
				}
			}
			return n, where
		}
		var out []Finding
		for _, severity := range []Severity{Blocking, Advisory} {
			n, where := count(severity == Blocking)
			j := judgement{gate: "data.valid", severity: severity, unit: "problems", want: wantNone.Text(), rows: where, vars: message.Args{"places": message.Count(n, "place")}}
			out = append(out, j.finding(observed(float64(n)).atMost(0), observed(float64(n))))
		}
		return out
	},
})

// place names a problem as one line: where, then what.
func place(p rollout.Problem) string {
	switch {
	case p.Line > 0:
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
	case p.File != "":
		return fmt.Sprintf("%s: %s", p.File, p.Message)
	}
	return p.Message
}

var noFiles = message.New("skip.no_files", "the run holds no data files")
