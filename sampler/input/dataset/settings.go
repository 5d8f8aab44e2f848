package dataset

import "gonogo/sampler/rollout"

// Settings are the data files and the row fields to read, as in a configuration.
type Settings struct {
	Train      string            `json:"train,omitzero" or:"the path in data.files for the job's training_file" mark:"binding,file" example:"train.jsonl" doc:"the training rows, JSONL, a JSON list or Parquet"`
	Eval       string            `json:"eval,omitzero" or:"the path in data.files for the job's validation_file" mark:"binding,file" example:"val.jsonl" doc:"the validation rows, JSONL, a JSON list or Parquet"`
	Production string            `json:"production,omitzero" or:"none" mark:"binding,file" example:"production.jsonl" doc:"rows from production, JSONL, a JSON list or Parquet: to see whether the training rows look like them"`
	Files      map[string]string `json:"files,omitzero" or:"none" mark:"file" example:"{file-abc: train.jsonl}" doc:"path of each file id that the job names, such as file-abc"`
	Options
}

// Of returns the data file of a split; "" if there is none.
func (d Settings) Of(split rollout.Split) string {
	return map[rollout.Split]string{
		rollout.Train: d.Train, rollout.Eval: d.Eval,
		rollout.Production: d.Production,
	}[split]
}
