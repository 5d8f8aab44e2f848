package report

import "gonogo/report/block"

// pdfWords are the texts of only the printed report.
type pdfWords struct {
	Run, SHA              string // at the edges of a page
	Boxes, Emoji, Useless string
}

var englishPDF = pdfWords{
	Run: "run %s", SHA: "%s %s: sha256 %s…",
	Boxes: "%s of this report's texts appear as □, because no available font has them (such as %s): name one that " +
		"does with --font or report.font, or install one: for Chinese, Japanese and Korean, " +
		"fonts-noto-cjk or fonts-droid-fallback.",
	Emoji:   "%s of this report's texts, such as %s, appear as □: emoji and the like cannot be printed here.",
	Useless: "Found and not used: %s.",
}

var englishPrint = block.PrintWords{
	Pages: "page %s of %s", MoreRows: "%s of %s rows are shown; result.json has them all.",
	Telling: "%s of %s items: those that findings name, those with the most missing rollouts, those whose rewards " +
		"differ most, and both ends of the order. " +
		"result.json has them all.",
}
