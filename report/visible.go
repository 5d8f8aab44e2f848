package report

import (
	"gonogo/report/plain"
	"gonogo/sampler/wording"
)

// Every text of a Page that comes from data has been through one of these, so no
// format can be steered by an item's id or a server's error.
var visible, prose, id, ids, clip = plain.Text, plain.Prose, plain.ID, plain.IDs, wording.Clip

// And these make one short enough to quote.
var quoted, quote, quoteAround, first, lookalikes, oneLine = plain.Quoted, plain.Quote, plain.QuoteAround,
	plain.First, plain.Lookalikes, plain.OneLine
