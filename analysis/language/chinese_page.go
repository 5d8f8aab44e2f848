package language

// chinesePage is what reports say, on the page, in print and in text.
var chinesePage = map[string]string{}
