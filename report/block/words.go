package block

import "gonogo/sampler/rollout"

// PageWords are what a page on a screen says beside what every format says.
type PageWords struct {
	Contents, OpenAll, CloseAll            string
	Evidence, Picture                      string
	Table, InItems, Read, Hint, Together   string
	AnyClass, ClassLabel, NoMatch, Printed string
	Filter, Shown, More, SortHint          string

	Press, PressLink, Show, Beyond, NoTrace, Rewards, Spread string
	Rollouts                                                 []string // heads of an item's rollouts
	Outcomes                                                 map[rollout.Outcome]string
}

// PrintWords are what printed pages say beside what every format says.
type PrintWords struct {
	Pages             string // at the foot of a page
	Telling, MoreRows string
}
