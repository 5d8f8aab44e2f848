package model

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// Sent returns the sampling parameters that are sent with each request.
func (c Config) Sent() map[string]json.RawMessage {
	c = c.withoutLeftOut()
	sent := map[string]json.RawMessage{}
	for name, value := range map[string]*float64{"temperature": c.Temperature, "top_p": c.TopP} {
		if value != nil {
			sent[name] = strconv.AppendFloat(nil, *value, 'g', -1, 64)
		}
	}
	for name, value := range c.Extra {
		sent[name] = value
	}
	return sent
}

// askTimeout is how long Ask waits for its answers.
const askTimeout = 5 * time.Second

// Ask asks a model's server for its default sampling parameters and the size of its context. It makes
// two GET requests that generate nothing: /props of llama.cpp, and the list of models, in which vLLM
// and SGLang report max_model_len and OpenRouter default_parameters. What a server does not report is
// left out; if it does not answer at all, the result has only the parameters that are sent.
func Ask(ctx context.Context, cfg Config) rollout.Sampling {
	sampling := rollout.Sampling{Sent: cfg.Sent()}
	e, err := newServer(cfg)
	if err != nil {
		return sampling
	}
	defer e.close()
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	base, query := cfg.base()
	var props propsAnswer
	var models modelsAnswer
	var both sync.WaitGroup
	both.Go(func() { e.get(ctx, cfg, strings.TrimSuffix(base, "/v1")+"/props"+query, &props) })
	both.Go(func() { e.get(ctx, cfg, base+"/models"+query, &models) })
	both.Wait()
	models.take(cfg.Name, &sampling)
	props.take(&sampling)
	return sampling
}

// base returns the address of the server without a trailing slash, and its query.
func (c Config) base() (base, query string) {
	base, query, _ = strings.Cut(strings.TrimSuffix(c.BaseURL, "/"), "?")
	if query != "" {
		query = "?" + query
	}
	return strings.TrimSuffix(base, "/"), query
}

// Served returns the names of the models that a server lists; none if it does not say.
func Served(ctx context.Context, cfg Config) (names []string) {
	e, err := newServer(cfg)
	if err != nil {
		return nil
	}
	defer e.close()
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	base, query := cfg.base()
	var models modelsAnswer
	e.get(ctx, cfg, base+"/models"+query, &models)
	for _, m := range models.Data {
		names = append(names, m.ID)
	}
	return names
}

// get decodes an answer with status 200 into a value. If it fails, the value remains unchanged.
func (e *server) get(ctx context.Context, cfg Config, address string, into any) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return
	}
	if cfg.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+cfg.APIKey)
	}
	for name, value := range cfg.Headers {
		req.Header.Set(name, value)
	}
	resp, err := e.http.Do(req)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	resp.Body = endpoint.BoundedReply(resp.Body)
	if text, err := endpoint.ReadReply(resp); err == nil && resp.StatusCode == http.StatusOK {
		_ = jsontext.Unmarshal(text, into) // an unreadable answer counts as no answer
	}
}

// propsAnswer is the answer of llama.cpp's GET /props. In older versions, the parameters are next to
// n_ctx.
type propsAnswer struct {
	Defaults map[string]json.RawMessage `json:"default_generation_settings"`
}

func (p propsAnswer) take(sampling *rollout.Sampling) {
	var nested map[string]json.RawMessage
	_ = jsontext.Unmarshal(p.Defaults["params"], &nested)
	takeParameters(p.Defaults, sampling)
	takeParameters(nested, sampling)
	if n, ok := jsontext.ReadNumber(p.Defaults["n_ctx"]); ok && n > 0 && n == math.Trunc(n) {
		sampling.Context = int(n)
	}
}

// modelsAnswer is the answer of GET /models.
type modelsAnswer struct {
	Data []struct {
		ID                string                     `json:"id"`
		MaxModelLen       json.RawMessage            `json:"max_model_len"`
		GenerationConfig  map[string]json.RawMessage `json:"generation_config"`
		DefaultParameters map[string]json.RawMessage `json:"default_parameters"`
	} `json:"data"`
}

func (a modelsAnswer) take(name string, sampling *rollout.Sampling) {
	for _, m := range a.Data {
		if m.ID != name && len(a.Data) > 1 {
			continue
		}
		takeParameters(m.GenerationConfig, sampling)
		takeParameters(m.DefaultParameters, sampling)
		if n, ok := jsontext.ReadNumber(m.MaxModelLen); ok && n > 0 && n == math.Trunc(n) {
			sampling.Context = int(n)
		}
	}
}

// neutral lists the parameters that are read from a server's defaults, each with the value that turns
// it off. A parameter with that value is not recorded; temperature and top_p (NaN) always are.
var neutral = map[string]float64{
	"temperature": math.NaN(), "top_p": math.NaN(), "top_k": 0, "min_p": 0, "typical_p": 1, "top_n_sigma": -1,
	"repeat_penalty": 1, "repetition_penalty": 1, "presence_penalty": 0, "frequency_penalty": 0,
	"dynatemp_range": 0, "xtc_probability": 0, "dry_multiplier": 0, "mirostat": 0,
}

func takeParameters(from map[string]json.RawMessage, sampling *rollout.Sampling) {
	for name, off := range neutral {
		value, ok := jsontext.ReadNumber(from[name])
		if !ok || value == off || name == "top_k" && value <= 0 {
			continue
		}
		if sampling.Server == nil {
			sampling.Server = map[string]json.RawMessage{}
		}
		sampling.Server[name] = json.RawMessage(shortNumber(value))
	}
}

// shortNumber formats a number without the noise of a server that stores it as a float32: 0.8, not
// 0.800000011920929.
func shortNumber(x float64) string {
	long, short := strconv.FormatFloat(x, 'g', -1, 64), strconv.FormatFloat(x, 'g', -1, 32)
	if len(long) > len("0.12345678") {
		return short
	}
	return long
}
