package message

// chineseKeptChoices is how parts of the wire contract that no public source
// settles were taken, as a run's manifest keeps it.
var chineseKeptChoices = map[string]string{
	"long tool answers":       "过长的工具响应",
	"step limit":              "步数上限",
	"rollout timeout":         "轨迹超时",
	"unknown tool":            "未知的工具",
	"template values":         "模板中的值",
	"tool transport errors":   "工具的传输错误",
	"score_model result":      "score_model 的结果",
	"label_model reward":      "label_model 的奖励",
	"string_check missing":    "string_check 缺少的值",
	"text_similarity missing": "text_similarity 缺少的值",
	"endpoint reply":          "endpoint 的响应",
	"multi formula":           "multi 的公式",
	"multi part":              "multi 的分项",
	"multi invalid_grade":     "multi 的 invalid_grade",
	"python result":           "python 的结果",
	"python interpreter":      "python 解释器",
	"python isolation":        "python 的隔离",
	"trl result":              "trl 的结果",
	"verifiers result":        "verifiers 的结果",
	"eval_protocol result":    "eval_protocol 的结果",
	"command result":          "command 的结果",

	"above 1 MB the model is shown an error of status 413":                                              "超过 1 MB 时，模型看到状态码 413 的错误",
	"counts passes and changes no reward":                                                               "只用来计通过数，不改变奖励",
	"the endpoint that was waited for has failed the rollout":                                           "算作正在等待的服务端点使轨迹失败",
	"the grader sees all calls of the rollout (sampling.sample_tools)":                                  "评分器看到轨迹的全部调用（sampling.sample_tools）",
	"the grader sees the calls of the last tool turn (sampling.sample_tools)":                           "评分器只看到最后一轮工具调用（sampling.sample_tools）",
	"%d steps; a rollout that reaches it is an outcome of its own, graded on what there is":             "%d 步；达到上限的轨迹自成一种结局，按已有的内容评分",
	"shown to the model as an error, counted as malformed":                                              "作为错误给模型看，计为格式错误",
	"strings as they are, other JSON values as JSON, null as nothing":                                   "字符串照原样，其他 JSON 值写成 JSON，null 写成空",
	"a timeout, a refused connection or broken JSON counts as a 5xx: retried, then the rollout is lost": "超时、拒绝连接或 JSON 损坏按 5xx 处理：先重试，仍不行则轨迹丢失",

	"an answer without a number leaves the output without a grade; the hosted service gives it 0":                                                                                                     "没有数字的回答，其输出没有评分；托管服务给 0 分",
	"1 for a passing label, 0 for another; an answer that is none of the labels leaves the output without a grade":                                                                                    "合格的标签得 1，其他标签得 0；不属于任何标签的回答，其输出没有评分",
	"an output that lacks what a template reads, such as a key of output_json, fails the check, whatever the operation":                                                                               "输出缺少模板要读的内容（例如 output_json 的某个键）时，无论何种操作，检查都不通过",
	"an output that lacks what a template reads, such as a key of output_json, scores 0":                                                                                                              "输出缺少模板要读的内容（例如 output_json 的某个键）时得 0 分",
	"a reply without a finite number as score (or reward), or with error, errors or exception, or with success or is_score_valid of false, is a failure: it is retried, then the output has no grade": "响应的 score（或 reward）不是有限数，或另附有 error、errors 或 exception，或 success、is_score_valid 为 false，都算失败：先再问一次，仍不行则输出没有评分",
	"^ groups to the right and binds tighter than a sign; a step without a finite value, such as a division by zero, leaves the output without a grade":                                               "^ 从右向左结合，优先于正负号；得不出有限值的一步（例如除以零），使输出没有评分",
	"a part without a grade leaves the output without one":                                                                                                                                            "有一个分项没有评分，输出就没有评分",
	"ignored: its meaning is documented nowhere, and an output without a grade stays without one":                                                                                                     "忽略：没有文档说明它的含义，没有评分的输出仍然没有评分",
	"a float or an int is the reward, True and False are 1 and 0; an exception or anything else is a failed grading and not the 0 that the hosted service gives":                                      "float 或 int 就是奖励，True 和 False 是 1 和 0；异常或其他结果算评分失败，而不是托管服务给的 0",
	"the sum of the functions by weight; None leaves a function out, as in TRL; None from all of them, NaN and an exception are a failed grading; each function sees one completion at a time, one that gives other rewards in a batch is refused, and the state of a trainer before its first step": "各函数按权重求和；与 TRL 一样，None 表示该函数不参与；全部为 None、NaN 或异常算评分失败；每个函数一次只看到一个输出，在整批中给出不同奖励的函数会被拒绝；看到的是训练器在第一步之前的状态",
	"the sum of the functions by weight, or what the Rubric makes of them; None, NaN and an exception are a failed grading and not the 0 that verifiers gives":                                                                                                                                       "各函数按权重求和，或由 Rubric 合成；None、NaN 或异常算评分失败，而不是 verifiers 给的 0",
	"the score of the row's evaluation_result; is_score_valid of false, an error with the score, None, NaN and an exception are a failed grading":                                                                                                                                                    "取该行 evaluation_result 的 score；is_score_valid 为 false、score 旁有 error、None、NaN 或异常都算评分失败",
	"the number that is printed, or the score of a JSON object; with lines always an object, with the id of the request; another exit code than 0, an output that is neither, and an answer without its id are a failed grading; the exit code 75 asks for another try":                              "取打印出的数字，或 JSON 对象的 score；设了 lines 时总是一个对象，并带有请求的 id；退出码不是 0、输出两者都不是，或回答没有带回它的 id，都算评分失败；退出码 75 表示请再试一次",

	"%s; the hosted service's image may have other modules and versions":                                                                                                         "%s；托管服务的镜像中，模块和版本可能不同",
	"%s; the hosted service's image %s may have other modules and versions":                                                                                                      "%s；托管服务的镜像 %s 中，模块和版本可能不同",
	"rapidfuzz's fuzz.WRatio with default_process, divided by 100, as the hosted guide's own example has it; texts without a letter or digit score 0":                            "rapidfuzz 的 fuzz.WRatio，用 default_process，除以 100，与托管服务指南中的例子一致；不含字母和数字的文本得 0 分",
	"nltk's sentence_bleu to four words with smoothing method4, " + keptWords + "; an exact answer of two or three words scores far below 1":                                     "nltk 的 sentence_bleu，最多四个词，用平滑方法 method4，" + keptWordsSaid + "；只有两三个词的完全正确的答案得分远低于 1",
	"nltk's sentence_gleu to four words, " + keptWords:                                                                                                                           "nltk 的 sentence_gleu，最多四个词，" + keptWordsSaid,
	"an approximation of nltk's meteor_score: words match exactly or by their Porter stem, synonyms (WordNet) do not, " + keptWords + "; an exact answer of one word scores 0.5": "nltk 的 meteor_score 的近似：词完全相同或 Porter 词干相同才算匹配，同义词（WordNet）不算，" + keptWordsSaid + "；只有一个词的完全正确的答案得 0.5",
	"nltk's meteor_score with the synonyms of WordNet, " + keptWords + "; an exact answer of one word scores 0.5":                                                                "nltk 的 meteor_score，含 WordNet 的同义词，" + keptWordsSaid + "；只有一个词的完全正确的答案得 0.5",
	"rouge-score's F-measure of rougeL, " + keptRouge:                                                                                                                            "rouge-score 的 rougeL F 值，" + keptRougeSaid,
}

// chineseKeptComposed are those choices that several texts of the code are put
// together to.
var chineseKeptComposed = map[string]string{
	"an approximation of nltk's meteor_score: words match exactly or by their Porter stem, synonyms (WordNet) do not, " + keptWords + "; an exact answer of one word scores 0.5 (%s)": "nltk 的 meteor_score 的近似：词完全相同或 Porter 词干相同才算匹配，同义词（WordNet）不算，" + keptWordsSaid + "；只有一个词的完全正确的答案得 0.5（%s）",
	"rouge-score's F-measure of rouge1, " + keptRouge:                                                        "rouge-score 的 rouge1 F 值，" + keptRougeSaid,
	"rouge-score's F-measure of rouge%d, " + keptRouge + "; an exact answer of fewer than %d words scores 0": "rouge-score 的 rouge%d F 值，" + keptRougeSaid + "；不足 %d 个词的完全正确的答案得 0 分",
}

// What the choices of several metrics share.
const (
	keptWords     = "words split by the international rules of mteval-v14, letter case kept where the library keeps it"
	keptWordsSaid = "按 mteval-v14 的国际规则分词，库保留大小写时也保留"
	keptRouge     = "without stemming; only a-z and 0-9 make words, so that texts in other scripts score 0"
	keptRougeSaid = "不取词干；只有 a-z 和 0-9 组成词，其他文字的文本得 0 分"
)
