package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gonogo/analysis/message"
	"gonogo/cmd/gonogo/internal/console"
	"gonogo/cmd/gonogo/internal/exit"
	"gonogo/sampler/boundary/grader"
	"gonogo/sampler/input/dataset"
	"gonogo/sampler/input/document"
	"gonogo/sampler/input/schema"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/credential"
)

// draft is a configuration under construction.
type draft struct {
	set    map[string]string // YAML of the keys to write
	notes  map[string][]string
	config *Config // the configuration resolved from the keys set so far
	files  []*dataset.File
	env    Lookup
}

// DraftFiles are the files from which a draft is made, and its path.
type DraftFiles struct {
	Job, Model string
	Reward     string // FILE or FILE:NAME,NAME of reward functions, instead of a job
	Grader     string // YAML of the grader, instead of both
	// an environment, instead of all of them: an OpenEnv server or application, else a taskset of verifiers
	Environment string
	Set         map[string]string // YAML of further keys
	Data        map[rollout.Split]string
	Output      string // "-" is standard output
}

// NewDraft makes a draft from the files.
func NewDraft(in DraftFiles, env Lookup) (*draft, error) {
	switch {
	case in.Environment != "" && (in.Job != "" || in.Reward != "" || in.Grader != "" || len(in.Data) > 0):
		return nil, exit.Usagef("an environment has its own rows and rewards: give --environment and --model alone")
	case in.Job == "" && in.Reward == "" && in.Grader == "" && in.Environment == "":
		return nil, exit.Usagef("init needs --job, the file with the body for fine_tuning.jobs.create, --reward, " +
			"a file of reward functions, --environment, or --from, a training script of TRL, " +
			"a YAML of verl or a promptfooconfig.yaml")
	case in.Job != "" && in.Reward != "":
		return nil, exit.Usagef("the job has a grader: give --job or --reward")
	}
	d := &draft{set: map[string]string{}, notes: map[string][]string{}, env: env}
	dir := "."
	if out := in.Output; out != "-" {
		dir = filepath.Dir(out)
	}
	name := func(key, path string) error {
		if path == "" {
			return nil
		}
		relative, err := document.RelativeTo(dir, path)
		if err == nil {
			d.set[key] = document.Quote(relative)
		}
		return err
	}
	errs := []error{name("job", in.Job)}
	if in.Reward != "" {
		grader, err := rewardGrader(dir, in.Reward)
		if err != nil {
			err = fmt.Errorf("--reward: %w", err)
		}
		d.set["grader"], errs = grader, append(errs, err)
		d.note("grader", "the reward functions; unless each gives 0 to 1, set reward_range to what they can give "+
			"together")
	}
	if in.Environment != "" {
		errs = append(errs, d.environment(dir, in.Environment))
	}
	// What TRL, verl, prime-rl and hosted services do unless configured, and any server of their models.
	d.set["model.api"], d.set["model.temperature"] = "chat", "1"
	d.note("model.api", "Chat Completions; responses for a server that has it")
	if in.Grader != "" {
		d.set["grader"] = in.Grader
		d.note("grader", "taken over; unless each part gives 0 to 1, set reward_range to what they can give together")
	}
	for key, value := range in.Set {
		if d.set[key] = value; decisions[key] == "" {
			d.note(key, "taken over")
		}
	}
	prompt := ""
	for _, split := range rollout.Splits() {
		path := in.Data[split]
		if path == "" {
			continue
		}
		errs = append(errs, name("data."+string(split), path))
		f, field, err := (*dataset.File)(nil), prompt, error(nil)
		if in.Job == "" && len(d.files) == 0 { // a hosted job needs messages, and all splits have one form
			f, field, err = dataset.LoadGuess(path, split)
		} else {
			f, err = dataset.Load(path, split, dataset.Options{PromptField: prompt})
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		d.files, prompt = append(d.files, f), field
	}
	if prompt != "" {
		d.set["data.prompt"] = document.Quote(prompt)
		d.note("data.prompt", "the rows have no messages and no prompt")
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if len(d.files) == 0 && in.Environment == "" {
		return nil, exit.Usagef("init needs --train, --eval or both")
	}
	if m := in.Model; m != "" {
		d.set["model.name"] = document.Quote(m)
	}
	d.server()
	return d, d.inspect(dir)
}

// NextSteps says what was found and what to do next.
func (d *draft) NextSteps(out string) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "wrote %s\n", out)
	for _, f := range d.files {
		fmt.Fprintf(&b, "  %-10s %s: %s\n", f.Split, f.Path, console.Count(f.Rows, "row"))
	}
	if field := d.config.Data.PromptField; field != "" {
		fmt.Fprintf(&b, "  prompt     the field %s, because the rows have no messages "+
			"(data.prompt)\n", console.Visible(field))
	}
	if u := d.config.Body.Unknown; len(u) > 0 {
		fmt.Fprintf(&b, "  the job has keys that gonogo does not use: %s\n", strings.Join(u, ", "))
	}
	target, _ := dataset.TargetByName(d.config.Target)
	if problems := dataset.Check(d.files, target); len(problems) > 0 {
		fmt.Fprintf(&b, "  %s on the data: see gonogo check\n", console.Count(len(problems), "remark"))
	}
	b.WriteString("next:\n")
	key := d.config.Model.APIKeyEnv
	if strings.Contains(d.config.Model.Name, "/") && d.set["model.base_url"] == "" { // of a hub: OpenAI has no such name
		fmt.Fprintf(&b, "  export OPENAI_BASE_URL=http://localhost:8000/v1   # where %s is served\n",
			console.Visible(d.config.Model.Name))
	}
	if _, found := d.env(key); !found && key != noKey && !loopback(d.config.Model.BaseURL) {
		fmt.Fprintf(&b, "  export %s=…\n", key)
	}
	named := ""
	if out != "gonogo.yaml" {
		named = " -c " + message.Shell(out)
	}
	fmt.Fprintf(&b, "  gonogo check%s      # no model is called\n", named)
	fmt.Fprintf(&b, "  gonogo run%s -o my-run\n", named)
	return b.String()
}

// environment sets the keys of an environment: one of OpenEnv if the name is a URL or has the name of an
// application, else one of verifiers.
func (d *draft) environment(dir, name string) error {
	key, path, application := "environment.verifiers", name, ""
	if i := strings.LastIndexByte(name, ':'); i >= 0 {
		key = "environment.openenv"
		if path, application = name[:i], name[i:]; strings.Contains(name, "://") {
			path, application = name, ""
		}
	}
	if _, err := os.Stat(path); err == nil {
		relative, err := document.RelativeTo(dir, path)
		if err != nil {
			return err
		}
		if path = relative; !filepath.IsAbs(path) && !strings.HasPrefix(path, ".") {
			path = "./" + path
		}
	}
	d.set[key] = document.Quote(path + application)
	d.note(key, "its items, tools and rewards are measured")
	d.note("reward_range", "without it, what the weights of verifiers' rewards imply, else [0, 1]")
	if venv := filepath.Join(".venv", "bin", "python"); fileExists(filepath.Join(dir, venv)) {
		d.set["environment.python"] = document.Quote(venv)
		d.note("environment.python", "the interpreter that has the environment's package")
	}
	return nil
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// rewardGrader returns the grader, as YAML, that calls the reward functions in FILE or
// FILE:NAME,NAME.
func rewardGrader(dir, reward string) (string, error) {
	path, list, named := strings.Cut(reward, ":")
	var names []string
	if named {
		names = strings.Split(list, ",")
	}
	kind, names, err := grader.RewardFunctions(path, names...)
	if err != nil {
		return "", err
	}
	relative, err := document.RelativeTo(dir, path)
	if kind == "python" {
		return fmt.Sprintf("{type: python, name: %s, file: %s}", names[0], document.Quote(relative)), err
	}
	weights := ""
	if len(names) > 1 { // so that reward_range is their sum
		weights = ", weights: [1" + strings.Repeat(", 1", len(names)-1) + "]"
	}
	return fmt.Sprintf("{type: %s, file: %s, functions: [%s]%s}", kind, document.Quote(relative),
		strings.Join(names, ", "), weights), err
}

// inspect resolves the keys that are set and derives others from the files.
func (d *draft) inspect(dir string) error {
	c, err := Decode("gonogo.yaml", dir, nil, d.env)
	if err != nil {
		return err
	}
	for path, text := range d.set {
		node, err := document.Parse(path, []byte(text))
		if err == nil {
			err = c.take(document.Under(node, strings.Split(path, ".")...), "gonogo.yaml")
		}
		if err != nil {
			return err
		}
	}
	if err := c.resolve(); err != nil {
		return err
	}
	d.config = c
	if c.Model.Name == "" {
		return exit.Usagef("no job names the model: name the base model with --model NAME")
	}
	d.labels()
	d.fileIDs()
	for _, f := range d.files {
		if f.Rows > largeFile {
			d.note("items", "%s has %d rows: %d of them give a first answer at a fraction of the price",
				filepath.Base(f.Path), f.Rows, firstItems)
		}
	}
	return nil
}

// server writes down the server that this shell names: in another shell the rows would go to the
// default one. A URL with a user or a query may hold a secret and stays in the environment.
func (d *draft) server() {
	url, _ := d.env("OPENAI_BASE_URL")
	switch {
	case url == "":
	case credential.BareURL(url) != url:
		d.note("model.base_url", "OPENAI_BASE_URL may hold a secret and is not written here: set it in every shell")
	default:
		d.note("model.base_url", "from OPENAI_BASE_URL")
		d.set["model.base_url"] = document.Quote(url)
	}
}

func (d *draft) note(path, format string, args ...any) {
	d.notes[path] = append(d.notes[path], fmt.Sprintf(format, args...))
}

// fileIDs maps the job's file ids to paths.
func (d *draft) fileIDs() {
	for _, f := range []struct{ key, id string }{
		{"data.train", d.config.Body.TrainingFile}, {"data.eval", d.config.Body.ValidationFile},
	} {
		if f.id == "" {
			continue
		}
		text := fmt.Sprintf("the job calls this file %s; gonogo cannot check whether that upload holds the same "+
			"rows", f.id)
		if d.set[f.key] == "" {
			text = fmt.Sprintf("the job names %s: give its path here, or it is not checked", f.id)
		}
		d.note(f.key, "%s", text)
	}
}

// labels sets data.id, data.category and data.family to the row fields in which they were found.
func (d *draft) labels() {
	found, usual := dataset.GuessFields(d.files), d.config.Data.Options
	for _, l := range []struct{ key, found, usual string }{
		{"data.id", found.IDField, usual.IDField},
		{"data.category", found.CategoryField, usual.CategoryField},
		{"data.family", found.FamilyField, usual.FamilyField},
	} {
		switch l.found {
		case "":
			d.note(l.key, "no row field was found for it")
		case l.usual:
			d.note(l.key, "the rows have it")
		default:
			d.note(l.key, "found in the rows")
			d.set[l.key] = document.Quote(l.found)
		}
	}
}

// largeFile is the number of rows from which a subset is proposed; firstItems is its size.
const (
	largeFile  = 500
	firstItems = 200
)

// decisions are the keys that a user decides before a first run, each with what to know about it.
var decisions = map[string]string{
	"job":                 "the job whose tools and grader are measured",
	"target":              "the platform whose limits are checked, such as azure, bedrock or sagemaker",
	"items":               "rows of each split to sample; 0 is all",
	"reward_range":        "bottom and top of the rewards that the grader can give",
	"data.train":          "the training rows",
	"data.eval":           "the validation rows",
	"model.name":          "the base model, as its server calls it",
	"model.base_url":      "where it answers: any OpenAI-compatible server",
	"model.temperature":   "what the training will sample with; without it, the server's own",
	"sampling.samples":    "rollouts per item; may be raised later",
	"sampling.max_usd":    "stop once the run has cost this many US dollars; 0 is no cap",
	"audit.answer":        "a whole answer around a reference; taken from the rollouts that earn the top",
	"training.group_size": "rollouts of an item that the trainer compares",
}

// Short returns the text with the keys that a user must decide and those derived from the files: at
// most 40 lines.
func (d *draft) Short() []byte {
	return d.text().Short(`# gonogo.yaml: what "gonogo run" measures. Written by "gonogo init".
# Every other key has a default: "gonogo help config" explains them all, and
# "gonogo init --full" writes them. Lines that are commented out show the default or
# an example. Paths start from this file's folder. Secrets: ${NAME} in headers.

`)
}

// Full returns the text with every key and its doc; keys that are not set are commented out, with
// their default or an example.
func (d *draft) Full() []byte {
	return d.text().Full(`# gonogo.yaml: what "gonogo run" measures, and how. Written by "gonogo init".
# Lines that are commented out show the defaults. Paths start from this
# file's folder. Secrets come from the environment: ${NAME} in headers.
# "gonogo help config" explains every key; (binding) marks those that a run,
# once begun, cannot change.
`)
}

func (d *draft) text() *console.Draft {
	return &console.Draft{Keys: Keys(), Set: d.set, Notes: d.notes, Decisions: decisions, Shown: d.shown}
}

// shown returns the value displayed for a key that is commented out.
func (d *draft) shown(k schema.Key) string {
	if k.Path == "items" && len(d.notes["items"]) > 0 {
		return fmt.Sprint(firstItems)
	}
	value, ok := k.Value(&d.config.values)
	if !ok {
		return k.Example
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		if strings.Contains(text, "://") && credential.BareURL(text) != text { // as server says
			return k.Example
		}
		return document.Quote(text)
	}
	return strings.ReplaceAll(string(value), ",", ", ")
}
