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

// values are the values of gonogo.yaml. Every field is reached by exactly one
// key of keys(), which documents it.
type values struct {
	Name          string
	World         string
	Job           jobSource
	Grader        jobSource
	Target        string
	Items         int
	Seed          *uint64
	RewardRange   *[2]float64
	Ceiling       *float64
	PassThreshold *float64
	Require       []string
	Data          dataValues
	Model         modelValues
	Judge         judgeValues
	Agent         agentValues
	Tools         toolValues
	Variants      []MapValue
	Sampling      samplingValues
	Queue         QueueValues
	Session       sessionValues
	Training      trainingValues
	Trainer       trainerValues
	Prices        priceValues
	Audit         auditValues
	Python        pythonValues
	Burst         burstValues
	Thresholds    map[string]float64
	Report        ReportValues
}

type dataValues struct {
	Train, Eval, Production string
	Files                   map[string]string
	ID, Category, Family    string
}

type modelValues struct {
	Name, BaseURL, API, APIKeyEnv string
	Headers                       map[string]string
	Temperature, TopP             *float64
	MaxOutputTokens               *int
	ReasoningEffort               string
	ParallelToolCalls             *bool
	Timeout                       time.Duration

	RequestsPerMinute, TokensPerMinute int
}

type judgeValues struct {
	BaseURL, API, APIKeyEnv string
	Headers                 map[string]string
	Timeout                 time.Duration

	RequestsPerMinute, TokensPerMinute int
}

type samplingValues struct {
	Samples, EvalSamples, ProductionSamples, Concurrency  int
	MaxSteps, MaxToolCalls                                int
	ToolTimeout, GraderTimeout, RolloutTimeout, RetryWait time.Duration
	RetryFor                                              time.Duration
	Retries, Breaker, InFlight, Block                     int
	SampleTools                                           string
	MaxRollouts                                           int
	MaxTokens                                             int64
	MaxUSD                                                float64
	Deadline                                              string
	AddressMap                                            map[string]string
}

type sessionValues struct {
	Start, Stop string
	Canary      string
	Headers     map[string]string
	Concurrency int
	Timeout     time.Duration
}

type trainingValues struct {
	GroupSize, BatchSize, Epochs int
	WantedShare                  float64
}

type trainerValues struct {
	Normalize string
}

type priceValues struct {
	File                                      string
	ModelInput, ModelCachedInput, ModelOutput *float64
	JudgeInput, JudgeCachedInput, JudgeOutput *float64
	ToolCall, TrainingHour                    *float64
	Tools                                     map[string]float64
}

type auditValues struct {
	Enabled                      *bool
	Items, Regrades, MaxGradings int
	MaxMarks                     int
	Reference, Answer            string
	Unordered                    *bool
	Skip                         []string
	Probes, Detectors            []MapValue
	Core, Labels                 string
}

type pythonValues struct {
	Interpreter       string
	Workers, MemoryMB int
	Timeout           time.Duration
	Sandbox           string
}

type ReportValues struct {
	Formats           []string
	Lang, Paper, Font string
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
