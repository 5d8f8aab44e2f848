package dataset

import (
	"fmt"

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
	}
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
