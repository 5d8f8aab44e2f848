package analysis

// unaskable are the words where the grader failed on all that was put to it.
var unaskable = message{
	title:  "not known: the grader gave no grade to anything that was put to it",
	remedy: "Mend what made it fail (the failures by kind are in the grader's section), then run gonogo audit RUN again.",
}

// graderWords are the words of the gates about the grader itself.
var graderWords = struct {
	truth, hackable, noise, layers, length, agreement, guessable, suspect, brittle, detected gateWords
}{
	truth: gateWords{
		why:           "The data says what the right answer is. A grader that does not give full marks to that very answer punishes the model for being right, and training teaches it to be wrong.",
		pass:          "the references earn the top when given as the answer: {percent} of {items} do",
		fail:          "the grader rejects the right answers: only {percent} of {items} references earn the top when given as the answer",
		failRemedy:    "Grade one by hand: {replay}. Usual causes: the grader expects another form than the reference has (then configure the answer template, audit.answer), compares with the wrong field, or the references are wrong. {wrong} references were rejected.",
		unknown:       "{percent} of {items} references earn the top when given as the answer ({low} to {high} of all): {wrong} do not",
		unknownRemedy: "Look at what was rejected: {replay}. If those references are wrong, mend the data; if they are right, mend the grader. To be surer: {more}.",
		caution:       "the grader rejects right answers: only {percent} of {items} references earn the top",
		unmeasured:    unaskable,
	},
	hackable: gateWords{
		why:           "Training finds every way to earn reward. If an answer that does no work is rewarded, the model learns to give that answer instead of doing the task, and the reward goes up while the work gets worse.",
		pass:          "worthless answers do not fool the grader: {best}",
		fail:          "the grader can be fooled: “{probe}” is rewarded on {above} of {items} items{others}",
		failRemedy:    "See it yourself: {replay} puts the same answer to the grader again and shows what it gives. Close the hole in the grader, then run gonogo audit RUN again; do not train before.{noise}",
		unknown:       "it is not clear whether the grader can be fooled",
		caution:       "a worthless answer was rewarded: “{probe}” on {above} of {items} items{others}",
		cautionRemedy: "Look at it: {replay}. One hole is enough for training to find it.{noise}",
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
		why:           "If longer answers earn more on the same question, whatever they say, training makes answers long. This looks within each item, so that hard questions with long answers play no part.",
		pass:          "the reward does not go with the length of the answer (correlation {value} within items)",
		caution:       "{longer} answers earn more on the same item: correlation {value} with the length (p = {p})",
		cautionRemedy: "Twice the length goes with {slope} of reward. Read a long and a short answer of one item side by side: if the longer is not better, limit the length or tell the grader to disregard it. Over all items together the correlation is {pooled}.",
	},
	agreement: gateWords{
		why:             "The grader stands in for a person's judgement. Where the two rank answers differently, training moves the model towards the grader and away from the person.",
		pass:            "grader and people rank the same {outputs} alike: rank correlation {value} ({people})",
		caution:         "grader and people disagree: rank correlation {value} over {outputs} ({people})",
		cautionRemedy:   "Read the items listed, where they differ most, and mend the grader, or the labels.{ceiling}",
		cautionUnknown:  "grader and people may disagree: rank correlation {low} to {high} over {outputs} ({people})",
		cautionUnknownR: "More labelled outputs would tell. {needs}{ceiling}",
		unmeasured: message{
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
		why:           "When most rollouts of an item independently give the same answer and the reference says another, it is often the reference that is wrong. Training on it teaches the mistake.",
		pass:          "on no audited item do most rollouts agree on another answer than the reference",
		caution:       "on {value} items most rollouts agree on an answer that is not the reference",
		cautionRemedy: "Check these references by hand: mend them, or drop the items. {example}",
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
		unmeasured: message{
			title:  "not known: the detector failed on every rollout",
			remedy: "Mend the detector, then run gonogo audit RUN again.",
		},
	},
}
