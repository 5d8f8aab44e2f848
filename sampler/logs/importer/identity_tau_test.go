package importer

import (
	"fmt"
	"testing"
)

// The simulated user opens differently in each trial of a task, and logs may hold all
// tasks of one trial before those of the next.
func TestTrialsOfASimulatedUserAreOneItem(t *testing.T) {
	var tau, tau2 []string
	for trial := range 4 {
		for task := range 8 {
			said := fmt.Sprintf(`[{"role":"user","content":"opening %d of task %d"},{"role":"assistant","content":"hello"}]`, trial, task)
			tau = append(tau, entry(fmt.Sprint(task), fmt.Sprint(trial), "1", said))
			tau2 = append(tau2, fmt.Sprintf(`{"id":"s%d-%d","task_id":"%d","trial":%d,"termination_reason":"user_stop","reward_info":{"reward":1},"messages":%s}`, task, trial, task, trial, said))
		}
	}
	for format, file := range map[string]string{"tau-bench": results(tau...), "tau2-bench": simulations(tau2...)} {
		for _, by := range []string{"", ItemPrompt} {
			src := text(file)
			src.Options.Item = by
			_, g, err := importSource(t, format, src)
			if err != nil {
				t.Errorf("%s by %q: %v", format, by, err)
				continue
			}
			if len(g.items) != 8 || len(g.records) != 32 || len(g.items[0].Messages) != 1 || g.records[31].Sample != 3 {
				t.Errorf("%s by %q: %d items, %d rollouts, the first item shows %v, the last sample is %d", format, by, len(g.items), len(g.records), g.items[0].Messages, g.records[31].Sample)
			}
		}
	}
}
