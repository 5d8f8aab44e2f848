package config

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gonogo/sampler/input/document"
	"gonogo/sampler/input/job"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/credential"
)

// Complete checks that everything a run needs is set, and fills headers from the
// environment. The API keys of model and judge are separate: see TakeKeys.
func (c *Config) Complete() error {
	return document.SortErrors(slices.Concat(completeCalls(c), []error{unpricedModel(c), c.CheckFont()}, checkData(c),
		takeQueue(c)))
}

// completeCalls checks what the calls of a rollout need.
func completeCalls(c *Config) []error { return append(modelCalls(c), c.CompleteGrading()) }

// CompleteModel checks what calling the model needs, and nothing else.
func (c *Config) CompleteModel() error {
	return document.SortErrors(append(modelCalls(c), unpricedModel(c)))
}

// modelCalls checks what calling the model needs.
func modelCalls(c *Config) []error {
	errs := append(expandHeaders(c, "model.headers", c.Model.Headers),
		keyVariable(c, "model.api_key_env", c.Model.APIKeyEnv))
	if c.Model.Name == "" && !c.Agent.AsksItself() {
		errs = append(errs, c.Fault("model.name", "missing, and the job names no model"))
	}
	return errs
}

// CompleteGrading checks what grading needs, and nothing else.
func (c *Config) CompleteGrading() error {
	var errs []error
	if c.Body == nil {
		errs = append(errs, c.Fault("job", "missing: name the file with the job's body, or write the body here; an "+
			"agent of your own (agent.command, agent.url) needs only a grader (key grader)"))
	} else if expanded, err := c.Body.Expand(secretEnv(c)); err != nil {
		errs = append(errs, jobFaults(c, err))
	} else {
		c.Body = expanded
	}
	return document.SortErrors(slices.Concat(errs, expandHeaders(c, "agent.headers", c.Agent.Headers), takeMCP(c),
		expandHeaders(c, "judge.headers", c.Judge.Headers), expandHeaders(c, "session.headers", c.Session.Headers),
		[]error{keyVariable(c, "judge.api_key_env", c.Judge.APIKeyEnv), unpricedJudge(c)}))
}

// TakeKeys reads the API keys from the environment.
func (c *Config) TakeKeys() error {
	var err error
	if !c.Agent.AsksItself() {
		c.ModelKey, err = apiKey(c, "model.api_key_env", c.Model.APIKeyEnv, c.Model.BaseURL, c.has("model.api_key_env"))
	}
	return document.SortErrors([]error{err, c.TakeJudgeKey(), takeVariantKeys(c)})
}

// TakeJudgeKey reads the judge's key, if a judge is used.
func (c *Config) TakeJudgeKey() (err error) {
	if !c.AsksJudge() {
		return nil
	}
	named := c.has("judge.api_key_env") || c.has("model.api_key_env") &&
		origin(c.Judge.BaseURL) == origin(c.Model.BaseURL)
	c.JudgeKey, err = apiKey(c, "judge.api_key_env", c.Judge.APIKeyEnv, c.Judge.BaseURL, named)
	return err
}

// KeyNames lists the variables that hold the API keys of model, variants and judge. A grader's
// program does not receive them.
func (c *Config) KeyNames() []string {
	names := []string{c.Model.APIKeyEnv, c.Judge.APIKeyEnv}
	for _, v := range c.Variants {
		names = append(names, v.APIKeyEnv)
	}
	return names
}

// AsksJudge reports whether a grader or a detector calls a model.
func (c *Config) AsksJudge() bool { return len(c.judgeModels()) > 0 }

// judgeModels are the models that graders and detectors call.
func (c *Config) judgeModels() (models []string) {
	if c.Body != nil {
		models = c.Body.Judges()
	}
	for _, d := range c.Audit.Detectors {
		if d.Judge != "" {
			models = append(models, d.Model)
		}
	}
	if c.Attacks() {
		models = append(models, c.Audit.Attacker.Model)
	}
	return models
}

// Attacks reports whether a model writes attacks in an audit. The configuration that comes with a run
// calls none.
func (c *Config) Attacks() bool { return c.Audit.Attacker.Model != "" && !c.FromRun }

// checkData checks that there is at least one data file, and that all named files exist.
func checkData(c *Config) []error {
	if c.Data.Train == "" && c.Data.Eval == "" && c.Data.Production == "" && !c.Environment.Used() {
		hint := ""
		if c.Body != nil && c.Body.TrainingFile != "" {
			hint = fmt.Sprintf(", or say under data.files which path %s is", c.Body.TrainingFile)
		}
		return []error{c.Fault("data.train",
			"missing: name a training file, an evaluation file (data.eval) or both%s", hint)}
	}
	var errs []error
	for _, split := range rollout.Splits() {
		key := "data." + string(split)
		if !c.has(key) {
			key = "data.files"
		}
		errs = append(errs, checkFile(c, key, c.Data.Of(split)))
	}
	return errs
}

// checkFile refuses a path that is not a file; "" is accepted.
func checkFile(c *Config, key, path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err != nil {
		return c.Fault(key, "%v (paths start from the folder of %s)", err, filepath.Base(c.File))
	} else if info.IsDir() {
		return c.Fault(key, "%s is a directory", path)
	}
	return nil
}

// secretEnv reads the environment and remembers the values, which are masked in all output.
// Config.SureSecrets lists those that are also hidden from the model.
func secretEnv(c *Config) func(variable string) (string, bool) {
	return func(variable string) (string, bool) {
		value, ok := c.env(variable)
		if ok && len(value) >= credential.MinLength {
			c.found = append(c.found, value)
		}
		return value, ok
	}
}

// expandHeaders fills ${NAME} into headers.
func expandHeaders(c *Config, path string, headers map[string]string) []error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		value, unknown := job.Expand(headers[name], secretEnv(c))
		headers[name] = value
		for _, variable := range unknown {
			errs = append(errs, c.Fault(path, "%s: the environment has no %s: export it", name, variable))
		}
	}
	return errs
}

// variableName matches valid names of environment variables.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// keyVariable rejects text that cannot be the name of a variable, which is usually the key itself.
// The message shows none of it.
func keyVariable(c *Config, path, variable string) error {
	if !c.has(path) || namesVariable(c, variable) {
		return nil
	}
	return c.Fault(path, "must name the environment variable that holds the key, such as %s, or be %s; this value "+
		"is not one, and is not shown because it may be the key itself", defaultKeyEnv, noKey)
}

// namesVariable reports whether text may be shown as a variable's name.
func namesVariable(c *Config, text string) bool {
	_, set := c.env(text)
	return variableName.MatchString(text) && (set || !job.LikeKey(text))
}

// apiKey returns the key for an endpoint. It is required if its variable was named in the
// configuration, or if the endpoint is not on this machine.
func apiKey(c *Config, path, variable, baseURL string, named bool) (string, error) {
	if variable == noKey || !namesVariable(c, variable) { // keyVariable reports it
		return "", nil
	}
	if value, ok := secretEnv(c)(variable); ok && strings.TrimSpace(value) != "" {
		return strings.TrimSpace(value), nil
	}
	if !named && loopback(baseURL) {
		return "", nil
	}
	return "", c.Fault(path, "the environment has no %s, the key for %s: export it, name another variable, or set "+
		"%s: %s if no key is needed", variable, credential.MaskURL(baseURL), path, noKey)
}

// loopback reports whether a URL points to this machine.
func loopback(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
