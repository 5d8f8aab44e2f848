package config

import (
	"strconv"
	"strings"

	"gonogo/analysis"
	"gonogo/analysis/gate"
	"gonogo/analysis/message"
	"gonogo/fixtures"
	reports "gonogo/report"
	"gonogo/sampler"
	"gonogo/sampler/dataset"
	"gonogo/sampler/limit"
)

// key is one key of gonogo.yaml. Help, JSON Schema, the file that `gonogo
// init` writes and the decoding of configuration are all made from keys().
type key struct {
	Path     string     // such as sampling.samples
	Default  string     // a YAML value; "" when there is none
	Fallback string     // in words: what is taken when the key is absent and has no Default
	Doc      string     // what it does
	Binding  bool       // a run made with another value is refused
	Min, Max *float64   // of a number, inclusive
	Enum     []string   // the only values of a string
	Pattern  string     // what a string must match
	Names    []string   // the names a map or a list may hold; nil when any
	Example  string     // a YAML value
	Entry    []entryKey // the keys of a list's maps

	moved func(string) error // of a name that Names held once: where it went; else nil
	File  bool               // a path, relative to the configuration's folder
	word  string             // that stands where a path may, and is none
	at    func(*values) any  // where the value goes
}

// Type names the key's type for readers.
func (k key) Type() string { return kindOf(k.at(new(values))).name }

func bound(f float64) *float64 { return &f }

const (
	urlPattern      = `^https?://[^/\s]+`
	durationPattern = `^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
)

// Keys lists every key of the configuration, in the order shown.
func Keys() []key {
	var all []key
	for _, group := range [][]key{runKeys(), dataKeys(), agentKeys(), toolKeys(), modelKeys(), judgeKeys(), variantKeys(), samplingKeys(), queueKeys(), sessionKeys(), trainingKeys(), priceKeys(), auditKeys(), burstKeys(), pythonKeys(), reportKeys()} {
		all = append(all, group...)
	}
	return all
}

func runKeys() []key {
	return []key{
		{
			Path: "name", Fallback: "none", Doc: "title of the run, shown in the report", Example: "invoices, second try",
			at: func(v *values) any { return &v.Name },
		},
		{
			Path: "world", Fallback: "every endpoint is your own", Example: "finance-qa",
			Doc: "the built-in world whose server answers on loopback for " + fixtures.Origin + " (gonogo help worlds): its policy is scripted, not a model; take it out when the endpoints are yours",
			at:  func(v *values) any { return &v.World },
		},
		{
			Path: "job", Binding: true, File: true, Fallback: "no rollouts can be made", Example: "rft_job.json",
			Doc: "the body for fine_tuning.jobs.create, or only its method or reinforcement object: a path to a JSON or YAML file, or the body itself",
			at:  func(v *values) any { return &v.Job },
		},
		{
			Path: "grader", Binding: true, File: true, Fallback: "the job's grader", Example: "{type: trl, file: rewards.py, function: correctness}",
			Doc: "the grader, in the place of the job's own: a path to a JSON or YAML file, or the grader itself, of a kind that gonogo help graders lists; the run is bound to the files that it names",
			at:  func(v *values) any { return &v.Grader },
		},
		{
			Path: "target", Fallback: "openai where the job is one of a hosted platform, else none", Enum: targetNames(), Doc: "the platform whose limits are checked; it changes warnings, never how files are read", Example: "none",
			at: func(v *values) any { return &v.Target },
		},
		{
			Path: "items", Default: "0", Min: bound(0), Doc: "take a seeded subset of so many items per split, each category in proportion; 0 takes all; raising it keeps the items already taken",
			at: func(v *values) any { return &v.Items },
		},
		{
			Path: "seed", Binding: true, Fallback: "random, and recorded", Doc: "what all chance in the run is drawn from", Example: "42",
			at: func(v *values) any { return &v.Seed },
		},
		{
			Path: "reward_range", Fallback: "the range of the job's score_model grader, else [0, 1]", Doc: "bottom and top of the rewards the grader can give", Example: "[0, 1]",
			at: func(v *values) any { return &v.RewardRange },
		},
		{
			Path: "ceiling", Fallback: "the top of reward_range", Doc: "the best mean reward a perfect policy could earn, when that is less than the top", Example: "0.95",
			at: func(v *values) any { return &v.Ceiling },
		},
		{
			Path: "pass_threshold", Fallback: "the grader's own pass_threshold, when it has one", Doc: "rewards at or above it count as passed; it changes no reward", Example: "0.75",
			at: func(v *values) any { return &v.PassThreshold },
		},
		{
			Path: "require", Names: gate.Requirable(), moved: gate.MovedGate, Example: "[data, sampling, leakage]",
			Fallback: "[data, sampling, audit, leakage] for runs made here, [data] for imports",
			Doc:      "stages (" + stageNames() + ") and gates without which the verdict is UNDECIDED; of a stage, the gates that have nothing to judge are not asked for",
			at:       func(v *values) any { return &v.Require },
		},
	}
}

func stageNames() string {
	var names []string
	for _, s := range analysis.Stages() {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

func dataKeys() []key {
	return []key{
		{
			Path: "data.train", Binding: true, File: true, Fallback: "what data.files says of the job's training_file", Doc: "the training rows, JSONL", Example: "train.jsonl",
			at: func(v *values) any { return &v.Data.Train },
		},
		{
			Path: "data.eval", Binding: true, File: true, Fallback: "what data.files says of the job's validation_file", Doc: "the validation rows, JSONL", Example: "val.jsonl",
			at: func(v *values) any { return &v.Data.Eval },
		},
		{
			Path: "data.production", Binding: true, File: true, Fallback: "none", Doc: "rows as they come in production, JSONL: to see whether the training rows look like them", Example: "production.jsonl",
			at: func(v *values) any { return &v.Data.Production },
		},
		{
			Path: "data.files", File: true, Fallback: "none", Doc: "path of each file id that the job names, such as file-abc", Example: "{file-abc: train.jsonl}",
			at: func(v *values) any { return &v.Data.Files },
		},
		{
			Path: "data.id", Default: "id", Binding: true, Doc: "the row field that names an item; a row without it is called after its line, such as line-17",
			at: func(v *values) any { return &v.Data.ID },
		},
		{
			Path: "data.category", Default: "category", Binding: true, Doc: "the row field that sorts items into kinds: subsets keep their proportions",
			at: func(v *values) any { return &v.Data.Category },
		},
		{
			Path: "data.family", Default: "family", Binding: true, Doc: "the row field that items from one source share, such as a document or a repository: intervals allow for it",
			at: func(v *values) any { return &v.Data.Family },
		},
	}
}

func modelKeys() []key {
	return []key{
		{
			Path: "model.name", Binding: true, Fallback: "the job's model", Doc: "the base model that is measured, as its endpoint calls it", Example: "gpt-oss-20b",
			at: func(v *values) any { return &v.Model.Name },
		},
		{
			Path: "model.base_url", Binding: true, Pattern: urlPattern, Fallback: "OPENAI_BASE_URL, else " + defaultBaseURL, Doc: "where the model answers: any OpenAI-compatible server", Example: "http://localhost:8000/v1",
			at: func(v *values) any { return &v.Model.BaseURL },
		},
		{
			Path: "model.api", Default: "responses", Enum: []string{"responses", "chat"}, Binding: true, Doc: "which API to speak: responses, or chat for servers that lack it",
			at: func(v *values) any { return &v.Model.API },
		},
		{
			Path: "model.api_key_env", Default: defaultKeyEnv, Doc: "the environment variable that holds the API key; none says that no key is needed; a loopback server needs none unless this key is set",
			at: func(v *values) any { return &v.Model.APIKeyEnv },
		},
		{
			Path: "model.headers", Fallback: "none", Doc: "headers of every request; ${NAME} is taken from the environment", Example: "{api-key: \"${AZURE_KEY}\"}",
			at: func(v *values) any { return &v.Model.Headers },
		},
		{
			Path: "model.temperature", Binding: true, Min: bound(0), Max: bound(2), Fallback: "the server's own", Doc: "sampling temperature; reasoning models may refuse it", Example: "1",
			at: func(v *values) any { return &v.Model.Temperature },
		},
		{
			Path: "model.top_p", Binding: true, Min: bound(0), Max: bound(1), Fallback: "the server's own", Doc: "nucleus sampling", Example: "1",
			at: func(v *values) any { return &v.Model.TopP },
		},
		{
			Path: "model.max_output_tokens", Binding: true, Min: bound(1), Fallback: "the server's own", Doc: "most tokens of one model turn", Example: "8192",
			at: func(v *values) any { return &v.Model.MaxOutputTokens },
		},
		{
			Path: "model.reasoning_effort", Binding: true, Fallback: "the job's reasoning_effort, unless that is default", Doc: "how long a reasoning model may think; sent as written", Example: "medium",
			at: func(v *values) any { return &v.Model.ReasoningEffort },
		},
		{
			Path: "model.parallel_tool_calls", Binding: true, Fallback: "true, as in training; left out for servers that refuse the parameter", Doc: "whether the model may ask for several tools at once", Example: "false",
			at: func(v *values) any { return &v.Model.ParallelToolCalls },
		},
		{
			Path: "model.timeout", Default: "10m", Doc: "longest wait for the answer to one model turn, or for its next byte: a slow answer that goes on is waited for",
			at: func(v *values) any { return &v.Model.Timeout },
		},
		{
			Path: "model.requests_per_minute", Default: "0", Min: bound(0), Doc: "most requests a minute to the model; 0 is what its server says",
			at: func(v *values) any { return &v.Model.RequestsPerMinute },
		},
		{
			Path: "model.tokens_per_minute", Default: "0", Min: bound(0), Doc: "most tokens a minute, in and out, of the model; 0 is what its server says",
			at: func(v *values) any { return &v.Model.TokensPerMinute },
		},
	}
}

func judgeKeys() []key {
	return []key{
		{
			Path: "judge.base_url", Binding: true, Pattern: urlPattern, Fallback: "model.base_url", Doc: "where models that grade answer", Example: "https://judge.example.com/v1",
			at: func(v *values) any { return &v.Judge.BaseURL },
		},
		{
			Path: "judge.api", Enum: []string{"responses", "chat"}, Binding: true, Fallback: "model.api", Doc: "which API the judge's server speaks", Example: "chat",
			at: func(v *values) any { return &v.Judge.API },
		},
		{
			Path: "judge.api_key_env", Fallback: "model.api_key_env; " + defaultKeyEnv + " when judge.base_url is another server's", Doc: "the environment variable that holds the judge's API key, or none", Example: "JUDGE_API_KEY",
			at: func(v *values) any { return &v.Judge.APIKeyEnv },
		},
		{
			Path: "judge.headers", Fallback: "model.headers; none when judge.base_url is another server's", Doc: "headers of every request to the judge; ${NAME} is taken from the environment", Example: "{api-key: \"${AZURE_KEY}\"}",
			at: func(v *values) any { return &v.Judge.Headers },
		},
		{
			Path: "judge.timeout", Fallback: "model.timeout", Doc: "longest wait for one grade by a model", Example: "2m",
			at: func(v *values) any { return &v.Judge.Timeout },
		},
		{
			Path: "judge.requests_per_minute", Default: "0", Min: bound(0), Doc: "most requests a minute to the judge; 0 is what its server says",
			at: func(v *values) any { return &v.Judge.RequestsPerMinute },
		},
		{
			Path: "judge.tokens_per_minute", Default: "0", Min: bound(0), Doc: "most tokens a minute, in and out, of the judge; 0 is what its server says",
			at: func(v *values) any { return &v.Judge.TokensPerMinute },
		},
	}
}

func samplingKeys() []key {
	return []key{
		{
			Path: "sampling.samples", Default: "8", Min: bound(1), Max: bound(100_000), Doc: "rollouts per item; may be raised later, the rollouts already made are kept",
			at: func(v *values) any { return &v.Sampling.Samples },
		},
		{
			Path: "sampling.eval_samples", Min: bound(0), Max: bound(100_000), Fallback: "sampling.samples", Doc: "rollouts per item of the eval split; 0 makes none", Example: "4",
			at: func(v *values) any { return &v.Sampling.EvalSamples },
		},
		{
			Path: "sampling.production_samples", Min: bound(0), Max: bound(100_000), Fallback: "sampling.samples", Doc: "rollouts per item of the production split; 0 makes none", Example: "0",
			at: func(v *values) any { return &v.Sampling.ProductionSamples },
		},
		{
			Path: "sampling.concurrency", Default: "0", Min: bound(0), Max: bound(limit.Most), Doc: "at most this many rollouts, and requests to each endpoint, in flight; a lower limit that a server names still holds; 0 measures what each endpoint bears",
			at: func(v *values) any { return &v.Sampling.Concurrency },
		},
		{
			Path: "sampling.in_flight", Min: bound(0), Max: bound(100_000), Fallback: "sampling.concurrency; 256 where that is 0", Doc: "most rollouts begun and not ended at one time, which take memory; 0 is the fallback", Example: "1000",
			at: func(v *values) any { return &v.Sampling.InFlight },
		},
		{
			Path: "sampling.block", Default: strconv.Itoa(sampler.DefaultBlock), Min: bound(0), Doc: "items that are sampled together before others are begun, drawn from the splits in proportion: sample 0 of each, then sample 1, and so on; 0 takes all items in one round",
			at: func(v *values) any { return &v.Sampling.Block },
		},
		{
			Path: "sampling.max_steps", Binding: true, Min: bound(0), Fallback: "the job's max_episode_steps, else 50", Doc: "most steps of a rollout, function calls and model turns together; 0 is no limit", Example: "50",
			at: func(v *values) any { return &v.Sampling.MaxSteps },
		},
		{
			Path: "sampling.max_tool_calls", Default: "0", Binding: true, Min: bound(0), Doc: "most tool calls of a rollout; 0 is no limit",
			at: func(v *values) any { return &v.Sampling.MaxToolCalls },
		},
		{
			Path: "sampling.tool_timeout", Default: "5m", Doc: "longest wait for the answer to one tool call, or for its next byte",
			at: func(v *values) any { return &v.Sampling.ToolTimeout },
		},
		{
			Path: "sampling.grader_timeout", Default: "5m", Doc: "longest wait for one grade, or for the next byte of the answer where an endpoint grades",
			at: func(v *values) any { return &v.Sampling.GraderTimeout },
		},
		{
			Path: "sampling.rollout_timeout", Default: "0s", Doc: "longest rollout, tools and grading included, waiting for a turn at an endpoint not; 0s is no limit",
			at: func(v *values) any { return &v.Sampling.RolloutTimeout },
		},
		{
			Path: "sampling.retries", Default: "3", Min: bound(0), Max: bound(100), Doc: "how often a request that failed in transport is repeated; a 429 does not count, unless this is 0",
			at: func(v *values) any { return &v.Sampling.Retries },
		},
		{
			Path: "sampling.retry_wait", Default: "500ms", Doc: "longest wait before the first repeat; doubles each time up to 30s, and each wait is drawn between nothing and that; a server's Retry-After is obeyed",
			at: func(v *values) any { return &v.Sampling.RetryWait },
		},
		{
			Path: "sampling.retry_for", Default: "15m", Doc: "from a request's first failure to its last repeat at most; 0s is no limit, and then a 429 counts as well",
			at: func(v *values) any { return &v.Sampling.RetryFor },
		},
		{
			Path: "sampling.breaker", Default: "5", Min: bound(0), Doc: "the same failure of an endpoint so often in a row stops the command and keeps what there is, and so does no answer from it for 15 minutes (sampling.retry_for where that is longer); requests that were in flight together count once; 0 never stops it",
			at: func(v *values) any { return &v.Sampling.Breaker },
		},
		{
			Path: "sampling.sample_tools", Default: "all", Enum: []string{"all", "last"}, Binding: true, Doc: "which tool calls the grader sees in sample.output_tools: all of the rollout, or those of its last tool turn",
			at: func(v *values) any { return &v.Sampling.SampleTools },
		},
		{
			Path: "sampling.max_rollouts", Default: "0", Min: bound(0), Doc: "stop a call of the command after so many rollouts; 0 is no cap",
			at: func(v *values) any { return &v.Sampling.MaxRollouts },
		},
		{
			Path: "sampling.max_tokens", Default: "0", Min: bound(0), Doc: "stop a call of the command after so many tokens, in and out, of the model and of a model that grades; 0 is no cap",
			at: func(v *values) any { return &v.Sampling.MaxTokens },
		},
		{
			Path: "sampling.max_usd", Default: "0", Min: bound(0), Doc: "stop a call of the command after so many US dollars, by the prices and the tokens that servers tell: of the model, a model that grades, and tools; what is in flight counts at what it is expected to cost by those that ended, with a margin while few have; 4 may be in flight before the first has ended, and 4 more for each that has, so that the cap can be passed at the start by that many; 0 is no cap",
			at: func(v *values) any { return &v.Sampling.MaxUSD },
		},
		{
			Path: "sampling.deadline", Fallback: "none", Doc: "stop a call of the command by then: a span from its begin (2h), a time of the day (17:30) or of a date (RFC 3339); no rollout begins that on average would end later, and those in flight end", Example: "2h",
			at: func(v *values) any { return &v.Sampling.Deadline },
		},
		{
			Path: "sampling.address_map", Fallback: "none", Doc: "connect elsewhere: from a URL's beginning as the job writes it to the beginning to use instead, such as a tunnel or a staging copy",
			Example: "{\"https://tools.example.com/\": \"http://localhost:9000/\"}",
			at:      func(v *values) any { return &v.Sampling.AddressMap },
		},
	}
}

func trainingKeys() []key {
	return []key{
		{
			Path: "training.group_size", Default: "8", Min: bound(2), Max: bound(100_000), Doc: "rollouts of one item that the trainer compares with each other",
			at: func(v *values) any { return &v.Training.GroupSize },
		},
		{
			Path: "training.batch_size", Min: bound(0), Fallback: "the job's batch_size when it is a number, else 0", Doc: "items per training step; 0 is unknown", Example: "16",
			at: func(v *values) any { return &v.Training.BatchSize },
		},
		{
			Path: "training.epochs", Min: bound(0), Fallback: "the job's n_epochs when it is a number, else 0", Doc: "passes over the training items; 0 is unknown", Example: "2",
			at: func(v *values) any { return &v.Training.Epochs },
		},
		{
			Path: "training.wanted_share", Default: "0.5", Min: bound(0.001), Max: bound(1), Doc: "the share of informative groups that the plan aims at when it proposes a group size",
			at: func(v *values) any { return &v.Training.WantedShare },
		},
		{
			Path: "trainer.normalize", Default: analysis.NormalizeStd, Enum: analysis.Normalizations(),
			Doc: "what the trainer divides a group's advantages by: std, its rewards' standard deviation (GRPO and its like by default), so that any difference of rewards teaches; none (Dr. GRPO; scale_rewards none in TRL), so that rewards close together hardly do",
			at:  func(v *values) any { return &v.Trainer.Normalize },
		},
	}
}

func reportKeys() []key {
	var thresholds, formats []string
	for _, t := range gate.Thresholds() {
		thresholds = append(thresholds, t.Name)
	}
	for _, f := range reports.Formats() {
		formats = append(formats, f.Name)
	}
	papers, langs := reports.Papers(), message.Tags()
	formats = append(formats, UsualFormats, AllFormats)
	return []key{
		{
			Path: "thresholds", Names: thresholds, moved: gate.MovedThreshold, Fallback: "each at its default; gonogo help gates lists them", Doc: "what the gates ask for, by name of the threshold", Example: "{signal.informative: 0.2}",
			at: func(v *values) any { return &v.Thresholds },
		},
		{
			Path: "report.formats", Names: formats, Fallback: "[usual]", Doc: "which reports are written; usual stands for all but parquet and json, all for every one", Example: "[usual, parquet]",
			at: func(v *values) any { return &v.Report.Formats },
		},
		{
			Path: "report.lang", Default: langs[0], Enum: langs, Doc: "the language of the reports, in files and on the terminal; result.json stays English",
			at: func(v *values) any { return &v.Report.Lang },
		},
		{
			Path: "report.paper", Default: papers[0], Enum: papers, Doc: "the paper of report.pdf",
			at: func(v *values) any { return &v.Report.Paper },
		},
		{
			Path: "report.font", File: true, word: reports.NoFont, Fallback: "one of the usual system places, where report.pdf or a picture needs one", Doc: "a font (.ttf, .otf, .ttc) for what report.pdf and the pictures say beyond Latin, Greek and Cyrillic, such as Chinese; none: no font of the machine", Example: "NotoSansCJK-Regular.ttc",
			at: func(v *values) any { return &v.Report.Font },
		},
	}
}

func targetNames() []string {
	var names []string
	for _, t := range dataset.Targets() {
		names = append(names, t.Name)
	}
	return names
}
