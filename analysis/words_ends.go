package analysis

// endsWords are the words of the gates about how the model's replies ended.
var endsWords = map[string]gateWords{
	"rollouts.finished": {
		why:            "An answer that was cut off, refused, withheld or left empty earns the bottom of the range, whatever the model knows. Groups then differ by who was cut off, not by who was right, and training learns to write less.",
		pass:           "{percent} of rollouts end without a finished answer",
		fail:           "{percent} of rollouts end without a finished answer ({kinds})",
		failRemedy:     "{advice} {without}",
		unknown:        "it is not clear that enough groups teach something without the {percent} of rollouts that end without a finished answer ({kinds})",
		unknownRemedy:  "{advice} {without} {needs}",
		caution:        "{percent} of rollouts end without a finished answer ({kinds})",
		cautionRemedy:  "{advice} {without}",
		cautionUnknown: "it is not known how many rollouts end without a finished answer",
	},
	"rollouts.markup": {
		why:            "Text that the server should have parsed is graded as the answer: a right answer looks wrong, and a tool that the model calls is never run. The numbers then describe the server's settings, not the model.",
		pass:           "{percent} of answers hold unparsed markup",
		fail:           "{percent} of answers hold markup that the server should have parsed, such as {token}",
		failRemedy:     "{advice} Then sample into a new run directory.",
		caution:        "{percent} of answers hold markup that the server should have parsed, such as {token}",
		cautionRemedy:  "{advice} Where these answers are meant that way, mention the token in the prompt or set thresholds.rollouts.markup.",
		cautionUnknown: "it is not known how many answers hold unparsed markup",
	},
}

// hangsWords are said where the signal comes from rollouts without a finished answer.
var hangsWords = wording{
	title:  "the signal comes from the {percent} of rollouts that end without a finished answer ({kinds})",
	remedy: "{advice} {without}",
}
