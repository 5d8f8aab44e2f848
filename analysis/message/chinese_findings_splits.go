package message

// chineseFindingsSplits is what gates say of rows and splits.
var chineseFindingsSplits = map[string]string{
	"exact":     "完全相同",
	"swapped":   "换词",
	"near":      "近似",
	"family":    "题族",
	"empty":     "空白",
	"constant":  "一词反复",
	"truncated": "截断",

	"One question with two right answers cannot be learnt: whatever the model says, half of its rollouts are punished for it.": "一个问题有两个正确答案，是学不会的：无论模型怎么答，都有一半轨迹因此受罚。",
	"no prompt has two references":                                                    "没有一个提示词对应两个不同的参考答案",
	"{prompts} {have} references that contradict each other":                          "{prompts}{have}相互矛盾的参考答案",
	"{prompts} that are almost the same {have} references that contradict each other": "{prompts}几乎相同，却{have}相互矛盾的参考答案",
	"Look at the rows listed here: at least one reference of each pair is wrong, or the prompt leaves out what distinguishes the tasks. Fix or drop them.": "请检查这里列出的行：每一对中至少有一个参考答案有误，或者提示词漏掉了区分两个任务的内容。请修正或去掉它们。",
	"Read the pairs listed here. Where they ask the same, one reference is wrong.":                                                                         "请阅读这里列出的各对。如果两者问的是同一件事，则有一个参考答案有误。",

	"Rows without a task teach nothing, rows that appear twice count twice, and a model that finds the answer in the prompt learns to copy it.":                                                        "没有任务的行对训练没有用处，出现两次的行会算两次；能在提示词中找到答案的模型学会的是照抄。",
	"no row is empty, cut off or repeated, or gives its answer away{told}":                                                                                                                             "没有空行、被截断的行、重复的行或泄露答案的行{told}",
	"{value} rows are of little use: {empty} empty, {constant} of one word over and over, {cut} cut off, {repeats} that repeat another of their split, {given} whose prompt holds the reference{told}": "{value} 行用处不大：{empty} 行为空，{constant} 行只是反复同一个词，{cut} 行被截断，{repeats} 行与同一数据划分中的另一行重复，{given} 行的提示词含有参考答案{told}",
	"Fix or drop the rows listed here. {near} more rows share most of their text with another row of their split.":                                                                                     "请修正或去掉这里列出的行。此外，有 {near} 行与同一数据划分中的另一行大部分文本相同。",

	"The model may have memorized what it was trained on. Rows that are in train and in another split make that split look better than new tasks will.":             "训练用过的内容，模型可能已经背下来。同时出现在 train 和另一数据划分中的行，会使那个划分显得比新任务更好。",
	"{split} and {a} have no rows in common: {exact} copies, {swapped} that differ in names or numbers alone, {near} of {rows} that share most of their text{note}": "{split} 与 {a} 没有相同的行：完全相同 {exact} 行，仅名称或数字不同 {swapped} 行，大部分文本相同 {near} 行（共 {rows} 行）{note}",
	"{split} is not new to a model trained on {a}: {exact} of {rows} rows are copies, {family} belong to a family that {a} has too":                                 "对用 {a} 训练的模型来说，{split} 不是新的：有 {exact} 行完全相同（共 {rows} 行），{family} 行所属的题族 {a} 中也有",
	"Take the rows listed here out of one of the two, and split by family (document, repository, customer), not by row.":                                            "请从两者之一去掉这里列出的行，并按题族（文档、代码仓库、客户）划分数据，而不是按行划分。",
	"rows of {split} resemble rows of {a}: {swapped} of {rows} differ in names or numbers alone, {near} share most of their text, {exact} are copies{note}":         "{split} 的行与 {a} 的行相似：仅名称或数字不同 {swapped} 行（共 {rows} 行），大部分文本相同 {near} 行，完全相同 {exact} 行{note}",
	"Read the pairs listed here. Where they are the same task, take one out.":                                                                                       "请阅读这里列出的各对。如果是同一个任务，请去掉其中一个。",
	"{near} of {rows} rows of {split} share most of their text with a row of {a}: few enough for chance{note}":                                                      "有 {near} 行（{split} 共 {rows} 行）与 {a} 的某一行大部分文本相同：数量很少，可能出于偶然{note}",

	"the messages":                 "消息",
	"the fields of the rows":       "各行的字段",
	"the items' mean rewards":      "题目的平均奖励",
	"tool calls, turns and tokens": "工具调用、轮数和 token 数",
	"If this fails, the tasks of the two splits are asked differently. Training on tasks unlike those that count may improve what no one measures: a gain on one may not show on the other.": "不通过说明两个数据划分的任务提法不同。用与真正关心的任务不同的任务训练，提升的可能是没人衡量的东西：一边的提升不一定会在另一边体现。",
	"The rows of the two splits come from different places when this fails. Where the mix of kinds, sources or sizes differs, a mean over one split says little about the other.":            "不通过说明两个数据划分的行来源不同。如果种类、来源或大小的构成不同，一个划分上的平均值就说明不了另一个。",
	"The two splits are not equally hard when this fails. Where one is much easier, what training gains on it cannot be read off the other.":                                                 "不通过说明两个数据划分的难度不同。如果其中一个容易得多，训练在它上面的提升就无法从另一个看出来。",
	"The model works differently on the two splits when this fails. Other tools, more calls or longer outputs are other tasks, and cost differently in training.":                            "不通过说明模型在两个数据划分上的工作方式不同。工具不同、调用更多或输出更长，就是不同的任务，训练成本也不同。",
	"Draw both from the same source, or at random from one pool; or say why they are to differ. The items of {split} that tell most are listed.":                                             "请让两者来自同一来源，或从同一批数据中随机抽取；否则请说明它们为何应当不同。这里列出了 {split} 中最能说明差异的题目。",
	"Draw both at random from one pool, stratified by what is listed here; or compare kind by kind. The items of {split} that tell most are listed.":                                         "请从同一批数据中随机抽取两者，并按这里列出的因素分层；或按种类分别比较。这里列出了 {split} 中最能说明差异的题目。",
	"Look at what makes one harder; stratify the draw by difficulty. The items of {split} that tell most are listed.":                                                                        "请查明是什么使其中一个更难；抽取时按难度分层。这里列出了 {split} 中最能说明差异的题目。",
	"Look at what is listed here; draw both from the same pool. The items of {split} that tell most are listed.":                                                                             "请查看这里列出的内容；从同一批数据中抽取两者。这里列出了 {split} 中最能说明差异的题目。",
	"no large difference in {what} between {a} ({na}) and {split} ({nb}): AUC {value} ({low} to {high}), {p}.{missed}":                                                                       "{a}（{na}）与 {split}（{nb}）在{what}上没有大的差异：AUC {value}（{low} 至 {high}），{p}。{missed}",
	"a large difference in {what} between {a} ({na}) and {split} ({nb}): AUC {value} ({low} to {high}), {p}.{words}":                                                                         "{a}（{na}）与 {split}（{nb}）在{what}上差异很大：AUC {value}（{low} 至 {high}），{p}。{words}",
	"{size} in {what} between {a} ({na}) and {split} ({nb}): AUC {value} ({low} to {high}), {p}.{words}":                                                                                     "{a}（{na}）与 {split}（{nb}）在{what}上有{size}：AUC {value}（{low} 至 {high}），{p}。{words}",
	"no difference in {what} between {a} ({na}) and {split} ({nb}) is shown, and a large one cannot be ruled out: AUC {value} ({low} to {high}), {p}.{missed}":                               "{a}（{na}）与 {split}（{nb}）在{what}上未显示差异，但不能排除大的差异：AUC {value}（{low} 至 {high}），{p}。{missed}",
}
