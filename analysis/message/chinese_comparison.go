package message

// chineseComparison is what a comparison of two runs says of its answer and of
// its runs, and the ranking of variants.
var chineseComparison = map[string]string{
	// What joins texts.
	"%s: %s": "%s：%s",
	"%s %s":  "%s%s",

	// The answer and its reason.
	"On {split} {why}.": "在 {split} 上，{why}。",
	"{Why}.":            "{Why}。",
	"the mean reward went from {base} to {new}, by {change}, over {items}":                                                            "平均奖励从 {base} 变为 {new}，变化 {change}，依据是{items}",
	"{items} that both runs hold":                                                                                                     "两次运行共有的 {items}",
	"{items}, none of which is in both runs: an unpaired comparison, which finds less":                                                "全部 {items}（两次运行没有共同的题目，只能作不配对的比较，能看出的更少）",
	"the change is real and smaller than the {delta} that is set to matter":                                                           "变化确实存在，但小于设定的有意义的变化 {delta}",
	"clustered by family, {change}, it is not sure":                                                                                   "按题族聚类后为 {change}，就不能确定了",
	"the one-sided bounds {low} and {high} are within {delta}":                                                                        "两个单侧界限 {low} 和 {high} 都不超出 ±{delta}",
	"that is too little for an interval":                                                                                              "数据太少，算不出区间",
	"the interval shows a change and the exact test does not (p = {p})":                                                               "区间显示有变化，但精确检验没有显示（p = {p}）",
	"the detector “{detector}” marks {new} of the rollouts as hacks, up from {base}: whatever it earns, the new policy is not better": "检测器“{detector}”把 {new} 的轨迹标为钻空子，之前为 {base}：无论得分如何，新策略都不更好",
	"the new run is NO-GO for its grader ({gate}): a higher reward does not show a better policy":                                     "新运行因评分器而为 NO-GO（{gate}）：奖励更高并不说明策略更好",
	"a change of less than {change} could hide here":                                                                                  "小于 {change} 的变化在这里可能看不出来",
	"{items} sampled alike": "同样采样的 {items}",
	"{items} sampled alike, or these sampled {samples} times,":                                                 "同样采样的 {items}（或者现有题目各采样 {samples} 次）",
	"about {needed} would show one of {delta}":                                                                 "大约要有{needed}，才能看出 {delta} 的变化",
	"{lost} of the rollouts of a run were lost to {causes}, more than {limit}: what is left is no fair sample": "有一次运行因{causes}丢失了 {lost} 的轨迹，超过 {limit}：剩下的样本已不具代表性",
	"{lost} of the rollouts of a run were lost to {causes} and are left out":                                   "有一次运行因{causes}丢失了 {lost} 的轨迹，这些轨迹未计入",
	"the runs hold nothing that can be compared":                                                               "两次运行没有可以比较的内容",
	"the new run holds no rollout with a reward":                                                               "新运行没有任何带奖励的轨迹",
	"the base run holds no rollout with a reward":                                                              "基准运行没有任何带奖励的轨迹",
	"neither run holds a rollout with a reward":                                                                "两次运行都没有任何带奖励的轨迹",
	"the runs have no split in common":                                                                         "两次运行没有共同的数据划分",
	"Holm over the groups listed":                                                                              "对所列各组作 Holm 校正",

	// What a reader must know of the runs.
	"both sides are the same file: a run compared with itself shows no change":                                                                                                      "两边是同一个文件：一次运行与自己比较，说明不了任何变化",
	"both sides hold the same rollouts, down to their times: a run compared with itself shows no change":                                                                            "两边是同样的轨迹，连时间都相同：一次运行与自己比较，说明不了任何变化",
	"the outputs are the same in both runs: what differs is how they were graded":                                                                                                   "两次运行的输出相同：不同的是评分方式",
	"every reward is the same, sample by sample: the same rollouts twice, or a model, a seed or a cache that makes them the same":                                                   "每次采样的奖励都相同：要么是同样的轨迹用了两次，要么是模型、随机种子或缓存使它们相同",
	"the base run has no {file}: what it was made with is not known":                                                                                                                "基准运行没有 {file}：不知道它是在什么配置下产生的",
	"the new run has no {file}: what it was made with is not known":                                                                                                                 "新运行没有 {file}：不知道它是在什么配置下产生的",
	"in the base run {rollouts} that a detector marked as a hack counts at the bottom of the reward range":                                                                          "基准运行中有 {rollouts}被检测器标为钻空子，按最低分计",
	"in the new run {rollouts} that a detector marked as a hack counts at the bottom of the reward range":                                                                           "新运行中有 {rollouts}被检测器标为钻空子，按最低分计",
	"both runs are NO-GO for their grader, base by {base} and new by {new}: a higher reward is then no better policy, for what training raises may be what the grader wrongly pays": "两次运行都因评分器而为 NO-GO（基准：{base}，新：{new}）：此时奖励更高并不代表策略更好，训练提高的可能正是评分器错给的奖励",
	"the base run is NO-GO for its grader, by {base}: a higher reward is then no better policy, for what training raises may be what the grader wrongly pays":                       "基准运行因评分器而为 NO-GO（{base}）：此时奖励更高并不代表策略更好，训练提高的可能正是评分器错给的奖励",
	"the new run is NO-GO for its grader, by {new}: a higher reward is then no better policy, for what training raises may be what the grader wrongly pays":                         "新运行因评分器而为 NO-GO（{new}）：此时奖励更高并不代表策略更好，训练提高的可能正是评分器错给的奖励",
	"the detector “{detector}” marks {base} of the rollouts as hacks in the base run and {new} in the new one":                                                                      "检测器“{detector}”在基准运行中把 {base} 的轨迹标为钻空子，在新运行中为 {new}",
	"the detector “{detector}” marks {base} of the rollouts as hacks in the base run; it did not read those of the new one":                                                         "检测器“{detector}”在基准运行中把 {base} 的轨迹标为钻空子；它没有读过新运行的轨迹",
	"the detector “{detector}” marks {new} of the rollouts as hacks in the new run; it did not read those of the base run":                                                          "检测器“{detector}”在新运行中把 {new} 的轨迹标为钻空子；它没有读过基准运行的轨迹",

	"{hash} ({file}, {rows})":                        "{hash}（{file}，{rows}）",
	"{items} of its own":                             "{items}（独有）",
	"left out of the comparison":                     "不参与比较",
	"the same ids with other conversations":          "id 相同，对话不同",
	"not the same items: left out of the comparison": "不是同样的题目：不参与比较",
	"the same conversations with other fields":       "对话相同，其他字段不同",

	"compared; where the field is the reference, the grader asks for something else": "参与比较；如果不同的是参考答案，评分器要求的就不一样了",
	"only items of the same id and conversation are compared":                        "只比较 id 和对话都相同的题目",
	"a change of the reward may be the grader's":                                     "奖励的变化可能来自评分器",
	"median of valid samples an item; nothing here is biased by it":                  "每道题目有效采样次数的中位数；这里没有数字因此产生偏差",

	// The ranking of variants.
	"made with another {key} than the base: a difference may stem from that alone":                                                                                                           "{key} 与基准不同：差异可能仅由此造成",
	"{rollouts} of the base that a detector marked as a hack count at the bottom, and no detector has read those of the variant: gonogo audit RUN/{dir} does so":                             "基准中有 {rollouts}被检测器标记为钻空子并按最低分计算，而变体的轨迹还没有检测器读过：运行 gonogo audit RUN/{dir} 即可",
	"by itself that would be a gain, and corrected for {variants} it is not ({p})":                                                                                                           "单独看是提升，按 {variants}校正后则不是（{p}）",
	"by itself that would be a loss, and corrected for {variants} it is not ({p})":                                                                                                           "单独看是下降，按 {variants}校正后则不是（{p}）",
	"it holds no rollout with a reward that could be compared":                                                                                                                               "其中没有带奖励、可供比较的轨迹",
	"it holds no rollout of {split} with a reward":                                                                                                                                           "其中没有 {split} 的带奖励的轨迹",
	"the variant {variant} leads on {split} and was chosen there, which flatters it a little; on {eval}, whose items did not choose, it changes the mean reward by {change}":                 "变体 {variant} 在 {split} 上领先并据此选出，这会使它略显好看；在没有参与选择的 {eval} 的题目上，它使平均奖励变化 {change}",
	"the variant {variant} was chosen on these very rollouts, so its gain looks a little larger than it is: measure it on other items, or with another seed, before you count on the number": "变体 {variant} 正是用这些轨迹选出的，因此它的提升看起来比实际略大：在依赖这个数字之前，请用其他题目或另一个随机种子测量",
}

// chineseTexts is how texts and arguments are put together.
var chineseTexts = map[string]string{
	"{value}":                  "{value}",
	"{text}":                   "{text}",
	"{place}: {problem}":       "{place}：{problem}",
	"{change} [{low}, {high}]": "{change} [{low}, {high}]",
}
