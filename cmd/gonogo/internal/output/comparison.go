package output

// The files of a comparison in the directory of a run.
const (
	ComparisonFile     = "comparison.json"
	ComparisonMarkdown = "comparison.md"
)
