package report

import (
	"gonogo/report/plain"
	"gonogo/sampler/wording"
)

// Every text of a Page that comes from data has passed through one of these functions, so that no
// format can be manipulated by an item's id or a server's error.
var visible, prose, id, ids, clip = plain.Text, plain.Prose, plain.ID, plain.IDs, wording.Clip

// These also make a text short enough to quote.
var quoted, quote, quoteAround, first, lookalikes, oneLine = plain.Quoted, plain.Quote, plain.QuoteAround,
	plain.First, plain.Lookalikes, plain.OneLine
