package config

import (
	"encoding/json"
	"fmt"

	"gonogo/analysis"
	"gonogo/analysis/price"
	"gonogo/sampler"
	"gonogo/sampler/audit"
	"gonogo/sampler/boundary/agent"
	environments "gonogo/sampler/boundary/environment"
	"gonogo/sampler/boundary/isolation"
	"gonogo/sampler/boundary/mcp"
	"gonogo/sampler/boundary/model"
	"gonogo/sampler/boundary/python"
	"gonogo/sampler/burst"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/input/document"
	"gonogo/sampler/input/job"
	"gonogo/sampler/queue"
)

const (
	defaultBaseURL = "https://api.openai.com/v1"
	defaultKeyEnv  = "OPENAI_API_KEY"
	noKey          = "none" // a value of api_key_env

	defaultMaxSteps = 50 // maximum steps of a rollout, for jobs that set none
)

// values are the values of gonogo.yaml, and the one table of its keys: package schema defines the
// tags, and lists has the enums that other packages define.
type values struct {
	Name          string                `json:"name,omitzero" or:"none" example:"invoices, second try" doc:"title of the run, shown in the report"`
	World         string                `json:"world,omitzero" or:"every endpoint is your own" example:"finance-qa" doc:"the built-in world whose server answers on loopback for {origin} (gonogo help worlds): its policy is scripted, not a model; remove this key when you use your own endpoints"`
	Job           job.Source            `json:"job,omitzero" or:"no rollouts can be made" mark:"binding,file" example:"rft_job.json" doc:"the body for fine_tuning.jobs.create, or only its method or reinforcement object: a path to a JSON or YAML file, or the body itself"`
	Grader        job.Source            `json:"grader,omitzero" or:"the job's grader; without a job the reward that an agent written for SageMaker reports" mark:"binding,file" example:"{type: trl, file: rewards.py, function: correctness}" doc:"the grader to use instead of the job's: a path to a JSON or YAML file, or the grader itself, of a kind that gonogo help graders lists; the run is bound to the files that it names"`
	Target        string                `json:"target,omitzero" default:"none" doc:"the platform whose limits are checked; it changes warnings, never how files are read"`
	Items         int                   `json:"items" default:"0" min:"0" doc:"take a seeded subset of this many items per split, each category in proportion; 0 takes all; raising it keeps the items already taken"`
	Seed          *uint64               `json:"seed,omitzero" or:"random, and recorded" mark:"binding" example:"42" doc:"the seed of everything random in the run"`
	RewardRange   *[2]float64           `json:"reward_range,omitzero" or:"the range of a score_model, what the formula of a multi grader makes of its parts, the sum of the weights of reward functions, else [0, 1]; a first grade outside of it stops the command" example:"[0, 1]" doc:"bottom and top of the rewards the grader can give"`
	Ceiling       *float64              `json:"ceiling,omitzero" or:"the top of reward_range" example:"0.95" doc:"the best mean reward a perfect policy could earn, when that is less than the top"`
	PassThreshold *float64              `json:"pass_threshold,omitzero" or:"the grader's own pass_threshold, when it has one" example:"0.75" doc:"rewards at or above it count as passed; rewards do not change"`
	Require       []string              `json:"require,omitzero" or:"[data, sampling, audit, leakage] for runs made here, without audit if the agent reports the reward, [data] for imports" example:"[data, sampling, leakage]" doc:"stages ({stages}) and gates without which the verdict is UNDECIDED; gates of a stage that have nothing to judge are not required"`
	Data          dataset.Settings      `json:"data,omitzero"`
	Environment   environments.Settings `json:"environment,omitzero"`
	Agent         agent.Settings        `json:"agent,omitzero"`
	Tools         toolValues            `json:"tools,omitzero"`
	Model         model.Settings        `json:"model,omitzero"`
	Judge         model.JudgeSettings   `json:"judge,omitzero"`
	Variants      []VariantValue        `json:"variants,omitzero" or:"none" example:"[{name: brief, prompt: \"Answer in one line.\"}, {name: cool, temperature: 0.2}]" doc:"cheaper levers than training, each sampled on the same items with the same seed as the run itself and ranked against it; each overrides something of the prompt, the tools' descriptions and the model"`
	Sampling      sampler.Settings      `json:"sampling,omitzero"`
	Queue         queue.Settings        `json:"queue,omitzero"`
	Session       isolation.Settings    `json:"session"`
	Training      analysis.Training     `json:"training,omitzero"`
	Trainer       analysis.Trainer      `json:"trainer,omitzero"`
	Prices        price.Settings        `json:"prices,omitzero"`
	Audit         audit.Settings        `json:"audit,omitzero"`
	Burst         burst.Settings        `json:"burst,omitzero"`
	Python        python.Settings       `json:"python,omitzero"`
	Thresholds    map[string]float64    `json:"thresholds,omitzero" or:"each at its default; gonogo help gates lists them" example:"{signal.informative.groups: 40}" doc:"what the gates ask for, by name of the threshold"`
	Report        ReportValues          `json:"report,omitzero"`
}

// toolValues are the keys of tools that are not in the job.
type toolValues struct {
	MCP          []mcp.Config `json:"mcp,omitzero" or:"only the job's tools" example:"[{name: files, command: [python3, server.py], per_rollout: true}, {name: search, url: \"http://localhost:9000/mcp\"}]" doc:"MCP servers whose tools are offered to the model in addition to those of the rows, and called like the job's tools (docs/wire.md#mcp-servers)"`
	Optional     bool         `json:"optional,omitzero" or:"no" example:"true" doc:"whether the task can be done without its tools: rollouts that were offered tools and called none, 32 or more, are then a caution and do not leave the run UNDECIDED"`
	ErrorPattern string       `json:"error_pattern,omitzero" or:"what begins like \"Error: ...\", \"ValueError: ...\", \"Traceback (most recent call last)\", \"bash: x: command not found\" or {\"error\": \"...\"}; docs/wire.md lists all" word:"none" example:"(?i)^(error|no such)" doc:"a regular expression (RE2) for the beginning of outputs that are errors although the call succeeded; they count as errors of the tool. none: no output is"`
}

// ReportValues are the keys for the look of reports.
type ReportValues struct {
	Formats []string `json:"formats,omitzero" or:"[usual]" example:"[usual, parquet]" doc:"which reports are written; usual means all but parquet, json, json-text, openenv and markdown-full, all means every one"`
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

// clone returns a deep copy of the values.
func (v values) clone() (out values) {
	if err := json.Unmarshal(document.Marshal(v), &out); err != nil {
		panic(fmt.Sprintf("gonogo: the configuration: %v", err)) // Marshal wrote it
	}
	return out
}
