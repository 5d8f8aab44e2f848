package language

// chineseKept is what is said while a run is measured and kept in English with
// its numbers: notes, warnings, and why something is not known.
var chineseKept = map[string]string{}
