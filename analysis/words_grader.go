package analysis

// unaskable are the words where the grader failed on all that was put to it.
var unaskable = wording{
	title:  "not known: the grader gave no grade to anything that was put to it",
	remedy: "Fix what made it fail (the failures by kind are in the grader's section). gonogo audit RUN then repeats what failed; where the grader itself was changed, gonogo grade RUN -o RUN-2 and gonogo audit RUN-2 judge it anew.",
}

// graderWords are the words of the gates about the grader itself.
var graderWords = struct {
	truth, hackable, noise, layers, length, agreement, guessable, suspect, brittle, detected gateWords
}{
	truth: gateWords{
		why:           "The data says what the right answer is. A grader that does not give full marks to that very answer punishes the model for being right, and training teaches it to be wrong.",
		pass:          "the references earn the top when given as the answer: {accepted} do{lost}",
		fail:          "the grader rejects the right answers: {accepted} earn the top when given as the answer{lost}",
		failRemedy:    "Grade one by hand: {replay}. Usual causes: the grader expects another form than the reference has (then configure the answer template, audit.answer), compares with the wrong field, or the references are wrong. {rejected} {failed}",
		unknown:       "{accepted} earn the top when given as the answer ({lowpercent} to {highpercent} of all){lost}",
		unknownRemedy: "{rejected} {failed} Look at it: {replay}. If those references are wrong, mend the data; if they are right, mend the grader. To be surer: {more}.",
		caution:       "the grader fails on right answers: {accepted} earn the top when given as the answer{lost}",
		cautionRemedy: "{failed} A crash on a right answer costs the rollout its reward.",
		unmeasured:    unaskable,
	},
	hackable: gateWords{
		why:           "Training finds every way to earn reward. If an answer that does no work is rewarded, the model learns to give that answer instead of doing the task, and the reward goes up while the work gets worse.",
		pass:          "worthless answers do not fool the grader: {best}",
		fail:          "the grader can be fooled: “{probe}” is rewarded on {on}{others}",
		failRemedy:    "See it yourself: {replay} puts the same answer to the grader again and shows what it gives. Close the hole in the grader. gonogo grade RUN -o RUN-2 then grades the recorded answers again, without a new rollout, and gonogo audit RUN-2 puts the probes to the new grader; do not train before.{noise}{unjudged}",
		unknown:       "it is not clear whether the grader can be fooled: it failed on {failed} of {payloads}{kind}",
		unknownRemedy: "Change the grader so that it gives a worthless answer a grade, the lowest one; gonogo grade RUN -o RUN-2 and gonogo audit RUN-2 then judge it anew. Some trainers count such a failure as no reward, others repeat or drop the rollout, so that it is not counted here as an answer that earned nothing. {where}",
		caution:       "a worthless answer was rewarded: “{probe}” on {on}{others}",
		cautionRemedy: "Look at it: {replay}. One hole is enough for training to find it.{noise}{unjudged}",
		unmeasured:    unaskable,
	},
	noise: gateWords{
		why:             "Grading the same answer twice should give the same reward. What differs is noise: a trainer takes it for a better or worse answer and learns from chance.",
		pass:            "grading the same answer again changes little: {percent} of the difference between the rewards of one item is the grader's own noise ({low} to {high}, {outputs} graded again)",
		fail:            "the rewards are mostly chance: {percent} of the difference between the rewards of one item is the grader's own noise ({outputs} graded again)",
		failRemedy:      "Make the grader steadier before training: temperature 0 for a judge, a clearer rubric with checkable points, the average of several judgements, or a rule instead of a judge.{flips}",
		unknown:         "between {lowpercent} and {highpercent} of the difference between the rewards of one item is the grader's own noise ({outputs} graded again)",
		unknownRemedy:   "{more}{flips}",
		caution:         "{percent} of the difference between the rewards of one item is the grader's own noise ({outputs} graded again)",
		cautionRemedy:   "Training would work, but slower: part of what looks like a better answer is chance. A steadier grader, or the average of several judgements, would help.{flips}",
		cautionUnknown:  "between {lowpercent} and {highpercent} of the difference between the rewards of one item is the grader's own noise ({outputs} graded again)",
		cautionUnknownR: "{more}{flips}",
	},
	layers: gateWords{
		why:             "A reward made of parts should pay for style only once the task itself is done. If the other parts pay without it, the model can earn reward by looking good and never doing the work.",
		pass:            "without the core part ({core}) hardly anything is earned: {percent} of {zero} with the core at zero earn something",
		fail:            "reward can be had without the task: {percent} of {zero} with the core part ({core}) at zero earn something, {earned} of the range on average",
		failRemedy:      "Make the core a condition, for example by multiplying: {core} * (0.7 + 0.3 * the rest). {moving}",
		unknown:         "{percent} of {zero} with the core part ({core}) at zero earn something: it is not clear that it stays rare",
		unknownRemedy:   "{needs} {moving}",
		caution:         "{percent} of {zero} with the core part ({core}) at zero earn something, {earned} of the range on average",
		cautionRemedy:   "Make the core a condition of the other parts. {moving}",
		cautionUnknown:  "{percent} of {zero} with the core part ({core}) at zero earn something",
		cautionUnknownR: "{needs} {moving}",
	},
	length: gateWords{
		why:           "If longer answers earn more on the same question, whatever they say, training makes answers long; if shorter ones do, it makes them terse. This looks within each item, so that hard questions with long answers play no part.",
		pass:          "the reward does not go with the length of the answer (correlation {value} within items)",
		caution:       "{longer} answers earn more on the same item: correlation {value} with the length ({p})",
		cautionRemedy: "{advice} Over all items together the correlation is {pooled}.",
	},
	agreement: gateWords{
		why:             "The grader stands in for a person's judgement. Where the two rank answers differently, training moves the model towards the grader and away from the person.",
		pass:            "grader and people rank the same {outputs} alike: rank correlation {value} ({people})",
		caution:         "grader and people disagree: rank correlation {value} over {outputs} ({people})",
		cautionRemedy:   "Read the items listed, where they differ most, and mend the grader, or the labels.{ceiling}",
		cautionUnknown:  "grader and people may disagree: rank correlation {low} to {high} over {outputs} ({people})",
		cautionUnknownR: "More labelled outputs would tell. {needs}{ceiling}",
		unmeasured: wording{
			title:  "not known: too few labelled outputs have a reward to compare with, or they do not differ",
			remedy: "Label outputs of at least 20 items, good and bad ones; each must be a rollout of this run, or be graded by gonogo audit.{ceiling}",
		},
	},
	guessable: gateWords{
		why:             "If one and the same answer is right on many items, the model learns to give it always.",
		pass:            "the most common reference, given to every item, earns only {value} on average",
		caution:         "one constant answer earns {value} on average: {answer} to every item",
		cautionRemedy:   "Balance the data set, so that no single answer is right so often, or grade the way to the answer too.",
		cautionUnknown:  "one constant answer may earn too much: {low} to {high} on average with {answer} to every item",
		cautionUnknownR: "More audited items would tell (audit.items).",
	},
	suspect: gateWords{
		why:           "When most rollouts of an item independently give the same answer and the reference says another, or the grader pays for what they say and not for the reference, either the reference is wrong, or the model makes the same mistake every time. Training on a wrong reference teaches the mistake.",
		pass:          "of {compared} there is none on which most rollouts agree on another answer than the reference and none earns the top, or most earn the top where the reference earns the bottom",
		caution:       "on {on} the rollouts speak against the reference: most agree on another answer and none earns the top, or most earn the top where the reference earns the bottom",
		cautionRemedy: "Check these references by hand: correct them, or drop the items. If a reference is right and the model merely wrong, keep the item; if they are right everywhere, the grader takes them in another form only (configure the answer template, audit.answer). {example}",
	},
	brittle: gateWords{
		why:             "A right answer in other clothes (a currency sign, 7 % for 0.07, a sentence around it) is still right. A grader that rejects it teaches a format instead of the task, and calls good rollouts bad.",
		pass:            "right answers are accepted however they are written: {percent} of rewrites are rejected",
		caution:         "{percent} of right answers are rejected only because they are written differently, most of all by “{probe}”",
		cautionRemedy:   "See one: {replay}. Bring answer and reference to one form before comparing, or say in the prompt which form is wanted.",
		cautionUnknown:  "{percent} of right answers are rejected only because they are written differently, and it may be more ({lowpercent} to {highpercent})",
		cautionUnknownR: "More audited items would tell (audit.items). See one: {replay}.",
	},
	detected: gateWords{
		why:           "A detector looks for rollouts that earn reward by a trick. What the base model does now and then, training makes it do always.",
		pass:          "none of {rollouts} is marked as a hack",
		caution:       "“{detector}” marks {marked} of {rollouts} as a hack; they had earned {mean} on average",
		cautionRemedy: "Read them. If they are hacks, close the hole in the grader. {zeroed}",
		unmeasured: wording{
			title:  "not known: the detector failed on every rollout",
			remedy: "Fix the detector, then run gonogo audit RUN again.",
		},
	},
}

// unpaidWords are the words where no rollout that a detector marks earned anything.
var unpaidWords = wording{
	title:  "“{detector}” marks {marked} of {rollouts} as a hack; the grader paid for none of them",
	remedy: "There is no hole to close: they earned the bottom of the range, and training is not drawn to what earns nothing. Read some to see that the detector is right, and keep it: it shows should the trick begin to pay.",
}

// What to do where the length of an answer goes with its reward; the figure is
// what twice the length earns or costs.
const (
	longerPays  = "Twice the length goes with %s more of reward. Read a long and a short answer of one item side by side: if the longer is not better, limit the length or tell the grader to disregard it."
	shorterPays = "Twice the length costs %s of reward. Read a long and a short answer of one item side by side: if the shorter is not better, see what the grader holds against length (a limit, a penalty, a cut, a sign that it misreads), or training will leave out what the task needs."
)

// unjudgedWords are the words where the grader failed on some of the answers
// that must score at the bottom.
var unjudgedWords = wording{
	title:  "{failed} of {payloads} could not be judged: the grader failed on them{kind}",
	remedy: "{where} A worthless answer should get the lowest grade, not a failure: what a trainer makes of one (no reward, a repeat, a dropped rollout) is not known here. Fix the grader; gonogo grade RUN -o RUN-2 and gonogo audit RUN-2 then judge it anew.",
}

// fewProbedWords are the words where too few items were probed for the grader to
// fail.
var fewProbedWords = wording{
	title:  "it is not clear whether the grader can be fooled: its worthless answers were put to it on too few items",
	remedy: "An audit that was broken off, or one of a single item (audit.items), shows no hole on other items. gonogo audit RUN --items 40 puts the probes to more.",
}
