package analysis

import "gonogo/analysis/message"

// In returns a copy of r for pages and pictures in l. What r holds stays the same.
func (r *Result) In(l message.Language) *Result {
	out := *r
	out.Lang = l
	return &out
}
