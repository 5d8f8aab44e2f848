package message

// chineseComparisonKept is what comparisons keep in English.
var chineseComparisonKept = map[string]string{
	// What the interval rests on.
	"clustered by family the interval holds 0: items of a family move together":                                       "按题族聚类后，区间包含 0：同一题族的题目会一起变动",
	"all %d differences agree, so their spread says nothing: the interval rests on their number and the range alone":  "全部 %d 个差值都相同，其离散程度说明不了什么：区间只取决于个数和范围",
	"all %d items agree and the range is unbounded: no interval; set a range, or measure items that differ":           "全部 %d 道题目的结果都相同，范围又没有界限：算不出区间；请设定范围，或测量有差异的题目",
	"all items of a side agree, so their spread says nothing: the interval rests on their number and the range alone": "有一边所有题目的结果都相同，其离散程度说明不了什么：区间只取决于个数和范围",
	"one side has no item with a value":                                                                          "有一边没有一道题目有数值",
	"no interval: at least 2 items are needed on each side":                                                      "没有区间：每边至少要有 2 道题目",
	"one independent item: no interval; at least 2 are needed and 20 or more make it useful":                     "只有一道独立的题目：没有区间；至少要有 2 道，20 道以上才有用",
	"one independent item: the interval is the whole range; at least 2 are needed and 20 or more make it useful": "只有一道独立的题目：区间就是整个范围；至少要有 2 道，20 道以上才有用",
}
