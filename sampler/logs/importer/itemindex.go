package importer

import (
	"context"
	"encoding/json"
	"fmt"

	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
)

// itemIndex reads the evaluations at a checkpoint that the notebooks of build-hours plot
// (plot_eval.ipynb, rft_eval_results_*.jsonl): one line per rollout; repeats are repeated lines.
var itemIndex = Format{
	Name:  "item-index",
	Doc:   "rft_eval_results_*.jsonl of openai/build-hours, with item_index, score and trajectory",
	Files: []string{"rft_eval_results_*.jsonl"},
	From: Origin{
		Item:     "`item_index`",
		Sample:   "the order of the lines with one item_index; of several files, later ones continue",
		Reward:   "`score`",
		Failures: "a `score` of -1; null or NaN",
	},
	Read: readItemIndex, keys: []string{"item_index", "score"},
}

type itemIndexRow struct {
	Index      json.RawMessage `json:"item_index"`
	Score      json.RawMessage `json:"score"`
	Trajectory json.RawMessage `json:"trajectory"`
	marked

	talk   transcript.Builder
	asked  []rollout.Message
	end    string
	broken error // why the trajectory cannot be read
}

// prepare reads the trajectory.
func (row *itemIndexRow) prepare() {
	row.talk, row.asked, row.end, row.broken = trajectory(row.Trajectory)
	row.Trajectory = nil
}

func readItemIndex(ctx context.Context, in *intake) error {
	if err := eachRowOf(ctx, in, in.itemIndexLine); err != nil {
		return err
	}
	in.sink.note("item = item_index, sample = how often it came before, split = %s; the files do not hold the items "+
		"themselves", in.split)
	in.sink.note("token counts and times are not in these files: unknown, not zero")
	in.noteMissing()
	return nil
}

func (in *intake) itemIndexLine(f File, line int, row *itemIndexRow) error {
	id, err := wholeID("item_index", row.Index)
	if err != nil {
		return err
	}
	score, err := in.reward("score", row.Score)
	if err != nil {
		return err
	}
	if row.broken != nil {
		return fmt.Errorf("trajectory: %w", row.broken)
	}
	t, asked := row.talk, row.asked
	var item json.RawMessage
	if len(asked) > 0 {
		if item, err = json.Marshal(map[string]any{"messages": asked}); err != nil {
			return err
		}
	}
	if err := in.item(f, line, id, item); err != nil {
		return err
	}
	rec := &rollout.Record{Item: id, Messages: t.Messages, Calls: t.Calls, Turns: t.Turns}
	finished(rec, row.end)
	if n := len(t.Messages); n > 0 && t.Messages[n-1].Role == "assistant" {
		rec.Answer = t.Messages[n-1].Content
	}
	if o, cause := row.failure(rollout.ModelAPI); o != "" {
		fail(rec, o, cause)
	} else if score != nil && *score == -1 {
		fail(rec, rollout.GraderFailed, "the score is -1, which this log uses for a failed rollout; it does not "+
			"say where it failed")
	} else {
		grade(rec, score, "score is missing, null or NaN")
	}
	return in.record(rec, in.again(id))
}

// trajectory reads a list of items of the Responses API, which may be in a string. asked is what
// comes before the model's first item. end is the end of the model's last item.
func trajectory(v json.RawMessage) (t transcript.Builder, asked []rollout.Message, end string, err error) {
	if isNone(v) || string(v) == `""` {
		return t, nil, "", nil
	}
	var items []transcript.Item
	if err := jsontext.Unmarshal([]byte(jsontext.TextOrJSON(v)), &items); err != nil {
		return t, nil, "", fmt.Errorf("it is not a list of items of the Responses API: %w", err)
	}
	for i, it := range items {
		// a new turn: the calls before it have no recorded results
		if i > 0 && it.Role == "assistant" && items[i-1].Type == "function_call" {
			t.EndTurn()
		}
		if it.Role == "assistant" || it.Type == "function_call" || it.Type == "reasoning" {
			end = endOf(it)
		}
		text := transcript.Summary(it.Content)
		if it.Role != "" && it.Role != "assistant" && t.Turns == 0 {
			asked = append(asked, rollout.Message{Role: it.Role, Content: text})
			continue
		}
		t.AddItem(it, text)
	}
	t.Close()
	return t, asked, end, nil
}

// endOf returns why an item of the model ended. An incomplete item does not say what cut it off:
// almost always a token limit, rarely a content filter.
func endOf(it transcript.Item) string {
	var parts []struct {
		Type string `json:"type"`
	}
	if list := len(it.Content) > 0 && it.Content[0] == '['; list && jsontext.Unmarshal(it.Content, &parts) == nil &&
		len(parts) > 0 && parts[len(parts)-1].Type == "refusal" {
		return "refusal"
	}
	if it.Status == "incomplete" {
		return "length"
	}
	return it.Status
}
