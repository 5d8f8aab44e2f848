package block

import "gonogo/sampler/rollout"

// PageWords are the texts of a page on screen, in addition to those of every format.
type PageWords struct {
	Contents, OpenAll, CloseAll            string
	Evidence, Picture                      string
	Table, AboutPicture, InItems, Gate     string
	Read, Hint, Together                   string
	AnyClass, ClassLabel, NoMatch, Printed string
	Filter, Shown, More, SortHint          string

	Press, PressLink, Show, Beyond, NoTrace, Rewards, Spread string
	Rollouts                                                 []string // column heads of the rollouts of an item
	Outcomes                                                 map[rollout.Outcome]string
}

// PrintWords are the texts of printed pages, in addition to those of every format.
type PrintWords struct {
	Pages             string // page number, in the foot of a page
	Telling, MoreRows string
}
