package analysis

// burstWords are the words of the gates about endpoints under a training
// step's load.
var burstWords = map[string]gateWords{
	"endpoint.lost": {
		why:           "A training step starts all its rollouts at once. A rollout whose tool or grader fails for good is discarded, which is paid for all the same; scored as zero it would teach the wrong thing.",
		pass:          "{percent} of {rollouts} would be discarded with {size} at once",
		fail:          "{percent} of {rollouts} would be discarded with {size} at once",
		failRemedy:    "Give the endpoint more capacity, or let it make callers wait instead of failing them, then rehearse again; a smaller batch loads it less. Discarded by: {by}. {first} Most frequent: {causes}.",
		unknown:       "{lowpercent} to {highpercent} of rollouts would be discarded with {size} at once: {rollouts} do not tell",
		unknownRemedy: "Rehearse more rollouts: about {least} would tell (key burst.least). Discarded by: {by}. {first} Most frequent: {causes}.",
		caution:       "{percent} of {rollouts} would be discarded with {size} at once",
		cautionRemedy: "Discarded by: {by}. {first} Most frequent: {causes}.",
		unmeasured:    wording{title: "not known: no rollout of a burst came to its end", remedy: "Rehearse again."},
	},
	"endpoint.latency": {
		why:           "A training step waits for its slowest rollout, and the hour is paid for while it waits.",
		pass:          "no endpoint slows down much under a step's load: the worst, {worst}, to {value} times its latency alone (95th percentile)",
		caution:       "{worst} slows down to {value} times its latency alone: the 95th percentile is {p95} s with {size} rollouts at once, {base} s alone",
		cautionRemedy: "Its 95th percentile {doubles}: give it more capacity there, or use a smaller batch.",
	},
	"endpoint.crosstalk": {
		why:           "An answer with another rollout's id comes from state that rollouts share: one then sees, or changes, what another did, and rewards stop meaning anything.",
		pass:          "none of {answers} answers holds another rollout's id",
		caution:       "{value} of {answers} answers hold another rollout's id",
		cautionRemedy: "Keep the state of a rollout by its trace_id. Such as: {examples}.",
	},
	"endpoint.wire": {
		why:           "What a trainer makes of an answer that departs from the wire contract is documented nowhere: it may discard the rollout, or show the model something else than you meant.",
		pass:          "all of {answers} answers keep the wire contract",
		caution:       "{percent} of {answers} answers depart from the wire contract",
		cautionRemedy: "Correct: {what}.",
	},
	"endpoint.repeat": {
		why:             "A trainer repeats requests that failed, perhaps after the server had acted on them. An endpoint that answers the same request differently makes rollouts of one item differ by chance, too.",
		pass:            "{percent} of {requests} are answered otherwise when made twice",
		caution:         "{percent} of {requests} are answered otherwise when made twice: {where}",
		cautionRemedy:   "Look whether repeating a call changes something, and let the server recognise a repeated call_id; a clock or a random order in the answer looks the same.",
		cautionUnknown:  "{lowpercent} to {highpercent} of requests are answered otherwise when made twice: {requests} do not tell",
		cautionUnknownR: "About {least} different requests would tell (key burst.repeats).",
	},
}
