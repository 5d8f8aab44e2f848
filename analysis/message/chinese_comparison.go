package message

// chineseComparison is what a comparison of two runs says of its answer and of
// its runs.
var chineseComparison = map[string]string{
	// What joins texts.
	"%s.":    "%s。",
	"%s: %s": "%s：%s",
	"%s %s":  "%s%s",

	// The answer and its reason.
	"On %s %s.": "在 %s 上，%s。",
	"the mean reward went from %s to %s, by %s, over %s":                                                               "平均奖励从 %s 变为 %s，变化 %s，依据是%s",
	"%s that both runs hold":                                                                                           "两次运行共有的 %s",
	"%s, none of which is in both runs: an unpaired comparison, which finds less":                                      "全部 %s（两次运行没有共同的题目，只能作不配对的比较，能看出的更少）",
	"the change is real and smaller than the %s that is set to matter":                                                 "变化确实存在，但小于设定的有意义的变化 %s",
	"clustered by family, %s, it is not sure":                                                                          "按题族聚类后为 %s，就不能确定了",
	"the one-sided bounds %s and %s lie within %s":                                                                     "两个单侧界限 %s 和 %s 都不超出 ±%s",
	"that is too little for an interval":                                                                               "数据太少，算不出区间",
	"the interval shows a change and the exact test does not (p = %s)":                                                 "区间显示有变化，但精确检验没有显示（p = %s）",
	"the detector “%s” marks %s of the rollouts as hacks, up from %s: whatever it earns, the new policy is not better": "检测器“%s”把 %s 的轨迹标为钻空子，之前为 %s：无论得分如何，新策略都不更好",
	"the new run is NO-GO for its grader (%s): a higher reward does not show a better policy":                          "新运行因评分器而为 NO-GO（%s）：奖励更高并不说明策略更好",
	"a change of less than %s could hide here":                                                                         "小于 %s 的变化在这里可能看不出来",
	"%s sampled alike": "同样采样的 %s",
	"%s sampled alike, or these sampled %s times,": "同样采样的 %s（或者现有题目各采样 %s 次）",
	"about %s would show one of %s":                "大约要有%s，才能看出 %s 的变化",
	"%s of the rollouts of a run were lost to failures of the grader, more than %s: what is left is no fair sample":                       "有一次运行因评分器故障丢失了 %s 的轨迹，超过 %s：剩下的样本已不具代表性",
	"%s of the rollouts of a run were lost to failures of the grader and are left out":                                                    "有一次运行因评分器故障丢失了 %s 的轨迹，这些轨迹未计入",
	"%s of the rollouts of a run were lost to failing endpoints and failures of the grader, more than %s: what is left is no fair sample": "有一次运行因服务端点故障和评分器故障丢失了 %s 的轨迹，超过 %s：剩下的样本已不具代表性",
	"%s of the rollouts of a run were lost to failing endpoints and failures of the grader and are left out":                              "有一次运行因服务端点故障和评分器故障丢失了 %s 的轨迹，这些轨迹未计入",
	"%s of the rollouts of a run were lost to failing endpoints, more than %s: what is left is no fair sample":                            "有一次运行因服务端点故障丢失了 %s 的轨迹，超过 %s：剩下的样本已不具代表性",
	"%s of the rollouts of a run were lost to failing endpoints and are left out":                                                         "有一次运行因服务端点故障丢失了 %s 的轨迹，这些轨迹未计入",
	"the runs hold nothing that can be compared":                                                                                          "两次运行没有可以比较的内容",
	"the new run holds no rollout with a reward":                                                                                          "新运行没有任何带奖励的轨迹",
	"the base run holds no rollout with a reward":                                                                                         "基准运行没有任何带奖励的轨迹",
	"neither run holds a rollout with a reward":                                                                                           "两次运行都没有任何带奖励的轨迹",
	"the runs have no split in common":                                                                                                    "两次运行没有共同的数据划分",
	"Holm over the groups listed":                                                                                                         "对所列各组作 Holm 校正",
}
