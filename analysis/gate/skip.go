package gate

import (
	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

// The reasons for which gates are skipped.
var (
	noTraining = message.New("skip.no_training", "there is no train split: an evaluation set by itself says nothing about training")
	noTools    = analysis.Moot(message.New("skip.no_tools", "the rollouts have no tool calls"))
)

var (
	noOutputs = message.New("skip.no_outputs", "the rollouts have no output text long enough to compare, or only one sample per item")
	noRewards = message.New("skip.no_rewards", "there are no rewards")
)

// unaudited returns the reason for which a gate about the audit has nothing to
// judge, "" when there was one.
func unaudited(r *analysis.Result) message.Text {
	if r.Grader == nil || r.Grader.Audited == 0 {
		return whyNoAudit(r)
	}
	return message.Text{}
}

func whyNoAudit(r *analysis.Result) message.Text {
	if r.Run.Source == string(rollout.Import) {
		return noAuditImport.With(analysis.Commands)
	}
	return noAudit.With(analysis.Commands)
}

// noAudit is the reason for which gates about the audit are skipped.
// The second one is that of an import, which names no grader.
var (
	noAudit       = message.New("skip.no_audit", "the grader was not audited: run {audit}")
	noAuditImport = message.New("skip.no_audit_import", "the grader was not audited: run {audit_with}")
)

// noBurst is why gates about endpoints are skipped. The second one is that of an
// import, which has none to call.
var (
	noBurst       = message.New("skip.no_burst", "no training step was rehearsed: run {burst}")
	noBurstImport = analysis.Moot(message.New("skip.no_burst_import", "the rollouts were imported: there are no endpoints to put under load"))
)
