package message

// chineseKeptStat is what is kept of estimates, of splits compared, of the
// rehearsal of a step, and of variants.
var chineseKeptStat = map[string]string{
	"needs at least 2 items, one of them with 2 rewards, and rewards that differ":                                       "至少需要 2 道题目，其中一道有 2 个奖励，且奖励有差别",
	"the between-item variance came out negative and counts as 0: items differ no more than sampling makes them":        "题目间方差算出为负，按 0 计：题目之间的差别不超过采样造成的差别",
	"only %d usable resamples, no interval: %d or more are needed":                                                      "只有 %d 次可用的重采样，没有区间：需要 %d 次或更多",
	"all resamples agree: the interval is the whole range; items that differ in how much their rewards vary are needed": "所有重采样结果一致：区间为整个范围；需要奖励离散程度不同的题目",
	"no rewards: at least 2 items are needed":                                                                           "没有奖励：至少需要 2 道题目",
	"no rewards: at least 2 families are needed":                                                                        "没有奖励：至少需要 2 个题族",
	"nothing was counted in any of %d items: a share of none has no value":                                              "%d 道题目中都没有可计数的内容：无从计算占比",
	"needs 2 items or more with numbers that differ; 20 items make it useful":                                           "至少需要 2 道数值有差别的题目；20 道才有用",
	"the line is the same without any one item, or rests on one: no interval":                                           "去掉任何一道题目回归线都不变，或它只依赖一道题目：没有区间",
	"the correlation is perfect, or rests on one item: no interval":                                                     "相关系数为 ±1，或只依赖一道题目：没有区间",
	"no item has a value: at least 2 items are needed":                                                                  "没有题目有数值：至少需要 2 道题目",
	"every item agrees with itself in all its samples: the interval only bounds what more samples could show":           "每道题目的各次采样都一致：区间只限定了更多采样可能显示的范围",
	"two grades of one output differ in more than half of all cases: no flip rate explains that, it counts as 1/2":      "同一输出的两个分数在超过一半的情况下不同：没有翻转率能解释，按 1/2 计",
	"the mean %g lies outside the range [%g, %g]: set the range to what the grader can give":                            "平均值 %g 在范围 [%g, %g] 之外：请把范围设为评分器可给出的范围",
	"all %d items agree, so their spread says nothing: the interval rests on their number and the range alone":          "全部 %d 道题目一致，离散程度说明不了什么：区间只依据题目数和范围",
	"needs 2 items or more, and both yes and no among the judgements":                                                   "至少需要 2 道题目，且判断中既有“是”也有“否”",
	"%d items are too few to tell more: the interval is the whole range; 20 make it useful":                             "%d 道题目太少，无法得出更多：区间为整个范围；20 道才有用",
	"needs 2 items or more with outputs that two people rated, and ratings that differ":                                 "至少需要 2 道题目有两人标注过的输出，且标注有差别",
	"only %d usable resamples: the interval is the whole range":                                                         "只有 %d 次可用的重采样：区间为整个范围",
	"no values: a two-sided bound needs %d":                                                                             "没有数值：双侧区间需要 %d 个",
	"no values: a two-sided bound needs %d items":                                                                       "没有数值：双侧区间需要 %d 道题目",
	"no lower bound: %s, %d independent ones would do":                                                                  "没有下界：%s，%d 个独立的就够",
	"no upper bound: %s, %d independent ones would do":                                                                  "没有上界：%s，%d 个独立的就够",
	"%d values of %d items are too few":                                                                                 "%[2]d 道题目的 %[1]d 个数值太少",
	"%d values are too few":                                                                                             "%d 个数值太少",
	"needs both quantities, and one to divide by":                                                                       "两个量都需要，且除数不能为零",
	"no item was tried": "没有试过任何题目",
	"an item has only %d samples: groups of %d need %d or a bracket":                         "有题目只有 %d 次采样：大小为 %d 的组需要 %d 次，或用上下界",
	"an item has 1 sample: whether rewards differ needs at least 2, and %d for groups of %d": "有题目只有 1 次采样：要看奖励是否有差别至少需要 2 次，而 %d 次才够大小为 %d 的组",
	"the bound is cut at 1: it says nothing":                                                 "上界截断在 1：说明不了什么",
	"needs 2 items or more, and values that differ on both sides; 20 items make it useful":   "至少需要 2 道题目，且两边的数值都有差别；20 道才有用",
	"all ranks agree: the interval rests on the number of items alone":                       "全部排序一致：区间只依据题目数",
	"needs both answers that are wrong and answers that are right":                           "既需要错误的答案，也需要正确的答案",

	"rows that differ in numbers or names alone are as frequent within %s: templates, which do not count":                 "仅数字或名称不同的行在 %s 内部同样常见：它们是模板，不计入",
	"to bound the time, near copies were looked for by n-grams of at most %d rows":                                        "为限制耗时，近似副本只按至多 %d 行共有的 n-gram 查找",
	"the scores show no error to learn from: the interval rests on the number of rows alone":                              "分类器的得分没有误差可依：区间只依据行数",
	"%d rows of %s as a reference for %d of %s: 3 and 1 are needed, 100 and 20 make it useful":                            "以 %[2]s 的 %[1]d 行为参照对比 %[4]s 的 %[3]d 行：至少需要 3 行和 1 行，100 行和 20 行才有用",
	"%d rows of %s are few to tell what is far: 100 make it useful":                                                       "%[2]s 的 %[1]d 行太少，难以判断什么算远：100 行才有用",
	"fewer than 3 rows on one side: no interval; 20 a side make it useful":                                                "有一边不足 3 行：没有区间；每边 20 行才有用",
	"the rows of each sample are all alike, so their spread says nothing: the interval rests on their number alone":       "每个样本内的行都相同，离散程度说明不了什么：区间只依据行数",
	"more features than the classifier looks at: the first 64 of them are used":                                           "特征多于分类器所看的数目：只用前 64 个",
	"%s has %d values in %d rows: it names rows and does not sort them, so it is not compared":                            "%[1]s 在 %[3]d 行中有 %[2]d 个取值：它是行的名称而不是分类，因此不作比较",
	"%s has nearly as many values as rows, so it is not compared":                                                         "%s 的取值几乎与行数一样多，因此不作比较",
	"%d of the %d rows of %s take part, drawn at random":                                                                  "%[3]s 的 %[2]d 行中随机抽取 %[1]d 行参与比较",
	"%d rows of %s and %d of %s: at least %d on each side are needed, 100 make it useful":                                 "%[2]s 有 %[1]d 行，%[4]s 有 %[3]d 行：每边至少需要 %[5]d 行，100 行才有用",
	"all rows are alike in everything that is compared: the interval rests on their number alone":                         "各行在所比较的一切方面都相同：区间只依据行数",
	"so few rows that p cannot fall below %.2g whatever they say: at least 4 on each side are needed, 100 make it useful": "行数太少，无论内容如何 p 都不会低于 %.2g：每边至少需要 4 行，100 行才有用",
	"%s is given in %d rows of %s and %d of %s: at least 2 on each side are needed, 100 make it useful":                   "%[1]s 在 %[3]s 的 %[2]d 行和 %[5]s 的 %[4]d 行中给出：每边至少需要 2 行，100 行才有用",

	"%s holds %d items with something to replay, fewer than the %d of such a step: they are played more than once": "%s 只有 %d 道题目可以重放，少于这样一步的 %d 道：它们会被重放多次",
	"tool %s is not called: burst.skip names it":                                                                                                                                                               "工具 %s 不会被调用：burst.skip 指名了它",
	"tool %s is not called: no call of it is recorded, and burst.safe does not name it":                                                                                                                        "工具 %s 不会被调用：没有它的调用记录，burst.safe 也没有指名它",
	"tool %s is not called: no call of it is recorded, and no row holds its schema":                                                                                                                            "工具 %s 不会被调用：没有它的调用记录，也没有一行带有它的 schema",
	"a wave with few rollouts at once lost all of them: the waves up to the burst were left out":                                                                                                               "有一波同时运行的轨迹很少，却全部丢失：直到演练之前的各波都已略去",
	"more than %d requests at once would be more than this machine can open: some waited, which is no part of their time; raise the limit of open files (ulimit -n)":                                           "同时超过 %d 个请求会超出本机可打开的数目：有些请求等待过，等待不计入其耗时；请提高打开文件数的上限（ulimit -n）",
	"no more than %d sessions may be there at one time (session.concurrency): some rollouts waited for one, which is no part of any time, and this is not the load of a step whose rollouts all begin at once": "同一时间的会话不得超过 %d 个（session.concurrency）：有些轨迹等待过会话，等待不计入任何耗时，因此这不是全部轨迹同时开始的训练步的负载",
	"of %d calls that were taken when they were recorded, the tools refuse %d now: what those worked on may be gone, and then this is not the load of a training step":                                         "记录时被接受的 %d 次调用中，工具现在拒绝了 %d 次：它们所操作的对象可能已经不在，那样这就不是训练步的负载",
	"sessions that could not be stopped: %d; the next call of the command tries it again":                                                                                                                      "无法停止的会话：%d；下次调用该命令会再试",

	"made with another %s than the base: a difference may stem from that alone":                                                                             "%s 与基准不同：差异可能仅由此造成",
	"%s of the base that a detector marked as a hack count at the bottom, and no detector has read the variant's: gonogo audit on its directory mends that": "基准中有 %s被检测器标记为钻空子并按最低分计算，而变体的轨迹还没有检测器读过：对其目录运行 gonogo audit 即可",
	"by itself that would be %s, and corrected for %s it is not (%s)":                                                                                       "单独看是%s，按 %s校正后则不是（%s）",
	"a gain": "提升",
	"a loss": "下降",
	"it holds no rollout with a reward that could be compared": "其中没有带奖励、可供比较的轨迹",
	"it holds no rollout of %s with a reward":                  "其中没有 %s 的带奖励的轨迹",
	"the variant %s leads on %s and was chosen there, which flatters it a little; on %s, whose items did not choose, it changes the mean reward by %s":                                "变体 %s 在 %s 上领先并据此选出，这会使它略显好看；在没有参与选择的 %s 的题目上，它使平均奖励变化 %s",
	"the variant %s was chosen on these very rollouts, so its gain looks a little larger than it is: measure it on other items, or with another seed, before you count on the number": "变体 %s 正是用这些轨迹选出的，因此它的提升看起来比实际略大：在依赖这个数字之前，请用其他题目或另一个随机种子测量",
}

// chineseKeptVariants is what the answer about a variant rests on, which is said
// as that of a comparison.
var chineseKeptVariants = picked(chineseComparison,
	"%s of the rollouts of a run were lost to failures of the grader, more than %s: what is left is no fair sample",
	"%s of the rollouts of a run were lost to failures of the grader and are left out",
	"%s of the rollouts of a run were lost to failing endpoints and failures of the grader, more than %s: what is left is no fair sample",
	"%s of the rollouts of a run were lost to failing endpoints and failures of the grader and are left out",
	"%s of the rollouts of a run were lost to failing endpoints, more than %s: what is left is no fair sample",
	"%s of the rollouts of a run were lost to failing endpoints and are left out",
	"the runs hold nothing that can be compared",
	"the new run holds no rollout with a reward",
	"the base run holds no rollout with a reward",
	"neither run holds a rollout with a reward",
	"the runs have no split in common",
	"%s that both runs hold",
	"%s, none of which is in both runs: an unpaired comparison, which finds less",
	"the mean reward went from %s to %s, by %s, over %s",
	"the change is real and smaller than the %s that is set to matter",
	"clustered by family, %s, it is not sure",
	"the one-sided bounds %s and %s lie within %s",
	"that is too little for an interval",
	"the interval shows a change and the exact test does not (p = %s)",
	"a change of less than %s could hide here",
	"%s sampled alike",
	"%s sampled alike, or these sampled %s times,",
	"about %s would show one of %s",
)

// picked is the part of a catalogue that has these texts.
func picked(from map[string]string, texts ...string) map[string]string {
	part := make(map[string]string)
	for _, text := range texts {
		part[text] = from[text]
	}
	return part
}
