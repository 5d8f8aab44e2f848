package block

import "gonogo/sampler/rollout"

// PageWords are the words of a page on a screen, in addition to those of every format.
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

// PrintWords are the words of printed pages, in addition to those of every format.
type PrintWords struct {
	Pages             string // at the foot of a page
	Telling, MoreRows string
}
