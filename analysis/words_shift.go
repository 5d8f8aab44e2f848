package analysis

// shiftWords are the words of the gates about rows and splits.
var shiftWords = map[string]gateWords{
	"data.conflicts": {
		why:           "One question with two right answers cannot be learnt: whatever the model says, half of its rollouts are punished for it.",
		pass:          "no prompt has two references",
		fail:          "{prompts} {have} references that contradict each other",
		failRemedy:    "Look at the rows listed here: at least one reference of each pair is wrong, or the prompt leaves out what tells the tasks apart. Mend or drop them.",
		caution:       "{prompts} that are almost the same {have} references that contradict each other",
		cautionRemedy: "Read the pairs listed here. Where they ask the same, one reference is wrong.",
	},
	"data.degenerate": {
		why:           "Rows without a task teach nothing, rows that appear twice count twice, and a model that finds the answer in the prompt learns to copy it.",
		pass:          "no row is empty, cut off or repeated, or gives its answer away{told}",
		caution:       "{value} rows are of little use: {empty} empty, {constant} of one word over and over, {cut} cut off, {repeats} that repeat another of their split, {given} whose prompt holds the reference{told}",
		cautionRemedy: "Fix or drop the rows listed here. {near} more rows share most of their text with another row of their split.",
	},
	"leakage": {
		why:            "What the model was trained on it may have learnt by heart. Rows that stand in train and in another split make that split look better than new tasks will.",
		pass:           "{split} and {a} have no rows in common: {exact} copies, {swapped} that differ in names or numbers alone, {near} of {rows} that share most of their text{note}",
		fail:           "{split} is not new to a model trained on {a}: {exact} of {rows} rows are copies, {family} belong to a family that {a} has too",
		failRemedy:     "Take the rows listed here out of one of the two, and split by family (document, repository, customer), not by row.",
		caution:        "rows of {split} resemble rows of {a}: {swapped} of {rows} differ in names or numbers alone, {near} share most of their text, {exact} are copies{note}",
		cautionRemedy:  "Read the pairs listed here. Where they are the same task, take one out.",
		cautionUnknown: "{near} of {rows} rows of {split} share most of their text with a row of {a}: few enough for chance{note}",
	},
	"shift.text": shiftWordsOf(
		"The tasks of the two splits are asked differently when this fails. Training on other tasks than those that count may improve what nobody measures: a gain on one need not show on the other.",
		"Draw both from the same source, or at random from one pool; or say why they are to differ. The items of {split} that tell most are listed."),
	"shift.fields": shiftWordsOf(
		"The rows of the two splits come from different places when this fails. Where the mix of kinds, sources or sizes differs, a mean over one split says little about the other.",
		"Draw both at random from one pool, stratified by what is listed here; or compare kind by kind. The items of {split} that tell most are listed."),
	"shift.reward": shiftWordsOf(
		"The two splits are not equally hard when this fails. Where one is much easier, what training gains on it cannot be read off the other.",
		"Look at what makes one harder; stratify the draw by difficulty. The items of {split} that tell most are listed."),
	"shift.tools": shiftWordsOf(
		"The model works differently on the two splits when this fails. Other tools, more calls or longer outputs are other tasks, and cost differently in training.",
		"Look at what is listed here; draw both from the same pool. The items of {split} that tell most are listed."),
}

// shiftSubject is {what} of the gates about shift.
var shiftSubject = map[string]string{
	"shift.text":   "the messages",
	"shift.fields": "the fields of the rows",
	"shift.reward": "the items' mean rewards",
	"shift.tools":  "tool calls, turns and tokens",
}

// shiftWordsOf writes the words of a gate about shift.
func shiftWordsOf(why, remedy string) gateWords {
	return gateWords{
		why:            why,
		pass:           "no large difference in {what} between {a} ({na}) and {split} ({nb}): AUC {value} ({low} to {high}), {p}.{missed}",
		fail:           "a large difference in {what} between {a} ({na}) and {split} ({nb}): AUC {value} ({low} to {high}), {p}.{words}",
		failRemedy:     remedy,
		caution:        "{size} in {what} between {a} ({na}) and {split} ({nb}): AUC {value} ({low} to {high}), {p}.{words}",
		cautionRemedy:  remedy,
		cautionUnknown: "no difference in {what} between {a} ({na}) and {split} ({nb}) is shown, and a large one cannot be ruled out: AUC {value} ({low} to {high}), {p}.{missed}",
	}
}
