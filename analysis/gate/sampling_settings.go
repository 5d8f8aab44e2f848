package gate

import (
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/sampler/rollout"
)

var samplingSettings = &analysis.Gate{
	Name:  "sampling.settings",
	Label: "settings of sampling",
	Doc: "Advisory, on runs that gonogo made: the temperature is known, because it was sent (model.temperature) or " +
		"the server reports its own (GET /props of llama.cpp, " +
		"the list of models elsewhere). What was sent and what the server adds is recorded in run.json.",
	Words: analysis.Words{
		Why: "Rewards, and their spread within a group, change with temperature, top_p and " +
			"min_p. Servers and trainers have defaults of their own: " +
			"what was measured holds in training only with the same settings.",
		Pass:    "replies were drawn with {all}{server}",
		Caution: "the server chose the temperature and does not report it{sent}",
		CautionRemedy: "Set model.temperature, model.top_p and model.extra to what the training will sample with, " +
			"then sample into a new run directory.",
	},
	Check: func(r *analysis.Result, _ analysis.Thresholds) []analysis.Finding {
		s := r.Run.Sampling
		if s == nil {
			return analysis.Skip("", analysis.Advisory, noSettings.Text())
		}
		j := analysis.Judgement{
			Severity: analysis.Advisory,
			Args: message.Args{
				"all":  message.Foreign(rollout.ParameterText(s.InForce())),
				"sent": message.Nested(message.Text{}), "server": message.Nested(message.Text{}),
			},
		}
		if added := s.Added(); len(added) > 0 {
			j.Args["server"] = message.Nested(
				settingsAdded.With(message.Args{"added": message.Foreign(rollout.ParameterText(added))}))
		}
		if untold := s.Untold(); len(untold) > 0 {
			j.Args["server"] = message.Nested(
				settingsUntold.With(message.Args{"untold": message.Foreign(strings.Join(untold, ", "))}))
		}
		if len(s.Sent) > 0 {
			j.Args["sent"] = message.Nested(
				settingsSent.With(message.Args{"sent": message.Foreign(rollout.ParameterText(s.Sent))}))
		}
		return []analysis.Finding{j.Finding(failIf(!s.Known()), analysis.Bound{})}
	},
}

var (
	noSettings     = message.New("skip.no_settings", "the run does not record what its requests were sampled with")
	settingsAdded  = message.New("sampling.settings.added", "; of these the server's own: {added}")
	settingsUntold = message.New("sampling.settings.untold",
		"; not sent: {untold}; the server used its own values and does not report them")
	settingsSent = message.New("sampling.settings.sent", "; {sent} was sent")
)
