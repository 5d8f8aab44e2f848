package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"gonogo/sampler/audit"
	"gonogo/sampler/dataset"
	"gonogo/sampler/mcp"
	"gonogo/sampler/queue"
	"gonogo/sampler/rollout"
)

const (
	defaultBaseURL = "https://api.openai.com/v1"
	defaultKeyEnv  = "OPENAI_API_KEY"
	noKey          = "none" // as a value of api_key_env

	defaultMaxSteps = 50 // of a rollout, for jobs that do not say
)

// values are the values of gonogo.yaml, and the one table of its keys: their names,
// types and order are those of the fields, and the tags say the rest. default is a YAML
// value; or says in words what is taken where a key is absent and has no default; min and
// max are the inclusive bounds of a number; enum lists the only values of a text, is names
// a form of text (see forms), word is the one value of a path that is none; example is a
// YAML value. Of the marks, binding says that a run is bound to the value, file that it
// is a path, secret and variable that texts of the map (headers, or variables of the environment) are
// masked in files, url that what an
// address holds of credentials is, and hidden that no message shows the value. lists
// has the enums that other packages know.
type values struct {
	Name          string             `json:"name,omitzero" or:"none" example:"invoices, second try" doc:"title of the run, shown in the report"`
	World         string             `json:"world,omitzero" or:"every endpoint is your own" example:"finance-qa" doc:"the built-in world whose server answers on loopback for {origin} (gonogo help worlds): its policy is scripted, not a model; remove this key when you use your own endpoints"`
	Job           jobSource          `json:"job,omitzero" or:"no rollouts can be made" mark:"binding,file" example:"rft_job.json" doc:"the body for fine_tuning.jobs.create, or only its method or reinforcement object: a path to a JSON or YAML file, or the body itself"`
	Grader        jobSource          `json:"grader,omitzero" or:"the job's grader" mark:"binding,file" example:"{type: trl, file: rewards.py, function: correctness}" doc:"the grader to use instead of the job's: a path to a JSON or YAML file, or the grader itself, of a kind that gonogo help graders lists; the run is bound to the files that it names"`
	Target        string             `json:"target,omitzero" or:"openai if the job is one of a hosted platform, else none" example:"none" doc:"the platform whose limits are checked; it changes warnings, never how files are read"`
	Items         int                `json:"items" default:"0" min:"0" doc:"take a seeded subset of this many items per split, each category in proportion; 0 takes all; raising it keeps the items already taken"`
	Seed          *uint64            `json:"seed,omitzero" or:"random, and recorded" mark:"binding" example:"42" doc:"the seed of everything random in the run"`
	RewardRange   *[2]float64        `json:"reward_range,omitzero" or:"the range of the job's score_model grader, else [0, 1]" example:"[0, 1]" doc:"bottom and top of the rewards the grader can give"`
	Ceiling       *float64           `json:"ceiling,omitzero" or:"the top of reward_range" example:"0.95" doc:"the best mean reward a perfect policy could earn, when that is less than the top"`
	PassThreshold *float64           `json:"pass_threshold,omitzero" or:"the grader's own pass_threshold, when it has one" example:"0.75" doc:"rewards at or above it count as passed; rewards do not change"`
	Require       []string           `json:"require,omitzero" or:"[data, sampling, audit, leakage] for runs made here, [data] for imports" example:"[data, sampling, leakage]" doc:"stages ({stages}) and gates without which the verdict is UNDECIDED; gates of a stage that have nothing to judge are not required"`
	Data          dataValues         `json:"data,omitzero"`
	Agent         agentValues        `json:"agent,omitzero"`
	Tools         toolValues         `json:"tools,omitzero"`
	Model         modelValues        `json:"model,omitzero"`
	Judge         judgeValues        `json:"judge,omitzero"`
	Variants      []VariantValue     `json:"variants,omitzero" or:"none" example:"[{name: brief, prompt: \"Answer in one line.\"}, {name: cool, temperature: 0.2}]" doc:"cheaper levers than training, each sampled on the same items with the same seed as the run itself and ranked against it; each overrides something of the prompt, the tools' descriptions and the model"`
	Sampling      samplingValues     `json:"sampling,omitzero"`
	Queue         queueValues        `json:"queue,omitzero"`
	Session       sessionValues      `json:"session"`
	Training      trainingValues     `json:"training,omitzero"`
	Trainer       trainerValues      `json:"trainer,omitzero"`
	Prices        priceValues        `json:"prices,omitzero"`
	Audit         auditValues        `json:"audit,omitzero"`
	Burst         burstValues        `json:"burst,omitzero"`
	Python        pythonValues       `json:"python,omitzero"`
	Thresholds    map[string]float64 `json:"thresholds,omitzero" or:"each at its default; gonogo help gates lists them" example:"{signal.informative: 0.2}" doc:"what the gates ask for, by name of the threshold"`
	Report        ReportValues       `json:"report,omitzero"`
}

// dataValues are the data files, and the row fields that are read.
type dataValues struct {
	Train      string            `json:"train,omitzero" or:"what data.files says of the job's training_file" mark:"binding,file" example:"train.jsonl" doc:"the training rows, JSONL or Parquet"`
	Eval       string            `json:"eval,omitzero" or:"what data.files says of the job's validation_file" mark:"binding,file" example:"val.jsonl" doc:"the validation rows, JSONL or Parquet"`
	Production string            `json:"production,omitzero" or:"none" mark:"binding,file" example:"production.jsonl" doc:"rows from production, JSONL or Parquet: to see whether the training rows look like them"`
	Files      map[string]string `json:"files,omitzero" or:"none" mark:"file" example:"{file-abc: train.jsonl}" doc:"path of each file id that the job names, such as file-abc"`
	dataset.Options
}

// Of is the data file of a split; "" where there is none.
func (d dataValues) Of(split rollout.Split) string {
	return map[rollout.Split]string{rollout.Train: d.Train, rollout.Eval: d.Eval, rollout.Production: d.Production}[split]
}

// agentValues are the keys of an agent that makes the rollouts.
type agentValues struct {
	Command    []string          `json:"command,omitzero" or:"the rollouts are made here, by model and tools" mark:"binding" example:"[python3, my_agent.py]" doc:"your own agent, as a program and its arguments: it gets a JSON line for each rollout and answers with one (docs/own-agent.md); it runs in this file's folder"`
	URL        string            `json:"url,omitzero" or:"none" is:"url" mark:"url,binding" example:"http://localhost:7100/rollouts" doc:"your own agent, as a service: each rollout is POSTed there"`
	Headers    map[string]string `json:"headers,omitzero" or:"none" mark:"secret" example:"{authorization: \"Bearer ${AGENT_KEY}\"}" doc:"headers of requests to the service; ${NAME} is taken from the environment"`
	PerRollout *bool             `json:"per_rollout,omitzero" default:"false" mark:"binding" doc:"whether the program is started for each rollout; else a process makes one rollout after the other"`
	Processes  int               `json:"processes" default:"0" min:"0" max:"4096" doc:"most processes of the program at one time; 0 is as many as rollouts"`
	OwnModel   *bool             `json:"own_model,omitzero" default:"false" mark:"binding" doc:"whether the agent calls a model of its own; else each rollout gets a loopback address and a key for the model of this run, and its requests there are limited, counted and recorded"`
	Hide       []string          `json:"hide,omitzero" or:"those that usually hold references, such as reference_answer, solution and tests (docs/own-agent.md)" mark:"binding" example:"[reference_answer, notes]" doc:"fields of a row that the agent does not get"`
	Timeout    Duration          `json:"timeout" default:"30m" doc:"longest time for the agent to finish a rollout; 0s is no limit"`
	Poll       Duration          `json:"poll" default:"1s" doc:"time between polls for a service's result"`
}

// toolValues are the keys of tools that the job does not hold.
type toolValues struct {
	MCP []mcp.Config `json:"mcp,omitzero" or:"the job's tools alone" example:"[{name: files, command: [python3, server.py], per_rollout: true}, {name: search, url: \"http://localhost:9000/mcp\"}]" doc:"MCP servers whose tools are offered to the model in addition to those of the rows, and called like the job's tools (docs/mcp.md)"`
}

// modelValues are the model that is measured, and how it is called.
type modelValues struct {
	Name              string            `json:"name,omitzero" or:"the job's model" mark:"binding" example:"gpt-oss-20b" doc:"the base model that is measured, as its endpoint calls it"`
	BaseURL           string            `json:"base_url,omitzero" or:"OPENAI_BASE_URL, else https://api.openai.com/v1" is:"url" mark:"url,binding" example:"http://localhost:8000/v1" doc:"where the model answers: any OpenAI-compatible server"`
	API               string            `json:"api,omitzero" default:"responses" enum:"responses,chat" mark:"binding" doc:"which API to use: responses, or chat for servers without it"`
	APIKeyEnv         string            `json:"api_key_env,omitzero" default:"OPENAI_API_KEY" doc:"the environment variable that holds the API key; none says that no key is needed; a loopback server needs none unless this key is set"`
	Headers           map[string]string `json:"headers,omitzero" or:"none" mark:"secret" example:"{api-key: \"${AZURE_KEY}\"}" doc:"headers of every request; ${NAME} is taken from the environment"`
	Temperature       *float64          `json:"temperature,omitzero" or:"the server's own" min:"0" max:"2" mark:"binding" example:"1" doc:"sampling temperature; reasoning models may refuse it"`
	TopP              *float64          `json:"top_p,omitzero" or:"the server's own" min:"0" max:"1" mark:"binding" example:"1" doc:"nucleus sampling"`
	MaxOutputTokens   *int              `json:"max_output_tokens,omitzero" or:"the server's own" min:"1" mark:"binding" example:"8192" doc:"most tokens of one model turn"`
	ReasoningEffort   string            `json:"reasoning_effort,omitzero" or:"the job's reasoning_effort, unless that is default" mark:"binding" example:"medium" doc:"how long a reasoning model may think; sent as written"`
	ParallelToolCalls *bool             `json:"parallel_tool_calls,omitzero" or:"true, as in training; left out for servers that refuse the parameter" mark:"binding" example:"false" doc:"whether the model may ask for several tools at once"`
	LeaveOut          []string          `json:"leave_out,omitzero" or:"none" mark:"binding" example:"[response_format]" doc:"parameters that are not sent, whoever asks for them, for a server that refuses them: include, max_output_tokens, parallel_tool_calls, reasoning_effort, response_format, temperature, top_p; include and parallel_tool_calls, and in chat the name max_completion_tokens, are left out by themselves once a server has refused them"`
	Timeout           Duration          `json:"timeout" default:"10m" doc:"longest wait for the answer to one model turn, or for its next byte: a slow answer that keeps arriving does not time out"`
	RequestsPerMinute int               `json:"requests_per_minute" default:"0" min:"0" doc:"most requests a minute to the model; 0 follows the server's rate limit headers"`
	TokensPerMinute   int               `json:"tokens_per_minute" default:"0" min:"0" doc:"most tokens a minute, in and out, of the model; 0 follows the server's rate limit headers"`
}

// judgeValues are the server of the models that grade.
type judgeValues struct {
	BaseURL           string            `json:"base_url,omitzero" or:"model.base_url" is:"url" mark:"url,binding" example:"https://judge.example.com/v1" doc:"where models that grade answer"`
	API               string            `json:"api,omitzero" or:"model.api" enum:"responses,chat" mark:"binding" example:"chat" doc:"which API the judge's server has"`
	APIKeyEnv         string            `json:"api_key_env,omitzero" or:"model.api_key_env; OPENAI_API_KEY when judge.base_url is another server's" example:"JUDGE_API_KEY" doc:"the environment variable that holds the judge's API key, or none"`
	Headers           map[string]string `json:"headers,omitzero" or:"model.headers; none when judge.base_url is another server's" mark:"secret" example:"{api-key: \"${AZURE_KEY}\"}" doc:"headers of every request to the judge; ${NAME} is taken from the environment"`
	LeaveOut          []string          `json:"leave_out,omitzero" or:"none" mark:"binding" example:"[seed, temperature]" doc:"parameters that a grader's job names and that are not sent to the judge: max_output_tokens, reasoning_effort, response_format, seed, temperature, top_p"`
	Timeout           Duration          `json:"timeout" or:"model.timeout" example:"2m" doc:"longest wait for one grade by a model"`
	RequestsPerMinute int               `json:"requests_per_minute" default:"0" min:"0" doc:"most requests a minute to the judge; 0 follows the server's rate limit headers"`
	TokensPerMinute   int               `json:"tokens_per_minute" default:"0" min:"0" doc:"most tokens a minute, in and out, of the judge; 0 follows the server's rate limit headers"`
}

// samplingValues are how rollouts are made, and the bounds of a call.
type samplingValues struct {
	Samples           int               `json:"samples" default:"8" min:"1" max:"100000" doc:"rollouts per item; may be raised later, the rollouts already made are kept"`
	EvalSamples       int               `json:"eval_samples" or:"sampling.samples" min:"0" max:"100000" example:"4" doc:"rollouts per item of the eval split; 0 makes none"`
	ProductionSamples int               `json:"production_samples" or:"sampling.samples" min:"0" max:"100000" example:"0" doc:"rollouts per item of the production split; 0 makes none"`
	Concurrency       int               `json:"concurrency" default:"0" min:"0" max:"4096" doc:"at most this many rollouts, and requests to each endpoint, in flight; a lower limit that a server sets still applies; 0 measures what each endpoint can handle"`
	InFlight          int               `json:"in_flight" or:"sampling.concurrency; 256 if that is 0" min:"0" max:"100000" example:"1000" doc:"most rollouts in progress at one time, which take memory; 0 uses the default"`
	Block             int               `json:"block" default:"32" min:"0" doc:"items that are sampled together before the next ones, drawn from the splits in proportion: sample 0 of each, then sample 1, and so on; 0 takes all items in one round"`
	MaxSteps          int               `json:"max_steps" or:"the job's max_episode_steps, else 50" min:"0" mark:"binding" example:"50" doc:"most steps of a rollout, function calls and model turns together; 0 is no limit"`
	MaxToolCalls      int               `json:"max_tool_calls" default:"0" min:"0" mark:"binding" doc:"most tool calls of a rollout; 0 is no limit"`
	ToolTimeout       Duration          `json:"tool_timeout" default:"5m" doc:"longest wait for the answer to one tool call, or for its next byte"`
	GraderTimeout     Duration          `json:"grader_timeout" default:"5m" doc:"longest wait for one grade, or for the next byte of the reply if an endpoint grades"`
	RolloutTimeout    Duration          `json:"rollout_timeout" default:"0s" doc:"longest rollout, including tools and grading but not time spent queueing for an endpoint; 0s is no limit"`
	Retries           int               `json:"retries" default:"3" min:"0" max:"100" doc:"how often a request that failed in transport is retried; retries after a 429 do not count, unless this is 0"`
	RetryWait         Duration          `json:"retry_wait" default:"500ms" doc:"longest wait before the first retry; it doubles each time up to 30s, and each wait is random between 0 and that; a server's Retry-After is obeyed"`
	RetryFor          Duration          `json:"retry_for" default:"15m" doc:"longest time from a request's first failure to its last retry; 0s is no limit, and then retries after a 429 count as well"`
	Breaker           int               `json:"breaker" default:"5" min:"0" doc:"after this many identical failures of an endpoint in a row the command stops and keeps what there is, as it does after 15 minutes without an answer (or sampling.retry_for, if longer); requests in flight together count once; 0 never stops it"`
	SampleTools       string            `json:"sample_tools,omitzero" default:"all" enum:"all,last" mark:"binding" doc:"which tool calls the grader sees in sample.output_tools: all of the rollout, or those of its last tool turn"`
	MaxRollouts       int               `json:"max_rollouts" default:"0" min:"0" doc:"stop a call of the command after this many rollouts; 0 is no cap"`
	MaxTokens         int64             `json:"max_tokens" default:"0" min:"0" doc:"stop a call of the command after this many tokens, in and out, of the model and of a model that grades; 0 is no cap"`
	MaxUSD            float64           `json:"max_usd" default:"0" min:"0" doc:"stop a call of the command after this many US dollars, by the prices and the tokens that servers report: of the model, a model that grades, and tools; rollouts in flight count at the cost expected from those that have ended, with a margin while those are few; 4 may be in flight before the first has ended, and 4 more for each that has, and early on spending can exceed the cap by that many; 0 is no cap"`
	Deadline          string            `json:"deadline,omitzero" or:"none" example:"2h" doc:"when to stop a call of the command: after a duration (2h), at a time of day (17:30) or at a date and time (RFC 3339); no rollout begins that would, on average, end later, and those in flight finish"`
	AddressMap        map[string]string `json:"address_map,omitzero" or:"none" mark:"url" example:"{\"https://tools.example.com/\": \"http://localhost:9000/\"}" doc:"connect to other addresses: maps the beginning of a URL in the job to the one to use instead, such as a tunnel or a staging copy"`
}

// queueValues are the keys of the queue that distributes the jobs.
type queueValues struct {
	queue.Address
	Wait       Duration `json:"wait" default:"30s" doc:"longest wait, when a run begins, for a server that is not up yet, or a cluster without a leader; 0s does not wait; workers wait without limit"`
	Replicas   int      `json:"replicas" default:"1" min:"1" max:"5" doc:"on how many servers of a cluster jobs and results are stored: 3 survive the loss of one"`
	Deliveries int      `json:"deliveries" default:"4" min:"1" max:"1000" doc:"after losing this many workers a rollout is not assigned again: its outcome is tool, kind worker_lost, and the next call of the command makes it"`
}

// sessionValues give each rollout something of its own.
type sessionValues struct {
	Start       string            `json:"start,omitzero" or:"rollouts share what tools and grader keep" mark:"url" example:"http://localhost:7000/start" doc:"gives each rollout resources of its own, such as a container: a URL to POST to, or a shell command; its answer, a JSON object, replaces {{session.NAME}} in URLs and headers of tools and grader, and in sampling.address_map"`
	Stop        string            `json:"stop,omitzero" or:"none: the processes of session.start are ended; a URL there wants one here" mark:"url" example:"http://localhost:7000/stop" doc:"stops the session, however the rollout ended: a URL, which may contain {{session.NAME}}, or a command, which gets the session's id in GONOGO_SESSION"`
	Headers     map[string]string `json:"headers,omitzero" or:"none" mark:"secret" example:"{authorization: \"Bearer ${SESSION_KEY}\"}" doc:"headers of both requests; ${NAME} is taken from the environment"`
	Canary      string            `json:"canary,omitzero" or:"leaks are looked for if the start plants $GONOGO_CANARY itself" example:"\"{{session.dir}}/.gonogo-canary\"" doc:"a file within the session to which each rollout's canary is written once the session has started; if it holds another rollout's canary, then or after the rollout, that is a leak"`
	Concurrency int               `json:"concurrency" default:"0" min:"0" max:"4096" doc:"most sessions at one time; 0 is as many as rollouts"`
	Timeout     Duration          `json:"timeout" default:"2m" doc:"longest wait for a session to start, and to stop; retried like other requests"`
}

// trainingValues are the plan of the training.
type trainingValues struct {
	GroupSize    int     `json:"group_size" default:"8" min:"2" max:"100000" doc:"rollouts of one item that the trainer compares with each other"`
	BatchSize    int     `json:"batch_size" or:"the job's batch_size when it is a number, else 0" min:"0" example:"16" doc:"items per training step; 0 is unknown"`
	Epochs       int     `json:"epochs" or:"the job's n_epochs when it is a number, else 0" min:"0" example:"2" doc:"passes over the training items; 0 is unknown"`
	EvalInterval int     `json:"eval_interval" or:"the job's eval_interval when it is a number, else 0" min:"0" example:"10" doc:"training steps between evaluations; 0 is unknown"`
	EvalSamples  int     `json:"eval_samples" or:"the job's eval_samples when it is a number, else 0" min:"0" example:"4" doc:"rollouts of an eval item at each evaluation of the training; 0 is unknown"`
	Parameters   float64 `json:"parameters,omitzero" or:"unknown: trainer time is not counted" min:"0" example:"4e9" doc:"parameters of the trained model that a token passes (of a mixture of experts the active ones): trainer time is 6 FLOP for each and trained token, over training.flops"`
	Flops        float64 `json:"flops,omitzero" or:"unknown: trainer time is not counted" min:"0" example:"4e14" doc:"FLOP per second that the trainer sustains, all its devices together; 4e14 is 40 % of the dense bf16 peak of one H100"`
	WantedShare  float64 `json:"wanted_share" default:"0.5" min:"0.001" max:"1" doc:"the share of informative groups that a proposed group size aims for"`
}

// trainerValues are what the trainer does with rewards.
type trainerValues struct {
	Normalize string `json:"normalize,omitzero" default:"std" doc:"what the trainer divides a group's advantages by: std, its rewards' standard deviation (GRPO and its like by default), so that any difference in rewards teaches; none (Dr. GRPO; scale_rewards none in TRL), so that small differences teach little"`
}

// priceValues are prices in US dollars.
type priceValues struct {
	File             string             `json:"file,omitzero" or:"the built-in list alone" mark:"file" example:"prices.json" doc:"your own list of prices, which takes precedence over the built-in one; gonogo help prices prints the built-in list, with its dates"`
	ModelInput       *float64           `json:"model_input,omitzero" or:"the listed price of the model at its server, else unknown: no costs are shown" min:"0" example:"1.1" doc:"US dollars per million input tokens of the model"`
	ModelCachedInput *float64           `json:"model_cached_input,omitzero" or:"prices.model_input" min:"0" example:"0.275" doc:"US dollars per million input tokens that the model's server had cached"`
	ModelOutput      *float64           `json:"model_output,omitzero" or:"the listed price of the model at its server, else unknown: no costs are shown" min:"0" example:"4.4" doc:"US dollars per million output tokens of the model, including reasoning"`
	JudgeInput       *float64           `json:"judge_input,omitzero" or:"the listed price, if all models that grade have the same; else unknown: if a model grades, no costs are shown" min:"0" example:"2" doc:"US dollars per million input tokens of a model that grades"`
	JudgeCachedInput *float64           `json:"judge_cached_input,omitzero" or:"prices.judge_input" min:"0" example:"0.5" doc:"US dollars per million input tokens that the judge's server had cached"`
	JudgeOutput      *float64           `json:"judge_output,omitzero" or:"the listed price, if all models that grade have the same; else unknown: if a model grades, no costs are shown" min:"0" example:"8" doc:"US dollars per million output tokens of a model that grades"`
	ToolCall         *float64           `json:"tool_call,omitzero" or:"tool calls are free" min:"0" example:"0.002" doc:"US dollars per tool call"`
	Tools            map[string]float64 `json:"tools,omitzero" or:"each at prices.tool_call" min:"0" example:"{search: 0.005}" doc:"US dollars per call, by the name of the tool"`
	TrainedTokens    *float64           `json:"trained_tokens,omitzero" or:"unknown" min:"0" example:"0.22" doc:"US dollars per million tokens that a hosted trainer learns from, prompts included; Tinker asked 0.22 for Qwen3-4B on 2026-01-05"`
	TrainingHour     *float64           `json:"training_hour,omitzero" or:"the published price of the model if one is known, with its date; else the cost is computed from tokens" min:"0" example:"100" doc:"US dollars per hour of training, if that price includes the trainer's rollouts"`
}

// auditValues are the audit of the grader.
type auditValues struct {
	Enabled     *bool                  `json:"enabled,omitzero" default:"true" doc:"whether gonogo run audits the grader once the rollouts are made"`
	Items       int                    `json:"items" default:"20" min:"1" max:"100000" doc:"items that the probes are made of"`
	Regrades    int                    `json:"regrades" default:"100" min:"0" max:"1000000" doc:"recorded outputs that are graded once more, to see how much of the variance is the grader's own"`
	MaxGradings int                    `json:"max_gradings" default:"1200" min:"1" max:"10000000" doc:"most gradings of an audit, not counting detectors; what does not fit is left out evenly and listed"`
	MaxMarks    int                    `json:"max_marks" default:"0" min:"0" max:"10000000" doc:"most rollouts that each detector reads; 0 is all of them"`
	Reference   string                 `json:"reference,omitzero" or:"what the grader's templates compare with, else a row field such as reference_answer" example:"\"{{item.reference_answer}}\"" doc:"template of an item's reference answer"`
	Answer      string                 `json:"answer,omitzero" or:"{{reference}}, or the JSON object in the form of the rollouts' answers" example:"\"The answer is {{reference}}.\"" doc:"template of a whole answer around a reference, if the bare reference is not a valid answer"`
	Unordered   *bool                  `json:"unordered,omitzero" default:"false" doc:"whether the order of a reference's list is irrelevant: then an answer in another order must score at the top"`
	Skip        []string               `json:"skip,omitzero" or:"none" example:"[code_fence, list_order]" doc:"probes that make no sense for this task"`
	Probes      []audit.Custom         `json:"probes,omitzero" or:"none" example:"[{name: magic_word, expect: bottom, template: \"xyzzy {{item.reference_answer}}\"}]" doc:"probes of your own, each with a template, or with a pattern that changes a recorded answer"`
	Detectors   []audit.CustomDetector `json:"detectors,omitzero" or:"none" example:"[{name: returns_reference, regex: \"import reference\", zero: true}]" doc:"rules that mark a recorded rollout as a hack, each by one of regex, python and judge"`
	Core        string                 `json:"core,omitzero" or:"a part without which the grader's formula gives nothing" example:"tests" doc:"the part of a multi grader that is the task itself: other parts must not move the reward while it is at zero"`
	Labels      string                 `json:"labels,omitzero" or:"labels.jsonl of the run" mark:"file" example:"labels.csv" doc:"human scores, CSV or JSONL: item, sample or output, score, rater"`
}

// burstValues are the keys of gonogo burst.
type burstValues struct {
	Safe     []string `json:"safe,omitzero" or:"none" example:"[search, cat]" doc:"tools that change nothing: gonogo burst calls them without asking, and with arguments generated from their schema if no call was recorded"`
	Skip     []string `json:"skip,omitzero" or:"none" example:"[send_mail]" doc:"tools that gonogo burst never calls, recorded or not"`
	Rollouts int      `json:"rollouts" default:"0" min:"0" max:"100000" doc:"rollouts that start at once; 0 is training.batch_size times training.group_size"`
	Least    int      `json:"least" default:"80" min:"0" max:"1000000" doc:"total rollouts in bursts of that size; if none of 80 is lost, fewer than 5 % are (95 % confidence)"`
	Repeats  int      `json:"repeats" default:"24" min:"0" max:"100000" doc:"rollouts whose requests are made twice, to see whether the answers are the same; 0 skips that"`
	Gaps     *bool    `json:"gaps,omitzero" default:"false" doc:"whether to keep the recorded time between the calls of a rollout; without it the load is heavier than with a model"`
}

// pythonValues are how python graders are run.
type pythonValues struct {
	Interpreter string   `json:"interpreter,omitzero" default:"python3" doc:"the interpreter of python graders: a name on PATH, or the path of one whose environment holds the modules they import"`
	Workers     int      `json:"workers" default:"0" min:"0" max:"1024" doc:"interpreters that run at one time; 0 is one for each core"`
	Timeout     Duration `json:"timeout" default:"2m" doc:"longest time for one grade by python"`
	MemoryMB    int      `json:"memory_mb" default:"2048" min:"64" max:"1048576" doc:"most memory of one interpreter, in MB"`
	Sandbox     string   `json:"sandbox,omitzero" default:"auto" enum:"auto,required,none" doc:"whether python graders run without network and with a read-only file system: if the machine allows it, always, or never"`
}

// ReportValues are the keys of the look of reports.
type ReportValues struct {
	Formats []string `json:"formats,omitzero" or:"[usual]" example:"[usual, parquet]" doc:"which reports are written; usual means all but parquet, json and markdown-full, all means every one"`
	Lang    string   `json:"lang,omitzero" default:"en" doc:"the language of the reports, in files and on the terminal; result.json stays English"`
	Paper   string   `json:"paper,omitzero" default:"a4" doc:"the paper of report.pdf"`
	Font    string   `json:"font,omitzero" or:"one of the usual system places, if report.pdf or a picture needs one" mark:"file" word:"none" example:"NotoSansCJK-Regular.ttc" doc:"a font (.ttf, .otf, .ttc) for text in report.pdf and the pictures beyond Latin, Greek and Cyrillic, such as Chinese; none: use no font of the machine"`
}

// VariantValue is one entry of variants.
type VariantValue struct {
	Name string `json:"name" is:"folder" doc:"its name in the report, and its folder below RUN/variants"`
	Doc  string `json:"doc,omitzero" doc:"one sentence for readers of the report"`
	dataset.Override
	MaxToolCalls    *int     `json:"max_tool_calls,omitzero" min:"1" doc:"most tool calls of a rollout"`
	Model           string   `json:"model,omitzero" doc:"another model's name"`
	BaseURL         string   `json:"base_url,omitzero" is:"url" mark:"url" doc:"where that model answers; the judge does not move"`
	API             string   `json:"api,omitzero" enum:"responses,chat" doc:"which API its server has"`
	APIKeyEnv       string   `json:"api_key_env,omitzero" mark:"hidden" doc:"the environment variable that holds its API key, or none"`
	ReasoningEffort string   `json:"reasoning_effort,omitzero" doc:"how long a reasoning model may think; sent as written"`
	Temperature     *float64 `json:"temperature,omitzero" min:"0" max:"2" doc:"sampling temperature"`

	RequestsPerMinute *int `json:"requests_per_minute,omitzero" min:"0" doc:"most requests a minute to that model; without it model.requests_per_minute if it answers at the run's own server, else what its server says"`
	TokensPerMinute   *int `json:"tokens_per_minute,omitzero" min:"0" doc:"most tokens a minute, in and out, of that model; without it as requests_per_minute"`

	ModelInput       *float64 `json:"model_input,omitzero" min:"0" doc:"US dollars per million input tokens; without it prices.model_input if the model is the run's own, else the listed price"`
	ModelCachedInput *float64 `json:"model_cached_input,omitzero" min:"0" doc:"US dollars per million input tokens that its server had cached; set alone, it adds to the listed price of the model"`
	ModelOutput      *float64 `json:"model_output,omitzero" min:"0" doc:"US dollars per million output tokens"`
}

// jobSource is the value of the keys job and grader: a path, or the body itself.
type jobSource struct {
	Path string
	Body json.RawMessage
}

// MarshalJSON writes the path, or the body as it was read.
func (s jobSource) MarshalJSON() ([]byte, error) {
	if s.Path != "" || s.Body == nil {
		return json.Marshal(s.Path)
	}
	return s.Body, nil
}

// UnmarshalJSON takes a text as a path, and anything else as the body.
func (s *jobSource) UnmarshalJSON(text []byte) error {
	*s = jobSource{}
	if text[0] == '"' {
		return json.Unmarshal(text, &s.Path)
	}
	s.Body = append(s.Body, text...)
	return nil
}

// Duration is a duration, 0 or more, written with its unit.
type Duration struct{ time.Duration }

// MarshalText writes a duration as a person would: 10m, not 10m0s.
func (d Duration) MarshalText() ([]byte, error) {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return []byte(text), nil
}

// UnmarshalText reads what time.ParseDuration does, but nothing below 0.
func (d *Duration) UnmarshalText(text []byte) (err error) {
	if d.Duration, err = time.ParseDuration(string(text)); err == nil && d.Duration < 0 {
		err = errors.New("is negative")
	}
	return err
}

// clone returns the values with maps, lists and pointers of their own.
func (v values) clone() (out values) {
	if err := json.Unmarshal(Marshal(v), &out); err != nil {
		panic(fmt.Sprintf("gonogo: the configuration: %v", err)) // Marshal wrote it
	}
	return out
}

// Marshal is json.Marshal for values that cannot fail, because they hold no NaN.
func Marshal(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("gonogo: marshal %T: %v", v, err))
	}
	return text
}
