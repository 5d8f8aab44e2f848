package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Target is a platform that trains on the files, with its limits as of a date.
type Target struct {
	Name, Doc string

	TakesJob bool // it takes the body of fine_tuning.jobs.create

	MinRows     Limit // fewest rows of each file
	MaxTrain    Limit // most rows of the training file
	MaxEval     Limit // most rows of the validation file
	MaxBytes    Limit // largest size of each file
	MaxRowBytes Limit // largest size of one row, which is sent with every tool and grader call
	// 1: a job needs a validation file. It is advice: a training file is often measured before
	// there is one
	NeedsEval    Limit
	LastUser     Limit // 1: the last message must be the user's
	NoAudioFile  Limit // 1: no audio and no file content
	NoImages     Limit // 1: no images
	NoSystemRole Limit // 1: its schema does not have the role system
	PromptAlone  Limit // 1: of a row it reads the field prompt alone
	NeedsChat    Limit // 1: a row must have messages with a role and content

	Training []Range // what it accepts for the settings of a training
}

// Limit is one limit of a platform. The zero Limit is not known and is not checked.
type Limit struct {
	Value    int64
	Verified bool   // stated in the platform's own text: the platform refuses a job that breaks it
	Source   string // the address where it was read, and when
}

// Range is what a platform accepts for a setting of a training.
type Range struct {
	Setting   string // the key of the configuration that holds it
	Theirs    string // the platform's own name of it
	Low, High float64
	Only      []float64 // the values that it accepts; nil: all from Low to High
	Source    string    // the address where it was read, and when
}

// The settings of a training that a Range may be about. All but the first are 0 or absent unless
// they are configured.
const (
	SettingGroupSize    = "training.group_size"
	SettingBatchSize    = "training.batch_size"
	SettingEpochs       = "training.epochs"
	SettingEvalInterval = "training.eval_interval"
	SettingMaxTokens    = "model.max_output_tokens"
	SettingTemperature  = "model.temperature"
	SettingTopP         = "model.top_p"
)

// NoTarget is the name of the target that is not a hosted platform. It is the default.
const NoTarget = "none"

// Targets lists the platforms with known limits in the order in which they are shown. A limit is
// listed only if a public page states it for that platform; each names the page and the month or
// day on which it was read.
func Targets() []Target {
	const (
		guide  = "OpenAI, platform.openai.com/docs/guides/reinforcement-fine-tuning, read 2026-11"
		schema = "OpenAI, API description of reinforcement inputs, read 2026-11"
		files  = "OpenAI, platform.openai.com/docs/api-reference/files, read 2026-11"
		azure  = "Microsoft, reinforcement fine-tuning pages, read 2026-11"
		agents = "Microsoft, agentic reinforcement fine-tuning preview, read 2026-11"
		quotas = "Microsoft, learn.microsoft.com/azure/ai-services/agents/quotas-limits, read 2026-11-30"
		aws    = "Amazon, docs.aws.amazon.com/bedrock/latest/userguide/rft-prepare-data-open-weight.html, " +
			"read 2026-11-30"
		mtrl      = "Amazon, docs.aws.amazon.com/sagemaker/latest/dg/model-customize-mtrl-"
		assets    = mtrl + "assets.html, read 2026-11-30"
		hyper     = mtrl + "hyperparams.html, read 2026-11-30"
		fireworks = "Fireworks, docs.fireworks.ai/fine-tuning/"
		validated = fireworks + "training-prerequisites, read 2026-11-30"
		tuning    = fireworks + "parameter-tuning, read 2026-11-30"
	)
	return []Target{
		{
			Name: "openai", Doc: "OpenAI's hosted fine-tuning (no new jobs from 2027-01-06)", TakesJob: true,
			MaxTrain: Limit{50_000, true, guide}, MaxEval: Limit{1_000, true, guide},
			MaxBytes:  Limit{512 << 20, true, files},
			NeedsEval: Limit{1, false, guide}, LastUser: Limit{1, true, azure},
			NoAudioFile: Limit{1, true, schema}, NoSystemRole: Limit{1, false, schema},
		},
		{
			Name: "azure", Doc: "Microsoft Foundry (Azure OpenAI)", TakesJob: true,
			MinRows:     Limit{10, true, agents},
			MaxBytes:    Limit{512 << 20, true, quotas},
			MaxRowBytes: Limit{1 << 20, false, agents},
			NeedsEval:   Limit{1, false, azure}, LastUser: Limit{1, true, azure},
			NoAudioFile: Limit{1, true, azure}, NoImages: Limit{1, true, azure}, NoSystemRole: Limit{1, false, azure},
		},
		{
			Name: "bedrock", Doc: "Amazon Bedrock's OpenAI-compatible fine-tuning", TakesJob: true,
			MinRows: Limit{100, true, aws}, MaxTrain: Limit{20_000, true, aws},
		},
		{
			Name: "sagemaker", Doc: "Amazon SageMaker AI's multi-turn reinforcement learning (AgentRFT)",
			PromptAlone: Limit{1, false, assets},
			Training: []Range{
				{SettingGroupSize, "group_size", 2, 32, nil, hyper},
				{SettingBatchSize, "global_batch_size", 32, 128, []float64{32, 64, 128}, hyper},
				{SettingEpochs, "max_epochs", 1, 30, nil, hyper},
				{SettingEvalInterval, "val_every", 0, 100, nil, hyper},
				{SettingMaxTokens, "sampling_max_tokens", 512, 8192, nil, hyper},
				{SettingTemperature, "temperature", 0, 2, nil, hyper},
				{SettingTopP, "sampling_top_p", 0, 1, nil, hyper},
			},
		},
		{
			Name: "fireworks", Doc: "Fireworks' reinforcement fine-tuning",
			NeedsChat: Limit{1, true, validated},
			Training:  []Range{{SettingEpochs, "epochs", 1, 10, nil, tuning}},
		},
		{Name: "tinker", Doc: "Tinker, or a service with its API; your own loop makes the rows, so none of their " +
			"limits are the platform's"},
		{Name: NoTarget, Doc: "no hosted platform: a trainer of your own, such as TRL, verl or prime-rl"},
	}
}

// TargetByName returns the target with that name.
func TargetByName(name string) (Target, bool) {
	for _, t := range Targets() {
		if t.Name == name {
			return t, true
		}
	}
	return Target{}, false
}

// CheckTraining says which settings of a training the target does not accept, by their keys. A
// setting that is absent is not checked.
func (t Target) CheckTraining(settings map[string]float64) []string {
	var found []string
	for _, r := range t.Training {
		value, set := settings[r.Setting]
		if !set || r.accepts(value) {
			continue
		}
		found = append(found, fmt.Sprintf("%s is %g; %s accepts %s (its %s; %s)", r.Setting, value, t.Name, r.words(),
			r.Theirs, r.Source))
	}
	return found
}

func (r Range) accepts(value float64) bool {
	if r.Only != nil {
		return slices.Contains(r.Only, value)
	}
	return r.Low <= value && value <= r.High
}

// Nearest returns the value nearest to x that the platform accepts; of two, the larger.
func (r Range) Nearest(x float64) float64 {
	if r.Only == nil {
		return min(max(x, r.Low), r.High)
	}
	nearest := r.Only[0]
	for _, only := range r.Only {
		if math.Abs(only-x) <= math.Abs(nearest-x) {
			nearest = only
		}
	}
	return nearest
}

// words says what the platform accepts.
func (r Range) words() string {
	if r.Only == nil {
		return fmt.Sprintf("%g to %g", r.Low, r.High)
	}
	var list []string
	for _, x := range r.Only {
		list = append(list, fmt.Sprint(x))
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}
