package shift

// Row is one item as far as shift is concerned. A number that is missing, NaN
// or infinite and a category that is missing count as "not given", which is a
// difference like any other.
type Row struct {
	ID         string
	Text       string
	Numbers    map[string]float64
	Categories map[string]string
	Draws      []map[string]float64 // what Numbers are means of, if they are: the classifier looks at these in their place
}

// Sample is a set of rows with the name that explanations call it by.
type Sample struct {
	Name string
	Rows []Row
}
