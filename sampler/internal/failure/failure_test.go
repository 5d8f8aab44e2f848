package failure_test

import (
	"testing"

	"gonogo/sampler/internal/failure"
)

func TestMarks(t *testing.T) {
	for _, c := range []struct {
		why, key, value string
		want            string // the text of the mark; "" is none
		whose           failure.Whose
	}{
		{"a text", "error", `"boom"`, "boom", failure.Unknown},
		{"another case", "ERROR", `"boom"`, "boom", failure.Unknown},
		{"camel case, and whose it is", "judgeErrorMessage", `"429"`, "judgeErrorMessage: 429", failure.Grader},
		{"whose it is, by its words", "exception", `"ToolError: gone"`, "exception: ToolError: gone", failure.Tool},
		{"a flag", "timeout", `true`, "timeout", failure.Unknown},
		{"a flag not to score", "do_not_score", `true`, "do_not_score", failure.Grader},
		{"a score that is not valid", "invalid_score", `true`, "invalid_score", failure.Grader},
		{"an answer in no valid format", "valid", `false`, "", ""},
		{"an outcome that failed", "outcome_failed", `true`, "", ""},
		{"the end of the model's own program", "run_status", `"timeout"`, "", ""},
		{"the status of an outcome", "outcome_status", `"infra_error"`, "outcome_status: infra_error", failure.Unknown},
		{"an outcome that is the answer's", "outcome_status", `"failed"`, "", ""},
		{"a flag in a table", "timed_out", `True`, "timed_out", failure.Unknown},
		{"a flag as a number", "mask_sample", `1`, "mask_sample", failure.Grader},
		{"a limit in seconds", "timeout", `30`, "", ""},
		{"an object", "error", `{"code":429,"message":"slow"}`, `{"code":429,"message":"slow"}`, failure.Unknown},
		{"an object that holds nothing", "error", `{"code":null,"message":""}`, "", ""},
		{"flags, of which one is raised", "errors", `{"other_error":false,"judge_error":true}`, "errors: judge_error", failure.Grader},
		{"flags, none raised", "errors", `{"other_error":false}`, "", ""},
		{"a column of an object", "error.message", `boom`, "error.message: boom", failure.Unknown},
		{"a column of a list", "errors.0", `boom`, "errors.0: boom", failure.Unknown},
		{"a column of a judge", "judge.error", `503`, "judge.error: 503", failure.Grader},
		{"a measured error in a column", "metrics.error", `0.2`, "", ""},
		{"below a judge", "judge", `{"error":"503 Service Unavailable"}`, "503 Service Unavailable", failure.Grader},
		{"below what verl adds", "reward_extra_info", `{"timeout":true}`, "timeout", failure.Unknown},
		{"a judge that came through", "judge", `{"error":null,"verdict":"wrong"}`, "", ""},
		{"never begun", "status", `"pending"`, "status: pending", failure.Unknown},
		{"still running", "status", `"in_progress"`, "status: in_progress", failure.Unknown},
		{"a state of the data", "state", `"pending"`, "", ""},
		{"a status in camel case", "status", `"GraderError"`, "status: GraderError", failure.Unknown},
		{"a verdict on a program", "status", `"runtime_error"`, "", ""},
		{"a verdict on a program, in words", "status", `"Compilation Error"`, "", ""},
		{"a reward function", "reward_fn_error", `"boom"`, "reward_fn_error: boom", failure.Grader},
		{"the status of a grade", "grade_status", `"error"`, "grade_status: error", failure.Grader},
		{"a judge that is a model", "llm_judge_error", `"429"`, "llm_judge_error: 429", failure.Grader},
		{"a list", "errors", `["a"]`, `errors: ["a"]`, failure.Unknown},
		{"an empty list", "errors", `[]`, "", ""},
		{"a count", "errors", `3`, "", ""},
		{"a measured error", "error", `0.25`, "", ""},
		{"a rate", "error_rate", `0.5`, "", ""},
		{"a code", "error_code", `503`, "error_code: 503", failure.Unknown},
		{"a code as a text", "judge_error", `"429"`, "judge_error: 429", failure.Grader},
		{"no code", "error_code", `0`, "", ""},
		{"none", "error", `"None"`, "", ""},
		{"nan of a table", "error", `nan`, "", ""},
		{"a status", "status", `"error"`, "status: error", failure.Unknown},
		{"a status of several words", "status", `"Timed out"`, "status: Timed out", failure.Unknown},
		{"a status that denies it", "status", `"no error"`, "", ""},
		{"a wrong answer", "status", `"fail"`, "", ""},
		{"an HTTP status", "status_code", `502`, "status_code: 502", failure.Unknown},
		{"a good HTTP status", "status", `200`, "", ""},
		{"a score that is not valid", "is_score_valid", `false`, "is_score_valid: false", failure.Grader},
		{"a verdict on the task", "success", `false`, "", ""},
		{"what the model did", "agent_error", `"gave up"`, "", ""},
		{"what a program said", "runtime_error", `"ZeroDivisionError"`, "", ""},
		{"an explanation", "message", `"an error"`, "", ""},
		{"below info", "info", `{"error":"boom"}`, "boom", failure.Unknown},
		{"a column below info", "info.error", `boom`, "info.error: boom", failure.Unknown},
		{"a count next to a score", "failed", `1`, "", ""},
		{"a count of timeouts", "timeout", `1.0`, "", ""},
		{"a flag by its name, as a number", "is_error", `1`, "is_error", failure.Unknown},
		{"a flag by its name, in a table", "was_cancelled", `True`, "was_cancelled", failure.Unknown},
		{"a measured error of 2", "error", `2`, "", ""},
		{"an HTTP status", "error", `503`, "503", failure.Unknown},
		{"many errors", "errors", `503`, "", ""},
		{"a number with a subject", "judge_error", `1`, "", ""},
		{"a verdict of a verifier", "verification_status", `"failed"`, "", ""},
		{"a verdict in camel case", "gradingStatus", `"Failed"`, "", ""},
		{"a verification that failed", "verification_failed", `true`, "", ""},
		{"a verifier that broke", "verifier_status", `"error"`, "verifier_status: error", failure.Grader},
		{"a judge that failed", "judge_status", `"failed"`, "judge_status: failed", failure.Grader},
		{"a model that failed", "model_status", `"failed"`, "model_status: failed", failure.Model},
		{"a plain verdict", "status", `"failed"`, "", ""},
		{"why an answer is wrong", "failure_reason", `"wrong_answer"`, "", ""},
		{"why there is no answer", "failure_reason", `"session could not be reset"`, "failure_reason: session could not be reset", failure.Unknown},
		{"a code that names an exception", "fail_reason", `"rate_limit"`, "fail_reason: rate_limit", failure.Unknown},
		{"a label of the row", "error_type", `"arithmetic"`, "", ""},
		{"a label of several words", "error_type", `"off by one"`, "", ""},
		{"the name of an exception", "error_type", `"ConnectTimeout"`, "error_type: ConnectTimeout", failure.Unknown},
		{"a timeout", "timeout_error", `true`, "timeout_error", failure.Unknown},
		{"a judge that was not understood", "judge_parse_error", `true`, "judge_parse_error", failure.Grader},
		{"an answer that was not understood", "parse_error", `true`, "", ""},
		{"left out", "skipped", `true`, "skipped", failure.Unknown},
		{"a count of those left out", "skipped", `2`, "", ""},
		{"stopped", "cancelled", `true`, "cancelled", failure.Unknown},
		{"not graded", "graded", `false`, "graded: false", failure.Grader},
		{"a count of grades", "graded", `0`, "", ""},
		{"not valid", "is_valid", `false`, "is_valid: false", failure.Grader},
		{"not available", "error", `"NA"`, "", ""},
		{"a sentence that denies it", "error", `"No error occurred."`, "", ""},
		{"a sentence that denies it at its end", "error_message", `"Finished without errors"`, "", ""},
		{"a text that only begins with no", "error", `"No module named foo"`, "No module named foo", failure.Unknown},
		{"a failure that denies another", "error", `"request timeout: no errors"`, "request timeout: no errors", failure.Unknown},
		{"a status that denies it later", "status", `"finished without errors"`, "", ""},
		{"the state of the data", "state", `"cancelled"`, "", ""},
		{"a state", "state", `"errored"`, "state: errored", failure.Unknown},
		{"below metadata", "metadata", `{"error":"boom"}`, "boom", failure.Unknown},
		{"below a result", "result", `{"error":"boom"}`, "boom", failure.Unknown},
		{"below extra_info", "extra_info", `{"timeout":true}`, "timeout", failure.Unknown},
		{"a column below metadata", "metadata.exception", `boom`, "metadata.exception: boom", failure.Unknown},
		{"data below metadata", "metadata", `{"status":"cancelled","cancelled":true,"is_valid":false,"state":"failed"}`, "", ""},
		{"two levels below", "metadata", `{"info":{"error":"boom"}}`, "", ""},
		{"below metrics", "metrics", `{"error":"boom"}`, "", ""},
	} {
		var marks failure.Marks
		marks.Row(c.key, []byte(c.value))
		f, is := marks.First()
		if is != (c.want != "") || is && (f.Text() != c.want || f.Whose != c.whose) {
			t.Errorf("%s: %s of %s is %q of %q, %v; want %q of %q", c.why, c.key, c.value, f.Text(), f.Whose, is, c.want, c.whose)
		}
	}
}

func TestMarksOfReplies(t *testing.T) {
	for key, value := range map[string]string{"ok": "false", "success": `"false"`, "Success": "0", "metadata": `{"errors":["x"]}`, "status": `"failed"`, "meta": `{"success":false}`, "graded": "false"} {
		var marks failure.Marks
		if marks.Reply(key, []byte(value)); len(marks) != 1 {
			t.Errorf("%s of %s is no mark of a reply", key, value)
		}
	}
	for key, value := range map[string]string{"result": `{"success":false}`, "eval_status": `"failed"`, "failed": "1", "error": "2"} {
		var marks failure.Marks
		if marks.Reply(key, []byte(value)); len(marks) != 0 {
			t.Errorf("%s of %s is a mark of a reply", key, value)
		}
	}
	var marks failure.Marks
	if marks.Result("status", []byte(`"failed"`)); len(marks) != 1 {
		t.Error("an agent that failed is no mark")
	}
}

func TestVerdicts(t *testing.T) {
	for value, want := range map[string]bool{`"failed"`: true, `"Failed: wrong"`: true, `"passed"`: false, `"error"`: false, `"failed with an error"`: false} {
		if failure.Verdict("status", []byte(value)) != want {
			t.Errorf("status of %s: want %v", value, want)
		}
	}
	if failure.Verdict("model_status", []byte(`"failed"`)) {
		t.Error("a model that failed is taken for a verdict")
	}
}

// The cause says more than a flag, and a flag may say whose failure it was.
func TestFirstMark(t *testing.T) {
	var marks failure.Marks
	marks.Row("mask_sample", []byte("true"))
	marks.Row("failure_reason", []byte(`"session lost"`))
	if f, _ := marks.First(); f.Text() != "failure_reason: session lost" || f.Whose != failure.Grader {
		t.Errorf("the first mark is %q of %q", f.Text(), f.Whose)
	}
	if _, is := marks.Without(func(string) bool { return true }).First(); is {
		t.Error("a mark is left")
	}
}

func TestEnded(t *testing.T) {
	for word, want := range map[string]bool{"rollout_error": true, "abort": true, "EnvException": false, "no_error": false, "went_home": false, "Server Error": true} {
		if failure.Ended(word) != want {
			t.Errorf("%s: want %v", word, want)
		}
	}
}

// A rollout that came through keeps its grade: its list of errors is of attempts before.
func TestErrorsOfAttemptsBefore(t *testing.T) {
	for _, c := range []struct {
		why    string
		row    map[string]string
		failed bool
	}{
		{"it came through", map[string]string{"ok": `true`, "errors": `["attempt 1: 503"]`}, false},
		{"by its status", map[string]string{"status": `"completed"`, "errors": `["attempt 1: 503"]`}, false},
		{"it did not", map[string]string{"ok": `false`, "errors": `["attempt 1: 503"]`}, true},
		{"nothing says so", map[string]string{"errors": `["attempt 1: 503"]`}, true},
		{"an error of its own", map[string]string{"status": `"completed"`, "error": `"boom"`}, true},
	} {
		var marks failure.Marks
		for key, value := range c.row {
			marks.Row(key, []byte(value))
		}
		if f, failed := marks.First(); failed != c.failed {
			t.Errorf("%s: %+v, %t", c.why, f, failed)
		}
	}
}
