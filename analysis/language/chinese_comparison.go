package language

// chineseComparison is what a comparison of two runs says.
var chineseComparison = map[string]string{}
