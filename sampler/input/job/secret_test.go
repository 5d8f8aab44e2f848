package job

import (
	"errors"
	"strings"
	"testing"

	"gonogo/sampler/input/document"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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

// What is masked in a manifest, and what stays as it is.
func TestCredentialsAreFoundWhereverTheyStand(t *testing.T) {
	for why, c := range map[string]struct {
		tool string   // keys of a tool
		want []string // its secrets; each is also masked
		kept string   // what Masked leaves
	}{
		"a gateway's key in a URL":         {`"server_url":"https://g.example/s?subscription-key=PLANTED111&top=5"`, []string{"PLANTED111"}, `top=5"`},
		"a token in a URL":                 {`"server_url":"https://g.example/s?api_token=PLANTED111&auth=PLANTED222"`, []string{"PLANTED111", "PLANTED222"}, `s?api_token=`},
		"a name that is escaped":           {`"server_url":"https://g.example/s?api%5Fkey=PLANTED111"`, []string{"PLANTED111"}, `api%5Fkey=`},
		"a value that is escaped":          {`"server_url":"https://g.example/s?code=PLANTED%3D%3D"`, []string{"PLANTED%3D%3D", "PLANTED=="}, `?code=`},
		"a token behind the hash sign":     {`"server_url":"https://g.example/s#access_token=PLANTED111"`, []string{"PLANTED111"}, `#access_token=`},
		"user and password":                {`"server_url":"https://user:PLANTED%21@g.example/s"`, []string{"PLANTED!", "PLANTED%21", "user:PLANTED!", "user:PLANTED%21"}, `@g.example/s"`},
		"a user that is a key":             {`"server_url":"https://PLANTED111:@g.example/s"`, []string{"PLANTED111", "PLANTED111:"}, `@g.example/s"`},
		"a key of the body":                {`"server_url":"https://g.example","x_api_key":"PLANTED111"`, []string{"PLANTED111"}, `"x_api_key":"**********"`},
		"a key deeper in the body":         {`"server_url":"https://g.example","options":{"auth":{"clientSecret":"PLANTED111","type":"bearer"}}`, []string{"PLANTED111"}, `"type":"bearer"`},
		"a list of keys":                   {`"server_url":"https://g.example","api_keys":["PLANTED111","PLANTED222"]`, []string{"PLANTED111", "PLANTED222"}, `"api_keys":["**********","**********"]`},
		"a key that is a number":           {`"server_url":"https://g.example","api_key":987654321`, []string{"987654321"}, `"api_key":"**********"`},
		"a small number under a name":      {`"server_url":"https://g.example","session":7`, nil, `"session":7`},
		"a database's password":            {`"server_url":"https://g.example","store":"postgres://u:PLANTED111@db/x"`, []string{"PLANTED111", "u:PLANTED111"}, `@db/x"`},
		"a URL in a list":                  {`"server_url":"https://g.example","more":["https://h.example/?sig=PLANTED111"]`, []string{"PLANTED111"}, `h.example/?sig=`},
		"a header":                         {`"server_url":"https://g.example","headers":{"X-Key":"PLANTED-111"}`, []string{"PLANTED-111"}, `"X-Key":"**********"`},
		"a header that is no credential":   {`"server_url":"https://g.example","headers":{"X-Any":"2024-10-01"}`, nil, `"X-Any":"**********"`},
		"a value of each session":          {`"server_url":"https://g.example/?token={{session.nested.token}}","headers":{"x-slot":"{{session.nested.token}}","Authorization":"Bearer {{ session.token }}"}`, nil, `"x-slot":"**********"`},
		"a key beside a session's value":   {`"server_url":"https://g.example","headers":{"Authorization":"Bearer planted1of2by3and4-{{session.id}}"}`, []string{"Bearer planted1of2by3and4-", "planted1of2by3and4-"}, `"Authorization":"**********"`},
		"a variable has its value masked":  {`"server_url":"https://g.example/?code=${CODE}","token":"${TOKEN}"`, nil, `"token":"**********"`},
		"names that only look like it":     {`"server_url":"https://g.example/?monkey=a-very-long-one&max_tokens=100000","author":"somebody-1","max_tokens":100000,"keyword":"a-long-word"`, nil, `?monkey=a-very-long-one&max_tokens=100000","author":"somebody-1","max_tokens":100000,"keyword":"a-long-word"`},
		"a plain word under a vague name":  {`"server_url":"https://g.example","access":"public"`, nil, `"access":"**********"`},
		"a short one is masked in its key": {`"server_url":"https://g.example/?code=ab1","api_key":"xy"`, nil, `?code=**********","api_key":"**********"`},
	} {
		t.Run(why, func(t *testing.T) {
			j, err := Parse("job.json", []byte(`{"grader":{"type":"string_check"},"tools":[{"name":"s",`+c.tool+`}]}`))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, j.Secrets(), cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			masked := string(j.Masked())
			if !strings.Contains(masked, c.kept) || strings.Contains(masked, "PLANTED") || strings.Contains(masked, "987654321") {
				t.Errorf("masked is %s, want no planted key and %s", masked, c.kept)
			}
			if _, err := Parse("masked", j.Masked()); err != nil {
				t.Errorf("the masked body is no job: %v", err)
			}
		})
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
	all, _ := errors.AsType[document.Errors](err)
	if len(all) == 0 {
		t.Fatalf("no places: %v", err)
	}
	if at := all[0]; at.Path != "grader.headers.K" || at.Line != 2 || at.Column != 16 {
		t.Errorf("place: %+v", at)
	}
	for _, want := range []string{"the environment has no NOT_THERE", "job.json:2:35: grader.headers.L: the value is masked"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %q", err, want)
		}
	}
}
