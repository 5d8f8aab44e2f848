package config

// burstValues are the keys of gonogo burst.
type burstValues struct {
	Safe, Skip               []string
	Rollouts, Least, Repeats int
	Gaps                     *bool
}

func burstKeys() []key {
	return []key{
		{
			Path: "burst.safe", Fallback: "none", Doc: "tools that change nothing: gonogo burst then calls them without asking, also with arguments made by their schema where nothing is recorded", Example: "[search, cat]",
			at: func(v *values) any { return &v.Burst.Safe },
		},
		{
			Path: "burst.skip", Fallback: "none", Doc: "tools that gonogo burst never calls, recorded or not", Example: "[send_mail]",
			at: func(v *values) any { return &v.Burst.Skip },
		},
		{
			Path: "burst.rollouts", Default: "0", Min: bound(0), Max: bound(100_000), Doc: "rollouts that start at once; 0 is training.batch_size times training.group_size",
			at: func(v *values) any { return &v.Burst.Rollouts },
		},
		{
			Path: "burst.least", Default: "80", Min: bound(0), Max: bound(1_000_000), Doc: "rollouts in all at that size, in as many bursts as that takes; 80 without a lost one tell that fewer than 5 % are lost",
			at: func(v *values) any { return &v.Burst.Least },
		},
		{
			Path: "burst.repeats", Default: "24", Min: bound(0), Max: bound(100_000), Doc: "rollouts whose requests are made twice, to see whether the answer is the same; 0 leaves that out",
			at: func(v *values) any { return &v.Burst.Repeats },
		},
		{
			Path: "burst.gaps", Default: "false", Doc: "whether the recorded time between the calls of a rollout is kept; without it the load is heavier than a model makes it",
			at: func(v *values) any { return &v.Burst.Gaps },
		},
	}
}
