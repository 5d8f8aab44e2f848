package job

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMaskedShowsNoCredential(t *testing.T) {
	j := agent(t)
	masked := string(j.Masked())
	if strings.Contains(masked, "planted") {
		t.Errorf("a planted key is still there: %s", masked)
	}
	for _, kept := range []string{`"Authorization":"**********"`, `cat?code=**********"`, `"X-Key":"**********"`, `"const":"kept"`, `"rate_limit":20`} {
		if !strings.Contains(masked, kept) {
			t.Errorf("masked lacks %s: %s", kept, masked)
		}
	}
}

func TestSecretsAreTheLiteralCredentials(t *testing.T) {
	want := []string{"Bearer planted-tool-key", "planted-grader-key", "planted-tool-key", "planted-url-key"}
	if diff := cmp.Diff(want, agent(t).Secrets()); diff != "" {
		t.Error(diff)
	}
}

func TestMaskURL(t *testing.T) {
	for in, want := range map[string]string{
		"https://api.example.com/v1":                      "https://api.example.com/v1",
		"https://user:pass@h.example/x":                   "https://**********@h.example/x",
		"https://f.example/api/x?code=aa==&top=5&sig=b#c": "https://f.example/api/x?code=**********&top=5&sig=**********#c",
		// These went into run.json as they stood.
		"https://f.example?subscription-key=k&x-functions-key=k2&max_tokens=5": "https://f.example?subscription-key=**********&x-functions-key=**********&max_tokens=5",
		"https://f.example?X-Amz-Signature=k&X-Amz-Credential=c&api-version=1": "https://f.example?X-Amz-Signature=**********&X-Amz-Credential=**********&api-version=1",
		"https://f.example?api_key=k":                                          "https://f.example?api_key=**********",
		"not a URL with code=secret":                                           "not a URL with code=secret",
	} {
		if got := MaskURL(in); got != want {
			t.Errorf("MaskURL(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestHashIgnoresLayoutAndCredentials(t *testing.T) {
	parse := func(text string) *Job {
		t.Helper()
		j, err := Parse("job.json", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	base := parse(`{"grader":{"type":"endpoint","url":"https://g/","headers":{"K":"one"}},"max_episode_steps":5}`)
	same := parse("{\n\"max_episode_steps\": 5, \"grader\": {\"headers\":{\"K\":\"another\"},\"url\":\"https://g/\",\"type\":\"endpoint\"}}")
	if base.Hash() != same.Hash() {
		t.Error("layout, order of keys or a header's value changes the hash")
	}
	for name, text := range map[string]string{
		"the step limit":  `{"grader":{"type":"endpoint","url":"https://g/","headers":{"K":"one"}},"max_episode_steps":6}`,
		"the URL":         `{"grader":{"type":"endpoint","url":"https://h/","headers":{"K":"one"}},"max_episode_steps":5}`,
		"a header's name": `{"grader":{"type":"endpoint","url":"https://g/","headers":{"L":"one"}},"max_episode_steps":5}`,
	} {
		if parse(text).Hash() == base.Hash() {
			t.Errorf("%s does not change the hash", name)
		}
	}
}

func TestExpandTakesHeadersFromTheEnvironment(t *testing.T) {
	env := func(name string) (string, bool) {
		v, ok := map[string]string{"TOOL_KEY": `with "quotes"`, "EMPTY": ""}[name]
		return v, ok
	}
	j, err := Parse("job.json", []byte(`{"grader":{"type":"string_check","input":"${TOOL_KEY}"},"tools":[{"name":"a","server_url":"http://x/?code=${TOOL_KEY}","headers":{"A":"Bearer ${TOOL_KEY}","B":"costs $5 ${EMPTY}"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := j.Expand(env)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"A": `Bearer with "quotes"`, "B": "costs $5 "}, got.Tools[0].Headers); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(string(got.Grader), "${TOOL_KEY}") {
		t.Errorf("a template outside headers was changed: %s", got.Grader)
	}
	if got.Hash() != j.Hash() {
		t.Error("expanding changes the hash")
	}
}

func TestExpandNamesWhatIsMissing(t *testing.T) {
	j, err := Parse("job.json", []byte("{\"grader\":{\"type\":\"a\",\n\"headers\":{\"K\":\"${NOT_THERE}\",\"L\":\"**********\"}}}"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = j.Expand(func(string) (string, bool) { return "", false })
	var at *Error
	if !errors.As(err, &at) || at.Path != "grader.headers.K" || at.Line != 2 || at.Column != 16 {
		t.Errorf("place: %+v", at)
	}
	for _, want := range []string{"the environment has no NOT_THERE", "job.json:2:35: grader.headers.L: the value is masked"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %q", err, want)
		}
	}
}
