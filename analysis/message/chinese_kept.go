package message

// chineseKept is what is said while a run is measured and kept in English with
// its numbers: notes, warnings, and why something is not known. Again finds the
// formats in what they wrote.
var chineseKept = map[string]string{
	"%s epochs": "%s 个轮次（epoch）",

	"%s made and paid a second time by another worker: each counts once": "%s又被另一个工作进程重复生成并付费：每条只计一次",

	"%s other answers": "%s 个其他答案",
}
