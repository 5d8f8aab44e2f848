package message

// chineseCuration is why rows of a training file are dropped, and what a reader
// should look at.
var chineseCuration = map[string]string{
	"no rollout was made of it":     "没有为它采样任何轨迹",
	"kept although {reason}: {why}": "虽属 {reason} 仍予保留：{why}",
	"{rows} of the file differ from what was sampled under their ids and count as not measured":                      "文件中有 {rows}与当时以同一 id 采样的内容不同，按未测量计",
	"the same row as line {line}, id and all":                                                                        "与第 {line} 行完全相同，连 id 也相同",
	"{failed} of {rollouts} failed: {cause}":                                                                         "{rollouts}中有 {failed} 条失败：{cause}",
	"none of {rollouts} has a grade: {cause}":                                                                        "{rollouts}都没有评分：{cause}",
	"none of {rollouts} has a grade, and a group of {group} would have none with probability {probability}: {cause}": "{rollouts}都没有评分，大小为 {group} 的一组也都没有评分的概率为 {probability}：{cause}",
	"{outcome}: {cause}":   "{outcome}：{cause}",
	"no cause is recorded": "没有记录原因",
	"all {rollouts} earned the bottom of the range; a group of {group} would again with probability {probability}": "全部 {rollouts}都得最低分；大小为 {group} 的一组再次如此的概率为 {probability}",
	"all {rollouts} earned the top of the range; a group of {group} would again with probability {probability}":    "全部 {rollouts}都得最高分；大小为 {group} 的一组再次如此的概率为 {probability}",
	"all {rollouts} earned the same; a group of {group} would again with probability {probability}":                "全部 {rollouts}得分相同；大小为 {group} 的一组再次如此的概率为 {probability}",

	"{what} on {hits} of {items}: that is the grader or the data as a whole, and no item is dropped for it; fix it first (gonogo audit)": "{items}中有 {hits} 道出现这一情况：{what}。这是评分器或数据整体的问题，不因此删去任何题目；请先解决它（gonogo audit）",
	"the grader was not audited: items on which it can be fooled are not known (gonogo audit)":                                           "评分器没有审计过：不知道它在哪些题目上会被骗过（gonogo audit）",
	"the probe {probe} gets through":                                                                   "探针 {probe} 能骗过评分器",
	"the probe {probe}, which deserves at most {limit}, earned {reward}":                               "探针 {probe} 至多应得 {limit}，却得了 {reward}",
	"the reference, given as the answer, is not paid":                                                  "把参考答案当作回答提交，却得不到分",
	"its own reference, given as the answer, earned {reward}":                                          "把它自己的参考答案当作回答提交，得了 {reward}",
	"the detector {detector} marks rollouts that were paid":                                            "检测器 {detector} 标出了得分的轨迹",
	"the detector {detector} marks {marked} of {rollouts} as a hack that earned more than the bottom":  "检测器 {detector} 把 {rollouts}中的 {marked} 条标为钻空子，它们的得分高于最低分",
	"most rollouts speak against the reference":                                                        "多数轨迹与参考答案相悖",
	"{share} of its rollouts agree on {answer}, which is not the reference":                            "它的轨迹有 {share} 一致给出 {answer}，而这不是参考答案",
	"{share} of its rollouts earn the top, while the reference, given as the answer, earns the bottom": "它的轨迹有 {share} 得最高分，而把参考答案当作回答提交却得最低分",
	"the same output earns different rewards":                                                          "同一输出得到不同的奖励",
	"one output of it earned {first} and, graded again, {second}":                                      "它的一个输出得了 {first}，再次评分得 {second}",

	"the prompt is empty":     "提示词为空",
	"the prompt is constant":  "提示词只是同一个字符或词的重复",
	"the prompt is truncated": "提示词被截断",
	"{item} in line {line}":   "第 {line} 行的 {item}",
	"it asks the same as {other}, and the references of those that do differ":        "它与 {other} 问的相同，而这些行的参考答案不一致",
	"it asks almost the same as {other}, and the references of those that do differ": "它与 {other} 问的几乎相同，而这些行的参考答案不一致",
	"it asks the same as {other}":                                      "它与 {other} 问的相同",
	"it is a near copy of {other}, which holds {share} of its text":    "它是 {other} 的近似副本，后者含有它 {share} 的文字",
	"it is a swapped copy of {other}, which holds {share} of its text": "它是 {other} 换了数字或名称的副本，后者含有它 {share} 的文字",
	"it shares {share} of its text with {other}":                       "它有 {share} 的文字与 {other} 相同",
	"{other} is of the same family":                                    "{other} 属于同一题族",

	"the run does not record which file it was sampled from: rows are known by their ids alone":                                                "运行没有记录题目取自哪个文件：只能按 id 认出各行",
	"{file} is not the file that the run recorded (SHA-256 {then} then, {now} now)":                                                            "{file} 不是运行所记录的文件（当时的 SHA-256 为 {then}，现在为 {now}）",
	"the {split} file {file} is not there: copies of its rows were looked for among the {sampled} of {rows} that the run sampled":              "{split} 的文件 {file} 不在：只在运行采样的 {sampled} 行（共 {rows} 行）中寻找副本",
	"the {split} file {file} has changed since the run: copies of its rows were looked for among the {sampled} of {rows} that the run sampled": "{split} 的文件 {file} 在运行之后变了：只在运行采样的 {sampled} 行（共 {rows} 行）中寻找副本",
}
