package language

// chineseCharts is what pictures say.
var chineseCharts = map[string]string{}
