package training

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"testing"

	"gonogo/analysis/pilot"
)

func TestReadCurves(t *testing.T) {
	for _, test := range []struct {
		name, file, text string
		want             []pilot.Curve // nil: not of curves
	}{
		{
			"a trainer's state, with Python's NaN and a metric that is not shown", "trainer_state.json",
			`{"global_step": 2, "log_history": [{"step": 1, "reward": 0.25, "grad_norm": 1, "entropy": NaN},
			{"step": 2, "reward": 0.5, "epoch": 1.5}, {"step": 2, "eval_reward": 1}, {"reward": 9}]}`,
			[]pilot.Curve{{Name: "eval_reward", Steps: []int{2}, Values: []float64{1}}, {Name: "reward", Steps: []int{1, 2}, Values: []float64{0.25, 0.5}}},
		},
		{
			"verl's logger, whose last line is being written", "log.jsonl",
			`{"step":1,"data":{"critic/score/mean":0.5,"perf/x":1}}` + "\n" + `{"step":2,"data":{"critic/score/mean":1}}` + "\n" + `{"step":3,"da`,
			[]pilot.Curve{{Name: "critic/score/mean", Steps: []int{1, 2}, Values: []float64{0.5, 1}}},
		},
		{
			"tinker-cookbook, whose running totals have no step", "metrics.jsonl",
			`{"step": 0, "env/all/reward/total": 0.25, "optim/lr": 1}` + "\n" + `{"total_tokens": 9}` + "\n" + `{"step": 1, "env/all/reward/total": NaN, "optim/kl": 0.5}` + "\n",
			[]pilot.Curve{{Name: "env/all/reward/total", Steps: []int{0}, Values: []float64{0.25}}, {Name: "optim/kl", Steps: []int{1}, Values: []float64{0.5}}},
		},
		{"rollouts whose texts have slashes", "x.jsonl", `{"step":1,"reward":1,"a/b":2,"output":"1/2"}`, nil},
		{"rollouts of numbers alone", "x.jsonl", `{"item":1,"step":1,"reward":1}`, nil},
		{
			"TensorBoard, named by its file", "train_reward.csv", "Wall time,Step,Value\n1.5,10,0.25\n2.5,20,0.5\n",
			[]pilot.Curve{{Name: "train_reward", Steps: []int{10, 20}, Values: []float64{0.25, 0.5}}},
		},
		{
			"W&B, in any order, with gaps", "wandb.csv", "\ufeff\"Step\",\"r - train/reward\",\"r - train/reward__MIN\"\n2.0,1,0\n1,0.5,0\n3,,\n4,NaN,0\n",
			[]pilot.Curve{{Name: "r - train/reward", Steps: []int{1, 2}, Values: []float64{0.5, 1}}},
		},
		{
			"a trainer's step below a slash", "x.csv", "trainer/global_step,reward\n1,0.5\n",
			[]pilot.Curve{{Name: "reward", Steps: []int{1}, Values: []float64{0.5}}},
		},
		{"rollouts, several a step", "x.csv", "step,item,reward\n1,a,0\n1,b,1\n", nil},
		{"rollouts as lines", "x.jsonl", `{"item":"a","step":1,"reward":1}`, nil},
		{"a table without steps", "x.csv", "reward\n1\n", nil},
		{"a column of text alone", "x.csv", "step,reward\n1,high\n", nil},
		{"a step that is none", "x.csv", "step,reward\n-1,1\n1.5,1\n1e300,1\nNaN,1\n", nil},
		{"an unfinished state", "trainer_state.json", `{"log_history": [{"step": 1, "rew`, nil},
		{"a history that is no list", "trainer_state.json", `{"log_history": 7}`, nil},
		{"nothing", "x.csv", " \n", nil},
		{"another name", "x.txt", "step,reward\n1,1\n", nil},
	} {
		found, ok, err := readPoints(test.file, bytes.NewReader([]byte(test.text)))
		got := found.curves()
		if err != nil || (ok && len(found) > 0) != (test.want != nil) || test.want != nil && !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, %t, %v, want %+v", test.name, got, ok, err, test.want)
		}
	}
}

// Whatever is read as curves has ascending steps and finite values, one for each step.
func FuzzReadCurves(f *testing.F) {
	f.Add("x.csv", []byte("Wall time,Step,Value\n1.5,10,0.25\n"))
	f.Add("x.csv", []byte("step,\"reward\n1,2\n\"\"\","))
	f.Add("x.json", []byte(`{"log_history":[{"step":1,"reward":Infinity}]}`))
	f.Add("x.jsonl", []byte("{\"step\":1,\"data\":{\"reward\":1}}\n{\"step\":1,\"data\":{\"reward\":2}}"))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		found, _, err := readPoints(name, bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, c := range found.curves() {
			ascending := slices.IsSorted(c.Steps) && len(slices.Compact(slices.Clone(c.Steps))) == len(c.Values)
			finite := !slices.ContainsFunc(c.Values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
			if !ascending || !finite || len(c.Steps) == 0 || c.Steps[0] < 0 {
				t.Fatalf("%+v", c)
			}
		}
	})
}
