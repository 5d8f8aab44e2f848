package config

import (
	"fmt"
	"net/url"

	"gonogo/sampler/input/document"
	"gonogo/sampler/rollout/credential"
)

// Checkpoint is where a checkpoint of a training answers.
type Checkpoint struct {
	BaseURL   string
	Model     string // its name there, such as a LoRA adapter's; "": the run's own
	APIKeyEnv string // the environment variable that holds its key, or none; "": the run's own at the run's server
}

// Complete checks that everything needed to sample the checkpoint is set, as Complete and TakeKeys
// do for a run, and returns the run's configuration with this model. c need not be complete: another
// server than the run's gets none of its credentials, so they may be missing. The judge does not
// change. The checkpoint costs what the run's model costs.
func (k Checkpoint) Complete(c *Config) (*Config, error) {
	if u, err := url.Parse(k.BaseURL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("--checkpoint %s: give the address of an OpenAI-compatible server, such as "+
			"http://localhost:8000/v1", credential.MaskURL(k.BaseURL))
	}
	if c.Agent.AsksItself() {
		return nil, c.Fault("agent.own_model", "the agent calls its model itself: let it use the checkpoint, and "+
			"sample with gonogo sample -o RUN/pilot/step-STEP")
	}
	if origin(k.BaseURL) == origin(c.Model.BaseURL) && (k.Model == "" || k.Model == c.Model.Name) {
		return nil, fmt.Errorf("--checkpoint %s: the run sampled its base model %s there, which would be sampled again: "+
			"name the checkpoint with --model, or serve it at another port", credential.MaskURL(k.BaseURL), c.Model.Name)
	}
	if k.APIKeyEnv != "" && k.APIKeyEnv != noKey && !namesVariable(c, k.APIKeyEnv) {
		return nil, fmt.Errorf("--api-key-env must name the environment variable that holds the key, or be %s; this "+
			"value is not one, and is not shown because it may be the key itself", noKey)
	}
	price := c.TokenPrices().Model
	base := *c
	base.Variants = []VariantValue{{
		Model: k.Model, BaseURL: k.BaseURL, APIKeyEnv: k.APIKeyEnv,
		ModelInput: price.Input, ModelCachedInput: price.CachedInput, ModelOutput: price.Output,
	}}
	out := base.ForVariant(0)
	own := k.APIKeyEnv == "" && origin(k.BaseURL) == origin(c.Model.BaseURL)
	path := "--api-key-env"
	if own {
		path = "model.api_key_env"
	}
	var err error
	out.ModelKey, err = apiKey(out, path, out.Model.APIKeyEnv, out.Model.BaseURL,
		k.APIKeyEnv != "" || own && c.has(path))
	return out, document.SortErrors([]error{out.Complete(), err, out.TakeJudgeKey()})
}
