package gate

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// The reasons for skipping gates.
var (
	noTraining = message.New("skip.no_training",
		"there is no train split: an evaluation set by itself says nothing about training")
	noTools = analysis.Moot(message.New("skip.no_tools", "the rollouts have no tool calls"))
)

var (
	noOutputs = message.New("skip.no_outputs",
		"the rollouts have no output text long enough to compare, or only one sample per item")
	noRewards = message.New("skip.no_rewards", "there are no rewards")

	onlyCompares = message.New("skip.only_compares",
		"the grader only compares the outputs of an item: all items have the same mean reward")
	wantMeansDiffer = message.New("want.means_differ", "items with different mean rewards")
)

// comparesWords replace the words of a blocking gate about the mean reward.
var comparesWords = analysis.NewWording("gate.only_compares",
	"the mean reward of {split} does not show how good the model is: the grader only compares the outputs of an item, "+
		"and all items have the same mean",
	"Grade the same rollouts with a grader that scores each answer by itself: {grade} makes another run, "+
		"whose verdict answers this. This run shows which groups teach.")

// levelled returns a check that skips where there are no rewards, and skips, or is open if it blocks,
// where they only compare the outputs of an item.
func levelled(severity analysis.Severity, f check) check {
	return func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		split, ok := analysis.TrainingSplit(r)
		if ok && ungraded(r, r.Splits[split]) {
			return analysis.Skip(split, severity, noRewards.Text())
		}
		if r.Grader == nil || !r.Grader.OnlyCompares {
			return f(r, t)
		}
		if severity != analysis.Blocking || !ok {
			skipped := f(r, t)
			for i := range skipped {
				skipped[i] = analysis.Skip(skipped[i].Split, severity, onlyCompares.Text())[0]
			}
			return skipped[:min(1, len(skipped))]
		}
		return []analysis.Finding{analysis.Judgement{
			Split: split, Severity: severity, Unit: "reward", Want: wantMeansDiffer.Text(), Instead: &comparesWords,
		}.Finding(analysis.Unknown, analysis.Bound{})}
	}
}

// check is the Check of a gate.
type check = func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding

// audited returns a check that skips if the grader was not audited.
func audited(severity analysis.Severity, f check) check {
	return func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		if unaudited(r) {
			return analysis.Skip("", severity, whyNoAudit(r))
		}
		return f(r, t)
	}
}

// splitCheck checks one sampled split.
type splitCheck = func(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
	sr *analysis.SplitResult) []analysis.Finding

// onTraining returns a check of the split that training would see; it skips if there is none, or if
// its log has no rewards.
func onTraining(severity analysis.Severity, f splitCheck) check {
	return onSplit(severity, analysis.TrainingSplit, f)
}

// onSplit returns a check of the split that pick chooses; it skips if there is none, or if its log has
// no rewards.
func onSplit(severity analysis.Severity, pick func(*analysis.Result) (rollout.Split, bool), f splitCheck) check {
	return func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		split, ok := pick(r)
		if !ok {
			return analysis.Skip(rollout.Train, severity, whyNoTraining(r))
		}
		if ungraded(r, r.Splits[split]) {
			return analysis.Skip(split, severity, noRewards.Text())
		}
		return f(r, t, split, r.Splits[split])
	}
}

// trainingOrEval chooses the split that training would see, or eval in a log of evaluations alone: as
// few items are as little to go by there.
func trainingOrEval(r *analysis.Result) (rollout.Split, bool) {
	if split, ok := analysis.TrainingSplit(r); ok {
		return split, true
	}
	return rollout.Eval, r.Splits[rollout.Eval] != nil
}

// everySplit returns a check of each sampled split.
func everySplit(f splitCheck) check {
	return func(r *analysis.Result, t analysis.Thresholds) (out []analysis.Finding) {
		for _, split := range rollout.Splits() {
			if sr := r.Splits[split]; sr != nil {
				out = append(out, f(r, t, split, sr)...)
			}
		}
		return out
	}
}

// onSplits is everySplit, but skips if f finds nothing.
func onSplits(severity analysis.Severity, why message.Def, f splitCheck) check {
	return func(r *analysis.Result, t analysis.Thresholds) []analysis.Finding {
		return orSkip(everySplit(f)(r, t), severity, why)
	}
}

// orSkip returns the findings, or a skip if there are none.
func orSkip(found []analysis.Finding, severity analysis.Severity, why message.Def) []analysis.Finding {
	if found == nil {
		return analysis.Skip("", severity, why.Text())
	}
	return found
}

// failIf returns Fail if bad, else Pass.
func failIf(bad bool) analysis.Status {
	if bad {
		return analysis.Fail
	}
	return analysis.Pass
}

func whyNoTraining(r *analysis.Result) message.Text {
	if len(r.Splits) == 0 {
		return noRollouts.Text()
	}
	return noTraining.Text()
}

func unaudited(r *analysis.Result) bool { return r.Grader == nil || r.Grader.Audited == 0 }

func whyNoAudit(r *analysis.Result) message.Text {
	if r.Run.Source == string(rollout.Import) {
		return noAuditImport.With(analysis.Commands)
	}
	if _, ok := r.Run.Choices[agentRewards]; ok {
		return noGrader.Text()
	}
	return noAudit.With(analysis.Commands)
}

// agentRewards is the choice that runs record whose agent computes the reward itself.
const agentRewards = "agent rewards"

// The reasons for skipping gates about the audit; the second is for an import, which names no
// grader, and the third for a run whose agent computes the reward itself.
var (
	noAudit       = message.New("skip.no_audit", "the grader was not audited: run {audit}")
	noAuditImport = message.New("skip.no_audit_import", "the grader was not audited: run {audit_with}")
	noGrader      = message.New("skip.no_grader", "the agent computes the reward itself: there is nothing to give other answers to")
)

// The reasons for skipping gates about endpoints; the second is for an import, which has no
// endpoints to call.
var (
	noBurst       = message.New("skip.no_burst", "no training step was rehearsed: run {burst}")
	noBurstImport = analysis.Moot(message.New("skip.no_burst_import",
		"the rollouts were imported: there are no endpoints to put under load"))
)
