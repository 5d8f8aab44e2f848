package dataset

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gonogo/sampler/rollout"
)

// rows makes n rows that no rule has anything against; extra is in each.
func rows(n int, extra string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id":"q%d","messages":[{"role":"user","content":"question %d"}],"reference_answer":"a%d"%s}`+"\n", i, i, i, extra)
	}
	return b.String()
}

func file(t *testing.T, split rollout.Split, text string) *File {
	t.Helper()
	f, err := read(strings.NewReader(text), string(split)+".jsonl", split, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestCheckAppliesTheRulesOfTheTarget(t *testing.T) {
	last := func(message string) string {
		return `{"id":"last","reference_answer":"z","messages":[` + message + `]}`
	}
	for name, c := range map[string]struct {
		train, eval, target string
		want                []string // split:line rule, with ! when blocking
	}{
		"clean files":                       {rows(10, ""), rows(10, ""), "openai", nil},
		"the model speaks last":             {rows(10, "") + last(`{"role":"assistant","content":"x"}`), rows(10, ""), "openai", []string{"train:11 last_role!"}},
		"the same, unknown at bedrock":      {rows(100, "") + last(`{"role":"assistant","content":"x"}`), rows(100, ""), "bedrock", nil},
		"nine rows, not known at openai":    {rows(9, ""), rows(10, ""), "openai", nil},
		"nothing known at tinker":           {rows(1, "") + last(`{"role":"assistant","content":"Show your Chain of Thought"}`), "", "tinker", nil},
		"sagemaker without a prompt":        {rows(2, ""), rows(1, ""), "sagemaker", []string{"train:0 prompt_alone", "eval:0 prompt_alone"}},
		"sagemaker reads the prompt alone":  {`{"id":"a","prompt":"one?","answer":"1"}`, "", "sagemaker", []string{"train:0 prompt_alone"}},
		"sagemaker with all in the prompt":  {`{"id":"a","prompt":"one?"}`, "", "sagemaker", nil},
		"fireworks with messages":           {rows(2, ""), "", "fireworks", nil},
		"fireworks without messages":        {`{"id":"a","prompt":"one?","answer":"1"}`, "", "fireworks", []string{"train:0 chat_rows!"}},
		"nine rows, known at azure":         {rows(9, ""), rows(10, ""), "azure", []string{"train:0 min_rows!"}},
		"99 rows at bedrock":                {rows(99, ""), rows(100, ""), "bedrock", []string{"train:0 min_rows!"}},
		"1,001 validation rows":             {rows(10, ""), rows(1001, ""), "openai", []string{"eval:0 max_eval_rows!"}},
		"1,001 training rows":               {rows(1001, ""), rows(10, ""), "openai", nil},
		"no validation file":                {rows(10, ""), "", "openai", []string{"train:0 validation_file"}},
		"an evaluation alone":               {"", rows(10, ""), "openai", nil},
		"audio":                             {rows(10, "") + last(`{"role":"user","content":[{"type":"input_audio"}]}`), rows(10, ""), "openai", []string{"train:11 content_type!"}},
		"an image is fine at openai":        {rows(10, "") + last(`{"role":"user","content":[{"type":"image_url"}]}`), rows(10, ""), "openai", nil},
		"an image at azure":                 {rows(10, "") + last(`{"role":"user","content":[{"type":"image_url"}]}`), rows(10, ""), "azure", []string{"train:11 text_only!"}},
		"a system message":                  {rows(10, "") + last(`{"role":"system","content":"s"},{"role":"user","content":"x"}`), rows(10, ""), "openai", []string{"train:11 system_role"}},
		"a system message at bedrock":       {rows(100, "") + last(`{"role":"system","content":"s"},{"role":"user","content":"x"}`), rows(100, ""), "bedrock", nil},
		"an unknown role":                   {rows(10, "") + last(`{"role":"critic","content":"s"},{"role":"user","content":"x"}`), rows(10, ""), "openai", []string{"train:11 role"}},
		"flat tools":                        {rows(10, "") + strings.Replace(last(`{"role":"user","content":"x"}`), "{", `{"tools":[{"type":"function","name":"f"}],`, 1), rows(10, ""), "openai", []string{"train:11 reserved_key"}},
		"tools used for something else":     {rows(10, "") + strings.Replace(last(`{"role":"user","content":"x"}`), "{", `{"tools":"hammer",`, 1), rows(10, ""), "openai", []string{"train:11 reserved_key"}},
		"a key the platform adds":           {rows(10, `,"parallel_tool_calls":false`), rows(10, ""), "openai", []string{"train:1 platform_key"}},
		"nothing for the grader":            {rows(10, "") + "{" + user + `,"id":"last"}`, rows(10, ""), "openai", []string{"train:0 extra_keys", "train:11 no_reference"}},
		"a field that some rows lack":       {rows(9, `,"hint":1`) + rows(10, "")[len(rows(9, "")):], rows(10, `,"hint":1`), "openai", []string{"train:0 extra_keys"}},
		"a number among texts":              {rows(10, "") + `{"id":"x",` + user + `,"reference_answer":5}`, rows(10, ""), "openai", []string{"train:0 mixed_types"}},
		"one answer for all":                {rows(10, `,"label":"yes"`), rows(10, `,"label":null`), "openai", []string{"train:0 same_answer", "eval:0 null_reference"}},
		"a field that evaluation lacks":     {rows(10, `,"hint":[1]`), rows(10, ""), "openai", []string{"eval:0 split_keys"}},
		"a phrase of the safety screening":  {rows(10, "") + last(`{"role":"user","content":"Show your Chain of Thought"}`), rows(10, ""), "openai", []string{"train:11 safety_phrase"}},
		"the phrase, where nothing screens": {rows(10, "") + last(`{"role":"user","content":"Show your Chain of Thought"}`), rows(10, `,"parallel_tool_calls":false`), "none", nil},
		"a row above a megabyte":            {rows(10, "") + last(`{"role":"user","content":"`+strings.Repeat("x", 1<<20)+`"}`), rows(10, ""), "azure", []string{"train:11 row_bytes"}},
		"twelve roles are ten and a sum":    {rows(10, "") + ended(12, "r%d"), rows(10, ""), "openai", repeat(11, 11, "train:%d last_role!", "train:%d role")},
	} {
		t.Run(name, func(t *testing.T) {
			var files []*File
			if c.train != "" {
				files = append(files, file(t, rollout.Train, c.train))
			}
			if c.eval != "" {
				files = append(files, file(t, rollout.Eval, c.eval))
			}
			target, ok := TargetByName(c.target)
			if !ok {
				t.Fatalf("no target %s", c.target)
			}
			var got []string
			for _, p := range Check(files, target) {
				s := fmt.Sprintf("%s:%d %s", p.Split, p.Line, p.Rule)
				if p.Blocking {
					s += "!"
				}
				got = append(got, s)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// repeat fills n numbers, counting from from, into the formats.
func repeat(from, n int, formats ...string) []string {
	var all []string
	for i := range n {
		for _, format := range formats {
			all = append(all, fmt.Sprintf(format, from+i))
		}
	}
	return all
}

// ended makes n rows whose last messages have that role, with a number if it has a verb.
func ended(n int, role string) string {
	var b strings.Builder
	for i := range n {
		of := strings.ReplaceAll(role, "%d", fmt.Sprint(i))
		fmt.Fprintf(&b, `{"id":"t%d","messages":[{"role":"user","content":"q"},{"role":%q,"content":"t%d"}],"reference_answer":"b%d"}`+"\n", i, of, i, i)
	}
	return b.String()
}

// An objection to many rows once had a line for each of ten.
func TestAnObjectionToManyRowsIsOne(t *testing.T) {
	target, _ := TargetByName("openai")
	for n, want := range map[int]string{
		1:  `the last message has role "tool", it must be "user" (`,
		2:  `the last message has role "tool", it must be "user": 2 rows, in lines 11 and 12 (`,
		3:  `the last message has role "tool", it must be "user": 3 rows, in lines 11, 12 and 13 (`,
		12: `the last message has role "tool", it must be "user": 12 rows, in lines 11, 12, 13, … (`,
	} {
		found := Check([]*File{file(t, rollout.Train, rows(10, "")+ended(n, "tool")), file(t, rollout.Eval, rows(10, ""))}, target)
		if len(found) != 1 || found[0].Line != 11 || !strings.HasPrefix(found[0].Message, want) {
			t.Errorf("%d rows: %+v", n, found)
		}
	}
}

func TestLimitsOnSizeAndRows(t *testing.T) {
	target, _ := TargetByName("openai")
	f := file(t, rollout.Train, rows(10, ""))
	f.Rows, f.Bytes = 50_001, 512<<20+1
	var got []string
	for _, p := range Check([]*File{f, file(t, rollout.Eval, rows(10, ""))}, target) {
		got = append(got, fmt.Sprint(p.Rule, p.Blocking))
	}
	if diff := cmp.Diff([]string{"max_train_rowstrue", "max_bytestrue"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestListsAreNamedAndDocumented(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if r.Name == "" || r.Doc == "" || seen[r.Name] {
			t.Errorf("rule %q: no name, no doc or twice", r.Name)
		}
		seen[r.Name] = true
		if (r.row != nil) == (r.file != nil || r.files != nil) {
			t.Errorf("rule %q looks at nothing, or at several things", r.Name)
		}
	}
	for _, target := range Targets() {
		if target.Name == "" || target.Doc == "" {
			t.Errorf("target %q: no name or no doc", target.Name)
		}
		for _, r := range Rules() {
			if r.limit == nil {
				continue
			}
			if l := r.limit(target); l.Value != 0 && l.Source == "" {
				t.Errorf("target %s, rule %s: the limit names no source", target.Name, r.Name)
			}
		}
	}
}

func TestCheckTools(t *testing.T) {
	text := func(tools ...string) string {
		var b strings.Builder
		for i, name := range tools {
			fmt.Fprintf(&b, `{"id":%d,%s,"tools":[{"type":"function","function":{"name":%q}}]}`+"\n", i, user, name)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		rows   string
		served []string
		fails  []string
		unused []string
	}{
		"all served, all used":   {text("search", "cat"), []string{"search", "cat"}, nil, nil},
		"a typing slip":          {text("search", "serach", "serach"), []string{"search"}, []string{`train.jsonl:2: tool "serach" is not served by the job, did you mean "search"? (in 2 of 3 rows)`}, nil},
		"nothing like it":        {text("browse"), []string{"cat", "list"}, []string{`tool "browse" is not served by the job, which serves cat, list`}, nil},
		"a job without tools":    {text("search"), nil, []string{`tool "search" is not served by the job, which serves none`}, nil},
		"a tool that is unused":  {text("search"), []string{"search", "list"}, nil, []string{"list"}},
		"rows without tools":     {rows(2, ""), []string{"search"}, nil, []string{"search"}},
		"tools that are no list": {`{` + user + `,"tools":{"name":"x"}}`, []string{"x"}, []string{"train.jsonl:1: tools: it must be a list"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			problems, err := CheckTools(file(t, rollout.Train, c.rows).Items, c.served)
			for _, want := range c.fails {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v lacks %q", err, want)
				}
			}
			if len(c.fails) == 0 && err != nil {
				t.Error(err)
			}
			if len(problems) != len(c.unused) {
				t.Fatalf("problems %+v, want %v", problems, c.unused)
			}
			for i, p := range problems {
				if p.Rule != "unused_tool" || p.Blocking || !strings.Contains(p.Message, c.unused[i]) {
					t.Errorf("problem %+v", p)
				}
			}
		})
	}
}

// The ranges are those of the pages that the table names.
func TestATargetAcceptsTheSettingsOfItsPage(t *testing.T) {
	for name, c := range map[string]struct {
		target   string
		settings map[string]float64
		want     []string
	}{
		"nothing is configured":             {"sagemaker", nil, nil},
		"the ends of ranges":                {"sagemaker", map[string]float64{SettingGroupSize: 2, SettingBatchSize: 128, SettingEpochs: 30, SettingEvalInterval: 100, SettingMaxTokens: 512, SettingTemperature: 0, SettingTopP: 1}, nil},
		"a batch that is not one of three":  {"sagemaker", map[string]float64{SettingBatchSize: 48}, []string{"training.batch_size is 48; sagemaker accepts 32, 64 or 128 (its global_batch_size; Amazon, docs.aws"}},
		"groups that are too large":         {"sagemaker", map[string]float64{SettingGroupSize: 33}, []string{"training.group_size is 33; sagemaker accepts 2 to 32 (its group_size; "}},
		"short answers and many epochs":     {"sagemaker", map[string]float64{SettingMaxTokens: 256, SettingEpochs: 31}, []string{"training.epochs is 31", "model.max_output_tokens is 256; sagemaker accepts 512 to 8192"}},
		"many epochs at fireworks":          {"fireworks", map[string]float64{SettingGroupSize: 500, SettingEpochs: 11}, []string{"training.epochs is 11; fireworks accepts 1 to 10 (its epochs; Fireworks, docs.fireworks.ai/fine-tuning/parameter-tuning, read 2026-11-30)"}},
		"tinker states none":                {"tinker", map[string]float64{SettingGroupSize: 500, SettingEpochs: 1000}, nil},
		"a trainer of one's own has none":   {"none", map[string]float64{SettingGroupSize: 500, SettingEpochs: 1000}, nil},
		"a body's limits are the job's own": {"openai", map[string]float64{SettingEpochs: 1000}, nil},
	} {
		target, _ := TargetByName(c.target)
		got := target.CheckTraining(c.settings)
		if len(got) != len(c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], c.want[i]) {
				t.Errorf("%s: %q, want %q", name, got[i], c.want[i])
			}
		}
	}
}

// Whoever reads a limit can look it up: each names what it was read from, and when.
func TestEachLimitHasASourceWithADate(t *testing.T) {
	for _, target := range Targets() {
		var sources []string
		for _, rule := range Rules() {
			if rule.limit == nil {
				continue
			}
			if l := rule.limit(target); l.Value != 0 {
				sources = append(sources, l.Source)
			}
		}
		for _, r := range target.Training {
			sources = append(sources, r.Source)
		}
		for _, source := range sources {
			if !strings.Contains(source, ", read 2026-11") {
				t.Errorf("%s: a limit from %q", target.Name, source)
			}
		}
		if known := len(sources) > 0; known == (target.Name == NoTarget || target.Name == "tinker") {
			t.Errorf("%s: %d limits", target.Name, len(sources))
		}
	}
}
