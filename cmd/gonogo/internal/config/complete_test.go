package config

import (
	"strings"
	"testing"
)

// A key that was pasted where its variable's name belongs was printed.
func TestAKeyInThePlaceOfItsVariableIsNotShown(t *testing.T) {
	const rest = "\njob: {grader: {type: score_model, model: j, input: []}}\ndata: {train: train.jsonl}\n"
	for _, key := range []string{
		"sk-planted-0123456789", "sk_planted_words", "Planted0Key", "plantedkey0123456789", "PLANTEDKEY0123456789", "planted key", "planted.key", "0planted", "plänted",
	} {
		for where, yaml := range map[string]string{
			"model.api_key_env": "model: {name: m, base_url: http://localhost:1/v1, api_key_env: '" + key + "'}",
			"judge.api_key_env": "model: {name: m, base_url: http://localhost:1/v1}\njudge: {api_key_env: '" + key + "'}",
		} {
			_, _, err := loaded(t, yaml+rest, environment())
			if err == nil || !strings.Contains(err.Error(), where+": must name the environment variable that holds the key") {
				t.Errorf("%s: error is %v", where, err)
			}
			if err != nil && (strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "the environment has no")) {
				t.Errorf("%s: the key is shown: %v", where, err)
			}
		}
	}
}

func TestNamesOfVariablesAreTaken(t *testing.T) {
	const rest = "\njob: {grader: {type: string_check}}\ndata: {train: train.jsonl}\n"
	for _, name := range []string{"MINE", "_MINE", "my_key", "AZURE_OPENAI_API_KEY_2024", "OPENAI_API_KEY_2", "KEY1", "key_v2"} {
		_, _, err := loaded(t, "model: {name: m, api_key_env: "+name+"}"+rest, environment())
		if err == nil || !strings.Contains(err.Error(), "model.api_key_env: the environment has no "+name+", ") {
			t.Errorf("%s, which is not there: error is %v", name, err)
		}
	}
	for _, name := range []string{"MINE", "sk_like", "Prod1Key", "PLANTEDKEY0123456789"} {
		c, _, err := loaded(t, "model: {name: m, api_key_env: "+name+"}"+rest, environment(name, "sk-planted"))
		if err != nil || c.ModelKey != "sk-planted" {
			t.Errorf("%s, which is there: error is %v", name, err)
		}
	}
}

// An unused judge's key would be in the manifest.
func TestAKeyOfAJudgeThatIsNotAskedIsRefusedToo(t *testing.T) {
	_, _, err := loaded(t, "model: {name: m, base_url: http://localhost:1/v1}\njudge: {api_key_env: sk-planted-1}\njob: {grader: {type: string_check}}\ndata: {train: train.jsonl}\n", environment())
	if err == nil || !strings.Contains(err.Error(), "judge.api_key_env: must name") || strings.Contains(err.Error(), "planted") {
		t.Errorf("error is %v", err)
	}
}
