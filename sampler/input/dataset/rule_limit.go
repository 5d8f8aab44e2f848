package dataset

import (
	"fmt"
	"slices"
	"strings"

	"gonogo/sampler/rollout"
)

// limitRules returns the rules of platforms.
func limitRules() []Rule {
	return []Rule{
		{
			Name: "last_role", Doc: "the last message of a row must be the user's: the model's turn comes next",
			limit: func(t Target) Limit { return t.LastUser },
			row: func(r *row, _ Limit) string {
				if role := r.item.Messages[len(r.item.Messages)-1].Role; role != "user" {
					return fmt.Sprintf("the last message has role %q, it must be \"user\"", role)
				}
				return ""
			},
		},
		{
			Name: "min_rows", Doc: "the fewest rows that a file may have",
			limit: func(t Target) Limit { return t.MinRows },
			file: func(f *File, _ []row, l Limit) string {
				if f.Split == rollout.Production || int64(f.Rows) >= l.Value {
					return ""
				}
				return fmt.Sprintf("%d rows; a job needs at least %d", f.Rows, l.Value)
			},
		},
		maxRows("max_train_rows", "the most rows that the training file may have", rollout.Train,
			func(t Target) Limit { return t.MaxTrain }),
		maxRows("max_eval_rows", "the most rows that the validation file may have", rollout.Eval,
			func(t Target) Limit { return t.MaxEval }),
		{
			Name: "max_bytes", Doc: "the largest size of a file",
			limit: func(t Target) Limit { return t.MaxBytes },
			file: func(f *File, _ []row, l Limit) string {
				if f.Split == rollout.Production || f.Bytes <= l.Value {
					return ""
				}
				return fmt.Sprintf("the file has %.0f MB, %d MB are allowed", float64(f.Bytes)/(1<<20), l.Value>>20)
			},
		},
		{
			Name: "row_bytes", Doc: "a row is sent with every tool and grader call, whose size is limited",
			limit: func(t Target) Limit { return t.MaxRowBytes },
			row: func(r *row, l Limit) string {
				if int64(len(r.item.Row)) <= l.Value {
					return ""
				}
				return fmt.Sprintf("the row has %.1f MB and is sent with every tool and grader call, which may have "+
					"at most %d MB", float64(len(r.item.Row))/(1<<20), l.Value>>20)
			},
		},
		{
			Name: "validation_file", Doc: "a job needs a validation file as well as a training file",
			limit: func(t Target) Limit { return t.NeedsEval },
			files: missingEval,
		},
		{
			Name: "content_type", Doc: "messages may hold text and images, no audio and no files",
			limit: func(t Target) Limit { return t.NoAudioFile },
			row:   func(r *row, _ Limit) string { return r.content("input_audio", "audio", "file", "input_file") },
		},
		{
			Name: "text_only", Doc: "messages may hold text only",
			limit: func(t Target) Limit { return t.NoImages },
			row:   func(r *row, _ Limit) string { return r.content("image_url", "input_image", "image") },
		},
		{
			Name: "system_role", Doc: "the role system is not in the schema for reinforcement rows; developer is",
			limit: func(t Target) Limit { return t.NoSystemRole },
			row: func(r *row, _ Limit) string {
				for _, m := range r.item.Messages {
					if m.Role == "system" {
						return "role \"system\" may be refused: write \"developer\""
					}
				}
				return ""
			},
		},
		{
			Name: "prompt_alone", Doc: "of a row the platform reads the field prompt, or the first field, and no other",
			limit: func(t Target) Limit { return t.PromptAlone },
			file:  promptAlone,
		},
		{
			Name: "chat_rows", Doc: "a row must have messages, each with a role and content",
			limit: func(t Target) Limit { return t.NeedsChat },
			file: func(f *File, _ []row, _ Limit) string {
				if f.Split == rollout.Production || f.prompted.n == 0 {
					return ""
				}
				return fmt.Sprintf("%d of %d rows have no list \"messages\" (first in line %d): a prompt is a list of "+
					"messages there, with role and content", f.prompted.n, f.Rows, f.prompted.first)
			},
		},
	}
}

// promptAlone says what of the rows does not reach the agent of a platform that sends it a prompt
// and nothing else.
func promptAlone(f *File, rows []row, _ Limit) string {
	if len(rows) == 0 || f.Split == rollout.Production {
		return ""
	}
	without, first := 0, 0
	for i := range rows {
		if _, ok := rows[i].fields["prompt"]; !ok {
			if without++; without == 1 {
				first = rows[i].item.Line
			}
		}
	}
	if without > 0 {
		return fmt.Sprintf("%d of %d rows have no field \"prompt\" (first in line %d): the first column is then sent to "+
			"the agent as its prompt", without, len(rows), first)
	}
	others := slices.DeleteFunc(rows[0].extras(), func(name string) bool { return name == "prompt" })
	if len(others) == 0 {
		return ""
	}
	return fmt.Sprintf("only \"prompt\" is sent to the agent: it and its reward do not get %s. Put what they need into "+
		"the prompt, or look it up there", strings.Join(others, ", "))
}

func maxRows(name, doc string, split rollout.Split, limit func(Target) Limit) Rule {
	return Rule{Name: name, Doc: doc, limit: limit, file: func(f *File, _ []row, l Limit) string {
		if f.Split != split || int64(f.Rows) <= l.Value {
			return ""
		}
		return fmt.Sprintf("%d rows, %d are allowed", f.Rows, l.Value)
	}}
}

// missingEval finds a training file without an evaluation file. Without a training file nothing is
// missing.
func missingEval(files []*File, l Limit) (*File, string) {
	var train *File
	for _, f := range files {
		switch f.Split {
		case rollout.Train:
			train = f
		case rollout.Eval:
			return nil, ""
		}
	}
	if train == nil {
		return nil, ""
	}
	return train, "a job needs a validation file as well as a training file: name one as data.eval (" + l.Source + ")"
}
