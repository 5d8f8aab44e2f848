package message

// chineseFindingsEnds is what gates say of how the model's replies ended, and of
// items that were lost.
var chineseFindingsEnds = map[string]string{
	"An answer that was cut off, refused, withheld or left empty earns the bottom of the range, whatever the model knows. Groups then differ by who was cut off, not by who was right, and training learns to write less.": "被截断、拒答、被拦截或为空的回答只能得到最低分，与模型会不会做无关。这样一来，组内的差异来自谁被截断，而不是谁答对，训练只会学到少写。",
	"{percent} of rollouts end without a finished answer":           "{percent} 的轨迹没有给出完整的回答",
	"{percent} of rollouts end without a finished answer ({kinds})": "{percent} 的轨迹没有给出完整的回答（{kinds}）",
	"{advice} {without}":         "{advice}{without}",
	"{advice} {without} {needs}": "{advice}{without}{needs}",
	"it is not clear that enough groups teach something without the {percent} of rollouts that end without a finished answer ({kinds})":                                                                                             "除去 {percent} 没有给出完整回答的轨迹（{kinds}）之后，是否还有足够多的组能教会模型东西，尚不清楚",
	"it is not known how many rollouts end without a finished answer":                                                                                                                                                               "没有给出完整回答的轨迹占比未知",
	"the signal comes from the {percent} of rollouts that end without a finished answer ({kinds})":                                                                                                                                  "训练信号来自 {percent} 没有给出完整回答的轨迹（{kinds}）",
	"Raise max_output_tokens; the server does not say how many tokens the finished answers took.":                                                                                                                                   "调高 max_output_tokens；服务器没有报告完整回答用了多少词元。",
	"Read the refusals, then change the prompt so that the model does not decline, or drop those items.":                                                                                                                            "阅读拒答内容，然后修改提示词使模型不再拒答，或去掉这些题目。",
	"Have the content filter relaxed for this data, or drop those items.":                                                                                                                                                           "请为这些数据放宽内容过滤，或去掉这些题目。",
	"Read the raw replies: an empty answer mostly comes from a wrong chat template, or from reasoning that took all the tokens.":                                                                                                    "查看原始回复：空回答大多源于聊天模板不对，或推理用完了全部词元。",
	"{lost} of {sampled} sampled items ({lostshare}) have no valid rollout at all; at most {most} may be lost":                                                                                                                      "采样的 {sampled} 道题目中有 {lost} 道（{lostshare}）没有任何有效轨迹；至多允许 {most}",
	"The items that were lost may differ from the rest, so that the numbers may not hold for them. Fix what made their rollouts fail, then run the same command again: only what is missing is made. Most frequent cause: {cause}.": "丢失的题目可能与其他题目不同，因此这些数字未必适用于它们。先修复导致其轨迹失败的问题，再重新运行；只会补采缺失的部分。最常见的原因：{cause}。",
	"no record says how the model's last reply ended":                                                                                                                                                                               "没有记录说明模型最后一条回复是如何结束的",

	"Text that the server should have parsed is graded as the answer: a right answer looks wrong, and a tool that the model calls is never run. The numbers then describe the server's settings, not the model.": "本应由服务器解析的文本被当作回答来评分：正确的回答看起来是错的，模型调用的工具从未运行。这些数字描述的是服务器的设置，而不是模型。",
	"{percent} of answers hold unparsed markup":                                                                           "{percent} 的回答含有未解析的标记",
	"{percent} of answers hold markup that the server should have parsed, such as {token}":                                "{percent} 的回答含有本应由服务器解析的标记，例如 {token}",
	"{advice} Then sample into a new run directory.":                                                                      "{advice}然后采样到新的运行目录。",
	"{advice} Where these answers are meant that way, mention the token in the prompt or set thresholds.rollouts.markup.": "{advice}如果这些回答本该如此，请在提示词中提到该标记，或设置 thresholds.rollouts.markup。",
	"it is not known how many answers hold unparsed markup":                                                               "含有未解析标记的回答占比未知",
	"the records hold no answers":                                                                                         "记录中没有回答",
	"Have the server parse tool calls. vLLM: --enable-auto-tool-choice --tool-call-parser NAME; SGLang: --tool-call-parser NAME; llama.cpp: --jinja; Ollama: a model whose TEMPLATE handles tools.":                       "让服务器解析工具调用。vLLM：--enable-auto-tool-choice --tool-call-parser NAME；SGLang：--tool-call-parser NAME；llama.cpp：--jinja；Ollama：使用其 TEMPLATE 支持工具的模型。",
	"Have the server part reasoning from the answer. vLLM and SGLang: --reasoning-parser NAME; llama.cpp: --jinja --reasoning-format deepseek; Ollama: version 0.9 or later and a model that it knows as a thinking one.": "让服务器把推理与回答分开。vLLM 和 SGLang：--reasoning-parser NAME；llama.cpp：--jinja --reasoning-format deepseek；Ollama：0.9 或更高版本，并使用它支持思考的模型。",
	"Have the server use the model's own chat template and stop tokens. vLLM and SGLang: --chat-template FILE; llama.cpp: --jinja --chat-template-file FILE; Ollama: TEMPLATE and PARAMETER stop in the Modelfile.":       "让服务器使用模型自己的聊天模板和停止词元。vLLM 和 SGLang：--chat-template FILE；llama.cpp：--jinja --chat-template-file FILE；Ollama：Modelfile 中的 TEMPLATE 和 PARAMETER stop。",

	"Blocking, on every sampled split: at most 20 % of rollouts end without a finished answer (cut off by the token limit, refused, filtered, empty), and on train `signal.informative` and `exploration.lift` reach their thresholds without those rollouts, too. Advisory: at most 2 %.": "阻断，针对每个采样的划分：至多 20 % 的轨迹没有给出完整的回答（因词元上限被截断、拒答、被过滤、为空），并且在训练集上除去这些轨迹后 `signal.informative` 和 `exploration.lift` 仍达到各自的阈值。提示：至多 2 %。",
	"Blocking, on every sampled split: at most 2 % of answers hold text that the server should have parsed: a tool call, reasoning or tokens of the chat template that neither the item's prompt nor its reference mentions. Advisory: none does.":                                         "阻断，针对每个采样的划分：至多 2 % 的回答含有本应由服务器解析的文本：题目的提示词和参考答案都没有提到的工具调用、推理或聊天模板标记。提示：一条也没有。",
	"share of answers with text that the server should have parsed, above which it fails": "含有本应由服务器解析的文本的回答占比，超过即不通过",
	"share of rollouts without a finished answer, above which it fails":                   "没有给出完整回答的轨迹占比，超过即不通过",
}
