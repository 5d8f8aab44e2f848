package message

// chineseComparisonKept is what comparisons and nights keep in English.
var chineseComparisonKept = map[string]string{
	// What a reader must know of the runs.
	"both sides are the same file: a run compared with itself tells of no change":                                                                                            "两边是同一个文件：一次运行与自己比较，说明不了任何变化",
	"both sides hold the same rollouts, down to their times: a run compared with itself tells of no change":                                                                  "两边是同样的轨迹，连时间都相同：一次运行与自己比较，说明不了任何变化",
	"the outputs are the same in both runs: what differs is how they were graded":                                                                                            "两次运行的输出相同：不同的是评分方式",
	"every reward is the same, sample by sample: the same rollouts twice, or a model, a seed or a cache that makes them the same":                                            "每次采样的奖励都相同：要么是同样的轨迹用了两次，要么是模型、随机种子或缓存使它们相同",
	"the base run has no %s: what it was made with is not known":                                                                                                             "基准运行没有 %s：不知道它是在什么配置下产生的",
	"the new run has no %s: what it was made with is not known":                                                                                                              "新运行没有 %s：不知道它是在什么配置下产生的",
	"in the base run %s that a detector marked as a hack counts at the bottom of the reward range":                                                                           "基准运行中有 %s被检测器标为钻空子，按最低分计",
	"in the new run %s that a detector marked as a hack counts at the bottom of the reward range":                                                                            "新运行中有 %s被检测器标为钻空子，按最低分计",
	"both runs are NO-GO for their grader, base by %s and new by %s: a higher reward is then no better policy, for what training raises may be what the grader wrongly pays": "两次运行都因评分器而为 NO-GO（基准：%s，新：%s）：此时奖励更高并不代表策略更好，训练提高的可能正是评分器错给的奖励",
	"the base run is NO-GO for its grader, by %s: a higher reward is then no better policy, for what training raises may be what the grader wrongly pays":                    "基准运行因评分器而为 NO-GO（%s）：此时奖励更高并不代表策略更好，训练提高的可能正是评分器错给的奖励",
	"the new run is NO-GO for its grader, by %s: a higher reward is then no better policy, for what training raises may be what the grader wrongly pays":                     "新运行因评分器而为 NO-GO（%s）：此时奖励更高并不代表策略更好，训练提高的可能正是评分器错给的奖励",
	"the detector “%s” marks %s of the rollouts as hacks in the base run and %s in the new one":                                                                              "检测器“%s”在基准运行中把 %s 的轨迹标为钻空子，在新运行中为 %s",
	"the detector “%s” marks %s of the rollouts as hacks in the base run; it did not read those of the new one":                                                              "检测器“%s”在基准运行中把 %s 的轨迹标为钻空子；它没有读过新运行的轨迹",
	"the detector “%s” marks %s of the rollouts as hacks in the new run; it did not read those of the base run":                                                              "检测器“%s”在新运行中把 %s 的轨迹标为钻空子；它没有读过基准运行的轨迹",
	"%s of its own":                                  "%s（独有）",
	"left out of the comparison":                     "不参与比较",
	"the same ids with other conversations":          "id 相同，对话不同",
	"not the same items: left out of the comparison": "不是同样的题目：不参与比较",
	"the same conversations with other fields":       "对话相同，其他字段不同",
	"compared; where the field is the reference, the grader asks for something else": "参与比较；如果不同的是参考答案，评分器要求的就不一样了",
	"only items of the same id and conversation are compared":                        "只比较 id 和对话都相同的题目",
	"a change of the reward may be the grader's":                                     "奖励的变化可能来自评分器",
	"median of valid samples an item; nothing here is biased by it":                  "每道题目有效采样次数的中位数；这里没有数字因此产生偏差",

	// What the interval rests on.
	"clustered by family the interval holds 0: items of a family move together":                                       "按题族聚类后，区间包含 0：同一题族的题目会一起变动",
	"all %d differences agree, so their spread says nothing: the interval rests on their number and the range alone":  "全部 %d 个差值都相同，其离散程度说明不了什么：区间只取决于个数和范围",
	"all %d items agree and the range is unbounded: no interval; set a range, or measure items that differ":           "全部 %d 道题目的结果都相同，范围又没有界限：算不出区间；请设定范围，或测量有差异的题目",
	"all items of a side agree, so their spread says nothing: the interval rests on their number and the range alone": "有一边所有题目的结果都相同，其离散程度说明不了什么：区间只取决于个数和范围",
	"one side has no item with a value":                                                                          "有一边没有一道题目有数值",
	"no interval: at least 2 items are needed on each side":                                                      "没有区间：每边至少要有 2 道题目",
	"one independent item: no interval; at least 2 are needed and 20 or more make it useful":                     "只有一道独立的题目：没有区间；至少要有 2 道，20 道以上才有用",
	"one independent item: the interval is the whole range; at least 2 are needed and 20 or more make it useful": "只有一道独立的题目：区间就是整个范围；至少要有 2 道，20 道以上才有用",

	// What a night says that is compared with none.
	"The night holds no rollout with a reward.":                                                                                                                   "这次夜间运行没有任何带奖励的轨迹。",
	"Too many rollouts were lost to failures of the grader: what is left is no fair sample.":                                                                      "因评分器故障丢失的轨迹太多，剩下的样本已不具代表性。",
	"Too many rollouts were lost to failing endpoints and failures of the grader: what is left is no fair sample.":                                                "因服务端点故障和评分器故障丢失的轨迹太多，剩下的样本已不具代表性。",
	"Too many rollouts were lost to failing endpoints: what is left is no fair sample.":                                                                           "因服务端点故障丢失的轨迹太多，剩下的样本已不具代表性。",
	"There is no good night yet to compare with: later nights are compared with this one.":                                                                        "还没有可作比较的合格夜间运行：以后的夜间运行将与这一次比较。",
	"The rollouts of %s that this one could be compared with are gone from %s, or damaged: bring them back, or take this night for the new normal with --accept.": "可以与这一次比较的 %s的轨迹已从 %s 消失或损坏：请找回它们，或用 --accept 把这一次当作新的常态。",
	"None of %s can be compared with this one: the items or the reward range are others. --accept takes this night for the new normal.":                           "%s中没有一次可以与这一次比较：题目或奖励范围不同。--accept 把这一次当作新的常态。",
	"%s good nights": "%s 次合格的夜间运行",
}
