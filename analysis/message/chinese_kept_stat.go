package message

// chineseKeptStat is what is kept of estimates, of splits compared, of the
// rehearsal of a step, and of variants.
var chineseKeptStat = map[string]string{
	"tool %s is not called: burst.skip names it":                                                                                                                                                               "工具 %s 不会被调用：burst.skip 指名了它",
	"tool %s is not called: no call of it is recorded, and burst.safe does not name it":                                                                                                                        "工具 %s 不会被调用：没有它的调用记录，burst.safe 也没有指名它",
	"tool %s is not called: no call of it is recorded, and no row holds its schema":                                                                                                                            "工具 %s 不会被调用：没有它的调用记录，也没有一行带有它的 schema",
	"a wave with few rollouts at once lost all of them: the waves up to the burst were left out":                                                                                                               "有一波同时运行的轨迹很少，却全部丢失：直到演练之前的各波都已略去",
	"more than %d requests at once would be more than this machine can open: some waited, which is no part of their time; raise the limit of open files (ulimit -n)":                                           "同时超过 %d 个请求会超出本机可打开的数目：有些请求等待过，等待不计入其耗时；请提高打开文件数的上限（ulimit -n）",
	"no more than %d sessions may be there at one time (session.concurrency): some rollouts waited for one, which is no part of any time, and this is not the load of a step whose rollouts all begin at once": "同一时间的会话不得超过 %d 个（session.concurrency）：有些轨迹等待过会话，等待不计入任何耗时，因此这不是全部轨迹同时开始的训练步的负载",
	"of %d calls that were taken when they were recorded, the tools refuse %d now: what those worked on may be gone, and then this is not the load of a training step":                                         "记录时被接受的 %d 次调用中，工具现在拒绝了 %d 次：它们所操作的对象可能已经不在，那样这就不是训练步的负载",
	"sessions that could not be stopped: %d; the next call of the command tries it again":                                                                                                                      "无法停止的会话：%d；下次调用该命令会再试",
}
