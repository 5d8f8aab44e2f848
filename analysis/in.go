package analysis

import (
	"gonogo/analysis/message"
)

// plain is what results are made in, and kept.
var plain message.Language

// In returns a copy of r for pages in l: Lang is l, and the notes of estimates and
// sections, which are stored in English, are said in it. r is English, as Analyze and
// Decode return it, or itself a copy by In, which remembers the English one.
func (r *Result) In(l message.Language) *Result {
	if r.english != nil {
		r = r.english
	}
	if l == plain {
		return r
	}
	return r.said(l)
}

// said is In for any language.
func (r *Result) said(l message.Language) *Result {
	out := retold(l, r)
	out.Lang, out.english = l, r
	return out
}
