package gate

import (
	"regexp"

	"gonogo/analysis"
	"gonogo/analysis/message"
	"gonogo/analysis/stat"
	"gonogo/sampler/rollout"
)

// The thresholds of the gate. gonogo compare uses them too.
var (
	FailuresPass = analysis.Threshold{
		Name: "infra.failures.pass", Unit: "share",
		Doc:     "share of rollouts lost to the model endpoint, a tool or the grader, up to which the run is usable",
		Default: 0.05,
	}
	FailuresFail = analysis.Threshold{
		Name: "infra.failures.fail", Unit: "share",
		Doc: "share above which the run is unusable", Default: 0.20,
	}
)

var infraFailures = &analysis.Gate{
	Name:  "infra.failures",
	Label: "Rollouts lost",
	Doc: "Blocking, on every sampled split: the observed share of rollouts lost to the model endpoint, to prompts " +
		"longer than its context, to tools or the grader is at most 5 %; " +
		"above 20 % it fails; between, and of a log that was not graded, the run cannot decide. Advisory: at most 1 %, counting failed rollouts that " +
		"were repeated; at most 5 % of rollouts needed a retry; " +
		"and which rollouts fail depends neither on the item nor on its reward (permutation tests, p >= 0.01).",
	Thresholds: []analysis.Threshold{FailuresPass, FailuresFail},
	Charts:     []string{"failures"},
	Words: analysis.Words{
		Why: "A rollout lost to the model's endpoint, a tool or the grader says nothing about the model. " +
			"Many tools score it as zero, which teaches the model the wrong thing; and a trainer would lose " +
			"the same share of its rollouts.",
		Pass: "{percent} of rollouts were lost to {lost}{retried}",
		Fail: "{percent} of rollouts were lost to {lost}",
		FailRemedy: "{fix} Most frequent cause: {cause}. Lost to the model endpoint: {model_api}, to tools: " +
			"{tool}, to the grader: {grader}.",
		Unknown:        "{percent} of rollouts were lost to {lost}: too many to trust the numbers, too few to give up",
		UnknownRemedy:  "{fix} Most frequent cause: {cause}.",
		Caution:        "{percent} of rollouts were lost to {lost}{repeated}{retried}",
		CautionRemedy:  "{now}Under training load more rollouts will fail, and trainers retry less patiently.",
		CautionUnknown: "the share of failed rollouts is not known",
	},
	Check: onSplits(analysis.Blocking, noRollouts, failuresOf),
}

// Lost judges the lost rollouts of a run as the gate infra.failures does, but by their state alone.
// It returns the split that lost the largest share.
func Lost(t analysis.Thresholds,
	state map[rollout.Key]rollout.RolloutState,
) (status analysis.Status, split rollout.Split, lost, all int) {
	missing, made := make(map[rollout.Split]int), make(map[rollout.Split]int)
	for key, is := range state {
		made[key.Split]++
		if is.Outcome.Missing() {
			missing[key.Split]++
		}
	}
	worst := 0.0
	for _, s := range rollout.Splits() {
		if share := stat.Fraction(missing[s], made[s]); share > worst {
			worst, split, lost, all = share, s, missing[s], made[s]
		}
	}
	return lostStatus(t, worst), split, lost, all
}

// lostStatus judges a share of lost rollouts.
func lostStatus(t analysis.Thresholds, share float64) analysis.Status {
	switch {
	case share <= t.At(FailuresPass):
		return analysis.Pass
	case share > t.At(FailuresFail):
		return analysis.Fail
	}
	return analysis.Unknown
}

func failuresOf(r *analysis.Result, t analysis.Thresholds, split rollout.Split,
	sr *analysis.SplitResult,
) []analysis.Finding {
	if sr.Missing.Share == nil {
		return nil
	}
	missing := *sr.Missing.Share
	pass, fail := t.At(FailuresPass), t.At(FailuresFail)
	j := analysis.Judgement{
		Split: split, Severity: analysis.Blocking, Unit: "share",
		Want: wantAtMostFails.With(message.Args{"limit": message.Number(pass), "fail": message.Number(fail)}),
		Args: message.Args{
			"model_api": message.Int(sr.Missing.ModelAPI),
			"tool":      message.Int(sr.Missing.Tool), "grader": message.Int(sr.Missing.Grader),
			"cause": message.Nested(firstCause(sr)), "now": message.Nested(message.Text{}),
			"repeated": message.Nested(message.Text{}), "retried": message.Nested(retried(sr)),
			"retries": message.Count(sr.Missing.Retries, "request"),
		},
		// Once the endpoints answer, the same command repeats the failed rollouts.
		Needs: &analysis.Needs{Items: sr.Items.Sampled, Samples: (rolloutsOf(sr) + sr.Items.Sampled - 1) / max(1,
			sr.Items.Sampled)}, Settles: true,
	}
	j.Args["lost"], j.Args["fix"] = message.Nested(sr.Missing.LostTo()), message.Nested(fixFor(sr))
	if r.Run.Source == string(rollout.Import) {
		j.Args["fix"] = message.Nested(importAgain.Text())
		if first := mostFrequent(sr); first != nil && first.Outcome == rollout.PromptTooLong {
			j.Args["fix"] = message.Nested(message.Join(fixContext.Text(), importAgain.Text()))
		}
	}
	if 2*sr.Missing.Grader > sr.Missing.Total() {
		j.Args["fix"] = message.Nested(fixGrader.With(analysis.Commands))
	}
	if n := sr.Missing.PromptTooLong; n > 0 {
		j.Args["fix"] = message.Nested(message.Join(*j.Args["fix"].Text,
			promptsTooLong.With(message.Args{"n": message.Int(n)})))
	}
	if sr.Missing.Total()+sr.Missing.Absent > 0 {
		j.Args["now"] = message.Nested(causeNow.With(j.Args))
	}
	if n := sr.Missing.Repeated; n > 0 {
		j.Args["repeated"] = message.Nested(countingRepeated.With(message.Args{"n": message.Int(n)}))
	}
	status := lostStatus(t, missing)
	if status != analysis.Pass {
		j.Items = failedItems(sr)
	}
	if ungraded(r, sr) {
		j.Instead = &ungradedWords
		return []analysis.Finding{j.Finding(analysis.Unknown, analysis.Observed(missing))}
	}
	blocking := j.Finding(status, analysis.Observed(missing))
	const caution = 0.01 // share of rollouts that failed at least once
	j.Severity, j.Want = analysis.Advisory, analysis.WantAtMost(caution)
	ever := analysis.Observed(everMissing(sr))
	out := []analysis.Finding{blocking, j.Finding(ever.AtMost(caution), ever)}
	if by := sr.MissingBy; by != nil && !missingWords(by).IsEmpty() && everMissing(sr) >= leastLost {
		j.Want, j.Items, j.Instead = analysis.WantP.With(analysis.Limit(lossLevel)), by.Items, &notRandomWords
		j.Args["how"], j.Args["bounds"] = message.Nested(missingWords(by)), message.Nested(message.Text{})
		if b := sr.Reward.Bounds; sr.Missing.Total() > 0 && b.Low != nil && b.High != nil {
			j.Args["bounds"] = message.Nested(boundsOfMean.With(message.Args{
				"low":  message.Number(*b.Low),
				"high": message.Number(*b.High),
			}))
		}
		j.Unit = ""
		out = append(out,
			j.Finding(analysis.Fail, analysis.Observed(min(stat.ValueOr(by.Item.P, 1), stat.ValueOr(by.Reward.P, 1)))))
		j.Unit = "share"
	}
	again, most := analysis.Observed(stat.Fraction(sr.Missing.Retried, rolloutsOf(sr))), retriedMost
	if again.AtMost(most) == analysis.Fail {
		j.Want, j.Items, j.Instead = analysis.WantAtMost(most), nil, &retriedWords
		out = append(out, j.Finding(analysis.Fail, again))
	}
	return out
}

// retriedMost is the share of rollouts with a repeated request above which it is a caution.
const retriedMost = 0.05

// rolloutsOf counts the recorded rollouts.
func rolloutsOf(sr *analysis.SplitResult) int { return sr.Missing.Total() + sr.Reward.N }

// retried says how many rollouts needed a repeated request; "" if none did.
func retried(sr *analysis.SplitResult) message.Text {
	m := sr.Missing
	if m.Retried == 0 {
		return message.Text{}
	}
	return neededRepeats.With(message.Args{
		"rollouts": message.Count(m.Retried, "rollout"),
		"share":    message.Share(stat.Fraction(m.Retried, rolloutsOf(sr))), "retries": message.Int(m.Retries),
	})
}

// everMissing returns the share of rollouts that failed at an endpoint, including those that have
// been repeated since: repeating them until they pass does not fix the endpoint.
func everMissing(sr *analysis.SplitResult) float64 {
	lost := sr.Missing.Total() + sr.Missing.Absent + sr.Missing.Repeated
	return stat.Fraction(lost, lost+sr.Reward.N)
}

// fixFor says what to fix, by the status code or connection error in the most frequent cause.
func fixFor(sr *analysis.SplitResult) message.Text {
	cause := mostFrequent(sr)
	if cause == nil {
		return fixEndpoint.Text()
	}
	if cause.Outcome == rollout.PromptTooLong {
		return message.Join(fixContext.Text(), runAgain.Text())
	}
	for _, fix := range fixes {
		if (fix.only == "" || fix.only == cause.Outcome) && fix.cause.MatchString(cause.Error) {
			return message.Join(fix.text.Text(), fix.then.Text())
		}
	}
	return fixEndpoint.Text()
}

// fixes lists what to do by the cause that an error shows; the first match applies.
var fixes = []struct {
	cause *regexp.Regexp
	only  rollout.Outcome // "" is any
	text  message.Def
	then  message.Def
}{
	{
		regexp.MustCompile(`\bstatus 40[13]\b`), "",
		message.New("infra.failures.fix_key",
			"The endpoint refuses the key: set the right one in the environment variable that the configuration names."), runAgain,
	},
	{
		regexp.MustCompile(`\bstatus 404\b`), rollout.ModelAPI,
		message.New("infra.failures.fix_model", "The endpoint does not know this address or model name: check "+
			"base_url and the model's name in the configuration."), newRun,
	},
	{
		regexp.MustCompile(`\bstatus 404\b`), "",
		message.New("infra.failures.fix_path",
			"There is nothing at this address: check the URL in the configuration."), newRun,
	},
	{
		regexp.MustCompile(`\bstatus 429\b`), "",
		message.New("infra.failures.fix_rate",
			"The endpoint limits the rate: lower sampling.concurrency, or have the limit raised."), runAgain,
	},
	{
		regexp.MustCompile(`\bstatus 5\d\d\b`), "",
		message.New("infra.failures.fix_server", "The server itself fails: fix or restart it."), runAgain,
	},
	{
		regexp.MustCompile(`connection refused|no such host|dial tcp`), "",
		message.New("infra.failures.fix_address",
			"Nothing answers at this address: start the server, or correct the address."), newRun,
	},
	{
		regexp.MustCompile(`(?i)deadline exceeded|timeout|timed out`), "",
		message.New("infra.failures.fix_slow",
			"The endpoint answers too slowly: give it more capacity, lower sampling.concurrency, or raise its timeout."), runAgain,
	},
}

// mostFrequent returns the most frequent cause of missing grades; nil if there is none.
func mostFrequent(sr *analysis.SplitResult) *analysis.FailureCause {
	for i, f := range sr.Failures {
		if f.Outcome.Missing() {
			return &sr.Failures[i]
		}
	}
	return nil
}

// firstCause describes the most frequent cause of missing grades.
func firstCause(sr *analysis.SplitResult) message.Text {
	if f := mostFrequent(sr); f != nil && f.Count >= sr.Missing.Absent {
		return causeTimes.With(message.Args{
			"outcome": message.Name(f.Outcome), "error": message.Foreign(f.Error),
			"n": message.Int(f.Count),
		})
	}
	if n := sr.Missing.Absent; n > 0 {
		return notInLog.With(message.Args{"n": message.Int(n)})
	}
	return noneOfThem.Text()
}

func failedItems(sr *analysis.SplitResult) []string {
	ids := []string{}
	for _, it := range sr.Classes.Items {
		if it.Missing > 0 && len(ids) < analysis.MaxItemsListed {
			ids = append(ids, it.Item)
		}
	}
	return ids
}

var (
	wantAtMostFails  = message.New("want.at_most_fails", "≤ {limit} (fails above {fail})")
	countingRepeated = message.New("infra.failures.repeated", ", counting {n|that was|that were} repeated since")
	boundsOfMean     = message.New("infra.failures.bounds",
		" Whatever the missing rollouts would have earned, the mean of all is between {low} and {high}.")
	fixEndpoint = message.New("infra.failures.fix_endpoint", "Fix this endpoint, keeping its address, then run "+
		"the same command again: only failed rollouts are repeated. If the address changes, that is a new run and "+
		"needs its own directory.")
	runAgain = message.New("infra.failures.run_again",
		"Then run the same command again: only failed rollouts are repeated.")
	newRun = message.New("infra.failures.new_run", "A changed address or model is a new run and needs its "+
		"own directory; otherwise run the same command again: only failed rollouts are repeated.")
	importAgain = message.New("infra.failures.import_again",
		"Repeat these rollouts where the run was made, then import its log again.")
	fixContext = message.New("infra.failures.fix_context", "Raise the server's context (llama.cpp: "+
		"--ctx-size; vLLM: --max-model-len; SGLang: --context-length), or drop these rows. Where max_output_tokens "+
		"is set, the prompt and the answer must fit together.")
	promptsTooLong = message.New("infra.failures.too_long", "Rollouts whose prompt did not fit: {n}.")
	fixGrader      = message.New("infra.failures.fix_grader",
		"Fix the grader, then run {grade}: it grades the recorded answers again, without new rollouts.")
	neededRepeats = message.New("infra.failures.repeats",
		"; {rollouts} ({share}) needed retries, {retries} in all")
	causeNow   = message.New("infra.failures.cause_now", "Most frequent cause now: {cause}. ")
	notInLog   = message.New("infra.failures.absent", "planned and not in the log ({n|rollout})")
	causeTimes = message.New("infra.failures.cause", "{outcome}: {error} ({n|time})")
)

var noRollouts = message.New("skip.no_rollouts", "there are no rollouts")

// retriedWords replaces the words if endpoints failed at first and then answered.
var retriedWords = analysis.NewWording("infra.failures.retried",
	"{percent} of rollouts succeeded only after a retry: {retries} in all",
	"The endpoint drops requests. See which one in the calls of rollouts.jsonl (retries), and fix it or give it "+
		"more capacity: a training run's load is higher, and a trainer retries less patiently.")

// ungraded reports whether a split is that of a log without any grade: most of its rollouts lack one,
// and the others failed or gave no answer.
func ungraded(r *analysis.Result, sr *analysis.SplitResult) bool {
	grades := sr.Reward.N - sr.OwnFailures.NoAnswer - sr.OwnFailures.StepLimit
	return r.Run.Source == string(rollout.Import) && grades <= 0 &&
		2*sr.Missing.Grader > rolloutsOf(sr)+sr.Missing.Absent
}

// ungradedWords replaces the words if a log was not graded, which is no failure.
var ungradedWords = analysis.NewWording("infra.failures.ungraded",
	"no rollout of the log was graded",
	"Grade the recorded answers with your grader: {grade_with}. Most frequent cause: {cause}.")

// notRandomWords replaces the words if failures depend on the item or correlate with the reward.
var notRandomWords = analysis.NewWording("infra.failures.not_random", "failures on {split} are not random: {how}",
	"What is left is not a fair sample of the file. Look for what these items have in common: long answers, one "+
		"tool, or an outage while they were sampled.{bounds}")

// missingWords says what the tests find; "" if they find nothing.
func missingWords(b *analysis.MissingBy) message.Text {
	var found []message.Text
	if showsDependence(b.Item) {
		found = append(found,
			dependOnItem.With(message.Args{
				"p": pText(b.Item.P), "n": message.Int(b.Most),
				"items": message.Count(b.Item.N, "item"), "share": message.Share(stat.ValueOr(b.Share, 1)),
			}))
	}
	if showsDependence(b.Reward) {
		rho, p := message.Number(*b.Reward.Statistic), pText(b.Reward.P)
		if *b.Reward.Statistic < 0 {
			found = append(found, failEarnLess.With(message.Args{"rho": rho, "p": p}))
		} else {
			found = append(found, failEarnMore.With(message.Args{"rho": rho, "p": p}))
		}
	}
	return message.Clauses(found...)
}

var (
	dependOnItem = message.New("infra.failures.item",
		"they depend on the item ({p}): {n} of {items} had {share} of them")
	failEarnLess = message.New("infra.failures.less",
		"items that fail more earn less (rank correlation {rho}, {p}), so the mean is likely too high")
	failEarnMore = message.New("infra.failures.more",
		"items that fail more earn more (rank correlation {rho}, {p}), so the mean is likely too low")
)

const (
	leastLost = 0.01 // share of rollouts that failed at least once, below which it is no caution
	lossLevel = 0.01 // of each of the two tests: 2 % together (Bonferroni)
)

// showsDependence reports whether one of the two tests is significant.
func showsDependence(t analysis.PermutationTest) bool {
	return t.P != nil && t.Statistic != nil && *t.P < lossLevel
}
