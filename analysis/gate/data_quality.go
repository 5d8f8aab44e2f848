package gate

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/shift"
	"gonogo/sampler/wording"
)

var dataQuality = &analysis.Gate{
	Name:  "data.quality",
	Label: "Data quality",
	Doc:   "Rows are useful, and their references are right.",
	Words: analysis.Words{Pass: "rows are useful, and nothing contradicts their references"},
	Parts: []*analysis.Gate{dataDegenerate, dataSuspect},
}

var dataDegenerate = &analysis.Gate{
	Name: "data.degenerate",
	Doc: "Advisory: no prompt is empty, a single repeated word, or cut off, no row repeats another of its split, " +
		"and no prompt holds its own reference word for word " +
		"(unless most do: then finding it there is the task).",
	Words: analysis.Words{
		Why: "Rows without a task teach nothing, rows that appear twice count twice, and a model that " +
			"finds the answer in the prompt learns to copy it.",
		Pass: "no row is empty, cut off or repeated, or gives its answer away{told}",
		Caution: "{value|row is|rows are} of little use: {empty} empty, {constant} of a single repeated word, " +
			"{cut} cut off, {repeats|that repeats|that repeat} another of the same split, {given} whose prompt " +
			"holds the reference{told}",
		CautionRemedy: "Fix or drop the rows listed here. {near|more row has|more rows have} most of the text in " +
			"common with another row of the same split.",
	},
	Check: func(r *analysis.Result, _ analysis.Thresholds) []analysis.Finding {
		if r.Shift == nil {
			return analysis.Skip("", analysis.Advisory, noItems.Text())
		}
		kinds := map[shift.FlawKind]int{}
		j := analysis.Judgement{Severity: analysis.Advisory, Unit: "rows", Want: analysis.WantNone.Text()}
		for _, f := range r.Shift.Flaws {
			kinds[f.Kind]++
			withRow(&j,
				rowIs.With(message.Args{
					"split": message.Name(f.Split), "item": message.Name(f.Item),
					"what": message.Nested(kindOf[string(f.Kind)].Text()),
				}), f.Item)
		}
		repeats := map[shift.LeakKind]int{}
		for _, d := range r.Shift.Duplicates {
			repeats[d.Kind]++
			if d.Kind == shift.ExactLeak {
				withRow(&j, pairText(d.ASplit, d.A, d.BSplit, d.B), d.A, d.B)
			}
		}
		given, note := givenReference(r.Shift)
		for _, row := range given {
			withRow(&j, rowGiven.With(message.Args{"split": message.Name(row.Split), "item": message.Name(row.Item)}),
				row.Item)
		}
		n := len(r.Shift.Flaws) + repeats[shift.ExactLeak] + len(given)
		j.Args = message.Args{
			"empty": message.Int(kinds[shift.Empty]), "constant": message.Int(kinds[shift.Constant]),
			"cut":     message.Int(kinds[shift.Truncated]),
			"repeats": message.Int(repeats[shift.ExactLeak]), "near": message.Int(repeats[shift.NearLeak]),
			"given": message.Int(len(given)), "told": message.Nested(note),
		}
		return []analysis.Finding{j.Finding(analysis.Observed(float64(n)).AtMost(0), analysis.Observed(float64(n)))}
	},
}

// givenReference returns the rows whose prompt holds their own reference, unless these are most of
// the rows for which that can be checked: then finding it is the task, which note says.
func givenReference(sh *analysis.Shift) (rows []analysis.RowName, note message.Text) {
	if 2*len(sh.InPrompt) <= sh.InPromptOf {
		return sh.InPrompt, message.Text{}
	}
	return nil,
		givenIsTask.With(message.Args{"n": message.Int(len(sh.InPrompt)), "prompts": message.Int(sh.InPromptOf)})
}

var (
	rowIs       = message.New("phrase.row_is", "{split} {item}: {what}")
	rowGiven    = message.New("phrase.row_given", "{split} {item}: the prompt holds the reference")
	givenIsTask = message.New("data.degenerate.given_is_task", "; the reference is in the prompt word for word in "+
		"{n} of {prompts|prompt}: finding it there is taken to be the task")
)

var dataSuspect = &analysis.Gate{
	Name: "data.suspect",
	Doc: "Advisory, after an audit: on no item do most rollouts agree on one answer other than the reference while " +
		"none earns the top, or earn the top while the reference, given as the answer, earns the bottom. " +
		"Skipped where answers could not be compared and rewards show nothing.",
	Words: analysis.Words{
		Why: "When most rollouts of an item independently give the same answer and the reference says " +
			"another, or the grader pays for what they say and not for the reference, either the reference is " +
			"wrong, or the model makes the same mistake every time. Training on a wrong reference teaches the mistake.",
		Pass: "on none of {compared} do most rollouts agree on an answer other than the reference while " +
			"none earns the top, or earn the top while the reference earns the bottom",
		Caution: "on {on} the rollouts contradict the reference: most agree on a different answer and none " +
			"earns the top, or most earn the top although the reference earns the bottom",
		CautionRemedy: "Check these references by hand: correct them, or drop the items. If a reference is right " +
			"and the model merely wrong, keep the item; if all the references are right, the grader accepts them " +
			"only in another form (set the answer template, audit.answer). {example}",
	},
	Check: audited(analysis.Advisory, func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		list := r.Grader.SuspectReferences
		if len(list) == 0 && r.Grader.Compared == 0 {
			return analysis.Skip("", analysis.Advisory, incomparable(r))
		}
		j := analysis.Judgement{
			Severity: analysis.Advisory, Unit: "items",
			Args: message.Args{
				"example": message.Nested(message.Text{}), "on": message.Count(len(list), "item"),
				"compared": message.Count(max(r.Grader.Compared, r.Grader.ComparedRewards), "item"),
			},
		}
		for i, s := range list {
			if i == 0 {
				j.Args["example"] = message.Nested(suspectExample(s))
			}
			if len(j.Items) < analysis.MaxItemsListed {
				j.Items = append(j.Items, s.Item)
			}
		}
		return []analysis.Finding{j.AtMost(0, analysis.Observed(float64(len(list))))}
	}),
}

// incomparable says why nothing is known about the references.
func incomparable(r *analysis.Result) message.Text {
	why := answersDiffer.Text()
	if n := r.Grader.ComparedRewards; n > 0 {
		why = message.Clauses(why, byRewardsAlone.With(message.Args{"references": message.Count(n, "reference")}))
	}
	return why
}

// suspectExample describes how the rollouts of an item contradict its reference.
func suspectExample(s analysis.SuspectReference) message.Text {
	text := earnTop.With(message.Args{"item": message.Name(s.Item), "share": message.Share(s.Share)})
	if s.Answer != "" {
		text = answerAlike.With(message.Args{
			"item": message.Name(s.Item), "share": message.Share(s.Share),
			"answer": message.Quote(wording.ClipBytes(s.Answer, analysis.ExcerptLength)),
		})
	}
	if s.ReferenceReward != nil {
		text = message.Concat(text,
			referenceEarns.With(
				message.Args{
					"reference": message.Quote(wording.ClipBytes(s.Reference, analysis.ExcerptLength)),
					"reward":    message.Number(*s.ReferenceReward),
				}))
	}
	return message.Concat(text, fullStop.Text())
}

var (
	earnTop        = message.New("data.suspect.earn_top", "On {item}, {share} of the rollouts earn the top")
	answerAlike    = message.New("data.suspect.answer", "On {item}, {share} of the rollouts answer {answer}")
	referenceEarns = message.New("data.suspect.reference", "; the reference, {reference}, earns {reward}")
)

var (
	answersDiffer = message.New("skip.not_compared",
		"answers could not be compared: no two rollouts of an item say the same")
	byRewardsAlone = message.New("skip.by_rewards_alone",
		"by rewards alone, none of {references} earns the bottom where most rollouts earn the top")
)
