package config

import (
	"encoding/json"
	"time"
)

const (
	defaultBaseURL = "https://api.openai.com/v1"
	defaultKeyEnv  = "OPENAI_API_KEY"
	noKey          = "none" // as a value of api_key_env

	defaultMaxSteps = 50 // of a rollout, for jobs that do not say
)

// values are the values of gonogo.yaml, and the one table of its keys: help, JSON
// Schema, the document that gonogo init writes and the reading of a configuration are
// made from the tags. key is the name; default a YAML value; or, in words, what is taken
// where the key is absent and has no default; min and max the inclusive bounds of a
// number; enum the only values of a text; is what a text must be; mark whether a run is
// bound to the value and whether it is a path; example a YAML value. What other
// packages know of a key is in live.
type values struct {
	Name          string             `key:"name" or:"none" example:"invoices, second try" doc:"title of the run, shown in the report"`
	World         string             `key:"world" or:"every endpoint is your own" example:"finance-qa" doc:"the built-in world whose server answers on loopback for {origin} (gonogo help worlds): its policy is scripted, not a model; take it out when the endpoints are yours"`
	Job           jobSource          `key:"job" or:"no rollouts can be made" mark:"binding,file" example:"rft_job.json" doc:"the body for fine_tuning.jobs.create, or only its method or reinforcement object: a path to a JSON or YAML file, or the body itself"`
	Grader        jobSource          `key:"grader" or:"the job's grader" mark:"binding,file" example:"{type: trl, file: rewards.py, function: correctness}" doc:"the grader, in the place of the job's own: a path to a JSON or YAML file, or the grader itself, of a kind that gonogo help graders lists; the run is bound to the files that it names"`
	Target        string             `key:"target" or:"openai where the job is one of a hosted platform, else none" example:"none" doc:"the platform whose limits are checked; it changes warnings, never how files are read"`
	Items         int                `key:"items" default:"0" min:"0" doc:"take a seeded subset of this many items per split, each category in proportion; 0 takes all; raising it keeps the items already taken"`
	Seed          *uint64            `key:"seed" or:"random, and recorded" mark:"binding" example:"42" doc:"what all chance in the run is drawn from"`
	RewardRange   *[2]float64        `key:"reward_range" or:"the range of the job's score_model grader, else [0, 1]" example:"[0, 1]" doc:"bottom and top of the rewards the grader can give"`
	Ceiling       *float64           `key:"ceiling" or:"the top of reward_range" example:"0.95" doc:"the best mean reward a perfect policy could earn, when that is less than the top"`
	PassThreshold *float64           `key:"pass_threshold" or:"the grader's own pass_threshold, when it has one" example:"0.75" doc:"rewards at or above it count as passed; it changes no reward"`
	Require       []string           `key:"require" or:"[data, sampling, audit, leakage] for runs made here, [data] for imports" example:"[data, sampling, leakage]" doc:"stages ({stages}) and gates without which the verdict is UNDECIDED; of a stage, the gates that have nothing to judge are not asked for"`
	Data          dataValues         `key:"data"`
	Agent         agentValues        `key:"agent"`
	Tools         toolValues         `key:"tools"`
	Model         modelValues        `key:"model"`
	Judge         judgeValues        `key:"judge"`
	Variants      []MapValue         `key:"variants" or:"none" example:"[{name: brief, prompt: \"Answer in one line.\"}, {name: cool, temperature: 0.2}]" doc:"cheaper levers than training, each sampled on the same items with the same seed as the run itself and ranked against it; each overrides something of the prompt, the tools' descriptions and the model"`
	Sampling      samplingValues     `key:"sampling"`
	Queue         QueueValues        `key:"queue"`
	Session       sessionValues      `key:"session"`
	Training      trainingValues     `key:"training"`
	Trainer       trainerValues      `key:"trainer"`
	Prices        priceValues        `key:"prices"`
	Audit         auditValues        `key:"audit"`
	Burst         burstValues        `key:"burst"`
	Python        pythonValues       `key:"python"`
	Thresholds    map[string]float64 `key:"thresholds" or:"each at its default; gonogo help gates lists them" example:"{signal.informative: 0.2}" doc:"what the gates ask for, by name of the threshold"`
	Report        ReportValues       `key:"report"`
}

// dataValues are the data files, and the row fields that are read.
type dataValues struct {
	Train      string            `key:"train" or:"what data.files says of the job's training_file" mark:"binding,file" example:"train.jsonl" doc:"the training rows, JSONL"`
	Eval       string            `key:"eval" or:"what data.files says of the job's validation_file" mark:"binding,file" example:"val.jsonl" doc:"the validation rows, JSONL"`
	Production string            `key:"production" or:"none" mark:"binding,file" example:"production.jsonl" doc:"rows as they come in production, JSONL: to see whether the training rows look like them"`
	Files      map[string]string `key:"files" or:"none" mark:"file" example:"{file-abc: train.jsonl}" doc:"path of each file id that the job names, such as file-abc"`
	ID         string            `key:"id" default:"id" mark:"binding" doc:"the row field that names an item; a row without it is called after its line, such as line-17"`
	Category   string            `key:"category" default:"category" mark:"binding" doc:"the row field that sorts items into kinds: subsets keep their proportions"`
	Family     string            `key:"family" default:"family" mark:"binding" doc:"the row field that items from one source share, such as a document or a repository: intervals allow for it"`
}

// agentValues are the keys of an agent that makes the rollouts.
type agentValues struct {
	Command    []string          `key:"command" or:"the rollouts are made here, by model and tools" mark:"binding" example:"[python3, my_agent.py]" doc:"your own agent, as a program and its arguments: it gets a JSON line for each rollout and answers with one (docs/own-agent.md); it runs in this file's folder"`
	URL        string            `key:"url" or:"none" is:"url" mark:"binding" example:"http://localhost:7100/rollouts" doc:"your own agent, as a service: each rollout is POSTed there"`
	Headers    map[string]string `key:"headers" or:"none" example:"{authorization: \"Bearer ${AGENT_KEY}\"}" doc:"headers of requests to the service; ${NAME} is taken from the environment"`
	PerRollout *bool             `key:"per_rollout" default:"false" mark:"binding" doc:"whether the program is started for each rollout; else a process makes one rollout after the other"`
	Processes  int               `key:"processes" default:"0" min:"0" max:"4096" doc:"most processes of the program at one time; 0 is as many as rollouts"`
	OwnModel   *bool             `key:"own_model" default:"false" mark:"binding" doc:"whether the agent asks a model of its own; else it is handed an address on loopback and a key for each rollout, behind which it finds the model of this run, and what it asks there is bounded, counted and recorded"`
	Hide       []string          `key:"hide" or:"those that usually hold references, such as reference_answer, solution and tests (docs/own-agent.md)" mark:"binding" example:"[reference_answer, notes]" doc:"fields of a row that the agent is not told"`
	Timeout    time.Duration     `key:"timeout" default:"30m" doc:"longest time for the agent to carry a rollout to its answer; 0s is no limit"`
	Poll       time.Duration     `key:"poll" default:"1s" doc:"time between questions for a service's result"`
}

// toolValues are the keys of tools that the job does not hold.
type toolValues struct {
	MCP []MapValue `key:"mcp" or:"the job's tools alone" example:"[{name: files, command: [python3, server.py], per_rollout: true}, {name: search, url: \"http://localhost:9000/mcp\"}]" doc:"MCP servers whose tools are offered to the model in addition to those of the rows, and called like the job's (docs/mcp.md)"`
}

// modelValues are the model that is measured, and how it is asked.
type modelValues struct {
	Name              string            `key:"name" or:"the job's model" mark:"binding" example:"gpt-oss-20b" doc:"the base model that is measured, as its endpoint calls it"`
	BaseURL           string            `key:"base_url" or:"OPENAI_BASE_URL, else https://api.openai.com/v1" is:"url" mark:"binding" example:"http://localhost:8000/v1" doc:"where the model answers: any OpenAI-compatible server"`
	API               string            `key:"api" default:"responses" enum:"responses,chat" mark:"binding" doc:"which API to speak: responses, or chat for servers that lack it"`
	APIKeyEnv         string            `key:"api_key_env" default:"OPENAI_API_KEY" doc:"the environment variable that holds the API key; none says that no key is needed; a loopback server needs none unless this key is set"`
	Headers           map[string]string `key:"headers" or:"none" example:"{api-key: \"${AZURE_KEY}\"}" doc:"headers of every request; ${NAME} is taken from the environment"`
	Temperature       *float64          `key:"temperature" or:"the server's own" min:"0" max:"2" mark:"binding" example:"1" doc:"sampling temperature; reasoning models may refuse it"`
	TopP              *float64          `key:"top_p" or:"the server's own" min:"0" max:"1" mark:"binding" example:"1" doc:"nucleus sampling"`
	MaxOutputTokens   *int              `key:"max_output_tokens" or:"the server's own" min:"1" mark:"binding" example:"8192" doc:"most tokens of one model turn"`
	ReasoningEffort   string            `key:"reasoning_effort" or:"the job's reasoning_effort, unless that is default" mark:"binding" example:"medium" doc:"how long a reasoning model may think; sent as written"`
	ParallelToolCalls *bool             `key:"parallel_tool_calls" or:"true, as in training; left out for servers that refuse the parameter" mark:"binding" example:"false" doc:"whether the model may ask for several tools at once"`
	Timeout           time.Duration     `key:"timeout" default:"10m" doc:"longest wait for the answer to one model turn, or for its next byte: a slow answer that goes on is waited for"`
	RequestsPerMinute int               `key:"requests_per_minute" default:"0" min:"0" doc:"most requests a minute to the model; 0 is what its server says"`
	TokensPerMinute   int               `key:"tokens_per_minute" default:"0" min:"0" doc:"most tokens a minute, in and out, of the model; 0 is what its server says"`
}

// judgeValues are the server of models that grade.
type judgeValues struct {
	BaseURL           string            `key:"base_url" or:"model.base_url" is:"url" mark:"binding" example:"https://judge.example.com/v1" doc:"where models that grade answer"`
	API               string            `key:"api" or:"model.api" enum:"responses,chat" mark:"binding" example:"chat" doc:"which API the judge's server speaks"`
	APIKeyEnv         string            `key:"api_key_env" or:"model.api_key_env; OPENAI_API_KEY when judge.base_url is another server's" example:"JUDGE_API_KEY" doc:"the environment variable that holds the judge's API key, or none"`
	Headers           map[string]string `key:"headers" or:"model.headers; none when judge.base_url is another server's" example:"{api-key: \"${AZURE_KEY}\"}" doc:"headers of every request to the judge; ${NAME} is taken from the environment"`
	Timeout           time.Duration     `key:"timeout" or:"model.timeout" example:"2m" doc:"longest wait for one grade by a model"`
	RequestsPerMinute int               `key:"requests_per_minute" default:"0" min:"0" doc:"most requests a minute to the judge; 0 is what its server says"`
	TokensPerMinute   int               `key:"tokens_per_minute" default:"0" min:"0" doc:"most tokens a minute, in and out, of the judge; 0 is what its server says"`
}

// samplingValues are how rollouts are made, and the bounds of a call.
type samplingValues struct {
	Samples           int               `key:"samples" default:"8" min:"1" max:"100000" doc:"rollouts per item; may be raised later, the rollouts already made are kept"`
	EvalSamples       int               `key:"eval_samples" or:"sampling.samples" min:"0" max:"100000" example:"4" doc:"rollouts per item of the eval split; 0 makes none"`
	ProductionSamples int               `key:"production_samples" or:"sampling.samples" min:"0" max:"100000" example:"0" doc:"rollouts per item of the production split; 0 makes none"`
	Concurrency       int               `key:"concurrency" default:"0" min:"0" doc:"at most this many rollouts, and requests to each endpoint, in flight; a lower limit that a server names still holds; 0 measures what each endpoint bears"`
	InFlight          int               `key:"in_flight" or:"sampling.concurrency; 256 where that is 0" min:"0" max:"100000" example:"1000" doc:"most rollouts begun and not ended at one time, which take memory; 0 is the fallback"`
	Block             int               `key:"block" min:"0" doc:"items that are sampled together before others are begun, drawn from the splits in proportion: sample 0 of each, then sample 1, and so on; 0 takes all items in one round"`
	MaxSteps          int               `key:"max_steps" or:"the job's max_episode_steps, else 50" min:"0" mark:"binding" example:"50" doc:"most steps of a rollout, function calls and model turns together; 0 is no limit"`
	MaxToolCalls      int               `key:"max_tool_calls" default:"0" min:"0" mark:"binding" doc:"most tool calls of a rollout; 0 is no limit"`
	ToolTimeout       time.Duration     `key:"tool_timeout" default:"5m" doc:"longest wait for the answer to one tool call, or for its next byte"`
	GraderTimeout     time.Duration     `key:"grader_timeout" default:"5m" doc:"longest wait for one grade, or for the next byte of the answer where an endpoint grades"`
	RolloutTimeout    time.Duration     `key:"rollout_timeout" default:"0s" doc:"longest rollout, tools and grading included, waiting for a turn at an endpoint not; 0s is no limit"`
	Retries           int               `key:"retries" default:"3" min:"0" max:"100" doc:"how often a request that failed in transport is repeated; a 429 does not count, unless this is 0"`
	RetryWait         time.Duration     `key:"retry_wait" default:"500ms" doc:"longest wait before the first repeat; doubles each time up to 30s, and each wait is drawn between nothing and that; a server's Retry-After is obeyed"`
	RetryFor          time.Duration     `key:"retry_for" default:"15m" doc:"from a request's first failure to its last repeat at most; 0s is no limit, and then a 429 counts as well"`
	Breaker           int               `key:"breaker" default:"5" min:"0" doc:"the same failure of an endpoint so often in a row stops the command and keeps what there is, and so does no answer from it for 15 minutes (sampling.retry_for where that is longer); requests that were in flight together count once; 0 never stops it"`
	SampleTools       string            `key:"sample_tools" default:"all" enum:"all,last" mark:"binding" doc:"which tool calls the grader sees in sample.output_tools: all of the rollout, or those of its last tool turn"`
	MaxRollouts       int               `key:"max_rollouts" default:"0" min:"0" doc:"stop a call of the command after this many rollouts; 0 is no cap"`
	MaxTokens         int64             `key:"max_tokens" default:"0" min:"0" doc:"stop a call of the command after this many tokens, in and out, of the model and of a model that grades; 0 is no cap"`
	MaxUSD            float64           `key:"max_usd" default:"0" min:"0" doc:"stop a call of the command after this many US dollars, by the prices and the tokens that servers report: of the model, a model that grades, and tools; what is in flight counts at what it is expected to cost by those that ended, with a margin while few have; 4 may be in flight before the first has ended, and 4 more for each that has, so that the cap can be passed at the start by that many; 0 is no cap"`
	Deadline          string            `key:"deadline" or:"none" example:"2h" doc:"stop a call of the command by then: a span from its begin (2h), a time of the day (17:30) or of a date (RFC 3339); no rollout begins that on average would end later, and those in flight end"`
	AddressMap        map[string]string `key:"address_map" or:"none" example:"{\"https://tools.example.com/\": \"http://localhost:9000/\"}" doc:"connect elsewhere: from a URL's beginning as the job writes it to the beginning to use instead, such as a tunnel or a staging copy"`
}

// QueueValues are the keys of the queue that jobs are handed out by.
type QueueValues struct {
	URL        string        `key:"url" or:"memory: in this process, without a queue" example:"nats://nats:4222" doc:"where rollouts are made: memory; embedded, through a queue in this process, kept in RUN/queue; embedded:PORT, where workers of this machine may join; or nats:// and tls:// addresses of a NATS cluster with JetStream, by the workers that are there (docs/queue.md); credentials come from GONOGO_QUEUE_TOKEN, or GONOGO_QUEUE_USER and GONOGO_QUEUE_PASSWORD"`
	Creds      string        `key:"creds" or:"none" mark:"file" example:"gonogo.creds" doc:"a file of NATS credentials (.creds)"`
	TLSCA      string        `key:"tls_ca" or:"the machine's own" mark:"file" example:"ca.pem" doc:"the certificates (PEM) of who may vouch for the cluster"`
	TLSCert    string        `key:"tls_cert" or:"none" mark:"file" example:"client.pem" doc:"the certificate (PEM) to show the cluster; goes with queue.tls_key"`
	TLSKey     string        `key:"tls_key" or:"none" mark:"file" example:"client-key.pem" doc:"the file of its key"`
	Wait       time.Duration `key:"wait" default:"30s" doc:"longest wait, when a run begins, for a server that does not listen yet, or a cluster that has no leader yet; 0s is none; workers wait until it is there"`
	Replicas   int           `key:"replicas" default:"1" min:"1" max:"5" doc:"on how many servers of a cluster jobs and results are kept: 3 outlive the loss of one"`
	Deliveries int           `key:"deliveries" default:"4" min:"1" max:"1000" doc:"a rollout whose worker was lost so often is no longer handed out: it is of outcome tool, kind worker_lost, and made by the next call"`
}

// sessionValues give each rollout something of its own.
type sessionValues struct {
	Start       string            `key:"start" or:"rollouts share what tools and grader keep" example:"http://localhost:7000/start" doc:"gives each rollout something of its own, such as a container: a URL to POST to, or a command for the shell; its answer, a JSON object, replaces {{session.NAME}} in URLs and headers of tools and grader, and in sampling.address_map"`
	Stop        string            `key:"stop" or:"none: the processes of session.start are ended; a URL there wants one here" example:"http://localhost:7000/stop" doc:"stops it, however the rollout ended: a URL, which may contain {{session.NAME}}, or a command, which finds the session's id in GONOGO_SESSION"`
	Headers     map[string]string `key:"headers" or:"none" example:"{authorization: \"Bearer ${SESSION_KEY}\"}" doc:"headers of both requests; ${NAME} is taken from the environment"`
	Canary      string            `key:"canary" or:"leaks are looked for where the start plants $GONOGO_CANARY itself" example:"\"{{session.dir}}/.gonogo-canary\"" doc:"a file in the place of a session that each rollout's canary is written to once the session has started; another rollout's word in it, then or when the rollout has ended, is a leak"`
	Concurrency int               `key:"concurrency" default:"0" min:"0" max:"4096" doc:"most sessions at one time; 0 is as many as rollouts"`
	Timeout     time.Duration     `key:"timeout" default:"2m" doc:"longest wait for a session to start, and to stop; tried again as other requests are"`
}

// trainingValues are the plan of the training.
type trainingValues struct {
	GroupSize   int     `key:"group_size" default:"8" min:"2" max:"100000" doc:"rollouts of one item that the trainer compares with each other"`
	BatchSize   int     `key:"batch_size" or:"the job's batch_size when it is a number, else 0" min:"0" example:"16" doc:"items per training step; 0 is unknown"`
	Epochs      int     `key:"epochs" or:"the job's n_epochs when it is a number, else 0" min:"0" example:"2" doc:"passes over the training items; 0 is unknown"`
	WantedShare float64 `key:"wanted_share" default:"0.5" min:"0.001" max:"1" doc:"the share of informative groups that the plan aims at when it proposes a group size"`
}

// trainerValues are what the trainer does with rewards.
type trainerValues struct {
	Normalize string `key:"normalize" doc:"what the trainer divides a group's advantages by: std, its rewards' standard deviation (GRPO and its like by default), so that any difference of rewards teaches; none (Dr. GRPO; scale_rewards none in TRL), so that rewards close together hardly do"`
}

// priceValues are prices in US dollars.
type priceValues struct {
	File             string             `key:"file" or:"the built-in list alone" mark:"file" example:"prices.json" doc:"a list of prices of your own, which goes before the built-in one; gonogo help prices prints that, with its dates"`
	ModelInput       *float64           `key:"model_input" or:"the listed price of the model at its server, else unknown: money is not told" min:"0" example:"1.1" doc:"US dollars per million input tokens of the model"`
	ModelCachedInput *float64           `key:"model_cached_input" or:"prices.model_input" min:"0" example:"0.275" doc:"US dollars per million input tokens that the model's server had cached"`
	ModelOutput      *float64           `key:"model_output" or:"the listed price of the model at its server, else unknown: money is not told" min:"0" example:"4.4" doc:"US dollars per million output tokens of the model, reasoning among them"`
	JudgeInput       *float64           `key:"judge_input" or:"the listed price, where all models that grade have the same; else unknown: where a model grades, money is not told" min:"0" example:"2" doc:"US dollars per million input tokens of a model that grades"`
	JudgeCachedInput *float64           `key:"judge_cached_input" or:"prices.judge_input" min:"0" example:"0.5" doc:"US dollars per million input tokens that the judge's server had cached"`
	JudgeOutput      *float64           `key:"judge_output" or:"the listed price, where all models that grade have the same; else unknown: where a model grades, money is not told" min:"0" example:"8" doc:"US dollars per million output tokens of a model that grades"`
	ToolCall         *float64           `key:"tool_call" or:"tool calls are free" min:"0" example:"0.002" doc:"US dollars of one tool call"`
	Tools            map[string]float64 `key:"tools" or:"each at prices.tool_call" min:"0" example:"{search: 0.005}" doc:"US dollars of one call, by name of the tool"`
	TrainingHour     *float64           `key:"training_hour" or:"the published price where one is known of the model, with its date; else the tokens are counted" min:"0" example:"100" doc:"US dollars of an hour of training, where that pays for the trainer's rollouts too"`
}

// auditValues are the audit of the grader.
type auditValues struct {
	Enabled     *bool      `key:"enabled" default:"true" doc:"whether gonogo run puts probes to the grader once the rollouts are made"`
	Items       int        `key:"items" default:"20" min:"1" max:"100000" doc:"items that the probes are made of"`
	Regrades    int        `key:"regrades" default:"100" min:"0" max:"1000000" doc:"recorded outputs that are graded once more, to see how much of the variance is the grader's own"`
	MaxGradings int        `key:"max_gradings" default:"1200" min:"1" max:"10000000" doc:"most gradings of an audit, detectors apart; what does not fit is left out evenly and named"`
	MaxMarks    int        `key:"max_marks" default:"0" min:"0" max:"10000000" doc:"most rollouts that each detector reads; 0 is all of them"`
	Reference   string     `key:"reference" or:"what the grader's templates compare with, else a row field such as reference_answer" example:"\"{{item.reference_answer}}\"" doc:"template of an item's reference answer"`
	Answer      string     `key:"answer" or:"{{reference}}, or the JSON object that the rollouts answer with" example:"\"The answer is {{reference}}.\"" doc:"template of a whole answer around a reference, where the bare reference is no answer"`
	Unordered   *bool      `key:"unordered" default:"false" doc:"whether the order of a reference's list means nothing: then an answer in another order must score at the top"`
	Skip        []string   `key:"skip" or:"none" example:"[code_fence, list_order]" doc:"probes that mean nothing for this task"`
	Probes      []MapValue `key:"probes" or:"none" example:"[{name: magic_word, expect: bottom, template: \"xyzzy {{item.reference_answer}}\"}]" doc:"probes of your own, each with a template, or with a pattern that changes a recorded answer"`
	Detectors   []MapValue `key:"detectors" or:"none" example:"[{name: returns_reference, regex: \"import reference\", zero: true}]" doc:"what marks a recorded rollout as a hack, each by one of regex, python and judge"`
	Core        string     `key:"core" or:"a part without which the grader's formula gives nothing" example:"tests" doc:"the part of a multi grader that is the task itself: other parts must not move the reward while it is at zero"`
	Labels      string     `key:"labels" or:"labels.jsonl of the run" mark:"file" example:"labels.csv" doc:"scores by people, CSV or JSONL: item, sample or output, score, rater"`
}

// burstValues are the keys of gonogo burst.
type burstValues struct {
	Safe     []string `key:"safe" or:"none" example:"[search, cat]" doc:"tools that change nothing: gonogo burst then calls them without asking, also with arguments made by their schema where nothing is recorded"`
	Skip     []string `key:"skip" or:"none" example:"[send_mail]" doc:"tools that gonogo burst never calls, recorded or not"`
	Rollouts int      `key:"rollouts" default:"0" min:"0" max:"100000" doc:"rollouts that start at once; 0 is training.batch_size times training.group_size"`
	Least    int      `key:"least" default:"80" min:"0" max:"1000000" doc:"rollouts in all at that size, in as many bursts as that takes; 80 without a lost one tell that fewer than 5 % are lost"`
	Repeats  int      `key:"repeats" default:"24" min:"0" max:"100000" doc:"rollouts whose requests are made twice, to see whether the answer is the same; 0 leaves that out"`
	Gaps     *bool    `key:"gaps" default:"false" doc:"whether the recorded time between the calls of a rollout is kept; without it the load is heavier than a model makes it"`
}

// pythonValues are how python graders are run.
type pythonValues struct {
	Interpreter string        `key:"interpreter" default:"python3" doc:"the interpreter of python graders: a name on PATH, or the path of one whose environment holds the modules they import"`
	Workers     int           `key:"workers" default:"0" min:"0" max:"1024" doc:"interpreters that run at one time; 0 is one for each core"`
	Timeout     time.Duration `key:"timeout" default:"2m" doc:"longest time for one grade by python"`
	MemoryMB    int           `key:"memory_mb" default:"2048" min:"64" max:"1048576" doc:"most memory of one interpreter, in MB"`
	Sandbox     string        `key:"sandbox" default:"auto" enum:"auto,required,none" doc:"whether python graders run without network and with a read-only file system: where the machine allows it, always, or never"`
}

// ReportValues are how reports look.
type ReportValues struct {
	Formats []string `key:"formats" or:"[usual]" example:"[usual, parquet]" doc:"which reports are written; usual means all but parquet, json and markdown-full, all means every one"`
	Lang    string   `key:"lang" doc:"the language of the reports, in files and on the terminal; result.json stays English"`
	Paper   string   `key:"paper" doc:"the paper of report.pdf"`
	Font    string   `key:"font" or:"one of the usual system places, where report.pdf or a picture needs one" mark:"file" example:"NotoSansCJK-Regular.ttc" doc:"a font (.ttf, .otf, .ttc) for what report.pdf and the pictures say beyond Latin, Greek and Cyrillic, such as Chinese; none: no font of the machine"`
}

// MapValue is one map of a list whose maps have keys of their own.
type MapValue struct {
	Body json.RawMessage
	node *yamlNode
}

// MarshalJSON writes the map as it was read.
func (m MapValue) MarshalJSON() ([]byte, error) { return m.Body, nil }

// jobSource is the value of the keys job and grader: a path, or the body itself.
type jobSource struct {
	Path string
	Body json.RawMessage
	node *yamlNode // where the body stands, when it was written in the configuration
}
