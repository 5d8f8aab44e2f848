package dataset

// Target is a platform that trains on the files, with its limits as of a date.
type Target struct {
	Name, Doc string

	MinRows     Limit // fewest rows of each file
	MaxTrain    Limit // most rows of the training file
	MaxEval     Limit // most rows of the validation file
	MaxBytes    Limit // largest size of each file
	MaxRowBytes Limit // largest size of one row, which is sent with every tool and grader call
	// 1: a job needs a validation file. It is advice: a training file is often measured before
	// there is one
	NeedsEval    Limit
	LastUser     Limit // 1: the last message must be the user's
	NoAudioFile  Limit // 1: no audio and no file content
	NoImages     Limit // 1: no images
	NoSystemRole Limit // 1: its schema does not have the role system
}

// Limit is one limit of a platform. The zero Limit is not a limit.
type Limit struct {
	Value    int64
	Verified bool   // stated in the platform's own text: the platform refuses a job that breaks it
	Source   string // where it was read, and when
}

// NoTarget is the name of the target that is not a hosted platform.
const NoTarget = "none"

// Targets lists the platforms with known limits in the order in which they are shown, as of
// 2026-11-20. A limit that no source states is missing or only warns.
func Targets() []Target {
	const (
		guide  = "OpenAI, guide to reinforcement fine-tuning, read 2026-11"
		schema = "OpenAI, API description of reinforcement inputs, read 2026-11"
		files  = "OpenAI, files API, read 2026-11"
		azure  = "Microsoft, reinforcement fine-tuning pages, read 2026-11"
		agents = "Microsoft, agentic reinforcement fine-tuning preview, read 2026-11"
		aws    = "Amazon, Bedrock documentation, read 2026-11"
		taken  = "taken over from another platform, not verified for this one"
	)
	return []Target{
		{
			Name: "openai", Doc: "OpenAI's hosted fine-tuning (closes to new jobs on 2027-01-06)",
			MinRows:  Limit{10, false, "known for Microsoft's service; OpenAI's own number is not published"},
			MaxTrain: Limit{50_000, true, guide}, MaxEval: Limit{1_000, true, guide},
			MaxBytes:  Limit{512 << 20, true, files},
			NeedsEval: Limit{1, false, guide}, LastUser: Limit{1, true, azure},
			NoAudioFile: Limit{1, true, schema}, NoSystemRole: Limit{1, false, schema},
		},
		{
			Name: "azure", Doc: "Microsoft Foundry (Azure OpenAI)",
			MinRows:  Limit{10, true, agents},
			MaxTrain: Limit{50_000, false, guide}, MaxEval: Limit{1_000, false, guide},
			MaxBytes:    Limit{512 << 20, true, files},
			MaxRowBytes: Limit{1 << 20, false, agents},
			NeedsEval:   Limit{1, false, azure}, LastUser: Limit{1, true, azure},
			NoAudioFile: Limit{1, true, azure}, NoImages: Limit{1, true, azure}, NoSystemRole: Limit{1, false, azure},
		},
		{
			Name: "bedrock", Doc: "Amazon Bedrock's OpenAI-compatible fine-tuning",
			MinRows: Limit{100, true, aws}, MaxTrain: Limit{20_000, true, aws},
			LastUser: Limit{1, false, taken}, NoAudioFile: Limit{1, false, taken},
		},
		{Name: NoTarget, Doc: "no hosted platform: a trainer of your own, such as TRL, verl or prime-rl"},
	}
}

// TargetByName returns the target with that name.
func TargetByName(name string) (Target, bool) {
	for _, t := range Targets() {
		if t.Name == name {
			return t, true
		}
	}
	return Target{}, false
}
