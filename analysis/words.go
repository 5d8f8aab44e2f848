package analysis

import "gonogo/analysis/message"

// anyDifference are the words where rewards lie close together and the trainer
// does not mind.
var anyDifference = newWording("baseline.any_difference", "rewards lie close together, but the trainer divides by the standard deviation of a group (trainer.normalize: std), so any difference counts: {differ} of groups teach something",
	"")

// retriedWords are the words where endpoints failed at first and then answered.
var retriedWords = newWording("infra.failures.retried", "{percent} of rollouts succeeded only because a request was repeated: {retries} in all",
	"The endpoint drops requests. See which one in the calls of rollouts.jsonl (retries), and mend it or give it more capacity: under a training run's load it will be more, and a trainer does not repeat them as patiently.")

// notTextWords are the words where a tool's outputs are no strings.
var notTextWords = newWording("tools.failures.not_text", "{odd} of {calls} tool calls returned an output that is not a string, most of them from {worst}",
	"The wire format asks for {\"output\": \"text\"}; the model was shown the JSON instead. Return text: a training service may refuse anything else.")

// notRandomWords are the words where failures depend on the item or go with the reward.
var notRandomWords = newWording("infra.failures.not_random", "failures on {split} are not random: {how}",
	"What is left is not a fair sample of the file. Look for what these items have in common: long answers, one tool, or an outage while they were sampled.{bounds}")

// hangsWords are said where the signal comes from rollouts without a finished answer.
var hangsWords = newWording("rollouts.finished.signal", "the signal comes from the {percent} of rollouts that end without a finished answer ({kinds})",
	"{advice} {without}")

// unaskable are the words where the grader failed on all that was put to it.
var unaskable = Wording{
	"not known: the grader gave no grade to anything that was put to it",
	"Fix what made it fail (the failures by kind are in the grader's section). gonogo audit RUN then repeats what failed; where the grader itself was changed, gonogo grade RUN -o RUN-2 and gonogo audit RUN-2 judge it anew.",
}

// unpaidWords are the words where no rollout that a detector marks earned anything.
var unpaidWords = newWording("grader.detected.unpaid", "“{detector}” marks {marked} of {rollouts} as a hack; the grader paid for none of them",
	"There is no hole to close: they earned the bottom of the range, and training is not drawn to what earns nothing. Read some to see that the detector is right, and keep it: it shows should the trick begin to pay.")

// unjudgedWords are the words where the grader failed on some of the answers
// that must score at the bottom.
var unjudgedWords = newWording("grader.hackable.unjudged", "{failed} of {payloads} could not be judged: the grader failed on them{kind}",
	"{where} A worthless answer should get the lowest grade, not a failure: what a trainer makes of one (no reward, a repeat, a dropped rollout) is not known here. Fix the grader; gonogo grade RUN -o RUN-2 and gonogo audit RUN-2 then judge it anew.")

// fewProbedWords are the words where too few items were probed for the grader to
// fail.
var fewProbedWords = newWording("grader.hackable.few", "it is not clear whether the grader can be fooled: its worthless answers were put to it on too few items",
	"An audit that was broken off, or one of a single item (audit.items), shows no hole on other items. gonogo audit RUN --items 40 puts the probes to more.")

// lostWords are said where items are enough, and too many of them were lost.
var lostWords = newWording("data.enough.lost", "{lost} of {sampled} sampled items ({lostshare}) have no valid rollout at all; at most {most} may be lost",
	"The items that were lost may differ from the rest, so that the numbers may not hold for them. Fix what made their rollouts fail, then run the same command again: only what is missing is made. Most frequent cause: {cause}.")

// What to do where the length of an answer goes with its reward; the figure is
// what twice the length earns or costs.
var (
	longerPays  = message.New("grader.length.longer_pays", "Twice the length goes with {slope} more of reward. Read a long and a short answer of one item side by side: if the longer is not better, limit the length or tell the grader to disregard it.")
	shorterPays = message.New("grader.length.shorter_pays", "Twice the length costs {slope} of reward. Read a long and a short answer of one item side by side: if the shorter is not better, see what the grader holds against length (a limit, a penalty, a cut, a sign that it misreads), or training will leave out what the task needs.")
)

// shiftSubject is {what} of the gates about shift.
var shiftSubject = map[string]message.Def{
	"shift.text":   message.New("shift.text.what", "the messages"),
	"shift.fields": message.New("shift.fields.what", "the fields of the rows"),
	"shift.reward": message.New("shift.reward.what", "the items' mean rewards"),
	"shift.tools":  message.New("shift.tools.what", "tool calls, turns and tokens"),
}

// shiftWordsOf writes the words of a gate about shift.
func shiftWordsOf(why, remedy string) Words {
	return Words{
		Why:            why,
		Pass:           "no large difference in {what} between {a} ({na}) and {split} ({nb}): AUC {value} ({low} to {high}), {p}.{missed}",
		Fail:           "a large difference in {what} between {a} ({na}) and {split} ({nb}): AUC {value} ({low} to {high}), {p}.{words}",
		FailRemedy:     remedy,
		Caution:        "{size} in {what} between {a} ({na}) and {split} ({nb}): AUC {value} ({low} to {high}), {p}.{words}",
		CautionRemedy:  remedy,
		CautionUnknown: "no difference in {what} between {a} ({na}) and {split} ({nb}) is shown, and a large one cannot be ruled out: AUC {value} ({low} to {high}), {p}.{missed}",
	}
}
