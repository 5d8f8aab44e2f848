package language

// chineseFindings is what gates say.
var chineseFindings = map[string]string{}
